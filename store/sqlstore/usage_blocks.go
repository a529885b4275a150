package sqlstore

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/store/usagelogic"
)

const headerColumns = `account, month, number, plays, size, first_at, last_at, first_position, last_position, voided`

// BlockColumns are the columns of usage_blocks.
const BlockColumns = headerColumns + `, summary, body`

var (
	selectHeaders = define(`
		SELECT ` + headerColumns + `, CASE WHEN $7 THEN summary END FROM usage_blocks
		WHERE account = $1 AND month >= $2 AND month < $3 AND last_at >= $4 AND first_at < $5 AND voided >= $6 ORDER BY month, number`)
	selectNewestBlocks = define(`
		SELECT ` + headerColumns + ` FROM usage_blocks WHERE account = $1 AND month = $2 ORDER BY number DESC LIMIT $3`)
	selectBlock  = define(`SELECT ` + BlockColumns + ` FROM usage_blocks WHERE account = $1 AND month = $2 AND number = $3`)
	blocksBehind = define(`
		SELECT ` + BlockColumns + ` FROM usage_blocks
		WHERE (account, month, number) > ($1, $2, $3) ORDER BY account, month, number LIMIT $4`)
	deleteBlock = define(`DELETE FROM usage_blocks WHERE account = $1 AND month = $2 AND number = $3`)
)

// The numbers of columns that queries for blocks return.
const header, headerAndSummary, wholeBlock = 10, 11, 12

// scanningBlocks returns a function that scans the first columns of BlockColumns, each row into the same block, and
// calls each with the block.
func scanningBlocks(columns int, each func(*usagelogic.Block) error) func(Row) error {
	var (
		b             usagelogic.Block
		account       int64
		summary, body sql.RawBytes
	)
	targets := []any{
		&account, &b.Key.Month, &b.Key.Number, &b.Plays, &b.Size, (*int64)(&b.From), (*int64)(&b.To), &b.First, &b.Last, &b.Voided,
		&summary, &body,
	}[:columns]
	return func(row Row) error {
		if err := row.Scan(targets...); err != nil {
			return err
		}
		b.Key.Account, b.Summary, b.Body = usagelogic.Number(account), summary, body
		return each(&b)
	}
}

// Headers implements usagelogic.BlockSource.
func (c CountsConn) Headers(ctx context.Context, span usagelogic.BlockSpan, each func(*usagelogic.Block) error) error {
	return c.Query(ctx, selectHeaders, scanningBlocks(headerAndSummary, each),
		int64(span.Account), span.FromMonth, span.ToMonth, int64(span.From), int64(span.To), span.Voided, span.Summaries)
}

// Blocks implements usagelogic.BlockSource.
func (c CountsConn) Blocks(ctx context.Context, keys []usagelogic.BlockKey, each func(place int, b *usagelogic.Block) error) error {
	for place, key := range keys {
		row := scanningBlocks(wholeBlock, func(b *usagelogic.Block) error { return each(place, b) })
		c.Ask(ctx, selectBlock, row, int64(key.Account), key.Month, key.Number)
	}
	return c.Send(ctx)
}

// BlocksBehind implements usagelogic.GatherTx.
func (c CountsConn) BlocksBehind(ctx context.Context, key usagelogic.BlockKey, limit int, each func(b *usagelogic.Block) error) error {
	return c.Query(ctx, blocksBehind, scanningBlocks(wholeBlock, each), int64(key.Account), key.Month, key.Number, limit)
}

// Newest implements usagelogic.BlockTx.
func (c CountsConn) Newest(ctx context.Context, of []usagelogic.BlockKey, limit int, each func(place int, b *usagelogic.Block)) error {
	for place, key := range of {
		row := scanningBlocks(header, func(b *usagelogic.Block) error { each(place, b); return nil })
		c.Ask(ctx, selectNewestBlocks, row, int64(key.Account), key.Month, limit)
	}
	return c.Send(ctx)
}

// DeleteBlocks implements usagelogic.BlockTx. It sends the deletions before PutBlocks inserts blocks with the same keys.
func (c CountsConn) DeleteBlocks(ctx context.Context, keys []usagelogic.BlockKey) error {
	for _, key := range keys {
		c.Do(ctx, deleteBlock, int64(key.Account), key.Month, key.Number)
	}
	return c.Send(ctx)
}
