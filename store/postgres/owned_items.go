package postgres

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

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
