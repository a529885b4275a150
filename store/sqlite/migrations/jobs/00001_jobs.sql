-- +goose Up

-- Work that outlives the request that started it. Times are microseconds since 1970, UTC; 0: not yet.
CREATE TABLE jobs (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    created_at INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER NOT NULL,
    done       INTEGER NOT NULL,
    total      INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    until      INTEGER NOT NULL, -- the claim of the holder ends
    open       INTEGER NOT NULL, -- the job waits or runs
    cancel     INTEGER NOT NULL, -- a user asked to cancel it
    id         TEXT    NOT NULL UNIQUE,
    kind       TEXT    NOT NULL,
    account    TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    user_name  TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    holder     TEXT    NOT NULL,
    error      TEXT    NOT NULL,
    input      BLOB    NOT NULL,
    result     BLOB    NOT NULL,
    details    BLOB    NOT NULL
) STRICT;
CREATE INDEX jobs_account ON jobs (account, number);
CREATE INDEX jobs_kind ON jobs (account, kind, number);
CREATE INDEX jobs_open ON jobs (number) WHERE open;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE NOT open;

-- Uploads, and the files that jobs write.
CREATE TABLE job_files (
    size       INTEGER NOT NULL, -- -1: unknown
    received   INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id         TEXT    NOT NULL PRIMARY KEY,
    account    TEXT    NOT NULL,
    client     TEXT    NOT NULL,
    user_name  TEXT    NOT NULL,
    job        TEXT    NOT NULL, -- empty: an upload
    name       TEXT    NOT NULL,
    metadata   BLOB    NOT NULL
) STRICT;
CREATE INDEX job_files_job ON job_files (job, created_at, id);
CREATE INDEX job_files_created ON job_files (created_at);

-- The contents of files, in pieces that start at an offset.
CREATE TABLE job_file_chunks (
    at   INTEGER NOT NULL,
    file TEXT    NOT NULL,
    body BLOB    NOT NULL,
    PRIMARY KEY (file, at)
) STRICT;
