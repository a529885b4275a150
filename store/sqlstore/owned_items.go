package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const selectOwnedItemColumns = `SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body `

// OFFSET 0 keeps PostgreSQL from scanning all rows of a kind, as it would after an import until its statistics are up
// to date. Rows of the statements for SQLite have the order of the list that json_each reads, then of the index.
var (
	selectOwnedItems = DefinePer(selectOwnedItemColumns+`
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.id = asked.value AND cr.kind = ?`, selectOwnedItemColumns+`
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id AND kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place`)
	selectOwnedItemsOf = DefinePer(selectOwnedItemColumns+`
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.owner = asked.value AND cr.kind = ?`, selectOwnedItemColumns+`
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(owner, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE owner = asked.owner AND kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place, cr.id`)
	selectOwnedItemsSince = define(selectOwnedItemColumns + `
		FROM catalogue_records AS cr WHERE cr.kind = $1 AND cr.version > $2 ORDER BY cr.version LIMIT $3`)
	countOwnedItems = DefinePer(`
		SELECT n.count, IFNULL((SELECT MAX(cr.version) FROM catalogue_records AS cr WHERE cr.kind = n.kind), 0)
		FROM catalogue_record_counts AS n WHERE n.kind = ?`, `
		SELECT n.count, COALESCE((
			SELECT cr.version FROM catalogue_records AS cr WHERE cr.kind = n.kind ORDER BY cr.version DESC LIMIT 1), 0)
		FROM catalogue_record_counts AS n WHERE n.kind = $1`)
)

// OwnedItems implements store.Catalogue.
func (c *Catalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return readLagging(ctx, c.db, nil, scanOwnedItem, selectOwnedItems, IDs(ids), kindOf(kind))
}

// OwnedItemsOf implements store.Catalogue.
func (c *Catalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return readLagging(ctx, c.db, nil, scanOwnedItem, selectOwnedItemsOf, IDs(owners), kindOf(kind))
}

// OwnedItemsSince implements store.Catalogue.
func (c *Catalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	return readLagging(ctx, c.db, nil, scanOwnedItem, selectOwnedItemsSince, kindOf(kind), after, storelogic.RecordLimit(limit))
}

// kindOf returns the kind as a statement argument. It returns "" for an unknown kind, because PostgreSQL rejects some
// texts.
func kindOf(kind catalogue.Kind) string {
	if !kind.IsRecord() {
		return ""
	}
	return string(kind)
}

// CountOwnedItems implements store.Catalogue.
func (c *Catalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest store.Position, err error) {
	err = c.db.ReadLagging(ctx, func(c Conn) {
		count, newest = 0, 0
		c.Ask(ctx, countOwnedItems, func(row Row) error { return row.Scan(&count, &newest) }, kindOf(kind))
	})
	return count, newest, err
}
