-- +goose Up

-- True if the event adds time to a play that an earlier event began.
ALTER TABLE events ADD COLUMN continues INTEGER NOT NULL DEFAULT 0;
