package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// OpenSearchLog opens the search log in a file, after creating it or bringing its schema up to date (MigrateSearchLog).
// The folder must exist.
func OpenSearchLog(ctx context.Context, path string, options ...Option) (*sqlstore.SearchLog, error) {
	d, err := openErasing(ctx, path, "searchlog", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewSearchLog(shared{d}), nil
}

// MigrateSearchLog is MigrateCatalogue for the file of the search log.
func MigrateSearchLog(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("searchlog"), settingsOf(nil))
}
