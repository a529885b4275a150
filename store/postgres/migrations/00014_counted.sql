-- +goose Up

-- How much of a segment is counted, in milliseconds; NULL: all of it. Rows from before this migration count in full.
ALTER TABLE events ADD COLUMN counted bigint;
-- There was no such video when the event was received, or the caller could not see it.
ALTER TABLE events ADD COLUMN hidden boolean NOT NULL DEFAULT false;

-- Milliseconds that were reported and are not counted. What was played before this migration counts in full.
ALTER TABLE use_plays ADD COLUMN excess bigint NOT NULL DEFAULT 0;
ALTER TABLE use_cells ADD COLUMN excess bigint NOT NULL DEFAULT 0;
ALTER TABLE use_ledger ADD COLUMN excess bigint NOT NULL DEFAULT 0;

-- Lists of videos (00012) are written again, with the excess of each video behind its milliseconds, in 8 bytes more.
DELETE FROM use_cells WHERE dimension = 7;
INSERT INTO use_cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, users, videos, body)
SELECT account, 7, 3, bucket, 0, sandbox, 0, sum(plays), sum(milliseconds), 0, 0,
    '\x01000100'::bytea || string_agg(int4send(value) || int8send(plays) || int8send(milliseconds) || int8send(0), ''::bytea ORDER BY value)
FROM (
    SELECT account, bucket, sandbox, value, sum(plays)::bigint AS plays, sum(milliseconds)::bigint AS milliseconds
    FROM use_cells WHERE dimension = 3 AND grain = 3 GROUP BY account, bucket, sandbox, value
) AS videos
GROUP BY account, bucket, sandbox;

-- +goose Down
DELETE FROM use_cells WHERE dimension = 7;
ALTER TABLE use_ledger DROP COLUMN excess;
ALTER TABLE use_cells DROP COLUMN excess;
ALTER TABLE use_plays DROP COLUMN excess;
ALTER TABLE events DROP COLUMN hidden;
ALTER TABLE events DROP COLUMN counted;
