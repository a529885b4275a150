-- +goose Up

-- True if the segment adds time to a play that an earlier event began.
ALTER TABLE plays ADD COLUMN continues INTEGER NOT NULL DEFAULT 0;
