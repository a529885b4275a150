package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// recounted contains the tables that a recount makes again (sqlstore.OfRecount).
var recounted = []string{"usage_blocks", "usage_cells", "usage_cell_bodies", "usage_ledger"}

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
	// selectRecounts returns 0 if there is no recount, 1 if it is one of an earlier release, and otherwise 2.
	selectRecounts = define(`
		SELECT count(*) + coalesce(max(sql LIKE '%gathered_number%'), 0) FROM sqlite_schema WHERE name = 'recount_progress'`)
	// Rows have the order in which tables and indexes were created.
	selectTables = define(`
		SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name IN ('` + strings.Join(recounted, "', '") + `')`)
)

// HasRecount implements sqlstore.RecountTx.
func (s *session) HasRecount(ctx context.Context) (exists, isCurrent bool, err error) {
	there, err := s.number(ctx, selectRecounts)
	return there > 0, there > 1, err
}

const createProgress = `CREATE TABLE recount_progress (id TEXT, month INTEGER, position INTEGER, as_of INTEGER, changes INTEGER, tables TEXT,
	stage INTEGER, gathered_account INTEGER, gathered_month INTEGER, gathered_number INTEGER) STRICT`

// RecountTables implements sqlstore.RecountTx. It returns the statements that create the tables.
func (s *session) RecountTables(ctx context.Context) (string, error) {
	tables := []string{createProgress}
	err := s.Query(ctx, selectTables, func(row sqlstore.Row) error {
		var text string
		err := row.Scan(&text)
		tables = append(tables, sqlstore.OfRecount.Replace(text))
		return err
	})
	return strings.Join(tables, ";\n"), err
}

// CreateRecount implements sqlstore.RecountTx.
func (s *session) CreateRecount(ctx context.Context, tables string) error {
	if err := s.DropRecount(ctx); err != nil {
		return err
	}
	return s.run(ctx, tables)
}

// DropRecount implements sqlstore.RecountTx.
func (s *session) DropRecount(ctx context.Context) error {
	text := `DROP TABLE IF EXISTS recount_progress`
	for _, table := range recounted {
		text += `; DROP TABLE IF EXISTS ` + sqlstore.OfRecount.Replace(table)
	}
	return s.run(ctx, text)
}

// Recounting implements sqlstore.RecountTx.
func (s *session) Recounting(fn func() error) error {
	s.recounting = true
	defer func() { s.recounting = false }()
	return fn()
}

// earlierBlocks and the others move what remains of a month to the second set of counts, if that begins later.
const (
	earlierBlocks = `INSERT INTO recount_blocks SELECT * FROM usage_blocks WHERE month < ?`
	earlierLedger = `INSERT INTO recount_ledger SELECT * FROM usage_ledger WHERE month < ?`
	ofEarlier     = ` FROM usage_cells WHERE account = ?1 AND dimension = ?2 AND grain = ?3 AND bucket < ?4`
	earlierBodies = `INSERT INTO recount_cell_bodies (number, body)
		SELECT number + ?5, body FROM usage_cell_bodies WHERE number IN (SELECT apart` + ofEarlier + `)`
	earlierCells = `INSERT INTO recount_cells (account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart, body)
		SELECT account, dimension, grain, bucket, value, sandbox, part, plays, milliseconds, excess, users, videos, size, apart + ?5, body` + ofEarlier
)

var lastRecountedBody = define(`SELECT coalesce(max(number), 0) FROM usage_cell_bodies`)

// ReplaceCounts implements sqlstore.RecountTx. It moves the earlier months to the second set and then renames its tables.
func (c *counts) ReplaceCounts(ctx context.Context, from usage.Month) error {
	if from != usage.FirstMonth {
		if err := c.moveEarlier(ctx, from); err != nil {
			return err
		}
	}
	for _, table := range recounted {
		// The old tables are emptied later, because that takes long.
		if err := c.run(ctx, `DROP TABLE IF EXISTS old_`+table+`; ALTER TABLE `+table+` RENAME TO old_`+table+`; ALTER TABLE `+sqlstore.OfRecount.Replace(table)+` RENAME TO `+table); err != nil {
			return err
		}
	}
	return c.DropRecount(ctx)
}

// moveEarlier copies the counts of the months before a month to the second set.
func (c *counts) moveEarlier(ctx context.Context, month usage.Month) error {
	if err := c.run(ctx, earlierBlocks, month.Number()); err != nil {
		return err
	}
	if err := c.run(ctx, earlierLedger, month.Number()); err != nil {
		return err
	}
	var last int64
	err := c.Recounting(func() (err error) {
		last, err = c.number(ctx, lastRecountedBody)
		return err
	})
	if err != nil {
		return err
	}
	accounts, err := c.Accounts(ctx)
	if err != nil {
		return err
	}
	for _, account := range append(accounts, 0) {
		err := usagelogic.EachGrain(func(dimension usage.Dimension, grain usagelogic.Grain) error {
			of := []any{int64(account), int64(dimension), int64(grain), grain.Bucket(month.Start()), last}
			if err := c.run(ctx, earlierBodies, of...); err != nil {
				return err
			}
			return c.run(ctx, earlierCells, of...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DropReplaced implements sqlstore.UsageDatabase. It empties the tables in small transactions and then drops them.
func (d usageDatabase) DropReplaced(ctx context.Context) error {
	for _, table := range recounted {
		key := `rowid`
		switch table {
		case "usage_cells":
			key = `account, dimension, grain, bucket, value, sandbox, part`
		case "usage_ledger":
			key = `account, month, client, sandbox, sealed, void`
		}
		columns := strings.Count(key, ",") + 1
		err := d.inChunks(ctx, func(s *session) (more bool, err error) {
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
