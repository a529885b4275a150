package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	fastjson "github.com/go-json-experiment/json"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
)

// Collections implements store.Collections. It is safe for concurrent use.
type Collections struct{ on[Database] }

var _ store.Collections = (*Collections)(nil)

// NewCollections returns the collections of a database.
func NewCollections(db Database) *Collections { return &Collections{on[Database]{db}} }

const selectCollectionColumns = `SELECT col.id, col.version, col.created_at, col.updated_at, COALESCE(col.owner, ''), col.is_default, col.body `

var (
	selectCollections = define(selectCollectionColumns + `FROM collections AS col WHERE col.id IN LIST ($1)`)
	selectParts       = define(selectCollectionColumns + `FROM collections AS col WHERE col.id IN LIST ($1) LIMIT $2`)
	selectOwned       = define(selectCollectionColumns + `FROM collections AS col WHERE col.owner = $1 ORDER BY col.id LIMIT $2`)
	selectSavedOf     = define(`SELECT collection FROM collection_saved WHERE user_id = $1 AND collection IN LIST ($2)`)
	selectAllSince    = define(selectCollectionColumns + `FROM collections AS col WHERE col.id > $1 ORDER BY col.id LIMIT $2`)
	selectOwnAndSaved = define(selectCollectionColumns + `FROM collections AS col WHERE col.owner = $1
		UNION ALL ` + selectCollectionColumns + `
		FROM collection_saved AS sv JOIN collections AS col ON col.id = sv.collection WHERE sv.user_id = $1`)
)

// Collections implements store.Collections.
func (c *Collections) Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error) {
	rows, err := readAll(ctx, c.db, scanCollection, selectCollections, idList(ids))
	if err != nil {
		return nil, err
	}
	return decodeCollections(inOrder(rows, ids))
}

// WithParts implements store.Collections.
func (c *Collections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	err = c.db.ReadSnapshot(ctx, func(ctx context.Context, conn Conn) error {
		parts = nil
		rows, err := selectAll(ctx, conn, scanCollection, selectCollections, idList(ids))
		if err != nil {
			return err
		}
		if list, err = decodeCollections(inOrder(rows, ids)); err != nil {
			return err
		}
		named := partsOf(list)
		if len(named) == 0 {
			return nil
		}
		if rows, err = selectAll(ctx, conn, scanCollection, selectParts, idList(named), max(0, most)); err != nil {
			return err
		}
		parts, err = decodeCollections(rows)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return list, parts, nil
}

// Scan implements store.Collections.
func (c *Collections) Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error) {
	rows, err := readAll(ctx, c.db, scanCollection, selectAllSince, string(after), max(0, limit))
	if err != nil {
		return nil, err
	}
	return decodeCollections(rows)
}

// UserCollections implements store.Collections.
func (c *Collections) UserCollections(ctx context.Context, user string) (lists store.UserCollections, err error) {
	lists = store.UserCollections{Own: []*collection.Collection{}, Saved: []*collection.Collection{}}
	rows, err := readAll(ctx, c.db, scanCollection, selectOwnAndSaved, user)
	if err != nil {
		return store.UserCollections{}, err
	}
	slices.SortFunc(rows, func(a, b *collectionRow) int {
		return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(a.id, b.id))
	})
	list, err := decodeCollections(rows)
	if err != nil {
		return store.UserCollections{}, err
	}
	for i, one := range list {
		if rows[i].owner == user { // users cannot save their own collections
			lists.Own = append(lists.Own, one)
		} else {
			lists.Saved = append(lists.Saved, one)
		}
	}
	return lists, nil
}

// Saved implements store.Collections.
func (c *Collections) Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	return read(ctx, c.db, func(ctx context.Context, conn Conn) (map[catalogue.ID]bool, error) {
		saved := make(map[catalogue.ID]bool, len(ids))
		return saved, conn.Query(ctx, selectSavedOf, func(row Row) error {
			var id string
			err := row.Scan(&id)
			saved[catalogue.ID(id)] = true
			return err
		}, user, idList(ids))
	})
}

// idList returns the valid IDs as a statement argument. Nothing is stored under an invalid ID.
func idList(ids []catalogue.ID) List {
	list := make(List, 0, len(ids))
	for _, id := range ids {
		if id.Valid() {
			list = append(list, string(id))
		}
	}
	return list
}

// collectionRow is a stored collection.
type collectionRow struct {
	id      string
	version int64
	// created and updated are in microseconds since 1970, UTC.
	created, updated int64
	owner            string // "" means the operator
	isDefault        bool
	body             []byte
}

func scanCollection(row Row) (*collectionRow, error) {
	var stored collectionRow
	err := row.Scan(&stored.id, &stored.version, &stored.created, &stored.updated, &stored.owner, &stored.isDefault, &stored.body)
	return &stored, err
}

// inOrder returns the rows in the order of IDs. A row whose ID occurs twice occurs twice in the result.
func inOrder(rows []*collectionRow, ids []catalogue.ID) (list []*collectionRow) {
	byID := make(map[string]*collectionRow, len(rows))
	for _, row := range rows {
		byID[row.id] = row
	}
	for _, id := range ids {
		if row := byID[string(id)]; row != nil {
			list = append(list, row)
		}
	}
	return list
}

func (row *collectionRow) decode() (*collection.Collection, error) {
	c := &collection.Collection{}
	if err := fastjson.Unmarshal(row.body, c); err != nil {
		return nil, fmt.Errorf("store: decode collection %s: %w", row.id, err)
	}
	c.Version, c.CreatedAt, c.UpdatedAt = row.version, instant(row.created), instant(row.updated)
	return c, nil
}

func decodeCollections(rows []*collectionRow) ([]*collection.Collection, error) {
	list := make([]*collection.Collection, len(rows))
	for i, row := range rows {
		var err error
		if list[i], err = row.decode(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func encodeCollection(c *collection.Collection) ([]byte, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("store: encode collection %s: %w", c.ID, err)
	}
	return body, nil
}

// partsOf returns the IDs of the sub-collections of a list, sorted and without duplicates.
func partsOf(list []*collection.Collection) (ids []catalogue.ID) {
	for _, one := range list {
		ids = append(ids, one.SubCollections...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
