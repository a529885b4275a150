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
	// selectPartsBehind returns the parts of the first cells after a key, in the order of keys.
	selectPartsBehind = define(`
		SELECT c.bucket, c.value, c.sandbox, c.part, c.plays, c.milliseconds, c.excess, c.users, c.body
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
func (d usageDatabase) ForgetPlays(
	ctx context.Context, horizon event.Instant, cells func(ctx context.Context, account usagelogic.Number) error,
) error {
	var (
		accounts []usagelogic.Number
		counted  event.Position
	)
	err := d.counting(ctx, func(ctx context.Context, c *count) (err error) {
		counted = c.progress.Position
		err = c.rows(ctx, selectPlayedBefore, func(rows pgx.Rows) error {
			var account int32
			err := rows.Scan(&account)
			accounts = append(accounts, usagelogic.Number(account))
			return err
		}, int32(usagelogic.Month.Bucket(horizon)))
		if len(accounts) > 0 && err == nil {
			c.BeginSweep(ctx)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := cells(ctx, account); err != nil {
			return err
		}
	}
	return d.counting(ctx, func(ctx context.Context, c *count) error {
		return c.dropBlockMonths(ctx, usagelogic.Month.Bucket(horizon), counted)
	})
}

// PartsBehind implements usagelogic.ForgetTx.
func (s *session) PartsBehind(ctx context.Context, key usagelogic.CellKey, before int64, each func(usagelogic.Part) error) error {
	return s.rows(ctx, selectPartsBehind, func(rows pgx.Rows) error {
		part := usagelogic.Part{Key: usagelogic.PartKey{CellKey: key}}
		of := &part.Key
		var (
			value int32
			body  pgtype.DriverBytes
		)
		err := rows.Scan(&of.Bucket, &value, &of.Sandbox, &of.Part, &part.Plays, &part.Milliseconds, &part.Excess, &part.Users, &body)
		if err != nil {
			return err
		}
		of.Value, part.Body = usagelogic.Number(value), body
		return each(part)
	}, int32(key.Account), int16(key.Dimension), int16(key.Grain), before, key.Bucket, int32(key.Value), key.Sandbox, forgottenCells)
}
