package app

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/filmstrip/filmstrip/store/sqlite"
)

// OpenAccounts opens the stores of administration: accounts, deprecations, collections and the search log. With SQLite, the
// other stores are nil.
func (c *StoreSettings) OpenAccounts(ctx context.Context, data string) (*Stores, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if err := c.MustExist(data, CatalogueFile); err != nil {
		return nil, err
	}
	if !c.InFiles() {
		return c.Open(ctx, data, slog.New(slog.DiscardHandler))
	}
	s, err := openFiles(ctx, data, []string{searchLogFile, CollectionsFile, AccountsFile})
	if err != nil {
		return nil, err
	}
	return c.recorded(ctx, data, s)
}

// OpenEvents opens the event log, which must exist. With SQLite, the other stores are nil.
func (c *StoreSettings) OpenEvents(ctx context.Context, data string) (*Stores, error) {
	s, err := c.openAlone(ctx, data, EventsFile)
	if err != nil || !c.InFiles() {
		return s, err
	}
	log := s.Events.(*sqlite.Events)
	if s.Events, err = c.archivedFile(ctx, log, data); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return s, nil
}

// OpenSearchLog opens the search log, which must exist. With SQLite, the other stores are nil.
func (c *StoreSettings) OpenSearchLog(ctx context.Context, data string) (*Stores, error) {
	return c.openAlone(ctx, data, searchLogFile)
}

// openAlone opens an SQLite file, which must exist, or all stores of PostgreSQL.
func (c *StoreSettings) openAlone(ctx context.Context, data, name string) (*Stores, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if !c.InFiles() {
		return c.Open(ctx, data, slog.New(slog.DiscardHandler))
	}
	if err := c.MustExist(data, name); err != nil {
		return nil, err
	}
	s := &Stores{engine: engineSQLite}
	if err := openers[name](ctx, s, filepath.Join(data, name), nil); err != nil {
		return nil, err
	}
	return s, nil
}
