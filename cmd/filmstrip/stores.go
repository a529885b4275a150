package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// The files of a data directory.
const (
	catalogueFile   = "catalogue.db"
	accountsFile    = "accounts.db"
	eventsFile      = "events.db"
	usageFile       = "usage.db"
	collectionsFile = "collections.db"
	queriesFile     = "queries.db"
	searchFolder    = "search"
	serverLock      = "server.lock"
)

// stores is the system of record, opened.
type stores struct {
	engine      string
	catalogue   store.Catalogue
	accounts    store.Accounts
	leases      store.Leases
	history     store.Historian
	events      store.Events
	usage       store.Usage
	collections store.Collections
	queries     store.SearchLog
	// deprecations are kept with the accounts.
	deprecations store.Deprecations
	database     *postgres.Database // nil: SQLite
	// replicated: some reads of database go to a replica.
	replicated bool
	// recorder puts what must not come back with a backup on a list; nil: there is none.
	recorder *restorelist.Recorder
}

// storeFiles are the databases of a data directory in the order in which a backup takes their states: a file that refers
// to another comes before it.
var storeFiles = []string{usageFile, eventsFile, collectionsFile, queriesFile, accountsFile, catalogueFile}

// restoreList is where the list of what must not come back with a backup lies; "": there is none.
func (c *storeSettings) restoreList(data string) string {
	if c.RestoreList == "" && c.inFiles() {
		return filepath.Join(data, restorelist.FileName)
	}
	return c.RestoreList
}

// recorder opens the restore list of the stores that these accounts belong to; nil: there is none.
func (c *storeSettings) recorder(ctx context.Context, data string, accounts store.Accounts) (*restorelist.Recorder, error) {
	path := c.restoreList(data)
	if path == "" {
		return nil, nil
	}
	list, err := restorelist.Open(path)
	if err != nil {
		return nil, err
	}
	return restorelist.NewRecorder(ctx, list, accounts)
}

// open opens the stores that the settings name; files lie in data. What is taken away through them is put on the
// restore list.
func (c *storeSettings) open(ctx context.Context, data string, logger *slog.Logger) (*stores, error) {
	opened, err := c.openUnrecorded(ctx, data, logger)
	if err != nil {
		return nil, err
	}
	if opened.recorder, err = c.recorder(ctx, data, opened.accounts); err != nil {
		return nil, errors.Join(err, opened.close())
	}
	opened.accounts, opened.collections = opened.recorder.Accounts(opened.accounts), opened.recorder.Collections(opened.collections)
	return opened, nil
}

// openUnrecorded is open without the restore list.
func (c *storeSettings) openUnrecorded(ctx context.Context, data string, logger *slog.Logger) (*stores, error) {
	if c.inFiles() {
		return openFiles(ctx, data)
	}
	database, err := postgres.Open(ctx, c.Store, c.postgres(logger)...)
	if err != nil {
		return nil, err
	}
	catalogue, accounts := database.Catalogue(), database.Accounts()
	return &stores{
		engine: enginePostgreSQL, catalogue: catalogue, accounts: accounts, deprecations: accounts,
		leases: catalogue, history: catalogue, events: database.Events(), usage: database.Usage(), collections: database.Collections(), queries: database.Queries(), database: database,
		replicated: c.StoreReplica != "",
	}, nil
}

// mustExist refuses a data directory without a catalogue, which opening it would make.
func (c *storeSettings) mustExist(data string) error {
	if !c.inFiles() {
		return nil
	}
	if _, err := os.Stat(filepath.Join(data, catalogueFile)); err != nil {
		return fmt.Errorf("there is no catalogue in %s", data)
	}
	return nil
}

// postgres are the settings that every connection to PostgreSQL has.
func (c *storeSettings) postgres(logger *slog.Logger) []postgres.Option {
	options := []postgres.Option{
		postgres.WithMaxConnections(c.StoreConnections), postgres.WithStatementTimeout(c.StoreTimeout), postgres.WithLogger(logger),
	}
	if c.StoreReplica != "" {
		options = append(options, postgres.WithReplica(c.StoreReplica))
	}
	return options
}

func openFiles(ctx context.Context, data string) (_ *stores, err error) {
	if err := prepareData(data); err != nil {
		return nil, err
	}
	s := &stores{engine: engineSQLite}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	catalogue, err := sqlite.OpenCatalogue(ctx, filepath.Join(data, catalogueFile))
	if err != nil {
		return nil, err
	}
	s.catalogue, s.leases, s.history = catalogue, catalogue, catalogue
	accounts, err := sqlite.OpenAccounts(ctx, filepath.Join(data, accountsFile))
	if err != nil {
		return nil, err
	}
	s.accounts, s.deprecations = accounts, accounts
	events, err := sqlite.OpenEvents(ctx, filepath.Join(data, eventsFile))
	if err != nil {
		return nil, err
	}
	s.events = events
	usage, err := sqlite.OpenUsage(ctx, filepath.Join(data, usageFile))
	if err != nil {
		return nil, err
	}
	s.usage = usage
	collections, err := sqlite.OpenCollections(ctx, filepath.Join(data, collectionsFile))
	if err != nil {
		return nil, err
	}
	s.collections = collections
	queries, err := sqlite.OpenSearchLog(ctx, filepath.Join(data, queriesFile))
	if err != nil {
		return nil, err
	}
	s.queries = queries
	return s, nil
}

// prepareData makes the data directory where it is missing, and refuses one that cannot be written to or is incomplete.
func prepareData(data string) error {
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("the data directory cannot be created: %w", err)
	}
	if err := checkWritable(data); err != nil {
		return fmt.Errorf("the data directory %s is not writable: %w; make it writable for the user that runs filmstrip, or set --data to another directory", data, err)
	}
	return backup.CheckWhole(data)
}

// checkWritable tries to create a file.
func checkWritable(folder string) error {
	probe, err := os.CreateTemp(folder, ".writable-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// migration is a step of a store's schema.
type migration struct {
	of, name string
	version  int64
	now      bool // it was applied just now
}

// migrate brings the schema of the stores up to date; files lie in data.
func (c *storeSettings) migrate(ctx context.Context, data string) ([]migration, error) {
	if !c.inFiles() {
		steps, err := postgres.Migrate(ctx, c.Store, c.postgres(slog.New(slog.DiscardHandler))...)
		all := make([]migration, len(steps))
		for i, step := range steps {
			all[i] = migration{of: enginePostgreSQL, name: step.Name, version: step.Version, now: step.Now}
		}
		return all, err
	}
	if err := prepareData(data); err != nil {
		return nil, err
	}
	var all []migration
	for _, file := range []struct {
		name    string
		migrate func(context.Context, string) ([]sqlite.Migration, error)
	}{
		{catalogueFile, sqlite.MigrateCatalogue}, {accountsFile, sqlite.MigrateAccounts}, {eventsFile, sqlite.MigrateEvents},
		{usageFile, sqlite.MigrateUsage}, {collectionsFile, sqlite.MigrateCollections}, {queriesFile, sqlite.MigrateQueries},
	} {
		steps, err := file.migrate(ctx, filepath.Join(data, file.name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
		for _, step := range steps {
			all = append(all, migration{of: file.name, name: step.Name, version: step.Version, now: step.Now})
		}
	}
	return all, nil
}

// close closes what has been opened.
func (s *stores) close() error {
	var faults []error
	for _, opened := range []io.Closer{s.queries, s.collections, s.usage, s.events, s.accounts, s.catalogue} {
		if opened != nil {
			faults = append(faults, opened.Close())
		}
	}
	return errors.Join(faults...)
}

// namespace sets apart, in engines that others use as well, what is derived of these stores.
func (s *stores) namespace(ctx context.Context) (string, error) {
	lineage, err := s.history.Lineage(ctx)
	if err != nil {
		return "", fmt.Errorf("the lineage of the store cannot be read: %w", err)
	}
	return "filmstrip-" + lineage, nil
}
