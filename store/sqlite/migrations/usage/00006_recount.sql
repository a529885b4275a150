-- +goose Up

-- How often something has changed that a second set of counts must take in from its beginning.
ALTER TABLE progress ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE progress DROP COLUMN changes;
