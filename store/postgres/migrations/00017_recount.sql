-- +goose Up

-- How often something has changed that a second set of counts must take in from its beginning.
ALTER TABLE use_progress ADD COLUMN changes bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE use_progress DROP COLUMN changes;
