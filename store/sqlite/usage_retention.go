package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	isPlayBefore = define(`SELECT EXISTS (SELECT 1 FROM play_blocks WHERE account = ? AND month < ?)`)
	deletePlays  = define(`
		DELETE FROM play_blocks WHERE rowid IN (SELECT rowid FROM play_blocks WHERE account = ? AND month < ? AND last_position <= ? LIMIT ?)`)
	// Cells after a key, in the order of keys. part does not belong to the key.
	selectCellKeys = define(`
		SELECT DISTINCT bucket, value, sandbox FROM cells
		WHERE account = ? AND dimension = ? AND grain = ? AND bucket < ? AND (bucket, value, sandbox) > (?, ?, ?)
		ORDER BY bucket, value, sandbox LIMIT ?`)
	selectParts = define(`
		SELECT c.part, c.plays, c.milliseconds, c.excess, c.users, c.apart, coalesce(c.body, b.body)
		FROM cells AS c LEFT JOIN cell_bodies AS b ON b.number = c.apart
		WHERE c.account = ? AND c.dimension = ? AND c.grain = ? AND c.bucket = ? AND c.value = ? AND c.sandbox = ? ORDER BY c.part`)
)

// One transaction changes at most this many cells and blocks, so that other writers wait only briefly.
const (
	cellsAtOnce = 100
	// A block has up to some ten kilobytes.
	blocksAtOnce = 100
)

// ForgetPlays implements sqlstore.UsageDatabase. It deletes the blocks of an account after it has changed the cells: an
// account without plays before the horizon needs no more work.
func (d usageDatabase) ForgetPlays(ctx context.Context, horizon event.Instant) error {
	var accounts []usagelogic.Number
	err := d.read(ctx, func(s *session) (err error) {
		accounts, err = s.Accounts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, account := range append(accounts, 0) {
		if err := d.forgetPlaysOf(ctx, account, horizon); err != nil {
			return err
		}
	}
	return nil
}

func (d usageDatabase) forgetPlaysOf(ctx context.Context, account usagelogic.Number, horizon event.Instant) error {
	var (
		played  int64
		counted usage.Progress
	)
	err := d.count(ctx, func(ctx context.Context, c *counts) (err error) {
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
	for dimension, grains := range usagelogic.Depersonalised() {
		for _, grain := range grains {
			if err := d.changeCells(ctx, usagelogic.CellKey{Account: account, Dimension: dimension, Grain: grain}, horizon, true); err != nil {
				return err
			}
		}
	}
	for dimension, grains := range usagelogic.Deleted() {
		for _, grain := range grains {
			if err := d.changeCells(ctx, usagelogic.CellKey{Account: account, Dimension: dimension, Grain: grain}, horizon, false); err != nil {
				return err
			}
		}
	}
	return d.inChunks(ctx, func(s *session) (bool, error) {
		deleted, err := s.exec(ctx, deletePlays, int64(account), usagelogic.Month.Bucket(horizon), counted.Position, blocksAtOnce)
		return deleted == blocksAtOnce, err
	})
}

// changeCells removes the persons from the cells of a dimension and grain before the horizon, or deletes these cells if
// kept is false.
func (d usageDatabase) changeCells(ctx context.Context, of usagelogic.CellKey, horizon event.Instant, kept bool) error {
	of.Bucket = -1 << 62
	return d.inChunks(ctx, func(s *session) (bool, error) {
		var keys []usagelogic.CellKey
		err := s.query(ctx, selectCellKeys, func(rows *sql.Rows) error {
			key := of
			err := rows.Scan(&key.Bucket, &key.Value, &key.Sandbox)
			keys = append(keys, key)
			return err
		}, int64(of.Account), int64(of.Dimension), int64(of.Grain), of.Grain.Bucket(horizon), of.Bucket, int64(of.Value), flag(of.Sandbox), cellsAtOnce)
		if err != nil || len(keys) == 0 {
			return false, err
		}
		for _, key := range keys {
			if err := s.changeCell(ctx, key, kept); err != nil {
				return false, err
			}
		}
		of = keys[len(keys)-1]
		return true, nil
	})
}

// changeCell replaces the parts of a cell by a single part without persons, or deletes them if kept is false.
func (s *session) changeCell(ctx context.Context, key usagelogic.CellKey, kept bool) error {
	type part struct {
		number int64
		apart  sql.NullInt64
	}
	var (
		parts []part
		users int64
		cell  = &usagelogic.Cell{Key: key}
	)
	err := s.query(ctx, selectParts, func(rows *sql.Rows) error {
		var (
			p                                  part
			plays, milliseconds, excess, known int64
			body                               sql.RawBytes
		)
		if err := rows.Scan(&p.number, &plays, &milliseconds, &excess, &known, &p.apart, &body); err != nil {
			return err
		}
		parts, users = append(parts, p), max(users, known)
		return cell.Absorb(plays, milliseconds, excess, body)
	}, keyOf(key)...)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if err := s.dropPart(ctx, key, p.number, p.apart); err != nil {
			return err
		}
	}
	if !kept {
		return nil
	}
	users = cell.Depersonalise(users)
	whole := cell.Part(0, cell.Body())
	whole.Users = users
	return s.PutParts(ctx, []usagelogic.Part{whole})
}
