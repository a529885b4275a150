package sqlite

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Accounts is a store.Accounts in one SQLite file.
type Accounts = sqlstore.Accounts

// OpenAccounts opens the accounts in a file, after creating it or bringing its schema up to date (Migrate). A new
// file contains the built-in tiers. The folder must exist.
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

// Collections is a store.Collections in one SQLite file.
type Collections = sqlstore.Collections

// OpenCollections opens the collections in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenCollections(ctx context.Context, path string, options ...Option) (*Collections, error) {
	d, err := openErasing(ctx, path, "collections", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewCollections(shared{d}), nil
}

// openErasing opens a file in which a deletion overwrites the deleted content.
func openErasing(ctx context.Context, path, schema string, options []Option) (*database, error) {
	return open(ctx, path, schema, slices.Concat(options, []Option{overwriting("ON")}))
}

// OpenSearchLog opens the search log in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenSearchLog(ctx context.Context, path string, options ...Option) (*sqlstore.SearchLog, error) {
	d, err := openErasing(ctx, path, "searchlog", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewSearchLog(shared{d}), nil
}

// OpenJobs opens the jobs in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenJobs(ctx context.Context, path string, options ...Option) (*sqlstore.Jobs, error) {
	d, err := open(ctx, path, "jobs", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewJobs(shared{d}), nil
}
