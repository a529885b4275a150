package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

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
