package sqlite

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Collections is a store.Collections in one SQLite file.
type Collections = sqlstore.Collections

// OpenCollections opens the collections in a file, after creating it or bringing its schema up to date
// (MigrateCollections). The folder must exist.
func OpenCollections(ctx context.Context, path string, options ...Option) (*Collections, error) {
	d, err := openErasing(ctx, path, "collections", options)
	if err != nil {
		return nil, err
	}
	return sqlstore.NewCollections(shared{d}), nil
}

// MigrateCollections is MigrateCatalogue for the file of the collections.
func MigrateCollections(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("collections"), settingsOf(nil))
}

// openErasing opens a file in which a deletion overwrites the deleted content.
func openErasing(ctx context.Context, path, schema string, options []Option) (*database, error) {
	return open(ctx, path, migrationsOf(schema), slices.Concat(options, []Option{overwriting("ON")}))
}
