package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

const headerColumns = `account, month, number, plays, size, first_at, last_at, first_position, last_position, voided`

var (
	selectHeaders = define(`
		SELECT ` + headerColumns + `, CASE WHEN $7 THEN summary END FROM usage_blocks
		WHERE account = $1 AND month >= $2 AND month < $3 AND last_at >= $4 AND first_at < $5 AND voided >= $6 ORDER BY month, number`)
	selectNewestBlocks = define(`
		SELECT k.place - 1, b.*
		FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS k(account, month, place)
		CROSS JOIN LATERAL (
			SELECT ` + headerColumns + ` FROM usage_blocks AS b WHERE b.account = k.account AND b.month = k.month ORDER BY number DESC LIMIT $3
		) AS b ORDER BY k.place, b.number DESC`)
	selectBlocks = define(`
		SELECT k.place - 1, ` + strings.ReplaceAll("b."+headerColumns, ", ", ", b.") + `, b.summary, b.body
		FROM unnest($1::integer[], $2::integer[], $3::integer[]) WITH ORDINALITY AS k(account, month, number, place)
		JOIN usage_blocks AS b ON b.account = k.account AND b.month = k.month AND b.number = k.number`)
	deleteBlocks = define(`
		DELETE FROM usage_blocks AS b USING unnest($1::integer[], $2::integer[], $3::integer[]) AS k(account, month, number)
		WHERE b.account = k.account AND b.month = k.month AND b.number = k.number`)
	blocksBehind = define(`
		SELECT ` + headerColumns + `, summary, body FROM usage_blocks
		WHERE (account, month, number) > ($1, $2, $3) ORDER BY account, month, number LIMIT $4`)
	// The partitions of the blocks.
	selectBlockMonths = define(`SELECT relname::text FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = 'usage_blocks'::regclass`)
)

// blockScan scans headerColumns.
type blockScan struct {
	usagelogic.Block
	account int32
}

func (b *blockScan) targets() []any {
	return []any{
		&b.account, &b.Key.Month, &b.Key.Number, &b.Plays, &b.Size, (*int64)(&b.From), (*int64)(&b.To), &b.First, &b.Last, &b.Voided,
	}
}

func (b *blockScan) block() *usagelogic.Block {
	b.Key.Account = usagelogic.Number(b.account)
	return &b.Block
}

// Headers implements usagelogic.BlockSource.
func (s *session) Headers(ctx context.Context, span usagelogic.BlockSpan, each func(*usagelogic.Block) error) error {
	var b blockScan
	targets := append(b.targets(), &b.Summary)
	return s.rows(ctx, selectHeaders, func(rows pgx.Rows) error {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		return each(b.block())
	}, int32(span.Account), int32(span.FromMonth), int32(span.ToMonth), int64(span.From), int64(span.To), span.Voided, span.Summaries)
}

// Newest implements usagelogic.BlockTx.
func (s *session) Newest(ctx context.Context, of []usagelogic.BlockKey, limit int, each func(place int, b *usagelogic.Block)) error {
	accounts, months, _ := blockArrays(of)
	return s.rows(ctx, selectNewestBlocks, func(rows pgx.Rows) error {
		var (
			b     blockScan
			place int
		)
		err := rows.Scan(append([]any{&place}, b.targets()...)...)
		each(place, b.block())
		return err
	}, accounts, months, limit)
}

// Blocks implements usagelogic.BlockSource.
func (s *session) Blocks(ctx context.Context, keys []usagelogic.BlockKey, each func(place int, b *usagelogic.Block) error) error {
	if len(keys) == 0 {
		return nil
	}
	var (
		b     blockScan
		place int
	)
	targets := append(append([]any{&place}, b.targets()...), &b.Summary, &b.Body)
	accounts, months, numbers := blockArrays(keys)
	return s.rows(ctx, selectBlocks, func(rows pgx.Rows) error {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		return each(place, b.block())
	}, accounts, months, numbers)
}

// BlocksBehind implements usagelogic.GatherTx.
func (s *session) BlocksBehind(ctx context.Context, key usagelogic.BlockKey, limit int, each func(b *usagelogic.Block) error) error {
	var b blockScan
	targets := append(b.targets(), &b.Summary, &b.Body)
	return s.rows(ctx, blocksBehind, func(rows pgx.Rows) error {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		return each(b.block())
	}, int32(key.Account), int32(key.Month), int32(key.Number), limit)
}

func blockArrays(keys []usagelogic.BlockKey) (accounts, months, numbers []int32) {
	for _, key := range keys {
		accounts, months, numbers = append(accounts, int32(key.Account)), append(months, int32(key.Month)), append(numbers, int32(key.Number))
	}
	return accounts, months, numbers
}

// DeleteBlocks implements usagelogic.BlockTx.
func (s *session) DeleteBlocks(ctx context.Context, keys []usagelogic.BlockKey) error {
	if len(keys) == 0 {
		return nil
	}
	accounts, months, numbers := blockArrays(keys)
	return s.send(ctx, func(p *pipeline) { p.do(deleteBlocks, accounts, months, numbers) })
}

// PutBlocks implements usagelogic.BlockTx.
func (s *session) PutBlocks(ctx context.Context, blocks []usagelogic.Block) error {
	if err := s.makeBlockMonths(ctx, blocks); err != nil {
		return err
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	columns := append(strings.Split(headerColumns, ", "), "summary", "body")
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
