-- +goose Up

-- Counts of the event log, and the basis of bills. Times are milliseconds since 1970, UTC, unless a comment says otherwise;
-- hours, days and months count from 1970. Numbers stand for texts; 0 stands for an empty text.

-- The position up to which the event log is counted.
CREATE TABLE progress (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL,
    as_of    INTEGER NOT NULL,
    changes  INTEGER NOT NULL DEFAULT 0 -- the number of changes that make a second set of counts start again
) STRICT;
INSERT INTO progress (one, position, as_of) VALUES (1, 0, 0);

-- The numbers of texts, from 1 in each dimension (usage.Dimension).
CREATE TABLE terms (
    dimension INTEGER NOT NULL,
    number    INTEGER NOT NULL,
    owner     INTEGER NOT NULL, -- the account of a user; 0 in all other dimensions
    text      TEXT    NOT NULL,
    PRIMARY KEY (dimension, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX terms_text ON terms (dimension, text, owner);

-- Every play. Queries that no cell answers read it.
CREATE TABLE plays (
    account       INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    position      INTEGER NOT NULL,
    sandbox       INTEGER NOT NULL,
    client        INTEGER NOT NULL,
    person        INTEGER NOT NULL,
    video         INTEGER NOT NULL,
    channel       INTEGER NOT NULL,
    subjects      BLOB,             -- varints; NULL: none
    segment_start INTEGER NOT NULL, -- milliseconds from the video's beginning
    segment_end   INTEGER NOT NULL, -- milliseconds from the video's beginning
    excess        INTEGER NOT NULL DEFAULT 0, -- milliseconds that were reported and do not count
    void          INTEGER NOT NULL DEFAULT 0, -- the number of the void that removes the play from the counts; 0: it counts
    PRIMARY KEY (account, at, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX plays_video ON plays (video, account, at);
CREATE INDEX plays_person ON plays (person, account, at);
CREATE INDEX plays_void ON plays (void, account, at) WHERE void > 0;

-- Sums of an account's plays in one bucket (an hour, a day or a month) and one value of a dimension, in one part or
-- several: see package usagelogic. The body contains persons and videos. Large bodies are in cell_bodies, so that a walk
-- through cells reads few pages.
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
    excess       INTEGER NOT NULL DEFAULT 0, -- milliseconds, as in plays
    PRIMARY KEY (account, dimension, grain, bucket, value, sandbox, part)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell_bodies (
    number INTEGER PRIMARY KEY,
    body   BLOB NOT NULL
) STRICT;

-- The sums from which statements are made. They hold texts, not numbers, because they outlive plays and cells.
CREATE TABLE ledger (
    account      TEXT    NOT NULL,
    month        INTEGER NOT NULL,
    client       TEXT    NOT NULL,
    sandbox      INTEGER NOT NULL,
    sealed       INTEGER NOT NULL, -- the month of the seal; 2147483647: not sealed yet
    void         TEXT    NOT NULL, -- the ID of the void that made this adjustment; '': a sum of plays
    plays        INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    excess       INTEGER NOT NULL, -- milliseconds, as in plays
    PRIMARY KEY (account, month, client, sandbox, sealed, void)
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

-- Voids, in the order of their numbers.
CREATE TABLE voids (
    number  INTEGER PRIMARY KEY,
    pending INTEGER NOT NULL, -- the counts are still being changed
    body    BLOB    NOT NULL  -- JSON
) STRICT;

-- Plays before the horizon are kept without persons (store.Usage.ForgetPersons).
CREATE TABLE retention (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    horizon  INTEGER NOT NULL,
    sweeping INTEGER NOT NULL -- users whom no play names any more may still have a number
) STRICT;
INSERT INTO retention (one, horizon, sweeping) VALUES (1, 0, 0);

-- The alias of a person whom the store is forgetting, so that an interrupted call continues with the same alias.
CREATE TABLE renames (
    person BLOB NOT NULL PRIMARY KEY, -- SHA-256 of the account, a zero byte and the person
    alias  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
