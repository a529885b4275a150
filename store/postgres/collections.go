package postgres

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Collections is a store.Collections in a database. All of it is read from the primary: who changes a collection
// looks at it next.
type Collections struct {
	engine
	// turn is that of the one write of this process at a time. They wait for one another here, not on connections
	// that others need.
	turn writer
}

var _ store.Collections = (*Collections)(nil)

// Collections returns the collections in the database.
func (d *Database) Collections() *Collections {
	return &Collections{d.engine(), writer{wait: d.patience, turns: make(chan struct{}, 1)}}
}

// collectionColumns are what scanCollection reads, of the table under the alias col.
const collectionColumns = `SELECT col.id, col.version, col.created_at, col.updated_at, col.is_default, col.owner, col.body `

var (
	selectCollections = define(collectionColumns + `
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place) JOIN col_collections AS col ON col.id = asked.id
		ORDER BY asked.place`)
	// selectSubCollections finds sub-collections in the bodies, so that they come with the list in one journey. Within a text
	// the quotation marks would be escaped.
	selectSubCollections = define(collectionColumns + `
		FROM (
			SELECT DISTINCT part.id
			FROM unnest($1::text[]) AS asked(id)
			CROSS JOIN LATERAL (
				SELECT body FROM col_collections
				WHERE id = asked.id AND position('"subCollections":["'::bytea IN body) > 0 OFFSET 0
			) AS whole
			CROSS JOIN LATERAL json_array_elements_text(convert_from(whole.body, 'UTF8')::json -> 'subCollections') AS part(id)
		) AS named
		CROSS JOIN LATERAL (SELECT * FROM col_collections WHERE id = named.id OFFSET 0) AS col
		LIMIT $2`)
	selectOwnCollections = define(collectionColumns + `FROM col_collections AS col WHERE col.owner = $1 ORDER BY col.id LIMIT $2`)
	selectSaved          = define(collectionColumns + `
		FROM col_saved AS sv JOIN col_collections AS col ON col.id = sv.collection WHERE sv.user_id = $1`)
	selectSavedOf = define(`SELECT collection FROM col_saved WHERE user_id = $1 AND collection = ANY ($2::text[])`)
	// scanCollections goes on behind an ID.
	scanCollections = define(collectionColumns + `FROM col_collections AS col WHERE col.id > $1 ORDER BY col.id LIMIT $2`)
)

// Collections implements store.Collections.
func (c *Collections) Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error) {
	return c.collections(ctx, selectCollections, idList(ids))
}

// WithParts implements store.Collections.
func (c *Collections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	var rows, rowsOfParts []*storelogic.CollectionRow
	err = c.readTogether(ctx, func(p *pipeline) {
		rows, rowsOfParts = nil, nil
		p.collections(&rows, selectCollections, idList(ids))
		p.collections(&rowsOfParts, selectSubCollections, idList(ids), min(math.MaxInt32, max(0, most)))
	})
	if err != nil {
		return nil, nil, err
	}
	if list, err = storelogic.CollectionsOf(rows); err != nil {
		return nil, nil, err
	}
	parts, err = storelogic.CollectionsOf(rowsOfParts)
	return list, parts, err
}

// Scan implements store.Collections.
func (c *Collections) Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error) {
	return c.collections(ctx, scanCollections, string(after), max(0, limit))
}

func (c *Collections) collections(ctx context.Context, st *statement, args ...any) ([]*collection.Collection, error) {
	var rows []*storelogic.CollectionRow
	err := c.read(ctx, func(p *pipeline) {
		rows = nil
		p.collections(&rows, st, args...)
	})
	if err != nil {
		return nil, err
	}
	return storelogic.CollectionsOf(rows)
}

// UserCollections implements store.Collections.
func (c *Collections) UserCollections(ctx context.Context, user string) (store.UserCollections, error) {
	var own, saved []*storelogic.CollectionRow
	err := c.readTogether(ctx, func(p *pipeline) {
		own, saved = nil, nil
		p.collections(&own, selectOwnCollections, []byte(user), math.MaxInt32)
		p.collections(&saved, selectSaved, []byte(user))
	})
	if err != nil {
		return store.UserCollections{}, err
	}
	return storelogic.ShelfOf(own, saved)
}

// Saved implements store.Collections.
func (c *Collections) Saved(ctx context.Context, user string, ids []catalogue.ID) (saved map[catalogue.ID]bool, err error) {
	err = c.read(ctx, func(p *pipeline) {
		saved = make(map[catalogue.ID]bool, len(ids))
		p.ask(selectSavedOf, func(rows pgx.Rows) error {
			var id string
			err := rows.Scan(&id)
			saved[catalogue.ID(id)] = true
			return err
		}, []byte(user), idList(ids))
	})
	if err != nil {
		return nil, err
	}
	return saved, nil
}

// collections adds a statement that answers rows of collections.
func (p *pipeline) collections(list *[]*storelogic.CollectionRow, st *statement, args ...any) {
	p.ask(st, func(rows pgx.Rows) error {
		var (
			row   storelogic.CollectionRow
			owner []byte
		)
		err := rows.Scan((*string)(&row.ID), &row.Version, &row.Created, &row.Updated, &row.Default, &owner, &row.Body)
		row.Owner = string(owner)
		*list = append(*list, &row)
		return err
	}, args...)
}
