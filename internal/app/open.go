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
	file := filepath.Join(data, name)
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("there is no %s in %s", name, data)
	}
	s := &Stores{engine: engineSQLite}
	if err := openers[name](ctx, s, file, nil); err != nil {
		return nil, err
	}
	return s, nil
}
