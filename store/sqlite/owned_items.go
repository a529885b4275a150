package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Rows have the order of the list that json_each reads, then of the index.
var (
	selectOwnedItems = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.id = asked.value AND cr.kind = ?`)
	selectOwnedItemsOf = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.owner = asked.value AND cr.kind = ?`)
	selectOwnedItemsSince = define(`
		SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.body
		FROM catalogue_records AS cr WHERE cr.kind = ? AND cr.version > ? ORDER BY cr.version LIMIT ?`)
)

// OwnedItems implements store.Catalogue.
func (c *Catalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItems, idList(ids), string(kind))
}

// OwnedItemsOf implements store.Catalogue.
func (c *Catalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItemsOf, idList(owners), string(kind))
}

// OwnedItemsSince implements store.Catalogue.
func (c *Catalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	return c.records(ctx, selectOwnedItemsSince, string(kind), after, storelogic.RecordLimit(limit))
}

func (c *Catalogue) records(ctx context.Context, st *statement, args ...any) (records []catalogue.OwnedItem, err error) {
	err = c.read(ctx, func(s *session) error {
		return s.query(ctx, st, func(rows *sql.Rows) error {
			var (
				meta catalogue.Meta
				kind catalogue.Kind
				body sql.RawBytes
			)
			if err := scanMeta(rows, &meta, &kind, &body); err != nil {
				return err
			}
			record, err := storelogic.DecodeRecord(kind, meta, body)
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
	SELECT n.count, IFNULL((SELECT MAX(cr.version) FROM catalogue_records AS cr WHERE cr.kind = n.kind), 0)
	FROM catalogue_record_counts AS n WHERE n.kind = ?`)

// CountOwnedItems implements store.Catalogue.
func (c *Catalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest store.Position, err error) {
	err = c.read(ctx, func(s *session) error {
		return s.query(ctx, countOwnedItems, func(rows *sql.Rows) error { return rows.Scan(&count, &newest) }, string(kind))
	})
	return count, newest, err
}

var selectStoredOwnedItems = define(`
	SELECT cr.id, cr.version, cr.updated_at, cr.source, cr.reference, cr.kind, cr.number,
		IFNULL(cr.owner_kind, ''), IFNULL(cr.owner, ''), cr.body
	FROM json_each(?) AS asked
	CROSS JOIN catalogue_records AS cr ON cr.id = asked.value`)

func (t *transaction) storedRecords(ctx context.Context, ids []catalogue.ID) (map[storelogic.Thing]*storelogic.Record, error) {
	stored := make(map[storelogic.Thing]*storelogic.Record)
	err := t.query(ctx, selectStoredOwnedItems, func(rows *sql.Rows) error {
		var kind catalogue.Kind
		record := &storelogic.Record{}
		err := scanMeta(rows, &record.Meta, &kind, &record.Number, &record.Owner.Kind, &record.Owner.ID, &record.Body)
		stored[storelogic.Thing{Kind: kind, ID: record.Meta.ID}] = record
		return err
	}, idList(ids))
	return stored, err
}

var (
	selectOwning = define(`
		SELECT asked.value FROM json_each(?) AS asked
		WHERE EXISTS (SELECT 1 FROM catalogue_records AS cr WHERE cr.owner = asked.value AND cr.owner_kind = ?)`)
	selectOwned = define(`
		SELECT cr.kind, cr.id, cr.number, cr.owner
		FROM json_each(?) AS asked
		CROSS JOIN catalogue_records AS cr ON cr.owner = asked.value AND cr.owner_kind = ?`)
)

// Owning implements storelogic.Engine.
func (t *transaction) Owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	owning := map[catalogue.ID]bool{}
	err := t.query(ctx, selectOwning, func(rows *sql.Rows) error {
		var id catalogue.ID
		err := rows.Scan(&id)
		owning[id] = true
		return err
	}, idList(ids), string(kind))
	return owning, err
}

var selectNaming = define(`
	SELECT cr.id FROM catalogue_records AS cr
	WHERE cr.number IN (SELECT tv.theme FROM json_each(?) AS asked CROSS JOIN theme_videos AS tv ON tv.video = asked.value)`)

// Naming implements storelogic.Engine.
func (t *transaction) Naming(ctx context.Context, videos []catalogue.ID) (themes []catalogue.ID, err error) {
	err = t.query(ctx, selectNaming, func(rows *sql.Rows) error {
		var id catalogue.ID
		err := rows.Scan(&id)
		themes = append(themes, id)
		return err
	}, idList(videos))
	slices.Sort(themes)
	return themes, err
}

// Owned implements storelogic.Engine.
func (t *transaction) Owned(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (owned []storelogic.RecordRef, err error) {
	err = t.query(ctx, selectOwned, func(rows *sql.Rows) error {
		var record storelogic.RecordRef
		err := rows.Scan(&record.Kind, &record.ID, &record.Number, &record.Owner)
		owned = append(owned, record)
		return err
	}, idList(ids), string(kind))
	return owned, err
}

var (
	insertOwnedItems = defineInsertion(10,
		`INSERT INTO catalogue_records (number, kind, id, version, updated_at, source, reference, owner_kind, owner, body)`,
		`ON CONFLICT (number) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at,
			source = excluded.source, reference = excluded.reference, owner_kind = excluded.owner_kind,
			owner = excluded.owner, body = excluded.body`)
	deleteOwnedItems    = define(`DELETE FROM catalogue_records WHERE number IN (SELECT value FROM json_each(?))`)
	addToOwnedItemCount = define(`
		INSERT INTO catalogue_record_counts (kind, count) VALUES (?, ?)
		ON CONFLICT (kind) DO UPDATE SET count = count + excluded.count`)
)

func (t *transaction) gatherRecords(changes []storelogic.RecordChange) {
	for _, row := range changes {
		meta := row.Meta
		t.records.add(row.Number, string(row.Kind), string(meta.ID), meta.Version, micros(meta.UpdatedAt),
			meta.Source, meta.Reference, optional(&row.Owner.Kind), optional(&row.Owner.ID), row.Body)
	}
}

func (t *transaction) countRecords(ctx context.Context, more map[catalogue.Kind]int64) error {
	for kind, n := range more {
		if _, err := t.exec(ctx, addToOwnedItemCount, string(kind), n); err != nil {
			return err
		}
	}
	return nil
}
