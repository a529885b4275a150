-- +goose Up

-- How much of a segment is counted, in milliseconds; NULL: all of it. Rows from before this migration count in full.
ALTER TABLE events ADD COLUMN counted INTEGER;
-- 1: there was no such video when the event was received, or the caller could not see it; NULL: it could.
ALTER TABLE events ADD COLUMN hidden INTEGER;

-- +goose Down
ALTER TABLE events DROP COLUMN hidden;
ALTER TABLE events DROP COLUMN counted;
