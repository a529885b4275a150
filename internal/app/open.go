package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// AccountStores are the accounts, and the stores that administration needs beside them. Close closes them all.
type AccountStores struct {
	store.Accounts
	Collections  store.Collections
	Deprecations store.Deprecations
	Queries      store.SearchLog
	Close        func() error
}

// OpenAccounts opens the stores of administration. With SQLite it leaves catalogue, events and usage closed.
func (c *StoreSettings) OpenAccounts(ctx context.Context, data string) (*AccountStores, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.MustExist(data); err != nil {
		return nil, err
	}
	if c.InFiles() {
		if err := prepareData(data); err != nil {
			return nil, err
		}
		accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(data, AccountsFile))
		if err != nil {
			return nil, err
		}
		collections, err := sqlite.OpenCollections(ctx, filepath.Join(data, CollectionsFile))
		if err != nil {
			return nil, errors.Join(err, accounts.Close())
		}
		queries, err := sqlite.OpenSearchLog(ctx, filepath.Join(data, searchLogFile))
		if err != nil {
			return nil, errors.Join(err, collections.Close(), accounts.Close())
		}
		closeAll := func() error { return errors.Join(queries.Close(), collections.Close(), accounts.Close()) }
		recorder, err := c.recorder(ctx, data, accounts)
		if err != nil {
			return nil, errors.Join(err, closeAll())
		}
		return &AccountStores{recorder.Accounts(accounts), recorder.Collections(collections), accounts, queries, closeAll}, nil
	}
	stores, err := c.Open(ctx, data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return &AccountStores{stores.Accounts, stores.Collections, stores.Deprecations, stores.Queries, stores.Close}, nil
}

// OpenEvents opens the event log, which must exist, and returns a function that closes it.
func (c *StoreSettings) OpenEvents(ctx context.Context, data string) (store.Events, func() error, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	if c.InFiles() {
		file := filepath.Join(data, EventsFile)
		if _, err := os.Stat(file); err != nil {
			return nil, nil, fmt.Errorf("there is no event log in %s", data)
		}
		log, err := sqlite.OpenEvents(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		together, err := c.archivedFile(ctx, log, data)
		if err != nil {
			return nil, nil, errors.Join(err, log.Close())
		}
		return together, together.Close, nil
	}
	opened, err := c.Open(ctx, data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return opened.Events, opened.Close, nil
}

// OpenSearchLog opens the search log, which must exist, and returns a function that closes it.
func (c *StoreSettings) OpenSearchLog(ctx context.Context, data string) (store.SearchLog, func() error, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	if c.InFiles() {
		file := filepath.Join(data, searchLogFile)
		if _, err := os.Stat(file); err != nil {
			return nil, nil, fmt.Errorf("there is no %s in %s", searchLogFile, data)
		}
		queries, err := sqlite.OpenSearchLog(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		return queries, queries.Close, nil
	}
	opened, err := c.Open(ctx, data, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, nil, err
	}
	return opened.Queries, opened.Close, nil
}
