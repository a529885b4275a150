package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

var (
	addUsage = define(`
		INSERT INTO usage (month, account, count)
		SELECT $1::bytea, added.account, added.count FROM unnest($2::bytea[], $3::bigint[]) AS added (account, count)
		ON CONFLICT (month, account) DO UPDATE SET count = usage.count + excluded.count RETURNING account, count`)
	selectUsage = define(`SELECT account, count FROM usage WHERE month = $1`)
)

// AddUsage implements store.Registry.
func (a *Accounts) AddUsage(ctx context.Context, month string, counts map[string]int64) (sums map[string]int64, err error) {
	if len(counts) == 0 {
		return map[string]int64{}, nil
	}
	// In one order, so that calls at once do not wait for each other in a circle.
	accounts := slices.Sorted(maps.Keys(counts))
	added := make([]int64, len(accounts))
	for i, account := range accounts {
		added[i] = counts[account]
	}
	first := func(p *pipeline) { p.counts(&sums, addUsage, []byte(month), bytesOf(accounts), added) }
	err = a.changing(ctx, first, func(context.Context, *session, *pipeline) error { return nil })
	if err != nil {
		return nil, err
	}
	return sums, nil
}

// Usage implements store.Registry.
func (a *Accounts) Usage(ctx context.Context, month string) (counts map[string]int64, err error) {
	err = a.read(ctx, func(p *pipeline) { p.counts(&counts, selectUsage, []byte(month)) })
	if err != nil {
		return nil, err
	}
	return counts, nil
}

// counts adds a statement that answers accounts with a count each.
func (p *pipeline) counts(counts *map[string]int64, st *statement, args ...any) {
	*counts = map[string]int64{}
	p.ask(st, func(rows pgx.Rows) error {
		var (
			account []byte
			count   int64
		)
		err := rows.Scan(&account, &count)
		(*counts)[string(account)] = count
		return err
	}, args...)
}
