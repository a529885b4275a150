package sqlstore

import (
	"context"
	"math"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

const (
	selectEntryColumns = `SELECT number, at, client, user_id, kind, id, owner, before, after FROM audit `
	newestEntries      = ` ORDER BY number DESC LIMIT `
)

// Statements that select audit entries by the fields of a query.
var (
	selectAudit       = define(selectEntryColumns + `WHERE number < $1` + newestEntries + `$2`)
	selectAuditKind   = define(selectEntryColumns + `WHERE kind = $1 AND number < $2` + newestEntries + `$3`)
	selectAuditEntity = define(selectEntryColumns + `WHERE kind = $1 AND id = $2 AND number < $3` + newestEntries + `$4`)
	selectAuditOwner  = define(selectEntryColumns + `WHERE owner = $1 AND number < $2` + newestEntries + `$3`)
	selectAuditBoth   = define(selectEntryColumns + `WHERE owner = $1 AND kind = $2 AND number < $3` + newestEntries + `$4`)
	selectAuditActor  = define(selectEntryColumns + `WHERE (user_id = $1 OR client = $1) AND number > $2 AND number < $3` + newestEntries + `$4`)
	selectAuditAll    = DefinePer(
		selectEntryColumns+`INDEXED BY audit_record WHERE owner = $1 AND kind = $2 AND id = $3 AND number < $4`+newestEntries+`$5`,
		selectEntryColumns+`WHERE owner = $1 AND kind = $2 AND id = $3 AND number < $4`+newestEntries+`$5`)
)

// Audit implements store.Registry.
func (a *Accounts) Audit(ctx context.Context, query store.AuditQuery, below int64, limit int) ([]account.AuditEntry, error) {
	kind, id, owner := string(query.Key.Kind), query.Key.ID, query.Owner
	st, args := selectAudit, []any{}
	switch {
	case query.Actor != "":
		st, args = selectAuditActor, []any{query.Actor, query.Above}
	case owner != "" && id != "":
		st, args = selectAuditAll, []any{owner, kind, id}
	case owner != "" && kind != "":
		st, args = selectAuditBoth, []any{owner, kind}
	case owner != "":
		st, args = selectAuditOwner, []any{owner}
	case id != "":
		st, args = selectAuditEntity, []any{kind, id}
	case kind != "":
		st, args = selectAuditKind, []any{kind}
	}
	return readAll(ctx, a.db, scanEntry, st, append(args, belowOrAll(below), pageLimit(limit))...)
}

// belowOrAll replaces 0, which means no bound, by the largest number.
func belowOrAll(below int64) int64 {
	if below == 0 {
		return math.MaxInt64
	}
	return below
}

func scanEntry(row Row) (entry account.AuditEntry, err error) {
	var at int64
	err = row.Scan(&entry.Number, &at, &entry.Actor.Client, &entry.Actor.User,
		(*string)(&entry.Key.Kind), &entry.Key.ID, &entry.Owner, &entry.Before, &entry.After)
	entry.At = instant(at)
	return entry, err
}

var (
	insertEntry = define(`
		INSERT INTO audit (number, at, client, user_id, kind, id, owner, before, after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)
	selectAudited = define(`SELECT 1 FROM audit WHERE kind = $1 AND id = $2 LIMIT 1`)
	redactAudit   = define(`
		UPDATE audit SET before = NULL, after = NULL WHERE kind = $1 AND id = $2 AND (before IS NOT NULL OR after IS NOT NULL)`)
)

// addEntry adds an audit entry with the version of the change that it describes. It does nothing if e has no actor.
func (e *edit) addEntry(ctx context.Context, entry account.AuditEntry) {
	if e.actor == nil {
		return
	}
	e.Do(ctx, insertEntry, e.version, micros(e.now), e.actor.Client, e.actor.User,
		string(entry.Key.Kind), entry.Key.ID, entry.Owner, entry.Before, entry.After)
}

// Logged implements store.RegistryTx.
func (e *edit) Logged(ctx context.Context, key account.EntityKey) (logged bool, err error) {
	err = e.doing(func() error {
		found, err := selectOne(ctx, e, number, selectAudited, string(key.Kind), key.ID)
		logged = found > 0
		return err
	})
	return logged, err
}

// RedactAudit implements store.Registry.
func (a *Accounts) RedactAudit(ctx context.Context, key account.EntityKey) (int64, error) {
	return write(ctx, a.db, func(ctx context.Context, c Conn) (int64, error) {
		return c.Exec(ctx, redactAudit, string(key.Kind), key.ID)
	})
}

const selectCatalogueEntryColumns = `SELECT number, at, client, user_id, kind, id, before, after FROM catalogue_audit `

// Statements that select audit entries of the catalogue by the fields of a query.
var (
	selectCatalogueAudit      = define(selectCatalogueEntryColumns + `WHERE number < $1` + newestEntries + `$2`)
	selectCatalogueAuditKind  = define(selectCatalogueEntryColumns + `WHERE kind = $1 AND number < $2` + newestEntries + `$3`)
	selectCatalogueAuditThing = define(selectCatalogueEntryColumns + `WHERE kind = $1 AND id = $2 AND number < $3` + newestEntries + `$4`)

	selectCatalogueAuditActor = define(selectCatalogueEntryColumns + `WHERE (user_id = $1 OR client = $1) AND number > $2 AND number < $3` + newestEntries + `$4`)

	insertCatalogueEntry = define(`
		INSERT INTO catalogue_audit (at, client, user_id, kind, id, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7)`)
)

// Audit implements store.Catalogue.
func (c *Catalogue) Audit(ctx context.Context, query store.CatalogueAuditQuery) ([]store.CatalogueAuditEntry, error) {
	st, args := selectCatalogueAudit, []any{}
	switch {
	case query.Actor != "":
		st, args = selectCatalogueAuditActor, []any{query.Actor, query.Above}
	case query.ID != "":
		st, args = selectCatalogueAuditThing, []any{string(query.Kind), string(query.ID)}
	case query.Kind != "":
		st, args = selectCatalogueAuditKind, []any{string(query.Kind)}
	}
	return readAll(ctx, c.db, scanCatalogueEntry, st, append(args, belowOrAll(query.Below), pageLimit(query.Limit))...)
}

func scanCatalogueEntry(row Row) (entry store.CatalogueAuditEntry, err error) {
	var at int64
	err = row.Scan(&entry.Number, &at, &entry.Actor.Client, &entry.Actor.User,
		(*string)(&entry.Kind), (*string)(&entry.ID), &entry.Before, &entry.After)
	entry.At = instant(at)
	return entry, err
}
