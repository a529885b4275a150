package sqlite

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Accounts is a store.Accounts in one SQLite file.
type Accounts = sqlstore.Accounts

// OpenAccounts opens the accounts in a file, after creating it or bringing its schema up to date (MigrateAccounts). A
// new file contains the built-in tiers. The folder must exist.
func OpenAccounts(ctx context.Context, path string, options ...Option) (*Accounts, error) {
	d, err := open(ctx, path, migrationsOf("accounts"), slices.Concat(options, []Option{overwriting("ON")}))
	if err != nil {
		return nil, err
	}
	a := sqlstore.NewAccounts(shared{d})
	if err := a.PutBuiltInTiers(ctx); err != nil {
		_ = a.Close()
		return nil, err
	}
	return a, nil
}

// MigrateAccounts is MigrateCatalogue for the file of the accounts.
func MigrateAccounts(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("accounts"), settingsOf(nil))
}
