-- +goose Up

-- Work that outlives the request that started it. Times are microseconds since 1970, UTC; 0: not yet.
CREATE TABLE jobs (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created_at bigint  NOT NULL,
    started_at bigint  NOT NULL,
    ended_at   bigint  NOT NULL,
    done       bigint  NOT NULL,
    total      bigint  NOT NULL,
    attempts   bigint  NOT NULL,
    until      bigint  NOT NULL, -- the claim of the holder ends
    open       boolean NOT NULL, -- the job waits or runs
    cancel     boolean NOT NULL, -- a user asked to cancel it
    id         bytea   NOT NULL UNIQUE,
    kind       bytea   NOT NULL,
    account    bytea   NOT NULL,
    client     bytea   NOT NULL,
    user_name  bytea   NOT NULL,
    state      bytea   NOT NULL,
    holder     bytea   NOT NULL,
    error      bytea   NOT NULL,
    input      bytea   NOT NULL,
    result     bytea   NOT NULL,
    details    bytea   NOT NULL
);
CREATE INDEX jobs_account ON jobs (account, number);
CREATE INDEX jobs_kind ON jobs (account, kind, number);
CREATE INDEX jobs_open ON jobs (number) WHERE open;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE NOT open;

-- Uploads, and the files that jobs write.
CREATE TABLE job_files (
    size       bigint  NOT NULL, -- -1: unknown
    received   bigint  NOT NULL,
    created_at bigint  NOT NULL,
    id         bytea   NOT NULL PRIMARY KEY,
    account    bytea   NOT NULL,
    client     bytea   NOT NULL,
    user_name  bytea   NOT NULL,
    job        bytea   NOT NULL, -- empty: an upload
    name       bytea   NOT NULL,
    metadata   bytea   NOT NULL
);
CREATE INDEX job_files_job ON job_files (job, created_at, id);
CREATE INDEX job_files_created ON job_files (created_at);

-- The contents of files, in pieces that start at an offset.
CREATE TABLE job_file_chunks (
    at   bigint  NOT NULL,
    file bytea   NOT NULL,
    body bytea   NOT NULL,
    PRIMARY KEY (file, at)
);
