package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// Accounts is a store.Accounts in one SQLite file.
type Accounts struct{ *database }

var _ store.Accounts = (*Accounts)(nil)

// OpenAccounts opens the accounts in a file, creating it or bringing its schema up to date first
// (MigrateAccounts); new accounts begin with the built-in tiers. The folder must be there.
func OpenAccounts(ctx context.Context, path string, options ...Option) (*Accounts, error) {
	d, err := open(ctx, path, migrationsOf("accounts"), slices.Concat(options, []Option{overwriting("ON")}))
	if err != nil {
		return nil, err
	}
	a := &Accounts{d}
	if err := a.seed(ctx); err != nil {
		_ = a.Close()
		return nil, err
	}
	return a, nil
}

// Whoever changes records but users, or keys, does this too.
var nextVersion = define(`UPDATE versions SET version = version + 1 WHERE one = 1`)

var selectKeys = define(`
	SELECT id, secret, created_at FROM keys WHERE purpose = ? ORDER BY created_at DESC, number DESC`)

// Keys implements store.Keys. Of keys of one instant, the one added last comes first.
func (a *Accounts) Keys(ctx context.Context, purpose string) ([]store.Key, error) {
	var keys []store.Key
	err := a.read(ctx, func(s *session) error {
		return s.query(ctx, selectKeys, func(rows *sql.Rows) error {
			var (
				key     store.Key
				created int64
			)
			err := rows.Scan(&key.ID, &key.Secret, &created)
			key.CreatedAt = instant(created)
			keys = append(keys, key)
			return err
		}, purpose)
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

var (
	hasKey   = define(`SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = ?)`)
	hasKeyID = define(`SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = ? AND id = ?)`)
	addKey   = define(`INSERT INTO keys (purpose, id, secret, created_at) VALUES (?, ?, ?, ?)`)
)

// AddKey implements store.Keys.
func (a *Accounts) AddKey(ctx context.Context, purpose string, key store.Key, onlyFirst bool) error {
	return a.write(ctx, func(s *session) error {
		if onlyFirst {
			if n, err := s.number(ctx, hasKey, purpose); err != nil || n > 0 {
				return err
			}
		}
		if n, err := s.number(ctx, hasKeyID, purpose, key.ID); err != nil {
			return err
		} else if n > 0 {
			return fault.Errorf(fault.Conflict, "there is a %s key %q already", purpose, key.ID)
		}
		if _, err := s.exec(ctx, addKey, purpose, key.ID, key.Secret, micros(key.CreatedAt)); err != nil {
			return err
		}
		_, err := s.exec(ctx, nextVersion)
		return err
	})
}

var deleteKey = define(`DELETE FROM keys WHERE purpose = ? AND id = ?`)

// DropKeys implements store.Keys.
func (a *Accounts) DropKeys(ctx context.Context, purpose string, ids []string) error {
	return a.write(ctx, func(s *session) error {
		for _, id := range ids {
			if _, err := s.exec(ctx, deleteKey, purpose, id); err != nil {
				return err
			}
		}
		_, err := s.exec(ctx, nextVersion)
		return err
	})
}
