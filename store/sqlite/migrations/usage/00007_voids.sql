-- +goose Up

-- Voids, in the order of their numbers. pending: the counts are still being changed.
CREATE TABLE voids (
    number  INTEGER PRIMARY KEY,
    pending INTEGER NOT NULL,
    body    BLOB    NOT NULL -- JSON
) STRICT;

-- The number of the void that takes a play out of the counts; 0: it is counted.
ALTER TABLE plays ADD COLUMN void INTEGER NOT NULL DEFAULT 0;
CREATE INDEX plays_void ON plays (void, account, at) WHERE void > 0;

-- Sums get the ID of the void that they are an adjustment of, '' for sums of plays.
CREATE TABLE ledger_before AS SELECT * FROM ledger;
DROP TABLE ledger;
CREATE TABLE ledger (
    account      TEXT    NOT NULL,
    month        INTEGER NOT NULL, -- since January 1970
    client       TEXT    NOT NULL,
    sandbox      INTEGER NOT NULL,
    sealed       INTEGER NOT NULL, -- the month of the seal, 2147483647: none yet
    void         TEXT    NOT NULL,
    plays        INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    excess       INTEGER NOT NULL,
    PRIMARY KEY (account, month, client, sandbox, sealed, void)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger (account, month, client, sandbox, sealed, void, plays, milliseconds, excess)
SELECT account, month, client, sandbox, sealed, '', plays, milliseconds, excess FROM ledger_before;
DROP TABLE ledger_before;

-- +goose Down
CREATE TABLE ledger_before AS SELECT * FROM ledger;
DROP TABLE ledger;
CREATE TABLE ledger (
    account      TEXT    NOT NULL,
    month        INTEGER NOT NULL, -- since January 1970
    client       TEXT    NOT NULL,
    sandbox      INTEGER NOT NULL,
    sealed       INTEGER NOT NULL, -- the month of the seal, 2147483647: none yet
    plays        INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    excess       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, month, client, sandbox, sealed)
) STRICT, WITHOUT ROWID;
INSERT INTO ledger (account, month, client, sandbox, sealed, plays, milliseconds, excess)
SELECT account, month, client, sandbox, sealed, sum(plays), sum(milliseconds), sum(excess) FROM ledger_before
GROUP BY account, month, client, sandbox, sealed;
DROP TABLE ledger_before;
DROP INDEX plays_void;
ALTER TABLE plays DROP COLUMN void;
DROP TABLE voids;
