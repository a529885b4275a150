-- +goose Up

-- The numbers of texts, from 1 in each dimension (usage.Dimension). A user is one of an account (owner, 0 else).
CREATE TABLE terms (
    dimension INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    owner     INTEGER NOT NULL,
    text      TEXT    NOT NULL,
    PRIMARY KEY (dimension, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX terms_text ON terms (dimension, text, owner);

-- Every play, in numbers; 0 stands for "". It answers what no cell does.
CREATE TABLE plays (
    account       INTEGER NOT NULL,
    at            INTEGER NOT NULL, -- milliseconds since 1970, UTC
    position      INTEGER NOT NULL,
    sandbox       INTEGER NOT NULL,
    client        INTEGER NOT NULL,
    person        INTEGER NOT NULL,
    video         INTEGER NOT NULL,
    channel       INTEGER NOT NULL,
    subjects      BLOB,             -- varints; NULL: none
    segment_start INTEGER NOT NULL, -- milliseconds
    segment_end   INTEGER NOT NULL,
    PRIMARY KEY (account, at, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX plays_video ON plays (video, account, at);
CREATE INDEX plays_person ON plays (person, account, at);

-- What an account's plays of one bucket (hours, days or months since 1970) and one value of a dimension come to,
-- in one part or several: package counting. The body holds who played what; a large one lies apart, so that
-- a walk through cells touches few pages.
CREATE TABLE cells (
    account      INTEGER NOT NULL,
    dimension    INTEGER NOT NULL,
    grain        INTEGER NOT NULL,
    bucket       INTEGER NOT NULL,
    value        INTEGER NOT NULL,
    sandbox      INTEGER NOT NULL,
    part         INTEGER NOT NULL,
    plays        INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    users        INTEGER NOT NULL,
    videos       INTEGER NOT NULL,
    size         INTEGER NOT NULL, -- bytes of the body
    apart        INTEGER,          -- cell_bodies.number; NULL: the body is here
    body         BLOB,
    PRIMARY KEY (account, dimension, grain, bucket, value, sandbox, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell_bodies (
    number INTEGER PRIMARY KEY,
    body   BLOB NOT NULL
) STRICT;

-- What statements are made of, and what made them. Texts, not numbers: it outlives all that is rolled up.
CREATE TABLE ledger (
    account      TEXT    NOT NULL,
    month        INTEGER NOT NULL, -- since January 1970
    client       TEXT    NOT NULL,
    sandbox      INTEGER NOT NULL,
    sealed       INTEGER NOT NULL, -- the month of the seal, 2147483647: none yet
    plays        INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    PRIMARY KEY (account, month, client, sandbox, sealed)
) STRICT, WITHOUT ROWID;

CREATE TABLE seals (
    month    INTEGER PRIMARY KEY,
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL -- microseconds since 1970, UTC
) STRICT;

CREATE TABLE statements (
    account TEXT    NOT NULL,
    month   INTEGER NOT NULL,
    body    BLOB    NOT NULL, -- JSON
    PRIMARY KEY (account, month)
) STRICT;
CREATE INDEX statements_month ON statements (month, account);

-- How far the event log is counted.
CREATE TABLE progress (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL,
    as_of    INTEGER NOT NULL
) STRICT;
INSERT INTO progress (one, position, as_of) VALUES (1, 0, 0);

-- +goose Down
DROP TABLE progress;
DROP TABLE statements;
DROP TABLE seals;
DROP TABLE ledger;
DROP TABLE cell_bodies;
DROP TABLE cells;
DROP TABLE plays;
DROP TABLE terms;
