package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

var _ store.Deprecations = (*Accounts)(nil)

// In one order, so that calls at once do not wait for each other in a circle.
var addDeprecatedUses = define(`
	INSERT INTO deprecated_uses (item, client, account, first_used, last_used, count)
	SELECT added.item, added.client, added.account, MIN(added.first_used), MAX(added.last_used), SUM(added.count)::bigint
	FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::bigint[])
		AS added (item, client, account, first_used, last_used, count)
	GROUP BY added.item, added.client, added.account ORDER BY added.item, added.client, added.account
	ON CONFLICT (item, client, account) DO UPDATE SET
		first_used = LEAST(deprecated_uses.first_used, excluded.first_used),
		last_used = GREATEST(deprecated_uses.last_used, excluded.last_used),
		count = deprecated_uses.count + excluded.count`)

// AddDeprecatedUses implements store.Deprecations.
func (a *Accounts) AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error {
	if len(uses) == 0 {
		return nil
	}
	var (
		items, clients, accounts [][]byte
		firsts, lasts, counts    []int64
	)
	for _, use := range uses {
		items, clients, accounts = append(items, []byte(use.Item)), append(clients, []byte(use.Client)), append(accounts, []byte(use.Account))
		firsts, lasts, counts = append(firsts, micros(use.First)), append(lasts, micros(use.Last)), append(counts, use.Count)
	}
	first := func(p *pipeline) { p.do(addDeprecatedUses, items, clients, accounts, firsts, lasts, counts) }
	return a.changing(ctx, first, func(context.Context, *session, *pipeline) error { return nil })
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
func (a *Accounts) DeprecatedUses(ctx context.Context, query store.DeprecatedUseQuery) (uses []account.DeprecatedUse, err error) {
	from := query.After.From()
	st, args := selectDeprecatedUses, []any{[]byte(query.Item)}
	if query.Client != nil {
		st, args = selectDeprecatedUsesOf, append(args, []byte(*query.Client))
	}
	args = append(args, []byte(from.Client), []byte(from.Account), micros(query.Since), min(max(0, query.Limit), store.MaxDeprecatedUses))
	err = a.read(ctx, func(p *pipeline) {
		uses = nil
		p.ask(st, func(rows pgx.Rows) error {
			var (
				use                   account.DeprecatedUse
				item, client, account []byte
				first, last           int64
			)
			err := rows.Scan(&item, &client, &account, &first, &last, &use.Count)
			use.Item, use.Client, use.Account = string(item), string(client), string(account)
			use.First, use.Last = instant(first), instant(last)
			uses = append(uses, use)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return uses, nil
}
