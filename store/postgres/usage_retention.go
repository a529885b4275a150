package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

var (
	selectHorizon      = define(`SELECT horizon FROM usage_retention WHERE one`)
	raiseHorizon       = define(`UPDATE usage_retention SET horizon = $1 WHERE one AND horizon < $1`)
	setSweeping        = define(`UPDATE usage_retention SET sweeping = $1 WHERE one`)
	isSweeping         = define(`SELECT sweeping::integer FROM usage_retention WHERE one`)
	selectPlayedBefore = define(`SELECT DISTINCT account FROM usage_blocks WHERE month < $1`)
	// selectCellsBehind returns the parts of the first cells after a key, in the order of keys.
	selectCellsBehind = define(`
		SELECT c.dimension, c.grain, c.bucket, c.value, c.sandbox, c.part, c.plays, c.milliseconds, c.excess, c.body, c.users
		FROM (
			SELECT DISTINCT bucket, value, sandbox FROM usage_cells
			WHERE account = $1 AND dimension = $2 AND grain = $3 AND bucket < $4 AND (bucket, value, sandbox) > ($5, $6, $7)
			ORDER BY bucket, value, sandbox LIMIT $8
		) AS k JOIN usage_cells AS c ON c.account = $1 AND c.dimension = $2 AND c.grain = $3
			AND c.bucket = k.bucket AND c.value = k.value AND c.sandbox = k.sandbox
		ORDER BY c.bucket, c.value, c.sandbox, c.part`)
	lastUser    = define(`SELECT COALESCE(max(number), 0) FROM usage_terms WHERE dimension = $1`)
	selectUsers = define(`SELECT number FROM usage_terms WHERE dimension = $1 AND number > $2 AND number <= $3`)
	deleteUsers = define(`DELETE FROM usage_terms WHERE dimension = $1 AND number = ANY ($2::integer[])`)
)

// Horizon implements usagelogic.Source.
func (s *source) Horizon(ctx context.Context) (horizon event.Instant, err error) {
	err = s.rows(ctx, selectHorizon, func(rows pgx.Rows) error { return rows.Scan((*int64)(&horizon)) })
	return horizon, err
}

// How much one transaction forgets, so that other writers do not wait long for the lock.
const (
	forgottenCells = 500
	forgottenUsers = 5_000
)

// ForgetPersons implements store.Usage. It drops the blocks last: accounts without blocks before the horizon are done.
func (u *Usage) ForgetPersons(ctx context.Context, before usage.Month) error {
	var (
		horizon  event.Instant
		accounts []usagelogic.Number
		counted  event.Position
	)
	if err := u.SettleVoids(ctx); err != nil {
		return err
	}
	err := u.counting(ctx, func(ctx context.Context, c *count, _ *pipeline) (err error) {
		if err := c.refusePending(ctx); err != nil {
			return err
		}
		if err := c.send(ctx, func(p *pipeline) { p.do(raiseHorizon, int64(before.Start())) }); err != nil {
			return err
		}
		if horizon, err = (&source{c.session}).Horizon(ctx); err != nil {
			return err
		}
		counted = c.progress.Position
		accounts, err = (&source{c.session}).numbers(ctx, selectPlayedBefore, int32(usagelogic.Month.Bucket(horizon)))
		if len(accounts) == 0 || err != nil {
			return err
		}
		return c.send(ctx, func(p *pipeline) {
			p.do(setSweeping, true)
			p.do(noteChange)
		})
	})
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := u.forgetPersonsOf(ctx, account, horizon); err != nil {
			return err
		}
	}
	err = u.counting(ctx, func(ctx context.Context, c *count, _ *pipeline) error {
		return c.dropBlockMonths(ctx, usagelogic.Month.Bucket(horizon), counted)
	})
	if err != nil {
		return err
	}
	if err := u.sweepUsers(ctx); err != nil {
		return err
	}
	return u.dropStaleRecount(ctx)
}

func (u *Usage) forgetPersonsOf(ctx context.Context, account usagelogic.Number, horizon event.Instant) error {
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
	return nil
}

// changeCells removes the persons from the cells before the horizon if kept is true, and deletes the cells otherwise.
func (u *Usage) changeCells(ctx context.Context, of usagelogic.CellKey, horizon event.Instant, kept bool) error {
	of.Bucket = -1 << 62
	for more := true; more; {
		var after usagelogic.CellKey
		err := u.counting(ctx, func(ctx context.Context, c *count, _ *pipeline) error {
			cells, parts, err := c.cellsBehind(ctx, of, horizon)
			if more = len(cells) > 0; err != nil || !more {
				return err
			}
			after = cells[len(cells)-1].Key
			err = c.send(ctx, func(p *pipeline) { p.do(deleteParts, partArrays(parts)...) })
			if err != nil || !kept {
				return err
			}
			return c.copyCells(ctx, cells)
		})
		if err != nil {
			return err
		}
		of = after
	}
	return nil
}

// bare is a cell without persons, but with its number of users.
type bare struct {
	*usagelogic.Cell
	users int64
}

// cellsBehind reads the first cells after a key, and lists their parts.
func (c *count) cellsBehind(ctx context.Context, of usagelogic.CellKey, horizon event.Instant) (cells []bare, parts []usagelogic.PartKey, err error) {
	err = c.rows(ctx, selectCellsBehind, func(rows pgx.Rows) error {
		var (
			dimension, grain                  int16
			value, known                      int32
			part, plays, milliseconds, excess int64
			body                              pgtype.DriverBytes
			key                               = of
		)
		if err := rows.Scan(&dimension, &grain, &key.Bucket, &value, &key.Sandbox, &part, &plays, &milliseconds, &excess, &body, &known); err != nil {
			return err
		}
		key.Value = usagelogic.Number(value)
		parts = append(parts, usagelogic.PartKey{CellKey: key, Part: part})
		if len(cells) == 0 || cells[len(cells)-1].Key != key {
			cells = append(cells, bare{Cell: &usagelogic.Cell{Key: key}})
		}
		cell := &cells[len(cells)-1]
		cell.users = max(cell.users, int64(known))
		return cell.Absorb(plays, milliseconds, excess, body)
	}, int32(of.Account), int16(of.Dimension), int16(of.Grain), of.Grain.Bucket(horizon), of.Bucket, int32(of.Value), of.Sandbox, forgottenCells)
	return cells, parts, err
}

// copyCells inserts cells of one part each.
func (c *count) copyCells(ctx context.Context, cells []bare) error {
	ctx, cancel := c.limited(ctx)
	defer cancel()
	_, err := c.conn.CopyFrom(ctx, pgx.Identifier{"usage_cells"}, cellColumns, pgx.CopyFromSlice(len(cells), func(i int) ([]any, error) {
		cell := cells[i]
		users, key := cell.Depersonalise(cell.users), &cell.Key
		return []any{
			int32(key.Account), int16(key.Dimension), int16(key.Grain), key.Bucket, int32(key.Value), key.Sandbox,
			int32(0), cell.Plays, cell.Milliseconds, cell.Excess, int32(users), int32(cell.Videos()), cell.Body(),
		}, nil
	}))
	return storeError(ctx, err)
}

// sweepUsers deletes the users that no play refers to any more. Every cell that contains persons still has its plays.
func (u *Usage) sweepUsers(ctx context.Context) error {
	var (
		sweeping, end int64
		present       usagelogic.Persons
		counted       event.Position
	)
	err := u.asking(ctx, func(ctx context.Context, s *source) error {
		err := s.send(ctx, func(p *pipeline) {
			p.number(isSweeping, &sweeping)
			p.number(lastUser, &end, int16(usage.ByUser))
		})
		if err != nil || sweeping == 0 {
			return err
		}
		progress, err := s.Progress(ctx)
		counted = progress.Position
		if err != nil {
			return err
		}
		return s.personsBehind(ctx, math.MinInt64, &present)
	})
	if err != nil || sweeping == 0 {
		return err
	}
	for after := int64(0); after < end; after += forgottenUsers {
		err := u.counting(ctx, func(ctx context.Context, c *count, last *pipeline) error {
			if err := c.personsBehind(ctx, counted, &present); err != nil {
				return err
			}
			counted = c.progress.Position
			return c.deleteUsers(ctx, after, &present, last)
		})
		if err != nil {
			return err
		}
	}
	return u.counting(ctx, func(_ context.Context, _ *count, last *pipeline) error {
		last.do(setSweeping, false)
		return nil
	})
}

// personsBehind adds the persons of all plays after a position to a set.
func (s *session) personsBehind(ctx context.Context, position event.Position, present *usagelogic.Persons) error {
	return s.rows(ctx, summariesBehind, func(rows pgx.Rows) error {
		var summary pgtype.DriverBytes
		if err := rows.Scan(&summary); err != nil {
			return err
		}
		return present.Add(summary)
	}, position)
}

// deleteUsers deletes the next users after a number that are not present.
func (c *count) deleteUsers(ctx context.Context, after int64, present *usagelogic.Persons, last *pipeline) error {
	users, err := (&source{c.session}).numbers(ctx, selectUsers, int16(usage.ByUser), after, after+forgottenUsers)
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, present.Has)
	if len(users) > 0 {
		last.do(deleteUsers, int16(usage.ByUser), bitsOf(users))
		last.do(noteChange) // a recount may refer to them
	}
	return nil
}

// PlaysOf implements store.Usage.
func (u *Usage) PlaysOf(ctx context.Context, account, person string) (plays []usage.Play, err error) {
	if person == "" {
		return nil, ctx.Err()
	}
	err = u.asking(ctx, func(ctx context.Context, s *source) error {
		plays = nil
		known, owner := usagelogic.Dictionary{}, usagelogic.Term{Dimension: usage.ByAccount, Text: account}
		if account != "" {
			if err := (&count{session: s.session}).find(ctx, []usagelogic.Term{owner}, known); err != nil || known[owner] == 0 {
				return err
			}
		}
		of := usagelogic.Term{Dimension: usage.ByUser, Owner: known[owner], Text: person}
		if err := (&count{session: s.session}).find(ctx, []usagelogic.Term{of}, known); err != nil || known[of] == 0 {
			return err
		}
		plays, err = usagelogic.PlaysOf(ctx, s, known[owner], known[of], account, person)
		return err
	})
	if err != nil {
		return nil, err
	}
	return plays, nil
}
