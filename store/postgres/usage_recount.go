package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// The second set of counts is in separate tables, which exist during a recount. Both sets share terms, seals and
// billing statements. The statements of the first set read and write the second set, with the names of its tables.
var ofRecount = strings.NewReplacer("usage_blocks", "recount_blocks", "usage_cells", "recount_cells", "usage_ledger", "recount_ledger")

// table returns the name of a table for COPY.
func (s *session) table(name string) pgx.Identifier {
	if s.recounting {
		name = ofRecount.Replace(name)
	}
	return pgx.Identifier{name}
}

var (
	noteChange          = define(`UPDATE usage_progress SET changes = changes + 1 WHERE one`)
	selectRecountIsMade = define(`
		SELECT to_regclass('recount_progress') IS NOT NULL,
			EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('recount_progress') AND attname = 'gathered_number')`)
	countRenames = define(`SELECT count(*) FROM usage_renames`)
	// selectRecountBase returns the state that a recount depends on: the number of changes that the recount must
	// include from its beginning, and the columns of its tables.
	selectRecountBase = define(`
		SELECT p.changes, (
			SELECT string_agg(format('%s.%s', attrelid::regclass, attname), ' ' ORDER BY attrelid, attnum) FROM pg_attribute
			WHERE attrelid IN ('usage_blocks'::regclass, 'usage_cells'::regclass, 'usage_ledger'::regclass) AND attnum > 0 AND NOT attisdropped)
		FROM usage_progress AS p WHERE p.one`)
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
	selectRecount = `
		SELECT id, month, position, as_of, changes, columns, stage, gathered_account, gathered_month, gathered_number FROM recount_progress`
	insertRecount = `INSERT INTO recount_progress VALUES ($1, $2, 0, 0, $3, $4, $5, $6, $7, $8)`
	moveRecount   = `UPDATE recount_progress SET position = $1, as_of = $2`
	stageRecount  = `UPDATE recount_progress SET stage = $1, gathered_account = $2, gathered_month = $3, gathered_number = $4`
)

// recountRow is the content of recount_progress.
type recountRow struct {
	usage.Recount
	changes int64
	// columns are the columns of the tables of the recount. A release that has others does not resume it.
	columns string
	// gathered is the last block whose plays are in cells.
	gathered usagelogic.BlockKey
}

// recountRow returns the recount in progress, or nil if there is none, and the base of a recount that begins now. A
// recount of an earlier release must begin again.
func (c *count) recountRow(ctx context.Context) (row *recountRow, base recountRow, err error) {
	var made, current bool
	err = c.send(ctx, func(p *pipeline) {
		p.ask(selectRecountIsMade, func(rows pgx.Rows) error { return rows.Scan(&made, &current) })
		p.ask(selectRecountBase, func(rows pgx.Rows) error { return rows.Scan(&base.changes, &base.columns) })
	})
	base.columns += " " + progressColumns
	if err != nil || !made {
		return nil, base, err
	}
	if !current {
		return &recountRow{changes: -1}, base, nil
	}
	rows, err := c.conn.Query(ctx, selectRecount)
	if err != nil {
		return nil, base, storeError(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		row = &recountRow{}
		var month, account int32
		err := rows.Scan(&row.ID, &month, &row.Progress.Position, (*int64)(&row.Progress.AsOf), &row.changes, &row.columns,
			&row.Stage, &account, &row.gathered.Month, &row.gathered.Number)
		if err != nil {
			return nil, base, storeError(ctx, err)
		}
		row.From, row.gathered.Account = usage.MonthNumber(int(month)), usagelogic.Number(account)
	}
	return row, base, storeError(ctx, rows.Err())
}

// BeginRecount implements store.Usage.
func (u *Usage) BeginRecount(ctx context.Context, from usage.Month, resume bool) (recount usage.Recount, err error) {
	err = u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		row, base, err := c.recountRow(ctx)
		if err != nil {
			return err
		}
		if resume && row != nil && row.From == from && row.changes == base.changes && row.columns == base.columns {
			recount = row.Recount
			return nil
		}
		recount = usage.Recount{ID: rand.Text(), From: from}
		if _, err := c.conn.Exec(ctx, createRecount, pgx.QueryExecModeSimpleProtocol); err != nil {
			return storeError(ctx, err)
		}
		first := usagelogic.FirstBlock
		last.batch.Queue(insertRecount, recount.ID, from.Number(), base.changes, base.columns, int16(recount.Stage), int32(first.Account), int32(first.Month), int32(first.Number))
		return nil
	})
	return recount, err
}

// dropStaleRecount drops the second set of counts if the recount must begin again. Otherwise an interrupted recount
// that nobody resumes would retain personal data indefinitely.
func (u *Usage) dropStaleRecount(ctx context.Context) error {
	return u.counting(ctx, func(ctx context.Context, c *count, _ *pipeline) error {
		row, base, err := c.recountRow(ctx)
		if err != nil || row == nil || row.changes == base.changes {
			return err
		}
		_, err = c.conn.Exec(ctx, dropRecount, pgx.QueryExecModeSimpleProtocol)
		return storeError(ctx, err)
	})
}

// checkRecount returns the stored recount. The error has the code Conflict if it differs from the given one or must begin
// again.
func (c *count) checkRecount(ctx context.Context, recount usage.Recount) (*recountRow, error) {
	row, base, err := c.recountRow(ctx)
	if err != nil {
		return nil, err
	}
	if row == nil || row.Recount != recount || row.changes != base.changes {
		return nil, usagelogic.ErrRecountMoved
	}
	return row, nil
}

// refuseRenaming returns an error while a person is being forgotten. The log may still have the name.
func (c *count) refuseRenaming(ctx context.Context) error {
	var renames int64
	err := c.send(ctx, func(p *pipeline) { p.number(countRenames, &renames) })
	if err == nil && renames > 0 {
		err = usagelogic.ErrRenaming
	}
	return err
}

// ApplyRecount implements store.Usage.
func (u *Usage) ApplyRecount(ctx context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error) {
	if err := usagelogic.CheckPlays(recount.Progress, to, plays); err != nil {
		return recount, err
	}
	var known usagelogic.Dictionary
	err := u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		// A repeated transaction takes an empty dictionary: the numbers that the aborted one added are not stored.
		known = u.recounted.Take(recount.ID)
		if _, err := c.checkRecount(ctx, recount); err != nil {
			return err
		}
		if recount.Stage == usage.Gathering {
			return usagelogic.ErrUngathered
		}
		if err := c.refuseRenaming(ctx); err != nil {
			return err
		}
		c.recounting = true
		defer func() { c.recounting = false }()
		if err := c.count(ctx, usagelogic.Since(plays, recount.From), known, recount.Stage == usage.Following); err != nil {
			return err
		}
		last.batch.Queue(moveRecount, to.Position, int64(to.AsOf))
		return nil
	})
	if err == nil {
		recount.Progress = to
		u.recounted.Keep(recount.ID, known)
	}
	return recount, err
}

// GatherRecount implements store.Usage.
func (u *Usage) GatherRecount(ctx context.Context, recount usage.Recount) (usage.Recount, error) {
	var stage usage.RecountStage
	err := u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		stage = recount.Stage
		row, err := c.checkRecount(ctx, recount)
		if err != nil || stage == usage.Following {
			return err
		}
		c.recounting = true
		defer func() { c.recounting = false }()
		gathered, done, err := usagelogic.GatherBlocks(ctx, c, row.gathered, u.gather)
		if err != nil {
			return err
		}
		if stage = usage.Gathering; done {
			stage = usage.Following
		}
		last.batch.Queue(stageRecount, int16(stage), int32(gathered.Account), int32(gathered.Month), int32(gathered.Number))
		return nil
	})
	if err == nil {
		recount.Stage = stage
	}
	return recount, err
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

// replaceCounts replaces the counts of a month and of later months by the second set. It attaches the partitions of the
// second set, and copies only the ledger, which is small, and the cells that the second set lacks.
func (c *count) replaceCounts(ctx context.Context, month usage.Month) error {
	run := func(text string, args ...any) error {
		_, err := c.conn.Exec(ctx, text, append([]any{pgx.QueryExecModeSimpleProtocol}, args...)...)
		return storeError(ctx, err)
	}
	if err := run(fmt.Sprintf(`SET LOCAL statement_timeout = %d`, replaceTime.Milliseconds())); err != nil {
		return err
	}
	if month != usage.FirstMonth {
		accounts, err := (&source{c.session}).Accounts(ctx)
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
	c.recounting = true
	fresh, err := c.blockMonths(ctx)
	c.recounting = false
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

// EndRecount implements store.Usage. Readers see the old counts until it commits.
func (u *Usage) EndRecount(ctx context.Context, recount usage.Recount, counted usage.Progress) error {
	return u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
		if _, err := c.checkRecount(ctx, recount); err != nil {
			return err
		}
		if recount.Stage != usage.Following {
			return usagelogic.ErrUngathered
		}
		if err := c.refusePending(ctx); err != nil {
			return err
		}
		if c.progress != counted {
			return usagelogic.ErrMoved(c.progress, counted)
		}
		if err := c.refuseRenaming(ctx); err != nil {
			return err
		}
		if err := c.replaceCounts(ctx, recount.From); err != nil {
			return err
		}
		last.do(deleteSpans, int64(0), int64(math.MaxInt64))
		last.do(updateProgress, recount.Progress.Position, int64(recount.Progress.AsOf))
		last.do(noteChange)
		return nil
	})
}
