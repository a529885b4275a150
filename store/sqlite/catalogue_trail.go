package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const catalogueEntryColumns = `SELECT number, at, client, user, kind, id, before, after FROM catalogue_trail `

// The catalogue's trail by what a query names.
var (
	selectCatalogueTrail      = define(catalogueEntryColumns + `WHERE number < ? ORDER BY number DESC LIMIT ?`)
	selectCatalogueTrailKind  = define(catalogueEntryColumns + `WHERE kind = ? AND number < ? ORDER BY number DESC LIMIT ?`)
	selectCatalogueTrailThing = define(catalogueEntryColumns + `WHERE kind = ? AND id = ? AND number < ? ORDER BY number DESC LIMIT ?`)

	insertCatalogueEntry = define(`
		INSERT INTO catalogue_trail (at, client, user, kind, id, before, after) VALUES (?, ?, ?, ?, ?, ?, ?)`)
)

// Audit implements store.Catalogue.
func (c *Catalogue) Audit(ctx context.Context, query store.CatalogueAuditQuery) (entries []store.CatalogueAuditEntry, err error) {
	st, args := selectCatalogueTrail, []any{}
	switch {
	case query.ID != "":
		st, args = selectCatalogueTrailThing, []any{string(query.Kind), string(query.ID)}
	case query.Kind != "":
		st, args = selectCatalogueTrailKind, []any{string(query.Kind)}
	}
	below := query.Below
	if below == 0 {
		below = math.MaxInt64
	}
	args = append(args, below, storelogic.Limit(query.Limit))
	err = c.read(ctx, func(s *session) error {
		return s.query(ctx, st, func(rows *sql.Rows) error {
			entry, err := scanCatalogueEntry(rows)
			entries = append(entries, entry)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

func scanCatalogueEntry(rows *sql.Rows) (entry store.CatalogueAuditEntry, err error) {
	var at int64
	err = rows.Scan(&entry.Number, &at, &entry.Actor.Client, &entry.Actor.User,
		(*string)(&entry.Kind), (*string)(&entry.ID), &entry.Before, &entry.After)
	entry.At = instant(at)
	return entry, err
}

// AddEntries implements writing.RemovalEngine.
func (t *transaction) AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error {
	for _, entry := range entries {
		_, err := t.exec(ctx, insertCatalogueEntry, micros(entry.At), entry.Actor.Client, entry.Actor.User,
			string(entry.Kind), string(entry.ID), entry.Before, entry.After)
		if err != nil {
			return err
		}
	}
	return nil
}
