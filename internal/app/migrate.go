package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

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
		steps, err := postgres.Migrate(ctx, c.Store, c.postgres(slog.New(slog.DiscardHandler))...)
		return migrationsOf(enginePostgreSQL, steps), err
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

func migrationsOf(of string, steps []sqlstore.Migration) []migration {
	all := make([]migration, len(steps))
	for i, step := range steps {
		all[i] = migration{Of: of, Name: step.Name, Version: step.Version, Now: step.Now}
	}
	return all
}
