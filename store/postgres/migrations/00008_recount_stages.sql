-- +goose Up

-- An unfinished recount of an earlier release begins again.
DROP TABLE IF EXISTS recount_blocks, recount_cells, recount_ledger, recount_progress;
