package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Accounts implements store.Accounts and store.Deprecations. It is safe for concurrent use.
type Accounts struct{ on[Database] }

var (
	_ store.Accounts     = (*Accounts)(nil)
	_ store.Deprecations = (*Accounts)(nil)
)

// NewAccounts returns the accounts of a database.
func NewAccounts(db Database) *Accounts { return &Accounts{on[Database]{db}} }

// nextVersion increments the version for a change of keys or of any entity except users. Writers of keys run it first
// and writers of entities run it last, so that writers of keys wait for one another.
var nextVersion = define(`UPDATE versions SET version = version + 1 WHERE one`)

var selectKeys = define(`
	SELECT id, secret, created_at FROM keys WHERE purpose = $1 ORDER BY created_at DESC, number DESC`)

// Keys implements store.Keys. Of keys created at the same instant, the key added last comes first.
func (a *Accounts) Keys(ctx context.Context, purpose string) ([]store.Key, error) {
	return readAll(ctx, a.db, func(row Row) (key store.Key, err error) {
		var created int64
		err = row.Scan(&key.ID, &key.Secret, &created)
		key.CreatedAt = instant(created)
		return key, err
	}, selectKeys, purpose)
}

var (
	hasKey   = define(`SELECT COUNT(*) FROM (SELECT 1 FROM keys WHERE purpose = $1 LIMIT 1) AS one`)
	hasKeyID = define(`SELECT COUNT(*) FROM keys WHERE purpose = $1 AND id = $2`)
	addKey   = define(`INSERT INTO keys (purpose, id, secret, created_at) VALUES ($1, $2, $3, $4)`)
)

// AddKey implements store.Keys.
func (a *Accounts) AddKey(ctx context.Context, purpose string, key store.Key, onlyFirst bool) error {
	err := a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, nextVersion)
		others, err := selectOne(ctx, c, number, hasKey, purpose)
		if err != nil {
			return err
		}
		if onlyFirst && others > 0 {
			return errUnchanged
		}
		same, err := selectOne(ctx, c, number, hasKeyID, purpose, key.ID)
		if err != nil {
			return err
		}
		if same > 0 {
			return fault.Errorf(fault.Conflict, "there is a %s key %q already", purpose, key.ID)
		}
		c.Do(ctx, addKey, purpose, key.ID, key.Secret, micros(key.CreatedAt))
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

var deleteKey = define(`DELETE FROM keys WHERE purpose = $1 AND id = $2`)

// DropKeys implements store.Keys.
func (a *Accounts) DropKeys(ctx context.Context, purpose string, ids []string) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		c.Do(ctx, nextVersion)
		for _, id := range ids {
			c.Do(ctx, deleteKey, purpose, id)
		}
		return nil
	})
}

var (
	addUsage = define(`
		INSERT INTO usage (month, account, count) VALUES ($1, $2, $3)
		ON CONFLICT (month, account) DO UPDATE SET count = usage.count + excluded.count`)
	selectUsage   = define(`SELECT account, count FROM usage WHERE month = $1`)
	selectUsageOf = define(`SELECT account, count FROM usage WHERE month = $1 AND account IN LIST ($2)`)
)

// AddUsage implements store.Registry.
func (a *Accounts) AddUsage(ctx context.Context, month string, counts map[string]int64) (map[string]int64, error) {
	if len(counts) == 0 {
		return map[string]int64{}, nil
	}
	// All writers lock rows in the same order, so that they cannot deadlock.
	accounts := slices.Sorted(maps.Keys(counts))
	return write(ctx, a.db, func(ctx context.Context, c Conn) (map[string]int64, error) {
		for _, account := range accounts {
			c.Do(ctx, addUsage, month, account, counts[account])
		}
		return selectCounts(ctx, c, selectUsageOf, month, List(accounts))
	})
}

// Usage implements store.Registry.
func (a *Accounts) Usage(ctx context.Context, month string) (map[string]int64, error) {
	return read(ctx, a.db, func(ctx context.Context, c Conn) (map[string]int64, error) {
		return selectCounts(ctx, c, selectUsage, month)
	})
}

// selectCounts returns the counts that a statement selects, by account.
func selectCounts(ctx context.Context, c Conn, st *Statement, args ...any) (map[string]int64, error) {
	counts := map[string]int64{}
	return counts, c.Query(ctx, st, func(row Row) error {
		var (
			account string
			count   int64
		)
		err := row.Scan(&account, &count)
		counts[account] = count
		return err
	}, args...)
}
