-- +goose Up

-- Like every migration, this one only adds.
ALTER TABLE videos ADD COLUMN next_look bigint;
CREATE INDEX videos_next_look ON videos (next_look) WHERE next_look IS NOT NULL;
