package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/archive"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// RestoreLists returns the paths of the restore lists that exist: that of the settings, and that of the data directory,
// which commands without --restore-list write to.
func (c *StoreSettings) RestoreLists(data string) (paths []string) {
	for _, path := range []string{c.RestoreList, filepath.Join(data, restorelist.FileName)} {
		if _, err := os.Stat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Schemas returns the files of a backup, each with the version of its last migration.
func Schemas() map[string]int64 {
	all := map[string]int64{}
	for _, name := range StoreFiles {
		all[name] = sqlite.Schema(strings.TrimSuffix(name, ".db"))
	}
	return all
}

// LockData locks a data directory against servers. It fails if a server runs on the directory.
func LockData(data string) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(data, ServerLock), flock.SetPermissions(0o600))
	taken, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("the data directory %s is not writable: %w", data, err)
	case !taken:
		return nil, fmt.Errorf("a server is running on the data directory %s; stop it, or set --data to another directory", data)
	}
	return lock.Unlock, nil
}

// The files of a data directory.
const (
	CatalogueFile   = "catalogue.db"
	AccountsFile    = "accounts.db"
	EventsFile      = "events.db"
	UsageFile       = "usage.db"
	CollectionsFile = "collections.db"
	searchLogFile   = "searchlog.db"
	jobsFile        = "jobs.db"
	SearchFolder    = "search"
	ServerLock      = "server.lock"
)

// Stores is the system of record, opened.
type Stores struct {
	engine      string
	Catalogue   store.Catalogue
	Accounts    store.Accounts
	leases      store.Leases
	History     store.Historian
	Events      store.Events
	archive     *archive.Events // part of Events; nil without an archive
	Usage       store.Usage
	Collections store.Collections
	Queries     store.SearchLog
	Jobs        store.Jobs
	// Deprecations are stored with the accounts.
	Deprecations store.Deprecations
	database     *postgres.Database // nil with SQLite
	// Recorder adds everything that a backup must not bring back to a list. It is nil without a list.
	Recorder *restorelist.Recorder
	// sizers are the engines behind Accounts and Collections.
	sizers struct{ accounts, collections store.Sizer }
}

// StoreFiles are the databases of a data directory, in the order in which a backup takes their snapshots: a file that
// refers to another one precedes it.
var StoreFiles = []string{jobsFile, UsageFile, EventsFile, CollectionsFile, searchLogFile, AccountsFile, CatalogueFile}

// RestoreListPath returns the path of the restore list, which names everything that a restore must not bring back, or
// "" if there is no list.
func (c *StoreSettings) RestoreListPath(data string) string {
	if c.RestoreList == "" && c.InFiles() {
		return filepath.Join(data, restorelist.FileName)
	}
	return c.RestoreList
}

// recorder opens the restore list of the stores with these accounts. It returns nil without a list.
func (c *StoreSettings) recorder(ctx context.Context, data string, accounts store.Accounts) (*restorelist.Recorder, error) {
	path := c.RestoreListPath(data)
	if path == "" {
		return nil, nil
	}
	list, err := restorelist.Open(path)
	if err != nil {
		return nil, err
	}
	return restorelist.NewRecorder(ctx, list, accounts)
}

// Open opens the stores that the settings select, with SQLite's files in data. Deletions and revocations through these
// stores are added to the restore list.
func (c *StoreSettings) Open(ctx context.Context, data string, logger *slog.Logger) (*Stores, error) {
	opened, err := c.OpenUnrecorded(ctx, data, logger)
	if err != nil {
		return nil, err
	}
	return c.recorded(ctx, data, opened)
}

// recorded adds deletions and revocations through opened stores to the restore list. If it fails, it closes the stores.
func (c *StoreSettings) recorded(ctx context.Context, data string, opened *Stores) (_ *Stores, err error) {
	if opened.Recorder, err = c.recorder(ctx, data, opened.Accounts); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	opened.sizers.accounts, _ = opened.Accounts.(store.Sizer)
	opened.sizers.collections, _ = opened.Collections.(store.Sizer)
	opened.Accounts, opened.Collections = opened.Recorder.Accounts(opened.Accounts), opened.Recorder.Collections(opened.Collections)
	return opened, nil
}

// OpenUnrecorded is Open without the restore list.
func (c *StoreSettings) OpenUnrecorded(ctx context.Context, data string, logger *slog.Logger) (*Stores, error) {
	opened, log, err := c.openEngine(ctx, data, logger)
	if err != nil {
		return nil, err
	}
	if opened.Events, opened.archive, err = c.withArchive(ctx, log, opened.Accounts, data, logger); err != nil {
		opened.Events = log
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// openEngine opens the stores without an archive. log is their event log.
func (c *StoreSettings) openEngine(ctx context.Context, data string, logger *slog.Logger) (opened *Stores, log archive.Log, err error) {
	if c.InFiles() {
		if opened, err = OpenFiles(ctx, data, c.files()...); err != nil {
			return nil, nil, err
		}
		return opened, opened.Events.(*sqlite.Events), nil
	}
	database, err := postgres.Open(ctx, c.Store, c.postgres(logger)...)
	if err != nil {
		return nil, nil, err
	}
	catalogue, accounts, events := database.Catalogue(), database.Accounts(), database.Events()
	return &Stores{
		engine: enginePostgreSQL, Catalogue: catalogue, Accounts: accounts, Deprecations: accounts,
		leases: catalogue, History: catalogue, Events: events, Usage: database.Usage(), Collections: database.Collections(), Queries: database.SearchLog(), Jobs: database.Jobs(), database: database,
	}, events, nil
}

// MustExist returns an error if the data directory lacks a file of SQLite, because Open would create it.
func (c *StoreSettings) MustExist(data, file string) error {
	if !c.InFiles() {
		return nil
	}
	_, err := os.Stat(filepath.Join(data, file))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(`there is no %s in %s: "filmstrip migrate" creates it in a new installation; otherwise check --data`, file, data)
	}
	return err
}

// postgres returns the options of every connection to PostgreSQL.
func (c *StoreSettings) postgres(logger *slog.Logger) []postgres.Option {
	options := []postgres.Option{
		postgres.WithMaxConnections(c.StoreConnections), postgres.WithStatementTimeout(c.StoreTimeout), postgres.WithLogger(logger),
	}
	if c.StoreReplica != "" {
		options = append(options, postgres.WithReplica(c.StoreReplica))
	}
	return options
}

// files returns the options of every SQLite file.
func (c *StoreSettings) files() []sqlite.Option {
	if c.fileCaches == 0 {
		return nil
	}
	return []sqlite.Option{sqlite.WithPageCache(c.fileCaches / int64(len(StoreFiles)))}
}

// openers open the files of a data directory, each as a part of stores.
var openers = map[string]func(ctx context.Context, s *Stores, path string, options []sqlite.Option) error{
	CatalogueFile: openerOf(sqlite.OpenCatalogue, func(s *Stores, opened *sqlite.Catalogue) {
		s.Catalogue, s.leases, s.History = opened, opened, opened
	}),
	AccountsFile:    openerOf(sqlite.OpenAccounts, func(s *Stores, opened *sqlite.Accounts) { s.Accounts, s.Deprecations = opened, opened }),
	EventsFile:      openerOf(sqlite.OpenEvents, func(s *Stores, opened *sqlite.Events) { s.Events = opened }),
	UsageFile:       openerOf(sqlite.OpenUsage, func(s *Stores, opened *sqlite.Usage) { s.Usage = opened }),
	CollectionsFile: openerOf(sqlite.OpenCollections, func(s *Stores, opened *sqlite.Collections) { s.Collections = opened }),
	searchLogFile:   openerOf(sqlite.OpenSearchLog, func(s *Stores, opened *sqlstore.SearchLog) { s.Queries = opened }),
	jobsFile:        openerOf(sqlite.OpenJobs, func(s *Stores, opened *sqlstore.Jobs) { s.Jobs = opened }),
}

// openerOf returns the opener that keeps what open returns.
func openerOf[T any](
	open func(ctx context.Context, path string, options ...sqlite.Option) (T, error), keep func(s *Stores, opened T),
) func(context.Context, *Stores, string, []sqlite.Option) error {
	return func(ctx context.Context, s *Stores, path string, options []sqlite.Option) error {
		opened, err := open(ctx, path, options...)
		if err == nil {
			keep(s, opened)
		}
		return err
	}
}

// OpenFiles opens the SQLite files in a data directory, and creates missing ones. If a file cannot be opened, OpenFiles
// closes the others again.
func OpenFiles(ctx context.Context, data string, options ...sqlite.Option) (*Stores, error) {
	return openFiles(ctx, data, StoreFiles, options...)
}

// openFiles is OpenFiles for some of the files.
func openFiles(ctx context.Context, data string, names []string, options ...sqlite.Option) (*Stores, error) {
	if err := prepareData(data); err != nil {
		return nil, err
	}
	s := &Stores{engine: engineSQLite}
	for _, name := range slices.Backward(names) {
		if err := openers[name](ctx, s, filepath.Join(data, name), options); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// prepareData creates a missing data directory, and refuses one that is not writable or incompletely restored.
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

// Close closes the open stores.
func (s *Stores) Close() error {
	var faults []error
	for _, opened := range []io.Closer{s.Jobs, s.Queries, s.Collections, s.Usage, s.Events, s.Accounts, s.Catalogue} {
		if opened != nil {
			faults = append(faults, opened.Close())
		}
	}
	return errors.Join(faults...)
}

// namespace returns the prefix of everything that this installation keeps in shared engines.
func (s *Stores) namespace(ctx context.Context) (string, error) {
	lineage, err := s.History.Lineage(ctx)
	if err != nil {
		return "", fmt.Errorf("the lineage of the store cannot be read: %w", err)
	}
	return "filmstrip-" + lineage, nil
}
