-- +goose Up

-- The videos that a write removed: deleted or retired ones, and those that were given a last day in the past. Whose
-- day passes later is found by its day. Rows are in the order of their transactions.
CREATE TABLE removals (
    id       TEXT    PRIMARY KEY,
    at       INTEGER NOT NULL, -- microseconds since 1970, UTC
    position INTEGER NOT NULL, -- of the write
    reason   TEXT    NOT NULL  -- catalogue.RemovalReason
) STRICT, WITHOUT ROWID;
CREATE INDEX removals_at ON removals (at, position);
INSERT INTO removals (id, at, position, reason)
    SELECT id, updated_at, version, 'RETIRED' FROM videos WHERE retired = 1;
CREATE INDEX videos_until ON videos (available_until, id) WHERE available_until IS NOT NULL;

-- Who changed what.
CREATE TABLE catalogue_trail (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at     INTEGER NOT NULL, -- microseconds since 1970, UTC
    client TEXT    NOT NULL,
    user   TEXT    NOT NULL,
    kind   TEXT    NOT NULL,
    id     TEXT    NOT NULL, -- '': not of one thing
    before BLOB,             -- JSON; NULL: there was none
    after  BLOB              -- JSON; NULL: there is none any more
) STRICT;
CREATE INDEX catalogue_trail_thing ON catalogue_trail (kind, id, number);
CREATE INDEX catalogue_trail_kind ON catalogue_trail (kind, number);

-- +goose Down
DROP TABLE catalogue_trail;
DROP INDEX videos_until;
DROP TABLE removals;
