-- +goose Up

-- What there is too much of for a directory: see catalogue.Record. The number is given once and never
-- again.
CREATE TABLE catalogue_records (
    number     bigint PRIMARY KEY,
    kind       text   COLLATE "C" NOT NULL,
    id         text   COLLATE "C" NOT NULL,
    version    bigint NOT NULL,
    updated_at bigint NOT NULL,
    source     bytea  NOT NULL,
    reference  bytea  NOT NULL,
    owner_kind text   COLLATE "C", -- what the record belongs to; NULL: nothing
    owner      text   COLLATE "C",
    body       bytea  NOT NULL     -- JSON
);
CREATE UNIQUE INDEX catalogue_records_id ON catalogue_records (id, kind);
CREATE INDEX catalogue_records_version ON catalogue_records (kind, version);
CREATE INDEX catalogue_records_source ON catalogue_records (kind, source, id);
CREATE INDEX catalogue_records_owner ON catalogue_records (owner, kind, id) WHERE owner IS NOT NULL;

-- How many records of a kind there are: whoever keeps a copy of them asks often.
CREATE TABLE catalogue_record_counts (
    kind  text   COLLATE "C" PRIMARY KEY,
    count bigint NOT NULL
) WITH (fillfactor = 10);
