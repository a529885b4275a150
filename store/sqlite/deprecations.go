package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

var _ store.Deprecations = (*Accounts)(nil)

var addDeprecatedUse = define(`
	INSERT INTO deprecated_uses (item, client, account, first_used, last_used, count) VALUES (?, ?, ?, ?, ?, ?)
	ON CONFLICT (item, client, account) DO UPDATE SET
		first_used = min(first_used, excluded.first_used), last_used = max(last_used, excluded.last_used),
		count = count + excluded.count`)

// AddDeprecatedUses implements store.Deprecations.
func (a *Accounts) AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error {
	if len(uses) == 0 {
		return nil
	}
	return a.write(ctx, func(s *session) error {
		for _, use := range uses {
			if _, err := s.exec(ctx, addDeprecatedUse, use.Item, use.Client, use.Account, micros(use.First), micros(use.Last), use.Count); err != nil {
				return err
			}
		}
		return nil
	})
}

var (
	selectDeprecatedUses = define(`
		SELECT item, client, account, first_used, last_used, count FROM deprecated_uses
		WHERE item = ? AND (client, account) >= (?, ?) AND last_used >= ? ORDER BY client, account LIMIT ?`)
	selectDeprecatedUsesOf = define(`
		SELECT item, client, account, first_used, last_used, count FROM deprecated_uses
		WHERE item = ? AND client = ? AND (client, account) >= (?, ?) AND last_used >= ? ORDER BY account LIMIT ?`)
)

// DeprecatedUses implements store.Deprecations.
func (a *Accounts) DeprecatedUses(ctx context.Context, query store.DeprecatedUseQuery) (uses []account.DeprecatedUse, err error) {
	from := query.After.From()
	st, args := selectDeprecatedUses, []any{query.Item}
	if query.Client != nil {
		st, args = selectDeprecatedUsesOf, append(args, *query.Client)
	}
	args = append(args, from.Client, from.Account, micros(query.Since), min(max(0, query.Limit), store.MaxDeprecatedUses))
	err = a.read(ctx, func(s *session) error {
		return s.query(ctx, st, func(rows *sql.Rows) error {
			var (
				use         account.DeprecatedUse
				first, last int64
			)
			err := rows.Scan(&use.Item, &use.Client, &use.Account, &first, &last, &use.Count)
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
