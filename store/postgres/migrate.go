package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// migrationTable is where the steps that were taken are listed.
const migrationTable = "filmstrip_migrations"

// migrationLock is the key of the advisory lock, which is one database's own.
const migrationLock = 0x66696c6d // "film"

// Migration is one step of the schema.
type Migration struct {
	// Version orders the steps, from 1.
	Version int64
	// Name is the step's file name.
	Name string
	// AppliedAt is when the step was taken on this database.
	AppliedAt time.Time
	// Now says that it was taken by this very call.
	Now bool
}

// Migrate creates the tables or brings them up to date, and returns all steps in their order. It may run
// while other processes use the database: steps only add, until a later release takes away what no
// release in use needs any more. Of several processes that migrate at once, one does the work, under an
// advisory lock of the database, and the others wait for up to five minutes. Of the options, only those
// of how to connect count.
func Migrate(ctx context.Context, url string, options ...Option) ([]Migration, error) {
	s := settingsOf(options)
	config, err := s.configOf(url)
	if err != nil {
		return nil, err
	}
	for _, limit := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"} {
		delete(config.ConnConfig.RuntimeParams, limit)
	}
	handle := stdlib.OpenDB(*config.ConnConfig)
	defer handle.Close()
	provider, err := newProvider(handle)
	if err != nil {
		return nil, err
	}
	if err := handle.PingContext(ctx); err != nil {
		return nil, startFault(ctx, err)
	}
	taken, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: migrate: %w", err)
	}
	return listed(ctx, provider, taken)
}

func newProvider(handle *sql.DB) (*goose.Provider, error) {
	// It asks for the lock once a second.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, handle, steps{}, goose.WithSessionLocker(locker),
		goose.WithTableName(migrationTable), goose.WithSlog(slog.New(slog.DiscardHandler)))
}

func listed(ctx context.Context, provider *goose.Provider, taken []*goose.MigrationResult) ([]Migration, error) {
	now := map[int64]bool{}
	for _, result := range taken {
		now[result.Source.Version] = true
	}
	states, err := provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: list migrations: %w", err)
	}
	list := make([]Migration, len(states))
	for i, state := range states {
		list[i] = Migration{
			Version: state.Source.Version, Name: path.Base(state.Source.Path),
			AppliedAt: state.AppliedAt.UTC(), Now: now[state.Source.Version],
		}
	}
	return list, nil
}

// steps is the one folder of all steps.
type steps struct{}

// Open implements fs.FS.
func (steps) Open(name string) (fs.File, error) {
	for _, folder := range migrationFolders {
		if file, err := migrations.Open(path.Join(folder, name)); err == nil {
			return file, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob implements fs.GlobFS.
func (steps) Glob(pattern string) (names []string, err error) {
	for _, folder := range migrationFolders {
		found, err := fs.Glob(migrations, path.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			names = append(names, path.Base(name))
		}
	}
	return names, nil
}

// newest is the version of the newest step that this program knows.
func newest() (version int64, err error) {
	names, err := steps{}.Glob("*.sql")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		step, err := goose.NumericComponent(name)
		if err != nil {
			return 0, err
		}
		version = max(version, step)
	}
	return version, nil
}

const selectVersionTaken = `SELECT COALESCE(MAX(version_id), 0) FROM ` + migrationTable + ` WHERE is_applied`

// checkSchema refuses a schema that is older than this program. A newer one serves: steps only add.
func (d *Database) checkSchema(ctx context.Context) error {
	needed, err := newest()
	if err != nil {
		return err
	}
	limited, cancel := d.starting(ctx)
	defer cancel()
	var version int64
	err = d.primary.QueryRow(limited, selectVersionTaken).Scan(&version)
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == undefinedTable {
		version, err = 0, nil
	}
	if err != nil {
		return startFault(ctx, err)
	}
	if version < needed {
		return fmt.Errorf("store/postgres: the schema of the database is older than this program (at %d, needed is %d): run filmstrip migrate", version, needed)
	}
	return nil
}
