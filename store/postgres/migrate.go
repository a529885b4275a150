package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationTable is the table that lists the applied migrations.
const migrationTable = "filmstrip_migrations"

// migrationLock is the key of the advisory lock. Advisory locks are local to a database.
const migrationLock = 0x66696c6d // "film"

// Migrate creates the tables or updates them to the schema of this program. It returns all migrations in the order of
// their versions.
//
// Migrate may run while other processes use the database: a migration only adds, and a later release removes only parts
// of the schema that no release in use needs. The only exception is a database of release v0.1.0, whose tables Migrate
// renames. If several processes migrate at once, one applies the migrations under an advisory lock of the database, and
// the others wait for up to five minutes. Migrate uses only the options for connecting.
func Migrate(ctx context.Context, url string, options ...Option) ([]sqlstore.Migration, error) {
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
	if err := adoptFirstRelease(ctx, handle); err != nil {
		return nil, fmt.Errorf("store/postgres: update the schema of v0.1.0: %w", err)
	}
	taken, err := provider.Up(ctx)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: migrate: %w", err)
	}
	if err := convertPlays(ctx, config); err != nil {
		return nil, fmt.Errorf("store/postgres: convert plays: %w", err)
	}
	list, err := sqlstore.Migrations(ctx, provider, taken)
	if err != nil {
		return nil, fmt.Errorf("store/postgres: list migrations: %w", err)
	}
	return list, nil
}

func newProvider(handle *sql.DB) (*goose.Provider, error) {
	// The locker requests the lock once a second.
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock), lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	folder, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, handle, folder, goose.WithSessionLocker(locker),
		goose.WithTableName(migrationTable), goose.WithSlog(slog.New(slog.DiscardHandler)))
}

const selectVersionTaken = `SELECT COALESCE(MAX(version_id), 0) FROM ` + migrationTable + ` WHERE is_applied`

// checkSchema returns an error if the schema is older than this program. A newer schema is fine, because migrations
// only add.
func (d *Database) checkSchema(ctx context.Context) error {
	needed, err := sqlstore.NewestMigration(migrations, "migrations")
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
	unconverted := false
	if err := d.primary.QueryRow(limited, selectPlayRowsExist).Scan(&unconverted); err != nil {
		return startFault(ctx, err)
	}
	if unconverted && version >= needed {
		return errors.New("store/postgres: filmstrip migrate has not converted all plays: run it again")
	}
	if version < needed {
		return fmt.Errorf("store/postgres: the schema of the database is older than this program (at %d, needed is %d): run filmstrip migrate", version, needed)
	}
	return nil
}
