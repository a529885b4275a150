-- +goose Up

-- True if the event adds time to a play that an earlier event began.
ALTER TABLE events ADD COLUMN continues boolean NOT NULL DEFAULT false;

-- True if the segment adds time to a play that an earlier event began.
ALTER TABLE usage_plays ADD COLUMN continues boolean NOT NULL DEFAULT false;
