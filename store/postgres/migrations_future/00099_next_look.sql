-- +goose Up

-- A step of no release: see the build tag filmstrip_future. It only adds.
ALTER TABLE videos ADD COLUMN next_look bigint;
CREATE INDEX videos_next_look ON videos (next_look) WHERE next_look IS NOT NULL;
