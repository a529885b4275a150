package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectHorizon = define(`SELECT horizon FROM retention WHERE one = 1`)
	raiseHorizon  = define(`UPDATE retention SET horizon = ? WHERE one = 1 AND horizon < ?`)
	setSweeping   = define(`UPDATE retention SET sweeping = ? WHERE one = 1`)
	isSweeping    = define(`SELECT sweeping FROM retention WHERE one = 1`)
	isPlayBefore  = define(`SELECT EXISTS (SELECT 1 FROM play_blocks WHERE account = ? AND month < ?)`)
	deletePlays   = define(`
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
	lastUser    = define(`SELECT coalesce(max(number), 0) FROM terms WHERE dimension = ?`)
	selectUsers = define(`SELECT number FROM terms WHERE dimension = ? AND number > ? AND number <= ?`)
)

// Horizon implements usagelogic.Source.
func (m *moment) Horizon(ctx context.Context) (event.Instant, error) { return m.horizon(ctx) }

func (s *session) horizon(ctx context.Context) (event.Instant, error) {
	horizon, err := s.number(ctx, selectHorizon)
	return event.Instant(horizon), err
}

// One transaction changes at most this many cells and users, so that other writers wait only briefly.
const (
	cellsAtOnce = 100
	usersAtOnce = 2000
	// A block has up to some ten kilobytes.
	blocksAtOnce = 100
)

// ForgetPersons implements store.Usage. It deletes the blocks of an account after it has changed the cells: an account
// without plays before the horizon needs no more work.
func (u *Usage) ForgetPersons(ctx context.Context, before usage.Month) error {
	var (
		horizon  event.Instant
		accounts []usagelogic.Number
	)
	if err := u.SettleVoids(ctx); err != nil {
		return err
	}
	err := u.write(ctx, func(s *session) (err error) {
		if err := s.refusePending(ctx); err != nil {
			return err
		}
		if _, err := s.exec(ctx, raiseHorizon, int64(before.Start()), int64(before.Start())); err != nil {
			return err
		}
		if horizon, err = s.horizon(ctx); err != nil {
			return err
		}
		accounts, err = (&moment{s}).Accounts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, account := range append(accounts, 0) {
		if err := u.forgetPersonsOf(ctx, account, horizon); err != nil {
			return err
		}
	}
	if err := u.sweepUsers(ctx); err != nil {
		return err
	}
	return u.dropStaleRecount(ctx)
}

func (u *Usage) forgetPersonsOf(ctx context.Context, account usagelogic.Number, horizon event.Instant) error {
	var (
		played  int64
		counted usage.Progress
	)
	err := u.write(ctx, func(s *session) (err error) {
		if played, err = s.number(ctx, isPlayBefore, int64(account), usagelogic.Month.Bucket(horizon)); err != nil || played == 0 {
			return err
		}
		if counted, err = s.progress(ctx); err != nil {
			return err
		}
		if _, err = s.exec(ctx, setSweeping, 1); err != nil {
			return err
		}
		_, err = s.exec(ctx, noteChange)
		return err
	})
	if err != nil || played == 0 {
		return err
	}
	for dimension, grains := range usagelogic.Depersonalised() {
		for _, grain := range grains {
			if err := u.changeCells(ctx, usagelogic.CellKey{Account: account, Dimension: dimension, Grain: grain}, horizon, true); err != nil {
				return err
			}
		}
	}
	for dimension, grains := range usagelogic.Deleted() {
		for _, grain := range grains {
			if err := u.changeCells(ctx, usagelogic.CellKey{Account: account, Dimension: dimension, Grain: grain}, horizon, false); err != nil {
				return err
			}
		}
	}
	return u.inChunks(ctx, func(s *session) (bool, error) {
		deleted, err := s.exec(ctx, deletePlays, int64(account), usagelogic.Month.Bucket(horizon), counted.Position, blocksAtOnce)
		return deleted == blocksAtOnce, err
	})
}

// changeCells removes the persons from the cells of a dimension and grain before the horizon, or deletes these cells if
// kept is false.
func (u *Usage) changeCells(ctx context.Context, of usagelogic.CellKey, horizon event.Instant, kept bool) error {
	of.Bucket = -1 << 62
	return u.inChunks(ctx, func(s *session) (bool, error) {
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

// sweepUsers deletes the users that no play refers to. Every cell with persons still has its plays.
func (u *Usage) sweepUsers(ctx context.Context) error {
	var (
		sweeping, last int64
		present        usagelogic.Persons
		counted        event.Position
	)
	err := u.atOnce(ctx, func(m *moment) (err error) {
		if sweeping, err = m.number(ctx, isSweeping); err != nil || sweeping == 0 {
			return err
		}
		if last, err = m.number(ctx, lastUser, int64(usage.ByUser)); err != nil {
			return err
		}
		counted, err = m.personsBehind(ctx, math.MinInt64, &present)
		return err
	})
	if err != nil || sweeping == 0 {
		return err
	}
	for after := int64(0); after < last; after += usersAtOnce {
		err := u.write(ctx, func(s *session) (err error) {
			if counted, err = s.personsBehind(ctx, counted, &present); err != nil {
				return err
			}
			return s.deleteUsers(ctx, after, &present)
		})
		if err != nil {
			return err
		}
	}
	return u.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, setSweeping, 0)
		return err
	})
}

// personsBehind adds the persons of all plays after a position to a set. It returns the position of the progress.
func (s *session) personsBehind(ctx context.Context, position event.Position, present *usagelogic.Persons) (event.Position, error) {
	var summary sql.RawBytes
	err := s.query(ctx, summariesBehind, func(rows *sql.Rows) error {
		if err := rows.Scan(&summary); err != nil {
			return err
		}
		return present.Add(summary)
	}, position)
	if err != nil {
		return 0, err
	}
	progress, err := s.progress(ctx)
	return progress.Position, err
}

// deleteUsers deletes the next users after a number that are not present.
func (s *session) deleteUsers(ctx context.Context, after int64, present *usagelogic.Persons) error {
	var gone []int64
	err := s.query(ctx, selectUsers, func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		if !present.Has(usagelogic.Number(number)) {
			gone = append(gone, number)
		}
		return err
	}, int64(usage.ByUser), after, after+usersAtOnce)
	if err != nil || len(gone) == 0 {
		return err
	}
	for _, number := range gone {
		if _, err := s.exec(ctx, deleteTerm, int64(usage.ByUser), number); err != nil {
			return err
		}
	}
	_, err = s.exec(ctx, noteChange) // a recount may refer to them
	return err
}

// PlaysOf implements store.Usage.
func (u *Usage) PlaysOf(ctx context.Context, account, person string) (plays []usage.Play, err error) {
	if person == "" {
		return nil, ctx.Err()
	}
	err = u.atOnce(ctx, func(m *moment) error {
		plays = nil
		owner, err := m.number(ctx, selectNumber, int64(usage.ByAccount), account, 0)
		if err != nil || owner == 0 && account != "" {
			return err
		}
		number, err := m.number(ctx, selectNumber, int64(usage.ByUser), person, owner)
		if err != nil || number == 0 {
			return err
		}
		plays, err = usagelogic.PlaysOf(ctx, m, usagelogic.Number(owner), usagelogic.Number(number), account, person)
		return err
	})
	if err != nil {
		return nil, err
	}
	return plays, nil
}
