-- +goose Up

-- What is rolled up of the event log, and what is billed. (The table usage counts requests.) Numbers stand for
-- texts, 0 for an empty one.

-- How far the log is counted. Every transaction that writes what follows locks this row first.
CREATE TABLE use_progress (
    one      boolean PRIMARY KEY CHECK (one),
    position bigint  NOT NULL,
    as_of    bigint  NOT NULL
) WITH (fillfactor = 10);
INSERT INTO use_progress (one, position, as_of) VALUES (true, 0, 0);

-- The numbers of texts, from 1 in each dimension. A user is one of an account (owner, 0 else). They are found by
-- the SHA-256 of the text, which may be longer than an index takes.
CREATE TABLE use_terms (
    number    integer  NOT NULL,
    owner     integer  NOT NULL,
    dimension smallint NOT NULL,
    text      bytea    NOT NULL,
    PRIMARY KEY (dimension, number)
);
CREATE UNIQUE INDEX use_terms_text ON use_terms (sha256(text), dimension, owner);

-- Every play. It answers what no cell does.
CREATE TABLE use_plays (
    position bigint  NOT NULL,
    at       bigint  NOT NULL,
    starts   bigint  NOT NULL, -- milliseconds from the video's beginning
    ends     bigint  NOT NULL, -- likewise
    account  integer NOT NULL,
    client   integer NOT NULL,
    person   integer NOT NULL,
    video    integer NOT NULL,
    channel  integer NOT NULL,
    sandbox  boolean NOT NULL,
    subjects bytea             -- varints; NULL: none
);
CREATE INDEX use_plays_account ON use_plays (account, at);
CREATE INDEX use_plays_video ON use_plays (video, account, at);
CREATE INDEX use_plays_person ON use_plays (person, account, at);

-- What an account's plays of one bucket (hours, days or months since 1970) and one value of a dimension come to,
-- in one part or several: package counting.
CREATE TABLE use_cells (
    plays        bigint   NOT NULL,
    milliseconds bigint   NOT NULL,
    bucket       bigint   NOT NULL,
    account      integer  NOT NULL,
    value        integer  NOT NULL,
    part         integer  NOT NULL,
    users        integer  NOT NULL,
    videos       integer  NOT NULL,
    dimension    smallint NOT NULL,
    grain        smallint NOT NULL,
    sandbox      boolean  NOT NULL,
    body         bytea    NOT NULL, -- who played what
    PRIMARY KEY (account, dimension, grain, bucket, value, sandbox, part)
) WITH (fillfactor = 80); -- most are written again and again while their bucket is new

-- What statements are made of, and what made them. Texts, not numbers: it outlives all that is rolled up.
CREATE TABLE use_ledger (
    plays        bigint  NOT NULL,
    milliseconds bigint  NOT NULL,
    month        integer NOT NULL, -- since January 1970
    sealed       integer NOT NULL, -- the month of the seal, 2147483647: none yet
    sandbox      boolean NOT NULL,
    account      bytea   NOT NULL,
    client       bytea   NOT NULL,
    PRIMARY KEY (account, month, client, sandbox, sealed)
);
CREATE INDEX use_ledger_open ON use_ledger (month) WHERE sealed = 2147483647;

CREATE TABLE use_seals (
    month    integer PRIMARY KEY,
    position bigint  NOT NULL,
    at       bigint  NOT NULL -- microseconds since 1970, UTC
);

CREATE TABLE use_statements (
    month   integer NOT NULL,
    account bytea   NOT NULL,
    body    bytea   NOT NULL, -- JSON
    PRIMARY KEY (account, month)
);
CREATE INDEX use_statements_month ON use_statements (month, account);
