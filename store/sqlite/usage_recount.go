package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// A recount has a second set of counts in tables with the prefix recount_, which exist while the recount runs. Both
// sets share terms, seals and statements. The statements of the first set, with other table names, read and write these
// tables.
var recounted = []string{"play_blocks", "cells", "cell_bodies", "ledger"}

var (
	countedTable = regexp.MustCompile(`\b(FROM|INTO|UPDATE|JOIN|INDEXED BY|TABLE|INDEX|ON) ("?)(` + strings.Join(recounted, "|") + `)(\b|_)`)
	recounts     sync.Map // *statement → *statement
)

// recount returns the statement for the second set of counts.
func (st *statement) recount() *statement {
	if made, ok := recounts.Load(st); ok {
		return made.(*statement)
	}
	made, _ := recounts.LoadOrStore(st, &statement{text: ofRecount(st.text)})
	return made.(*statement)
}

func ofRecount(text string) string { return countedTable.ReplaceAllString(text, "$1 ${2}recount_$3$4") }

// run executes SQL without preparing it. The SQL changes the schema, or ends a recount and scans whole tables.
func (s *session) run(ctx context.Context, text string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := s.conn.ExecContext(context.WithoutCancel(ctx), text, args...)
	if err != nil {
		return storeError(fmt.Errorf("%q: %w", text, err))
	}
	return nil
}

var (
	selectRecountChanges = define(`SELECT changes FROM progress WHERE one = 1`)
	noteChange           = define(`UPDATE progress SET changes = changes + 1 WHERE one = 1`)
	countRenames         = define(`SELECT count(*) FROM renames`)
	// selectRecounts returns 0 if there is no recount, 1 if it is one of an earlier release, and otherwise 2.
	selectRecounts = define(`
		SELECT count(*) + coalesce(max(sql LIKE '%gathered_number%'), 0) FROM sqlite_schema WHERE name = 'recount_progress'`)
	// Rows have the order in which tables and indexes were created.
	selectTables = define(`
		SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN ('` + strings.Join(recounted, "', '") + `')`)
)

// recountRow is the row of recount_progress.
type recountRow struct {
	usage.Recount
	changes int64
	// tables contains the definitions of the tables of the recount. A release that has others does not resume it.
	tables string
	// gathered is the last block whose plays are in cells.
	gathered usagelogic.BlockKey
}

// recountRow reads the recount in progress; nil: there is none. One of an earlier release must begin again.
func (s *session) recountRow(ctx context.Context) (row *recountRow, err error) {
	there, err := s.number(ctx, selectRecounts)
	if err != nil || there == 0 {
		return nil, err
	}
	row = &recountRow{changes: -1}
	if there == 1 {
		return row, nil
	}
	var month int
	err = s.conn.QueryRowContext(context.WithoutCancel(ctx), `
		SELECT id, month, position, as_of, changes, tables, stage, gathered_account, gathered_month, gathered_number FROM recount_progress`).
		Scan(&row.ID, &month, &row.Progress.Position, &row.Progress.AsOf, &row.changes, &row.tables,
			&row.Stage, &row.gathered.Account, &row.gathered.Month, &row.gathered.Number)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	row.From = usage.MonthNumber(month)
	return row, storeError(err)
}

// BeginRecount implements store.Usage.
func (u *Usage) BeginRecount(ctx context.Context, from usage.Month, resume bool) (recount usage.Recount, err error) {
	if err := u.dropOld(ctx); err != nil {
		return recount, err
	}
	err = u.write(ctx, func(s *session) error {
		row, err := s.recountRow(ctx)
		if err != nil {
			return err
		}
		changes, err := s.number(ctx, selectRecountChanges)
		if err != nil {
			return err
		}
		tables := []string{createProgress}
		err = s.query(ctx, selectTables, func(rows *sql.Rows) error {
			var text string
			err := rows.Scan(&text)
			tables = append(tables, ofRecount(text))
			return err
		})
		if err != nil {
			return err
		}
		fresh := recountRow{usage.Recount{ID: rand.Text(), From: from}, changes, strings.Join(tables, ";\n"), usagelogic.FirstBlock}
		if resume && row != nil && row.From == from && row.changes == changes && row.tables == fresh.tables {
			recount = row.Recount
			return nil
		}
		recount = fresh.Recount
		return s.createRecount(ctx, fresh)
	})
	return recount, err
}

const createProgress = `CREATE TABLE recount_progress (id TEXT, month INTEGER, position INTEGER, as_of INTEGER, changes INTEGER, tables TEXT,
	stage INTEGER, gathered_account INTEGER, gathered_month INTEGER, gathered_number INTEGER) STRICT`

func (s *session) createRecount(ctx context.Context, row recountRow) error {
	if err := s.dropRecount(ctx); err != nil {
		return err
	}
	if err := s.run(ctx, row.tables); err != nil {
		return err
	}
	return s.run(ctx, `INSERT INTO recount_progress VALUES (?, ?, 0, 0, ?, ?, ?, ?, ?, ?)`,
		row.ID, row.From.Number(), row.changes, row.tables, int64(row.Stage), int64(row.gathered.Account), row.gathered.Month, row.gathered.Number)
}

func (s *session) dropRecount(ctx context.Context) error {
	text := `DROP TABLE IF EXISTS recount_progress`
	for _, table := range recounted {
		text += `; DROP TABLE IF EXISTS recount_` + table
	}
	return s.run(ctx, text)
}

// dropStaleRecount drops the second set of counts if it must start again. Otherwise an interrupted recount that nobody
// resumes would forever show who played what.
func (u *Usage) dropStaleRecount(ctx context.Context) error {
	if err := u.dropOld(ctx); err != nil {
		return err
	}
	return u.write(ctx, func(s *session) error {
		row, err := s.recountRow(ctx)
		if err != nil || row == nil {
			return err
		}
		changes, err := s.number(ctx, selectRecountChanges)
		if err != nil || row.changes == changes {
			return err
		}
		return s.dropRecount(ctx)
	})
}

// checkRecount returns the stored recount. The error has the code Conflict if it differs from the given one or must start
// again.
func (s *session) checkRecount(ctx context.Context, recount usage.Recount) (*recountRow, error) {
	row, err := s.recountRow(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := s.number(ctx, selectRecountChanges)
	if err != nil {
		return nil, err
	}
	if row == nil || row.Recount != recount || row.changes != changes {
		return nil, usagelogic.ErrRecountMoved
	}
	return row, nil
}

// refuseRenaming returns an error while a person is being forgotten. The log may still have the name.
func (s *session) refuseRenaming(ctx context.Context) error {
	renames, err := s.number(ctx, countRenames)
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
	known := u.recounted.Take(recount.ID)
	err := u.write(ctx, func(s *session) error {
		if _, err := s.checkRecount(ctx, recount); err != nil {
			return err
		}
		if recount.Stage == usage.Gathering {
			return usagelogic.ErrUngathered
		}
		if err := s.refuseRenaming(ctx); err != nil {
			return err
		}
		s.recounting = true
		defer func() { s.recounting = false }()
		if err := s.count(ctx, usagelogic.Since(plays, recount.From), known, recount.Stage == usage.Following); err != nil {
			return err
		}
		return s.run(ctx, `UPDATE recount_progress SET position = ?, as_of = ?`, to.Position, int64(to.AsOf))
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
	err := u.write(ctx, func(s *session) error {
		stage = recount.Stage
		row, err := s.checkRecount(ctx, recount)
		if err != nil || stage == usage.Following {
			return err
		}
		s.recounting = true
		defer func() { s.recounting = false }()
		last, done, err := usagelogic.GatherBlocks(ctx, s, row.gathered, u.gather)
		if err != nil {
			return err
		}
		if stage = usage.Gathering; done {
			stage = usage.Following
		}
		return s.run(ctx, `UPDATE recount_progress SET stage = ?, gathered_account = ?, gathered_month = ?, gathered_number = ?`,
			int64(stage), int64(last.Account), last.Month, last.Number)
	})
	if err == nil {
		recount.Stage = stage
	}
	return recount, err
}

// EndRecount implements store.Usage. Readers see the previous counts until it commits.
func (u *Usage) EndRecount(ctx context.Context, recount usage.Recount, counted usage.Progress) error {
	err := u.write(ctx, func(s *session) error {
		if _, err := s.checkRecount(ctx, recount); err != nil {
			return err
		}
		if recount.Stage != usage.Following {
			return usagelogic.ErrUngathered
		}
		progress, err := s.progress(ctx)
		if err != nil {
			return err
		}
		if err := s.refusePending(ctx); err != nil {
			return err
		}
		if progress != counted {
			return usagelogic.ErrMoved(progress, counted)
		}
		if err := s.refuseRenaming(ctx); err != nil {
			return err
		}
		return s.replaceCounts(ctx, recount)
	})
	if err != nil {
		return err
	}
	_ = u.dropOld(ctx) // the next recount or ForgetPersons repeats it
	return nil
}

// earlierBlocks and the others move what remains of a month to the second set of counts, if that begins later.
const (
	earlierBlocks = `INSERT INTO recount_play_blocks SELECT * FROM play_blocks WHERE month < ?`
	earlierLedger = `INSERT INTO recount_ledger SELECT * FROM ledger WHERE month < ?`
	ofEarlier     = ` FROM cells WHERE account = ?1 AND dimension = ?2 AND grain = ?3 AND bucket < ?4`
	earlierBodies = `INSERT INTO recount_cell_bodies (number, body)
		SELECT number + ?5, body FROM cell_bodies WHERE number IN (SELECT apart` + ofEarlier + `)`
	earlierCells = `INSERT INTO recount_cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart, body)
		SELECT account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart + ?5, body` + ofEarlier
)

var lastRecountedBody = define(`SELECT coalesce(max(number), 0) FROM cell_bodies`)

// replaceCounts makes the second set the counts, after it has moved the months before the recount to it.
func (s *session) replaceCounts(ctx context.Context, recount usage.Recount) error {
	if recount.From != usage.FirstMonth {
		if err := s.moveEarlier(ctx, recount.From); err != nil {
			return err
		}
	}
	for _, table := range recounted {
		// The old tables are emptied later, because that takes long.
		if err := s.run(ctx, `DROP TABLE IF EXISTS old_`+table+`; ALTER TABLE `+table+` RENAME TO old_`+table+`; ALTER TABLE recount_`+table+` RENAME TO `+table); err != nil {
			return err
		}
	}
	if err := s.run(ctx, `DELETE FROM verified_spans`); err != nil {
		return err
	}
	if err := s.run(ctx, `UPDATE progress SET position = ?, as_of = ?, changes = changes + 1`, recount.Progress.Position, int64(recount.Progress.AsOf)); err != nil {
		return err
	}
	return s.dropRecount(ctx)
}

// moveEarlier copies the counts of the months before a month to the second set.
func (s *session) moveEarlier(ctx context.Context, month usage.Month) error {
	if err := s.run(ctx, earlierBlocks, month.Number()); err != nil {
		return err
	}
	if err := s.run(ctx, earlierLedger, month.Number()); err != nil {
		return err
	}
	s.recounting = true
	last, err := s.number(ctx, lastRecountedBody)
	s.recounting = false
	if err != nil {
		return err
	}
	accounts, err := (&moment{s}).Accounts(ctx)
	if err != nil {
		return err
	}
	for _, account := range append(accounts, 0) {
		err := usagelogic.EachGrain(func(dimension usage.Dimension, grain usagelogic.Grain) error {
			of := []any{int64(account), int64(dimension), int64(grain), grain.Bucket(month.Start()), last}
			if err := s.run(ctx, earlierBodies, of...); err != nil {
				return err
			}
			return s.run(ctx, earlierCells, of...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// dropOld empties and drops the tables that a recount has replaced, in small transactions.
func (u *Usage) dropOld(ctx context.Context) error {
	for _, table := range recounted {
		key := `rowid`
		switch table {
		case "cells":
			key = `account, dimension, grain, bucket, value, sandbox, part`
		case "ledger":
			key = `account, month, client, sandbox, sealed, void`
		}
		columns := strings.Count(key, ",") + 1
		err := u.inChunks(ctx, func(s *session) (more bool, err error) {
			there := false
			err = s.conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)`, "old_"+table).Scan(&there)
			if err != nil || !there {
				return false, storeError(err)
			}
			last, targets := make([]any, columns), make([]any, columns)
			for i := range last {
				targets[i] = &last[i]
			}
			err = s.conn.QueryRowContext(ctx, fmt.Sprintf(`SELECT %[2]s FROM old_%[1]s ORDER BY %[2]s LIMIT 1 OFFSET %[3]d`, table, key, rowsAtOnce)).Scan(targets...)
			if errors.Is(err, sql.ErrNoRows) {
				return false, s.run(ctx, `DROP TABLE old_`+table)
			} else if err != nil {
				return false, storeError(err)
			}
			places := strings.TrimSuffix(strings.Repeat(`?, `, columns), `, `)
			return true, s.run(ctx, fmt.Sprintf(`DELETE FROM old_%s WHERE (%s) <= (%s)`, table, key, places), last...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsAtOnce is the number of rows that one transaction deletes.
const rowsAtOnce = 5000
