package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	isPlayBefore = define(`SELECT EXISTS (SELECT 1 FROM usage_blocks WHERE account = ? AND month < ?)`)
	deletePlays  = define(`
		DELETE FROM usage_blocks WHERE rowid IN (SELECT rowid FROM usage_blocks WHERE account = ? AND month < ? AND last_position <= ? LIMIT ?)`)
	// Cells after a key, in the order of keys. part does not belong to the key.
	selectCellKeys = define(`
		SELECT DISTINCT bucket, value, sandbox FROM usage_cells
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket < ? AND (bucket, value, sandbox) > (?, ?, ?)
		ORDER BY bucket, value, sandbox LIMIT ?`)
	selectParts = define(`
		SELECT c.part, c.plays, c.milliseconds, c.excess, c.users, coalesce(c.body, b.body)
		FROM usage_cells AS c LEFT JOIN usage_cell_bodies AS b ON b.number = c.apart
		WHERE c.account = ? AND c.dimension = ? AND c.grain = ? AND c.bucket = ? AND c.value = ? AND c.sandbox = ? ORDER BY c.part`)
)

// One transaction changes at most this many cells and blocks, so that other writers wait only briefly.
const (
	cellsAtOnce = 100
	// A block has up to some ten kilobytes.
	blocksAtOnce = 100
)

// ForgetPlays implements sqlstore.UsageDatabase. It deletes the blocks of an account after its cells are changed: an
// account without plays before the horizon needs no more work.
func (d usageDatabase) ForgetPlays(
	ctx context.Context, horizon event.Instant, cells func(ctx context.Context, account usagelogic.Number) error,
) error {
	var accounts []usagelogic.Number
	err := d.Read(ctx, func(ctx context.Context, c sqlstore.Conn) (err error) {
		accounts, err = sqlstore.CountsConn{Conn: c}.Accounts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, account := range append(accounts, 0) {
		if err := d.forgetPlaysOf(ctx, account, horizon, cells); err != nil {
			return err
		}
	}
	return nil
}

func (d usageDatabase) forgetPlaysOf(
	ctx context.Context, account usagelogic.Number, horizon event.Instant, cells func(ctx context.Context, account usagelogic.Number) error,
) error {
	var (
		played  int64
		counted usage.Progress
	)
	err := d.write(ctx, func(s *session) (err error) {
		c := countsOf(s)
		if played, err = c.number(ctx, isPlayBefore, int64(account), usagelogic.Month.Bucket(horizon)); err != nil || played == 0 {
			return err
		}
		c.BeginSweep(ctx)
		counted, err = c.Progress(ctx)
		return err
	})
	if err != nil || played == 0 {
		return err
	}
	if err := cells(ctx, account); err != nil {
		return err
	}
	return d.inChunks(ctx, func(s *session) (bool, error) {
		deleted, err := s.Exec(ctx, deletePlays, int64(account), usagelogic.Month.Bucket(horizon), counted.Position, blocksAtOnce)
		return deleted == blocksAtOnce, err
	})
}

// PartsBehind implements usagelogic.ForgetTx.
func (s *session) PartsBehind(ctx context.Context, key usagelogic.CellKey, before int64, each func(usagelogic.Part) error) error {
	var keys []usagelogic.CellKey
	err := s.Query(ctx, selectCellKeys, func(row sqlstore.Row) error {
		next := key
		err := row.Scan(&next.Bucket, &next.Value, &next.Sandbox)
		keys = append(keys, next)
		return err
	}, int64(key.Account), int64(key.Dimension), int64(key.Grain), before, key.Bucket, int64(key.Value), key.Sandbox, cellsAtOnce)
	if err != nil {
		return err
	}
	for _, key := range keys {
		err := s.Query(ctx, selectParts, func(row sqlstore.Row) error {
			part := usagelogic.Part{Key: usagelogic.PartKey{CellKey: key}}
			var body sql.RawBytes
			if err := row.Scan(&part.Key.Part, &part.Plays, &part.Milliseconds, &part.Excess, &part.Users, &body); err != nil {
				return err
			}
			part.Body = body
			return each(part)
		}, keyOf(key)...)
		if err != nil {
			return err
		}
	}
	return nil
}
