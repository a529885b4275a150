package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

const headerColumns = `account, month, number, plays, size, first_at, last_at, first_position, last_position, voided`

var (
	selectHeaders = define(`
		SELECT ` + headerColumns + `, NULL FROM play_blocks
		WHERE account = ? AND month >= ? AND month < ? AND last_at >= ? AND first_at < ? AND voided >= ? ORDER BY month, number`)
	selectSummaries = define(`
		SELECT ` + headerColumns + `, summary FROM play_blocks
		WHERE account = ? AND month >= ? AND month < ? AND last_at >= ? AND first_at < ? AND voided >= ? ORDER BY month, number`)
	selectNewestBlocks = define(`
		SELECT ` + headerColumns + `, NULL FROM play_blocks WHERE account = ? AND month = ? ORDER BY number DESC LIMIT ?`)
	blocksBehind = define(`
		SELECT ` + headerColumns + `, summary, body FROM play_blocks WHERE (account, month, number) > (?, ?, ?) ORDER BY account, month, number LIMIT ?`)
	selectBlock = define(`SELECT ` + headerColumns + `, summary, body FROM play_blocks WHERE account = ? AND month = ? AND number = ?`)
	insertBlock = define(`INSERT INTO play_blocks (` + headerColumns + `, summary, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	deleteBlock = define(`DELETE FROM play_blocks WHERE account = ? AND month = ? AND number = ?`)
)

// scanBlock scans headerColumns, and the given columns after them.
func scanBlock(rows *sql.Rows, b *usagelogic.Block, more ...any) error {
	var account, from, to, voided int64
	err := rows.Scan(append([]any{
		&account, &b.Key.Month, &b.Key.Number, &b.Plays, &b.Size, &from, &to, &b.First, &b.Last, &voided,
	}, more...)...)
	b.Key.Account, b.From, b.To, b.Voided = usagelogic.Number(account), event.Instant(from), event.Instant(to), voided == 1
	return err
}

// Headers implements usagelogic.BlockSource.
func (s *session) Headers(ctx context.Context, span usagelogic.BlockSpan, each func(*usagelogic.Block) error) error {
	st := selectHeaders
	if span.Summaries {
		st = selectSummaries
	}
	var (
		b       usagelogic.Block
		summary sql.RawBytes
	)
	return s.query(ctx, st, func(rows *sql.Rows) error {
		if err := scanBlock(rows, &b, &summary); err != nil {
			return err
		}
		b.Summary = summary
		return each(&b)
	}, int64(span.Account), span.FromMonth, span.ToMonth, int64(span.From), int64(span.To), flag(span.Voided))
}

// Newest implements usagelogic.BlockTx.
func (s *session) Newest(ctx context.Context, of []usagelogic.BlockKey, limit int, each func(place int, b *usagelogic.Block)) error {
	for place, key := range of {
		err := s.query(ctx, selectNewestBlocks, func(rows *sql.Rows) error {
			var (
				b    usagelogic.Block
				none sql.RawBytes
			)
			err := scanBlock(rows, &b, &none)
			each(place, &b)
			return err
		}, int64(key.Account), key.Month, limit)
		if err != nil {
			return err
		}
	}
	return nil
}

// Blocks implements usagelogic.BlockSource.
func (s *session) Blocks(ctx context.Context, keys []usagelogic.BlockKey, each func(place int, b *usagelogic.Block) error) error {
	var (
		b             usagelogic.Block
		summary, body sql.RawBytes
	)
	for place, key := range keys {
		err := s.query(ctx, selectBlock, func(rows *sql.Rows) error {
			if err := scanBlock(rows, &b, &summary, &body); err != nil {
				return err
			}
			b.Summary, b.Body = summary, body
			return each(place, &b)
		}, int64(key.Account), key.Month, key.Number)
		if err != nil {
			return err
		}
	}
	return nil
}

// BlocksBehind implements usagelogic.GatherTx.
func (s *session) BlocksBehind(ctx context.Context, key usagelogic.BlockKey, limit int, each func(b *usagelogic.Block) error) error {
	var (
		b             usagelogic.Block
		summary, body sql.RawBytes
	)
	return s.query(ctx, blocksBehind, func(rows *sql.Rows) error {
		if err := scanBlock(rows, &b, &summary, &body); err != nil {
			return err
		}
		b.Summary, b.Body = summary, body
		return each(&b)
	}, int64(key.Account), key.Month, key.Number, limit)
}

// PutBlocks implements usagelogic.BlockTx.
func (s *session) PutBlocks(ctx context.Context, blocks []usagelogic.Block) error {
	for i := range blocks {
		b := &blocks[i]
		_, err := s.exec(ctx, insertBlock, int64(b.Key.Account), b.Key.Month, b.Key.Number, b.Plays, b.Size, int64(b.From), int64(b.To),
			b.First, b.Last, flag(b.Voided), b.Summary, b.Body)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteBlocks implements usagelogic.BlockTx.
func (s *session) DeleteBlocks(ctx context.Context, keys []usagelogic.BlockKey) error {
	for _, key := range keys {
		if _, err := s.exec(ctx, deleteBlock, int64(key.Account), key.Month, key.Number); err != nil {
			return err
		}
	}
	return nil
}
