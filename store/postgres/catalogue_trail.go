package postgres

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const catalogueEntryColumns = `SELECT number, at, client, user_id, kind, id, before, after FROM catalogue_trail `

// The catalogue's trail by what a query names.
var (
	selectCatalogueTrail      = define(catalogueEntryColumns + `WHERE number < $1 ORDER BY number DESC LIMIT $2`)
	selectCatalogueTrailKind  = define(catalogueEntryColumns + `WHERE kind = $1 AND number < $2 ORDER BY number DESC LIMIT $3`)
	selectCatalogueTrailThing = define(catalogueEntryColumns + `WHERE kind = $1 AND id = $2 AND number < $3 ORDER BY number DESC LIMIT $4`)

	insertCatalogueEntry = define(`
		INSERT INTO catalogue_trail (at, client, user_id, kind, id, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7)`)
)

// Audit implements store.Catalogue.
func (c *Catalogue) Audit(ctx context.Context, query store.CatalogueAuditQuery) (entries []store.CatalogueAuditEntry, err error) {
	st, args := selectCatalogueTrail, []any{}
	switch {
	case query.ID != "" && !query.ID.Valid():
		return nil, nil
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
	err = c.read(ctx, func(p *pipeline) {
		entries = nil
		p.ask(st, func(rows pgx.Rows) error {
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

func scanCatalogueEntry(rows pgx.Rows) (entry store.CatalogueAuditEntry, err error) {
	var (
		at           int64
		client, user []byte
	)
	err = rows.Scan(&entry.Number, &at, &client, &user, (*string)(&entry.Kind), (*string)(&entry.ID), &entry.Before, &entry.After)
	entry.At, entry.Actor = instant(at), account.Actor{Client: string(client), User: string(user)}
	return entry, err
}

// AddEntries implements writing.RemovalEngine.
func (t *transaction) AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error {
	return t.send(ctx, func(p *pipeline) {
		for _, entry := range entries {
			p.do(insertCatalogueEntry, micros(entry.At), []byte(entry.Actor.Client), []byte(entry.Actor.User),
				string(entry.Kind), string(entry.ID), entry.Before, entry.After)
		}
	})
}
