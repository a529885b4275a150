package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

var addDeprecatedUse = define(`
	INSERT INTO deprecated_uses AS known (item, client, account, first_used, last_used, count) VALUES ($1, $2, $3, $4, $5, $6)
	ON CONFLICT (item, client, account) DO UPDATE SET
		first_used = CASE WHEN excluded.first_used < known.first_used THEN excluded.first_used ELSE known.first_used END,
		last_used = CASE WHEN excluded.last_used > known.last_used THEN excluded.last_used ELSE known.last_used END,
		count = known.count + excluded.count`)

// AddDeprecatedUses implements store.Deprecations.
func (a *Accounts) AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error {
	if len(uses) == 0 {
		return nil
	}
	// All writers lock rows in the same order, so that they cannot deadlock.
	uses = slices.SortedFunc(slices.Values(uses), func(a, b account.DeprecatedUse) int {
		return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Account, b.Account))
	})
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		for _, use := range uses {
			c.Do(ctx, addDeprecatedUse, use.Item, use.Client, use.Account, micros(use.First), micros(use.Last), use.Count)
		}
		return nil
	})
}

var (
	selectDeprecatedUses = define(`
		SELECT item, client, account, first_used, last_used, count FROM deprecated_uses
		WHERE item = $1 AND (client, account) >= ($2, $3) AND last_used >= $4 ORDER BY client, account LIMIT $5`)
	selectDeprecatedUsesOf = define(`
		SELECT item, client, account, first_used, last_used, count FROM deprecated_uses
		WHERE item = $1 AND client = $2 AND (client, account) >= ($3, $4) AND last_used >= $5 ORDER BY account LIMIT $6`)
)

// DeprecatedUses implements store.Deprecations.
func (a *Accounts) DeprecatedUses(ctx context.Context, query store.DeprecatedUseQuery) ([]account.DeprecatedUse, error) {
	from := query.After.From()
	st, args := selectDeprecatedUses, []any{query.Item}
	if query.Client != nil {
		st, args = selectDeprecatedUsesOf, append(args, *query.Client)
	}
	args = append(args, from.Client, from.Account, micros(query.Since), min(max(0, query.Limit), store.MaxDeprecatedUses))
	return readAll(ctx, a.db, func(row Row) (use account.DeprecatedUse, err error) {
		var first, last int64
		err = row.Scan(&use.Item, &use.Client, &use.Account, &first, &last, &use.Count)
		use.First, use.Last = instant(first), instant(last)
		return use, err
	}, st, args...)
}
