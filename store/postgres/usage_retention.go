package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

var (
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
)

// forgottenCells is the number of cells that one transaction changes, so that other writers do not wait long for the
// lock.
const forgottenCells = 500

// ForgetPlays implements sqlstore.UsageDatabase. It drops the blocks last: accounts without blocks before the horizon
// are done.
func (d usageDatabase) ForgetPlays(ctx context.Context, horizon event.Instant) error {
	var (
		accounts []usagelogic.Number
		counted  event.Position
	)
	err := d.counting(ctx, func(ctx context.Context, c *count) (err error) {
		counted = c.progress.Position
		accounts, err = c.numbers(ctx, selectPlayedBefore, int32(usagelogic.Month.Bucket(horizon)))
		if len(accounts) > 0 && err == nil {
			c.BeginSweep(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := d.forgetPlaysOf(ctx, account, horizon); err != nil {
			return err
		}
	}
	return d.counting(ctx, func(ctx context.Context, c *count) error {
		return c.dropBlockMonths(ctx, usagelogic.Month.Bucket(horizon), counted)
	})
}

func (d usageDatabase) forgetPlaysOf(ctx context.Context, account usagelogic.Number, horizon event.Instant) error {
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
	return nil
}

// changeCells removes the persons from the cells before the horizon if kept is true, and deletes the cells otherwise.
func (d usageDatabase) changeCells(ctx context.Context, of usagelogic.CellKey, horizon event.Instant, kept bool) error {
	of.Bucket = -1 << 62
	for more := true; more; {
		var after usagelogic.CellKey
		err := d.counting(ctx, func(ctx context.Context, c *count) error {
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
