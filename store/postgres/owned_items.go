package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// OFFSET 0 keeps the server from scanning all rows of a kind, as it would after an import until its statistics are up
// to date.
var (
	selectOwnedItems = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id AND kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place`)
	selectOwnedItemsOf = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(owner, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE owner = asked.owner AND kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place, cr.id`)
	selectOwnedItemsSince = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM catalogue_records AS cr WHERE cr.kind = $1 AND cr.version > $2 ORDER BY cr.version LIMIT $3`)
)

// OwnedItems implements store.Catalogue.
func (c *Catalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItems, idList(ids), kindOf(kind))
}

// OwnedItemsOf implements store.Catalogue.
func (c *Catalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItemsOf, idList(owners), kindOf(kind))
}

// OwnedItemsSince implements store.Catalogue.
func (c *Catalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItemsSince, kindOf(kind), after, storelogic.RecordLimit(limit))
}

// kindOf returns the kind as a statement argument. It returns "" for an unknown kind, because the server rejects some
// texts.
func kindOf(kind catalogue.Kind) string {
	if !kind.IsRecord() {
		return ""
	}
	return string(kind)
}

func (c *Catalogue) records(ctx context.Context, st *statement, args ...any) (records []catalogue.OwnedItem, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		records = nil
		p.ask(st, func(rows pgx.Rows) error {
			var (
				meta catalogue.Meta
				kind string
				body pgtype.DriverBytes
			)
			if err := scanMeta(rows, &meta, &kind, &body); err != nil {
				return err
			}
			record, err := storelogic.DecodeRecord(catalogue.Kind(kind), meta, body)
			records = append(records, record)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

var countOwnedItems = define(`
	SELECT n.count, COALESCE((
		SELECT cr.version FROM catalogue_records AS cr WHERE cr.kind = n.kind ORDER BY cr.version DESC LIMIT 1), 0)
	FROM catalogue_record_counts AS n WHERE n.kind = $1`)

// CountOwnedItems implements store.Catalogue.
func (c *Catalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest store.Position, err error) {
	err = c.readLagging(ctx, func(p *pipeline) {
		count, newest = 0, 0
		p.ask(countOwnedItems, func(rows pgx.Rows) error { return rows.Scan(&count, &newest) }, kindOf(kind))
	})
	return count, newest, err
}

var selectStoredOwnedItems = define(`
	SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.number,
		COALESCE(cr.owner_kind, ''), COALESCE(cr.owner, ''), cr.body
	FROM unnest($1::text[]) AS asked(id)
	CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE id = asked.id OFFSET 0) AS cr`)

func scanStoredOwnedItem(rows pgx.Rows, stored map[storelogic.Thing]*storelogic.Record) error {
	var kind string
	record := &storelogic.Record{}
	err := scanMeta(rows, &record.Meta, &kind, &record.Number, (*string)(&record.Owner.Kind), (*string)(&record.Owner.ID), &record.Body)
	stored[storelogic.Thing{Kind: catalogue.Kind(kind), ID: record.Meta.ID}] = record
	return err
}

var (
	selectOwning = define(`
		SELECT asked.id FROM unnest($1::text[]) AS asked(id)
		WHERE EXISTS (SELECT 1 FROM catalogue_records AS cr WHERE cr.owner = asked.id AND cr.owner_kind = $2)`)
	selectOwned = define(`
		SELECT cr.kind, cr.id, cr.number, cr.owner
		FROM unnest($1::text[]) WITH ORDINALITY AS asked(id, place)
		CROSS JOIN LATERAL (SELECT * FROM catalogue_records WHERE owner = asked.id AND owner_kind = $2 OFFSET 0) AS cr
		ORDER BY asked.place, cr.kind, cr.id`)
)

// Owning implements storelogic.Engine.
func (t *transaction) Owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	owning := map[catalogue.ID]bool{}
	err := t.send(ctx, func(p *pipeline) {
		p.ask(selectOwning, func(rows pgx.Rows) error {
			var id string
			err := rows.Scan(&id)
			owning[catalogue.ID(id)] = true
			return err
		}, idList(ids), string(kind))
	})
	return owning, err
}

var selectNaming = define(`
	SELECT cr.id
	FROM (
		SELECT DISTINCT tv.theme FROM unnest($1::text[]) AS asked(id)
		CROSS JOIN LATERAL (SELECT theme FROM theme_videos WHERE video = asked.id OFFSET 0) AS tv
	) AS naming
	CROSS JOIN LATERAL (SELECT id FROM catalogue_records WHERE number = naming.theme OFFSET 0) AS cr
	ORDER BY cr.id`)

// Naming implements storelogic.Engine.
func (t *transaction) Naming(ctx context.Context, videos []catalogue.ID) (themes []catalogue.ID, err error) {
	err = t.send(ctx, func(p *pipeline) {
		p.ask(selectNaming, func(rows pgx.Rows) error {
			var id string
			err := rows.Scan(&id)
			themes = append(themes, catalogue.ID(id))
			return err
		}, idList(videos))
	})
	return themes, err
}

// Owned implements storelogic.Engine.
func (t *transaction) Owned(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (owned []storelogic.RecordRef, err error) {
	err = t.send(ctx, func(p *pipeline) {
		p.ask(selectOwned, func(rows pgx.Rows) error {
			var record storelogic.RecordRef
			err := rows.Scan((*string)(&record.Kind), (*string)(&record.ID), &record.Number, (*string)(&record.Owner))
			owned = append(owned, record)
			return err
		}, idList(ids), string(kind))
	})
	return owned, err
}

var (
	ownedItemTable = defineTable("catalogue_records", 1, "number", "kind", "id", "version", "updated_at", "source",
		"reference", "owner_kind", "owner", "body")
	deleteOwnedItems    = define(`DELETE FROM catalogue_records WHERE number = ANY($1::bigint[])`)
	addToOwnedItemCount = define(`
		INSERT INTO catalogue_record_counts AS n (kind, count) VALUES ($1, $2)
		ON CONFLICT (kind) DO UPDATE SET count = n.count + excluded.count`)
)

// writeRecords updates the existing items and returns the new ones.
func (p *pipeline) writeRecords(changes []storelogic.RecordChange) (fresh *rows) {
	fresh = &rows{table: ownedItemTable}
	for _, row := range changes {
		meta := row.Meta
		p.put(fresh, row.New, row.Number, string(row.Kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt),
			[]byte(meta.Source), []byte(meta.Reference), optionalText(row.Owner.Kind), optionalText(row.Owner.ID), row.Body)
	}
	return fresh
}

// optionalText returns nil, for NULL, if s is empty.
func optionalText[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	text := string(s)
	return &text
}

func (p *pipeline) countRecords(more map[catalogue.Kind]int64) {
	for kind, n := range more {
		p.do(addToOwnedItemCount, string(kind), n)
	}
}
