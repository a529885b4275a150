-- +goose Up

-- All plays, in blocks of one account and one month of play: see package usagelogic. Queries that no cell answers read
-- them. The program moves the rows of the table plays here, and then drops that table. A table that a recount replaces
-- may have no index with a name.
CREATE TABLE play_blocks (
    account        INTEGER NOT NULL,
    month          INTEGER NOT NULL,
    number         INTEGER NOT NULL,
    plays          INTEGER NOT NULL,
    size           INTEGER NOT NULL, -- bytes of summary and body
    first_at       INTEGER NOT NULL,
    last_at        INTEGER NOT NULL,
    first_position INTEGER NOT NULL,
    last_position  INTEGER NOT NULL,
    voided         INTEGER NOT NULL, -- true if a void removes any of the plays from the counts
    summary        BLOB    NOT NULL, -- persons and videos
    body           BLOB    NOT NULL,
    PRIMARY KEY (account, month, number),
    UNIQUE (last_position, account, month, number)
) STRICT;

-- An unfinished recount begins again.
DROP TABLE IF EXISTS recount_progress;
DROP TABLE IF EXISTS recount_plays;
DROP TABLE IF EXISTS recount_cells;
DROP TABLE IF EXISTS recount_cell_bodies;
DROP TABLE IF EXISTS recount_ledger;
