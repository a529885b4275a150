-- +goose Up

-- What there is too much of for a directory: see catalogue.Record. The number is given once and never
-- again.
CREATE TABLE catalogue_records (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, -- microseconds since 1970, UTC
    source     TEXT    NOT NULL,
    reference  TEXT    NOT NULL,
    owner_kind TEXT,             -- what the record belongs to; NULL: nothing
    owner      TEXT,
    body       BLOB    NOT NULL  -- JSON
) STRICT;
CREATE UNIQUE INDEX catalogue_records_id ON catalogue_records (id, kind);
CREATE INDEX catalogue_records_version ON catalogue_records (kind, version);
CREATE INDEX catalogue_records_source ON catalogue_records (kind, source, id);
CREATE INDEX catalogue_records_owner ON catalogue_records (owner, kind, id) WHERE owner IS NOT NULL;

-- How many records of a kind there are: whoever keeps a copy of them asks often.
CREATE TABLE catalogue_record_counts (
    kind  TEXT    PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE catalogue_record_counts;
DROP TABLE catalogue_records;
