-- +goose Up

-- What each video of an account came to in a month (grain 3), listed in cells of dimension 7: package counting. The
-- body is two empty sets, then for each video its number, plays and milliseconds in 4, 8 and 8 bytes.
CREATE TABLE lists AS
SELECT account, bucket, sandbox, sum(plays) AS plays, sum(milliseconds) AS milliseconds,
    unhex('01000100' || group_concat(printf('%08x%016x%016x', value, plays, milliseconds), '')) AS body
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
