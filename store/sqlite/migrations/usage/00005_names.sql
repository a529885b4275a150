-- +goose Up

-- The tables have the same names on both engines.
ALTER TABLE play_blocks RENAME TO usage_blocks;
ALTER TABLE progress RENAME TO usage_progress;
ALTER TABLE terms RENAME TO usage_terms;
ALTER TABLE cells RENAME TO usage_cells;
ALTER TABLE cell_bodies RENAME TO usage_cell_bodies;
ALTER TABLE ledger RENAME TO usage_ledger;
ALTER TABLE seals RENAME TO usage_seals;
ALTER TABLE statements RENAME TO usage_statements;
ALTER TABLE voids RENAME TO usage_voids;
ALTER TABLE retention RENAME TO usage_retention;
ALTER TABLE renames RENAME TO usage_renames;
ALTER TABLE verified_spans RENAME TO usage_verified_spans;
ALTER TABLE verification RENAME TO usage_verification;

-- An unfinished recount begins again. What a finished one replaced is not needed any more.
DROP TABLE IF EXISTS recount_progress;
DROP TABLE IF EXISTS recount_play_blocks;
DROP TABLE IF EXISTS recount_cells;
DROP TABLE IF EXISTS recount_cell_bodies;
DROP TABLE IF EXISTS recount_ledger;
DROP TABLE IF EXISTS old_play_blocks;
DROP TABLE IF EXISTS old_cells;
DROP TABLE IF EXISTS old_cell_bodies;
DROP TABLE IF EXISTS old_ledger;
