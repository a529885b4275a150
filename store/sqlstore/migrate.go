package sqlstore

import (
	"context"
	"io/fs"
	"path"
	"time"

	"github.com/pressly/goose/v3"
)

// Migration is one migration of a schema.
type Migration struct {
	// Version orders the migrations, starting at 1.
	Version int64
	// Name is the file name of the migration.
	Name string
	// AppliedAt is when the migration was applied to this database.
	AppliedAt time.Time
	// Now reports whether this call applied the migration.
	Now bool
}

// Migrations returns all migrations of a provider in the order of their versions. applied lists those that this call
// has applied.
func Migrations(ctx context.Context, provider *goose.Provider, applied []*goose.MigrationResult) ([]Migration, error) {
	now := map[int64]bool{}
	for _, result := range applied {
		now[result.Source.Version] = true
	}
	states, err := provider.Status(ctx)
	if err != nil {
		return nil, err
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

// NewestMigration returns the highest version of the migrations in a folder, or 0 if there are none.
func NewestMigration(migrations fs.FS, folder string) (newest int64, err error) {
	files, err := fs.ReadDir(migrations, folder)
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, nil
}
