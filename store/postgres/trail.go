package postgres

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const entryColumns = `SELECT number, at, client, user_id, kind, id, owner, before, after FROM trail `

// The trail by what a query names.
var (
	selectTrail       = define(entryColumns + `WHERE number < $1 ORDER BY number DESC LIMIT $2`)
	selectTrailKind   = define(entryColumns + `WHERE kind = $1 AND number < $2 ORDER BY number DESC LIMIT $3`)
	selectTrailRecord = define(entryColumns + `WHERE kind = $1 AND id = $2 AND number < $3 ORDER BY number DESC LIMIT $4`)
	selectTrailOwner  = define(entryColumns + `WHERE owner = $1 AND number < $2 ORDER BY number DESC LIMIT $3`)
	selectTrailBoth   = define(entryColumns + `WHERE owner = $1 AND kind = $2 AND number < $3 ORDER BY number DESC LIMIT $4`)
	selectTrailAll    = define(entryColumns + `
		WHERE owner = $1 AND kind = $2 AND id = $3 AND number < $4 ORDER BY number DESC LIMIT $5`)
)

// Audit implements store.Registry.
func (a *Accounts) Audit(ctx context.Context, query store.AuditQuery, below int64, limit int) (entries []account.AuditEntry, err error) {
	if below == 0 {
		below = math.MaxInt64
	}
	st, args := trailOf(query)
	args = append(args, below, storelogic.Limit(limit))
	err = a.read(ctx, func(p *pipeline) {
		entries = nil
		p.ask(st, func(rows pgx.Rows) error {
			entry, err := scanEntry(rows)
			entries = append(entries, entry)
			return err
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	return entries, nil
}

// trailOf chooses the statement of a query, with its first arguments.
func trailOf(query store.AuditQuery) (*statement, []any) {
	kind, id, owner := []byte(query.Key.Kind), []byte(query.Key.ID), []byte(query.Owner)
	switch {
	case len(owner) > 0 && len(id) > 0:
		return selectTrailAll, []any{owner, kind, id}
	case len(owner) > 0 && len(kind) > 0:
		return selectTrailBoth, []any{owner, kind}
	case len(owner) > 0:
		return selectTrailOwner, []any{owner}
	case len(id) > 0:
		return selectTrailRecord, []any{kind, id}
	case len(kind) > 0:
		return selectTrailKind, []any{kind}
	}
	return selectTrail, nil
}

func scanEntry(rows pgx.Rows) (entry account.AuditEntry, err error) {
	var (
		at                            int64
		client, user, kind, id, owner []byte
	)
	err = rows.Scan(&entry.Number, &at, &client, &user, &kind, &id, &owner, &entry.Before, &entry.After)
	entry.At, entry.Actor = instant(at), account.Actor{Client: string(client), User: string(user)}
	entry.Key, entry.Owner = account.EntityKey{Kind: account.Kind(kind), ID: string(id)}, string(owner)
	return entry, err
}

var (
	insertEntry = define(`
		INSERT INTO trail (number, at, client, user_id, kind, id, owner, before, after)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)
	selectTold  = define(`SELECT 1 FROM trail WHERE kind = $1 AND id = $2 LIMIT 1`)
	redactTrail = define(`
		UPDATE trail SET before = NULL, after = NULL WHERE kind = $1 AND id = $2 AND (before IS NOT NULL OR after IS NOT NULL)`)
	insertNote = define(`INSERT INTO notes (kind, id, sum) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`)
)

// RedactAudit implements store.Registry.
func (a *Accounts) RedactAudit(ctx context.Context, key account.EntityKey) (redacted int64, err error) {
	err = a.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		redacted, err = s.change(ctx, redactTrail, []byte(key.Kind), []byte(key.ID))
		return err
	})
	return redacted, err
}

// AddEntry implements writing.RecordEngine.
func (e recordEngine) AddEntry(ctx context.Context, entry account.AuditEntry) error {
	return e.send(ctx, func(p *pipeline) {
		p.do(insertEntry, entry.Number, micros(entry.At), []byte(entry.Actor.Client), []byte(entry.Actor.User),
			[]byte(entry.Key.Kind), []byte(entry.Key.ID), []byte(entry.Owner), entry.Before, entry.After)
	})
}

// Told implements writing.RecordEngine.
func (e recordEngine) Told(ctx context.Context, key account.EntityKey) (told bool, err error) {
	err = e.send(ctx, func(p *pipeline) {
		p.ask(selectTold, func(pgx.Rows) error {
			told = true
			return nil
		}, []byte(key.Kind), []byte(key.ID))
	})
	return told, err
}

// AddNote implements writing.RecordEngine.
func (e recordEngine) AddNote(ctx context.Context, key account.EntityKey, sum []byte) (bool, error) {
	added, err := e.change(ctx, insertNote, []byte(key.Kind), []byte(key.ID), sum)
	return added > 0, err
}
