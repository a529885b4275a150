package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

func migrationsOf(name string) fs.FS {
	sub, err := fs.Sub(migrations, "migrations/"+name)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// Migration is one step of a schema.
type Migration struct {
	// Version orders the steps, from 1.
	Version int64
	// Name is the step's file name.
	Name string
	// AppliedAt is when the step was applied to this file.
	AppliedAt time.Time
	// Now reports whether this call applied the step.
	Now bool
}

// MigrateCatalogue creates the file of a catalogue or brings its schema up to date, as OpenCatalogue does, and returns
// all steps in order. It may run while other processes use the file: steps only add to the schema, until a later
// release removes parts that no release in use needs. Of several processes that migrate concurrently, one does the work
// and the others wait.
func MigrateCatalogue(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("catalogue"), settingsOf(nil))
}

// MigrateEvents is MigrateCatalogue for the file of the event log.
func MigrateEvents(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("events"), settingsOf(nil))
}

// MigrateUsage is MigrateCatalogue for the file of the usage counts.
func MigrateUsage(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("usage"), settingsOf(nil))
}

// Schema returns the version of the last migration for the files with a name: "catalogue", "accounts", "events",
// "usage", "collections", "searchlog" or "jobs". It panics for any other name.
func Schema(name string) (last int64) {
	steps, err := fs.ReadDir(migrationsOf(name), ".")
	if err != nil || len(steps) == 0 {
		panic(fmt.Sprintf("store/sqlite: no migrations of %q: %v", name, err))
	}
	for _, step := range steps {
		if version, err := goose.NumericComponent(step.Name()); err == nil {
			last = max(last, version)
		}
	}
	return last
}

func migrate(ctx context.Context, file string, steps fs.FS, with settings) ([]Migration, error) {
	unlock, err := lockMigration(ctx, file, with.patience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := createPrivate(file); err != nil {
		return nil, err
	}
	handle, err := sql.Open("sqlite", address(file, append(with.lasting(), busyTimeout(with.patience))...)+"&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	provider, err := goose.NewProvider(goose.DialectSQLite3, handle, steps, goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, storeError(err)
	}
	taken, err := provider.Up(ctx)
	if err != nil {
		return nil, storeError(err)
	}
	now := map[int64]bool{}
	for _, result := range taken {
		now[result.Source.Version] = true
	}
	if err := convertPlays(ctx, handle); err != nil {
		return nil, err
	}
	states, err := provider.Status(ctx)
	if err != nil {
		return nil, storeError(err)
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
	s := newSession(conn)
	release = func() { _ = s.close(); _ = handle.Close() }
	if err := s.begin(ctx, patience); err != nil {
		release()
		return nil, err
	}
	return release, nil
}
