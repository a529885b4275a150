package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/sqlstore"
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
		return c.migrateDatabase(ctx)
	}
	if err := prepareData(data); err != nil {
		return nil, err
	}
	var all []migration
	for _, file := range slices.Backward(StoreFiles) {
		steps, err := sqlite.Migrate(ctx, filepath.Join(data, file), strings.TrimSuffix(file, ".db"))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, migrationsOf(file, steps)...)
	}
	return all, nil
}

// migrateDatabase is Migrate for PostgreSQL. It also adds the key of the restore list, which operators may begin after they have
// made dumps.
func (c *StoreSettings) migrateDatabase(ctx context.Context) ([]migration, error) {
	options := c.postgres(slog.New(slog.DiscardHandler))
	steps, err := postgres.Migrate(ctx, c.Store, options...)
	if err != nil {
		return nil, err
	}
	database, err := postgres.Open(ctx, c.Store, options...)
	if err != nil {
		return nil, err
	}
	return migrationsOf(enginePostgreSQL, steps), errors.Join(restorelist.EnsureKey(ctx, database.Accounts()), database.Close())
}

func migrationsOf(of string, steps []sqlstore.Migration) []migration {
	all := make([]migration, len(steps))
	for i, step := range steps {
		all[i] = migration{Of: of, Name: step.Name, Version: step.Version, Now: step.Now}
	}
	return all
}
