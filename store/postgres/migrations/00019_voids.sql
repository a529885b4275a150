-- +goose Up

-- Voids, in the order of their numbers. pending: the counts are still being changed.
CREATE TABLE use_voids (
    number  bigint  PRIMARY KEY,
    pending boolean NOT NULL,
    body    bytea   NOT NULL -- JSON
);

-- The number of the void that takes a play out of the counts; 0: it is counted.
ALTER TABLE use_plays ADD COLUMN void bigint NOT NULL DEFAULT 0;
CREATE INDEX use_plays_void ON use_plays (void, account, at) WHERE void > 0;

-- Sums get the ID of the void that they are an adjustment of, '' for sums of plays.
ALTER TABLE use_ledger ADD COLUMN void bytea NOT NULL DEFAULT '';
ALTER TABLE use_ledger DROP CONSTRAINT use_ledger_pkey;
ALTER TABLE use_ledger ADD CONSTRAINT use_ledger_pkey PRIMARY KEY (account, month, client, sandbox, sealed, void);

-- +goose Down
CREATE TEMPORARY TABLE ledger_before ON COMMIT DROP AS SELECT * FROM use_ledger;
DELETE FROM use_ledger;
ALTER TABLE use_ledger DROP CONSTRAINT use_ledger_pkey;
ALTER TABLE use_ledger DROP COLUMN void;
ALTER TABLE use_ledger ADD CONSTRAINT use_ledger_pkey PRIMARY KEY (account, month, client, sandbox, sealed);
INSERT INTO use_ledger (account, month, client, sandbox, sealed, plays, milliseconds, excess)
SELECT account, month, client, sandbox, sealed, sum(plays), sum(milliseconds), sum(excess) FROM ledger_before
GROUP BY account, month, client, sandbox, sealed;
DROP INDEX use_plays_void;
ALTER TABLE use_plays DROP COLUMN void;
DROP TABLE use_voids;
