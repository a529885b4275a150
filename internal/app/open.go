package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/filmstrip/filmstrip/store/sqlite"
)

// OpenAccounts opens the stores of administration: accounts, deprecations, collections and the search log. With SQLite, the
// other stores are nil.
func (c *StoreSettings) OpenAccounts(ctx context.Context, data string) (*Stores, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.MustExist(data); err != nil {
		return nil, err
	}
	if !c.InFiles() {
		return c.Open(ctx, data, slog.New(slog.DiscardHandler))
	}
	if err := prepareData(data); err != nil {
		return nil, err
	}
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(data, AccountsFile))
	if err != nil {
		return nil, err
	}
	s := &Stores{engine: engineSQLite, Accounts: accounts, Deprecations: accounts}
	collections, err := sqlite.OpenCollections(ctx, filepath.Join(data, CollectionsFile))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Collections = collections
	queries, err := sqlite.OpenSearchLog(ctx, filepath.Join(data, searchLogFile))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Queries = queries
	return c.recorded(ctx, data, s)
}

// OpenEvents opens the event log, which must exist. With SQLite, the other stores are nil.
func (c *StoreSettings) OpenEvents(ctx context.Context, data string) (*Stores, error) {
	return c.openAlone(ctx, data, EventsFile, func(file string) (*Stores, error) {
		log, err := sqlite.OpenEvents(ctx, file)
		if err != nil {
			return nil, err
		}
		together, err := c.archivedFile(ctx, log, data)
		if err != nil {
			return nil, errors.Join(err, log.Close())
		}
		return &Stores{engine: engineSQLite, Events: together}, nil
	})
}

// OpenSearchLog opens the search log, which must exist. With SQLite, the other stores are nil.
func (c *StoreSettings) OpenSearchLog(ctx context.Context, data string) (*Stores, error) {
	return c.openAlone(ctx, data, searchLogFile, func(file string) (*Stores, error) {
		queries, err := sqlite.OpenSearchLog(ctx, file)
		if err != nil {
			return nil, err
		}
		return &Stores{engine: engineSQLite, Queries: queries}, nil
	})
}

// openAlone opens an SQLite file, which must exist, or all stores of PostgreSQL.
func (c *StoreSettings) openAlone(ctx context.Context, data, name string, open func(file string) (*Stores, error)) (*Stores, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if !c.InFiles() {
		return c.Open(ctx, data, slog.New(slog.DiscardHandler))
	}
	file := filepath.Join(data, name)
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("there is no %s in %s", name, data)
	}
	return open(file)
}
