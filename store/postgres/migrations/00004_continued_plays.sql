-- +goose Up

-- Whether the event adds time to a play that an earlier event began.
ALTER TABLE events ADD COLUMN continues boolean NOT NULL DEFAULT false;

-- The same of the counted segment.
ALTER TABLE usage_plays ADD COLUMN continues boolean NOT NULL DEFAULT false;
