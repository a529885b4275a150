-- +goose Up

-- All plays, in blocks of one account and one month of play: see package usagelogic. Queries that no cell answers read
-- them. Each month has a partition, which the program creates. The program moves the rows of usage_plays here, and then
-- drops that table.
CREATE TABLE usage_blocks (
    first_at       bigint  NOT NULL,
    last_at        bigint  NOT NULL,
    first_position bigint  NOT NULL,
    last_position  bigint  NOT NULL,
    account        integer NOT NULL,
    month          integer NOT NULL,
    number         integer NOT NULL,
    plays          integer NOT NULL,
    size           integer NOT NULL, -- bytes of summary and body
    voided         boolean NOT NULL, -- true if a void removes any of the plays from the counts
    summary        bytea   NOT NULL, -- persons and videos
    body           bytea   NOT NULL,
    PRIMARY KEY (account, month, number)
) PARTITION BY LIST (month);
ALTER TABLE usage_blocks ALTER COLUMN summary SET STORAGE EXTERNAL, ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX usage_blocks_last ON usage_blocks (last_position);

-- An unfinished recount begins again.
DROP TABLE IF EXISTS recount_plays, recount_cells, recount_ledger, recount_progress;
