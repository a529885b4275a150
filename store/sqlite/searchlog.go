package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// OpenQueries opens the search log in a file, after creating it or bringing its schema up to date (MigrateQueries). The
// folder must exist.
func OpenQueries(ctx context.Context, path string, options ...Option) (*sqlstore.SearchLog, error) {
	d, err := openErasing(ctx, path, "queries", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewSearchLog(shared{d}), nil
}

// MigrateQueries is MigrateCatalogue for the file of the search log.
func MigrateQueries(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("queries"), settingsOf(nil))
}
