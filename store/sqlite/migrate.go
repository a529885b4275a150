package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

//go:embed migrations
var migrations embed.FS

// Migrate creates a file with one of the names that Schema takes, or brings its schema up to date, as Open… does, and
// returns all migrations in order. It may run while other processes use the file: migrations only add to the schema,
// until a later release removes parts that no release in use needs. Of several processes that migrate concurrently, one
// does the work and the others wait.
func Migrate(ctx context.Context, file, name string) ([]sqlstore.Migration, error) {
	return migrate(ctx, file, name, settingsOf(nil))
}

// Schema returns the version of the last migration for the files with a name: "catalogue", "accounts", "events",
// "usage", "collections", "searchlog" or "jobs". It panics for any other name.
func Schema(name string) int64 {
	last, err := sqlstore.NewestMigration(migrations, "migrations/"+name)
	if err != nil || last == 0 {
		panic(fmt.Sprintf("store/sqlite: no migrations of %q: %v", name, err))
	}
	return last
}

func migrate(ctx context.Context, file, name string, with settings) ([]sqlstore.Migration, error) {
	steps, err := fs.Sub(migrations, "migrations/"+name)
	if err != nil {
		return nil, err
	}
	unlock, err := lockMigration(ctx, file, with.patience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := renameFirstReleaseFile(file, name); err != nil {
		return nil, err
	}
	if err := createPrivate(file); err != nil {
		return nil, err
	}
	handle, err := sql.Open("sqlite", address(file, append(with.lasting(), busyTimeout(with.patience))...)+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	if err := adoptFirstRelease(ctx, handle, name); err != nil {
		return nil, storeError(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, handle, steps, goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, storeError(err)
	}
	taken, err := provider.Up(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	if err := convertPlays(ctx, handle); err != nil {
		return nil, err
	}
	list, err := sqlstore.Migrations(ctx, provider, taken)
	return list, storeError(err)
}

// lockMigration prevents two processes from migrating a file concurrently: the engine releases its own locks between
// two steps. It takes the write lock of an empty database beside the file. This works on every system, and the lock
// ends with the process that has it.
func lockMigration(ctx context.Context, file string, patience time.Duration) (release func(), err error) {
	lock := file + ".migrating"
	if err := createPrivate(lock); err != nil {
		return nil, err
	}
	handle, err := sql.Open("sqlite", address(lock, busyTimeout(engineWait)))
	if err != nil {
		return nil, err
	}
	conn, err := handle.Conn(ctx)
	if err != nil {
		_ = handle.Close()
		return nil, storeError(err)
	}
	s := newSession(conn, time.Now)
	release = func() { _ = s.close(); _ = handle.Close() }
	if err := s.begin(ctx, patience); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
