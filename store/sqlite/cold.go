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
	d, err := openErasing(ctx, path, "accounts", options)
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

// Collections is a store.Collections in one SQLite file.
type Collections = sqlstore.Collections

// OpenCollections opens the collections in a file, after creating it or bringing its schema up to date
// (MigrateCollections). The folder must exist.
func OpenCollections(ctx context.Context, path string, options ...Option) (*Collections, error) {
	d, err := openErasing(ctx, path, "collections", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewCollections(shared{d}), nil
}

// MigrateCollections is MigrateCatalogue for the file of the collections.
func MigrateCollections(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("collections"), settingsOf(nil))
}

// openErasing opens a file in which a deletion overwrites the deleted content.
func openErasing(ctx context.Context, path, schema string, options []Option) (*database, error) {
	return open(ctx, path, migrationsOf(schema), slices.Concat(options, []Option{overwriting("ON")}))
}

// OpenSearchLog opens the search log in a file, after creating it or bringing its schema up to date (MigrateSearchLog).
// The folder must exist.
func OpenSearchLog(ctx context.Context, path string, options ...Option) (*sqlstore.SearchLog, error) {
	d, err := openErasing(ctx, path, "searchlog", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewSearchLog(shared{d}), nil
}

// MigrateSearchLog is MigrateCatalogue for the file of the search log.
func MigrateSearchLog(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("searchlog"), settingsOf(nil))
}

// OpenJobs opens the jobs in a file, after creating it or bringing its schema up to date (MigrateJobs). The folder must
// exist.
func OpenJobs(ctx context.Context, path string, options ...Option) (*sqlstore.Jobs, error) {
	d, err := open(ctx, path, migrationsOf("jobs"), options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewJobs(shared{d}), nil
}

// MigrateJobs is MigrateCatalogue for the file of the jobs.
func MigrateJobs(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("jobs"), settingsOf(nil))
}
