-- +goose Up

-- Which process does a piece of work. A row stays when the lease has been given up: what is settled
-- must be known to the next. Times are microseconds since 1970, UTC.
CREATE TABLE leases (
    name       TEXT    PRIMARY KEY,
    holder     TEXT    NOT NULL,
    until      INTEGER NOT NULL,
    settled    INTEGER NOT NULL,
    wisher     TEXT    NOT NULL,
    wish_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Names the history that the log tells.
CREATE TABLE lineage (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    name TEXT    NOT NULL
) STRICT;
INSERT INTO lineage (one, name) VALUES (1, lower(hex(randomblob(8))));

-- +goose Down
DROP TABLE lineage;
DROP TABLE leases;
