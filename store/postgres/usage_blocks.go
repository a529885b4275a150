package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// selectBlockMonths returns the partitions of the blocks.
var selectBlockMonths = define(`SELECT relname::text FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'usage_blocks'::regclass`)

// PutBlocks implements usagelogic.BlockTx.
func (s *session) PutBlocks(ctx context.Context, blocks []usagelogic.Block) error {
	if err := s.makeBlockMonths(ctx, blocks); err != nil {
		return err
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	columns := strings.Split(sqlstore.BlockColumns, ", ")
	_, err := s.conn.CopyFrom(ctx, s.table("usage_blocks"), columns, pgx.CopyFromSlice(len(blocks), func(i int) ([]any, error) {
		b := &blocks[i]
		return []any{
			int32(b.Key.Account), int32(b.Key.Month), int32(b.Key.Number), int32(b.Plays), int32(b.Size), int64(b.From), int64(b.To),
			b.First, b.Last, b.Voided, b.Summary, b.Body,
		}, nil
	}))
	return storeError(ctx, err)
}

// blockPartition is the name of a partition, without the name of its table before it.
func blockPartition(month int64) string {
	m := usage.MonthNumber(int(month))
	return fmt.Sprintf("_%04d_%02d", m.Year, m.Month)
}

// monthOfPartition returns the month of a partition by its name.
func monthOfPartition(name string) (usage.Month, error) {
	_, text, _ := strings.Cut(name, "_blocks_")
	return usage.ParseMonth(strings.Replace(text, "_", "-", 1))
}

// blockMonths returns the names of the partitions.
func (s *session) blockMonths(ctx context.Context) (names map[string]bool, err error) {
	names = map[string]bool{}
	err = s.rows(ctx, selectBlockMonths, func(rows pgx.Rows) error {
		var name string
		err := rows.Scan(&name)
		names[name] = true
		return err
	})
	return names, err
}

// makeBlockMonths creates the missing partitions for blocks. It creates a table and then attaches it, because this
// blocks no reader, unlike CREATE TABLE … PARTITION OF. Writers of the counts exclude each other.
func (s *session) makeBlockMonths(ctx context.Context, blocks []usagelogic.Block) error {
	wanted := map[int64]bool{}
	for i := range blocks {
		wanted[blocks[i].Key.Month] = !s.made[s.madeKey(blocks[i].Key.Month)]
	}
	maps.DeleteFunc(wanted, func(_ int64, missing bool) bool { return !missing })
	if len(wanted) == 0 {
		return nil
	}
	there, err := s.blockMonths(ctx)
	if err != nil {
		return err
	}
	for _, month := range slices.Sorted(maps.Keys(wanted)) {
		parent := s.table("usage_blocks")[0]
		if name := parent + blockPartition(month); !there[name] {
			_, err := s.conn.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s (LIKE %[2]s INCLUDING ALL); ALTER TABLE %[2]s ATTACH PARTITION %[1]s FOR VALUES IN (%[3]d)`,
				name, parent, month), pgx.QueryExecModeSimpleProtocol)
			if err != nil {
				return storeError(ctx, err)
			}
		}
		if s.made == nil {
			s.made = map[string]bool{}
		}
		s.made[s.madeKey(month)] = true
	}
	return nil
}

// madeKey returns the key of a partition in session.made.
func (s *session) madeKey(month int64) string {
	return s.table("usage_blocks")[0] + blockPartition(month)
}

// dropBlockMonths drops the partitions before a month that have no blocks after a position.
func (s *session) dropBlockMonths(ctx context.Context, before int64, upTo event.Position) error {
	there, err := s.blockMonths(ctx)
	if err != nil {
		return err
	}
	maps.DeleteFunc(there, func(name string, _ bool) bool {
		month, err := monthOfPartition(name)
		return err != nil || int64(month.Number()) >= before
	})
	if len(there) == 0 {
		return nil
	}
	if _, err := s.conn.Exec(ctx, lockForChange); err != nil {
		return storeError(ctx, err)
	}
	for name := range there {
		var last event.Position
		if err := s.conn.QueryRow(ctx, `SELECT coalesce(max(last_position), 0) FROM `+name).Scan(&last); err != nil {
			return storeError(ctx, err)
		}
		command := `DROP TABLE ` + name
		if last > upTo {
			command = fmt.Sprintf(`DELETE FROM %s WHERE last_position <= %d`, name, upTo)
		}
		if _, err := s.conn.Exec(ctx, command, pgx.QueryExecModeSimpleProtocol); err != nil {
			return storeError(ctx, err)
		}
	}
	return nil
}
