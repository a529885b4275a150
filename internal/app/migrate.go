package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// migration is a step of a store's schema.
type migration struct {
	Of      string `json:"store"`
	Name    string `json:"name"`
	Version int64  `json:"version"`
	Now     bool   `json:"appliedNow"` // this run applied it
}

// Migrate brings the schema of the stores up to date; files lie in data.
func (c *StoreSettings) Migrate(ctx context.Context, data string) ([]migration, error) {
	if !c.InFiles() {
		steps, err := postgres.Migrate(ctx, c.Store, c.postgres(slog.New(slog.DiscardHandler))...)
		all := make([]migration, len(steps))
		for i, step := range steps {
			all[i] = migration{Of: enginePostgreSQL, Name: step.Name, Version: step.Version, Now: step.Now}
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
		{CatalogueFile, sqlite.MigrateCatalogue}, {AccountsFile, sqlite.MigrateAccounts}, {EventsFile, sqlite.MigrateEvents},
		{UsageFile, sqlite.MigrateUsage}, {CollectionsFile, sqlite.MigrateCollections}, {searchLogFile, sqlite.MigrateSearchLog},
		{jobsFile, sqlite.MigrateJobs},
	} {
		steps, err := file.migrate(ctx, filepath.Join(data, file.name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
		for _, step := range steps {
			all = append(all, migration{Of: file.name, Name: step.Name, Version: step.Version, Now: step.Now})
		}
	}
	return all, nil
}
