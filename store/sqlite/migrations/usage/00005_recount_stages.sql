-- +goose Up

-- An unfinished recount of an earlier release begins again.
DROP TABLE IF EXISTS recount_progress;
DROP TABLE IF EXISTS recount_play_blocks;
DROP TABLE IF EXISTS recount_cells;
DROP TABLE IF EXISTS recount_cell_bodies;
DROP TABLE IF EXISTS recount_ledger;
