package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Collections is a store.Collections in one SQLite file.
type Collections struct{ *database }

var _ store.Collections = (*Collections)(nil)

// OpenCollections opens the collections in a file, creating it or bringing its schema up to date first
// (MigrateCollections). The folder must be there.
func OpenCollections(ctx context.Context, path string, options ...Option) (*Collections, error) {
	d, err := open(ctx, path, migrationsOf("collections"), slices.Concat(options, []Option{overwriting("ON")}))
	if err != nil {
		return nil, err
	}
	return &Collections{d}, nil
}

// MigrateCollections is MigrateCatalogue for the file of the collections.
func MigrateCollections(ctx context.Context, file string) ([]Migration, error) {
	return migrate(ctx, file, migrationsOf("collections"), settingsOf(nil))
}

// collectionColumns are what scanCollection reads, of the table under the alias col.
const collectionColumns = `SELECT col.id, col.version, col.created_at, col.updated_at, col.owner, col.is_default, col.body `

var (
	selectCollections = define(collectionColumns + `
		FROM json_each(?) AS asked CROSS JOIN collections AS col ON col.id = asked.value`)
	selectSubCollections = define(collectionColumns + `
		FROM json_each(?) AS asked CROSS JOIN collections AS col ON col.id = asked.value LIMIT ?`)
	selectOwnCollections = define(collectionColumns + `FROM collections AS col WHERE col.owner = ? ORDER BY col.id LIMIT ?`)
	selectSaved          = define(collectionColumns + `
		FROM collection_saved AS sv CROSS JOIN collections AS col ON col.id = sv.collection WHERE sv.user = ?`)
	selectSavedOf = define(`
		SELECT sv.collection FROM json_each(?) AS asked
		CROSS JOIN collection_saved AS sv ON sv.user = ? AND sv.collection = asked.value`)
	scanCollections = define(collectionColumns + `FROM collections AS col WHERE col.id > ? ORDER BY col.id LIMIT ?`)
)

// Collections implements store.Collections.
func (c *Collections) Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error) {
	return c.collections(ctx, selectCollections, idList(ids))
}

// WithParts implements store.Collections.
func (c *Collections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	err = c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			rows, err := s.collections(ctx, selectCollections, idList(ids))
			if err != nil {
				return err
			}
			if list, err = storelogic.CollectionsOf(rows); err != nil {
				return err
			}
			named := storelogic.PartsOf(list)
			if len(named) == 0 {
				return nil
			}
			if rows, err = s.collections(ctx, selectSubCollections, idList(named), max(0, most)); err != nil {
				return err
			}
			parts, err = storelogic.CollectionsOf(rows)
			return err
		})
	})
	if err != nil {
		return nil, nil, err
	}
	return list, parts, nil
}

// Scan implements store.Collections.
func (c *Collections) Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error) {
	return c.collections(ctx, scanCollections, string(after), max(0, limit))
}

func (c *Collections) collections(ctx context.Context, st *statement, args ...any) ([]*collection.Collection, error) {
	var rows []*storelogic.CollectionRow
	err := c.read(ctx, func(s *session) (err error) {
		rows, err = s.collections(ctx, st, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return storelogic.CollectionsOf(rows)
}

// UserCollections implements store.Collections.
func (c *Collections) UserCollections(ctx context.Context, user string) (shelf store.UserCollections, err error) {
	var own, saved []*storelogic.CollectionRow
	err = c.read(ctx, func(s *session) error {
		return s.reading(ctx, func() (err error) {
			if own, err = s.collections(ctx, selectOwnCollections, user, -1); err != nil {
				return err
			}
			saved, err = s.collections(ctx, selectSaved, user)
			return err
		})
	})
	if err != nil {
		return store.UserCollections{}, err
	}
	return storelogic.ShelfOf(own, saved)
}

// Saved implements store.Collections.
func (c *Collections) Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	saved := make(map[catalogue.ID]bool, len(ids))
	err := c.read(ctx, func(s *session) error {
		return s.query(ctx, selectSavedOf, func(rows *sql.Rows) error {
			var id catalogue.ID
			err := rows.Scan(&id)
			saved[id] = true
			return err
		}, idList(ids), user)
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// collections reads the rows that a statement finds.
func (s *session) collections(ctx context.Context, st *statement, args ...any) (list []*storelogic.CollectionRow, err error) {
	err = s.query(ctx, st, func(rows *sql.Rows) error {
		var (
			row   storelogic.CollectionRow
			owner sql.NullString
		)
		err := rows.Scan(&row.ID, &row.Version, &row.Created, &row.Updated, &owner, &row.Default, &row.Body)
		row.Owner = owner.String
		list = append(list, &row)
		return err
	}, args...)
	return list, err
}
