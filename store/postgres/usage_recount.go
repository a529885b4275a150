package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// table returns the name of a table for COPY.
func (s *session) table(name string) pgx.Identifier {
	if s.pending.recounting {
		name = sqlstore.OfRecount.Replace(name)
	}
	return pgx.Identifier{name}
}

var (
	selectRecountIsMade = define(`
		SELECT to_regclass('recount_progress') IS NOT NULL,
			EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('recount_progress') AND attname = 'gathered_number')`)
	// selectRecountTables returns the columns of the tables of a recount.
	selectRecountTables = define(`
		SELECT string_agg(format('%s.%s', attrelid::regclass, attname), ' ' ORDER BY attrelid, attnum) FROM pg_attribute
		WHERE attrelid IN ('usage_blocks'::regclass, 'usage_cells'::regclass, 'usage_ledger'::regclass) AND attnum > 0 AND NOT attisdropped`)
)

// The tables are logged like those that they replace: a change of that would write all rows again.
const (
	dropRecount   = `DROP TABLE IF EXISTS recount_blocks, recount_cells, recount_ledger, recount_progress`
	createRecount = dropRecount + `;
		CREATE TABLE recount_blocks (LIKE usage_blocks INCLUDING ALL) PARTITION BY LIST (month);
		CREATE TABLE recount_cells (LIKE usage_cells INCLUDING ALL) WITH (fillfactor = 80);
		CREATE TABLE recount_ledger (LIKE usage_ledger INCLUDING ALL);
		CREATE TABLE recount_progress (` + progressColumns + `)`
	progressColumns = `id text, month integer, position bigint, as_of bigint, changes bigint, columns text,
		stage smallint, gathered_account integer, gathered_month integer, gathered_number integer`
)

// HasRecount implements sqlstore.RecountTx.
func (c *count) HasRecount(ctx context.Context) (exists, isCurrent bool, err error) {
	err = c.rows(ctx, selectRecountIsMade, func(rows pgx.Rows) error { return rows.Scan(&exists, &isCurrent) })
	return exists, isCurrent, err
}

// RecountTables implements sqlstore.RecountTx. It returns the columns of the tables.
func (c *count) RecountTables(ctx context.Context) (columns string, err error) {
	err = c.rows(ctx, selectRecountTables, func(rows pgx.Rows) error { return rows.Scan(&columns) })
	return columns + " " + progressColumns, err
}

// CreateRecount implements sqlstore.RecountTx.
func (c *count) CreateRecount(ctx context.Context, _ string) error {
	_, err := c.conn.Exec(ctx, createRecount, pgx.QueryExecModeSimpleProtocol)
	return storeError(ctx, err)
}

// DropRecount implements sqlstore.RecountTx.
func (c *count) DropRecount(ctx context.Context) error {
	_, err := c.conn.Exec(ctx, dropRecount, pgx.QueryExecModeSimpleProtocol)
	return storeError(ctx, err)
}

// Recounting implements sqlstore.RecountTx.
func (c *count) Recounting(fn func() error) error {
	c.pending.recounting = true
	defer func() { c.pending.recounting = false }()
	return fn()
}

// replaceTime is the time limit of each statement that ends a recount: it writes the cells of the months before the
// recount, if it has not counted all.
const replaceTime = time.Hour

const (
	// lockForChange waits for all queries. A query has this lock before its snapshot, so it never sees new tables with
	// an old snapshot (lockForRead).
	lockForChange = `LOCK TABLE ONLY usage_blocks, ONLY usage_cells IN ACCESS EXCLUSIVE MODE`
	earlierCells  = `INSERT INTO recount_cells SELECT * FROM usage_cells WHERE account = $1 AND dimension = $2 AND grain = $3 AND bucket < $4`
	replaceTables = `
		DROP TABLE usage_cells;
		ALTER TABLE recount_cells RENAME TO usage_cells;
		DELETE FROM usage_ledger WHERE month >= %d;
		INSERT INTO usage_ledger SELECT * FROM recount_ledger;
		DROP TABLE recount_blocks, recount_ledger, recount_progress`
	replacePartition = `
		ALTER TABLE recount_blocks DETACH PARTITION recount_blocks%[1]s;
		ALTER TABLE recount_blocks%[1]s RENAME TO usage_blocks%[1]s;
		ALTER TABLE usage_blocks ATTACH PARTITION usage_blocks%[1]s FOR VALUES IN (%[2]d)`
)

// ReplaceCounts implements sqlstore.RecountTx. It attaches the partitions of the second set, and copies only the ledger,
// which is small, and the cells that the second set lacks.
func (c *count) ReplaceCounts(ctx context.Context, month usage.Month) error {
	run := func(text string, args ...any) error {
		_, err := c.conn.Exec(ctx, text, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		return storeError(ctx, err)
	}
	if err := run(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, replaceTime.Milliseconds())); err != nil {
		return err
	}
	if month != usage.FirstMonth {
		accounts, err := c.Accounts(ctx)
		if err != nil {
			return err
		}
		for _, account := range append(accounts, 0) {
			err := usagelogic.EachGrain(func(dimension usage.Dimension, grain usagelogic.Grain) error {
				return run(earlierCells, int32(account), int16(dimension), int16(grain), grain.Bucket(month.Start()))
			})
			if err != nil {
				return err
			}
		}
	}
	if err := run(lockForChange); err != nil {
		return err
	}
	old, err := c.blockMonths(ctx)
	if err != nil {
		return err
	}
	for name := range old {
		if of, err := monthOfPartition(name); err == nil && !of.Before(month) {
			if err := run(`DROP TABLE ` + name); err != nil {
				return err
			}
		}
	}
	var fresh map[string]bool
	err = c.Recounting(func() (err error) {
		fresh, err = c.blockMonths(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for name := range fresh {
		of, err := monthOfPartition(name)
		if err != nil {
			return err
		}
		if err := run(fmt.Sprintf(replacePartition, blockPartition(int64(of.Number())), of.Number())); err != nil {
			return err
		}
	}
	return run(fmt.Sprintf(replaceTables, month.Number()))
}

// DropReplaced implements sqlstore.UsageDatabase. ReplaceCounts leaves nothing.
func (usageDatabase) DropReplaced(context.Context) error { return nil }
