-- +goose Up

-- What each video of an account came to in a month (grain 3), listed in cells of dimension 7: package counting. The
-- body is two empty sets, then for each video its number, plays and milliseconds in 4, 8 and 8 bytes.
INSERT INTO use_cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, users, videos, body)
SELECT account, 7, 3, bucket, 0, sandbox, 0, sum(plays), sum(milliseconds), 0, 0,
    '\x01000100'::bytea || string_agg(int4send(value) || int8send(plays) || int8send(milliseconds), ''::bytea ORDER BY value)
FROM (
    SELECT account, bucket, sandbox, value, sum(plays)::bigint AS plays, sum(milliseconds)::bigint AS milliseconds
    FROM use_cells WHERE dimension = 3 AND grain = 3 GROUP BY account, bucket, sandbox, value
) AS videos
GROUP BY account, bucket, sandbox;

-- +goose Down
DELETE FROM use_cells WHERE dimension = 7;
