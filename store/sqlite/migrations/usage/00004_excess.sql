-- +goose Up

-- Milliseconds that were reported and are not counted. What was played before this migration counts in full.
ALTER TABLE plays ADD COLUMN excess INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cells ADD COLUMN excess INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger ADD COLUMN excess INTEGER NOT NULL DEFAULT 0;

-- Lists of videos (00002) are written again, with the excess of each video behind its milliseconds, in 8 bytes more.
DELETE FROM cell_bodies WHERE number IN (SELECT apart FROM cells WHERE dimension = 7);
DELETE FROM cells WHERE dimension = 7;

CREATE TABLE lists AS
SELECT account, bucket, sandbox, sum(plays) AS plays, sum(milliseconds) AS milliseconds,
    unhex('01000100' || group_concat(printf('%08x%016x%016x%016x', value, plays, milliseconds, 0), '')) AS body
FROM (
    SELECT account, bucket, sandbox, value, sum(plays) AS plays, sum(milliseconds) AS milliseconds FROM cells
    WHERE account IN (SELECT number FROM terms WHERE dimension = 0 UNION SELECT 0) AND dimension = 3 AND grain = 3
    GROUP BY account, bucket, sandbox, value
)
GROUP BY account, bucket, sandbox;

INSERT INTO cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, users, videos, size, apart)
SELECT account, 7, 3, bucket, 0, sandbox, 0, plays, milliseconds, 0, 0, length(body), (SELECT coalesce(max(number), 0) FROM cell_bodies) + rowid
FROM lists;
INSERT INTO cell_bodies (number, body) SELECT (SELECT coalesce(max(number), 0) FROM cell_bodies) + rowid, body FROM lists;
DROP TABLE lists;

-- +goose Down
DELETE FROM cell_bodies WHERE number IN (SELECT apart FROM cells WHERE dimension = 7);
DELETE FROM cells WHERE dimension = 7;
ALTER TABLE ledger DROP COLUMN excess;
ALTER TABLE cells DROP COLUMN excess;
ALTER TABLE plays DROP COLUMN excess;
