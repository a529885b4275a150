package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

const entryColumns = `SELECT number, at, client, user, kind, id, owner, before, after FROM trail `

// The trail by what a query names.
var (
	selectTrail       = define(entryColumns + `WHERE number < ? ORDER BY number DESC LIMIT ?`)
	selectTrailKind   = define(entryColumns + `WHERE kind = ? AND number < ? ORDER BY number DESC LIMIT ?`)
	selectTrailRecord = define(entryColumns + `WHERE kind = ? AND id = ? AND number < ? ORDER BY number DESC LIMIT ?`)
	selectTrailOwner  = define(entryColumns + `WHERE owner = ? AND number < ? ORDER BY number DESC LIMIT ?`)
	selectTrailBoth   = define(entryColumns + `WHERE owner = ? AND kind = ? AND number < ? ORDER BY number DESC LIMIT ?`)
	selectTrailAll    = define(entryColumns + `
		INDEXED BY trail_record WHERE owner = ? AND kind = ? AND id = ? AND number < ? ORDER BY number DESC LIMIT ?`)
)

// Audit implements store.Registry.
func (a *Accounts) Audit(ctx context.Context, query store.AuditQuery, below int64, limit int) (entries []account.AuditEntry, err error) {
	if below == 0 {
		below = math.MaxInt64
	}
	st, args := trailOf(query)
	args = append(args, below, storelogic.Limit(limit))
	err = a.read(ctx, func(s *session) error {
		return s.query(ctx, st, func(rows *sql.Rows) error {
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
	kind, id, owner := string(query.Key.Kind), query.Key.ID, query.Owner
	switch {
	case owner != "" && id != "":
		return selectTrailAll, []any{owner, kind, id}
	case owner != "" && kind != "":
		return selectTrailBoth, []any{owner, kind}
	case owner != "":
		return selectTrailOwner, []any{owner}
	case id != "":
		return selectTrailRecord, []any{kind, id}
	case kind != "":
		return selectTrailKind, []any{kind}
	}
	return selectTrail, nil
}

func scanEntry(rows *sql.Rows) (entry account.AuditEntry, err error) {
	var at int64
	err = rows.Scan(&entry.Number, &at, &entry.Actor.Client, &entry.Actor.User,
		&entry.Key.Kind, &entry.Key.ID, &entry.Owner, &entry.Before, &entry.After)
	entry.At = instant(at)
	return entry, err
}

var (
	insertEntry = define(`
		INSERT INTO trail (number, at, client, user, kind, id, owner, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	selectTold  = define(`SELECT 1 FROM trail WHERE kind = ? AND id = ? LIMIT 1`)
	redactTrail = define(`
		UPDATE trail SET before = NULL, after = NULL WHERE kind = ? AND id = ? AND (before IS NOT NULL OR after IS NOT NULL)`)
	insertNote = define(`INSERT INTO notes (kind, id, sum) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`)
)

// RedactAudit implements store.Registry.
func (a *Accounts) RedactAudit(ctx context.Context, key account.EntityKey) (redacted int64, err error) {
	err = a.write(ctx, func(s *session) error {
		redacted, err = s.exec(ctx, redactTrail, string(key.Kind), key.ID)
		return err
	})
	return redacted, err
}

// AddEntry implements writing.RecordEngine.
func (e recordEngine) AddEntry(ctx context.Context, entry account.AuditEntry) error {
	_, err := e.exec(ctx, insertEntry, entry.Number, micros(entry.At), entry.Actor.Client, entry.Actor.User,
		string(entry.Key.Kind), entry.Key.ID, entry.Owner, entry.Before, entry.After)
	return err
}

// Told implements writing.RecordEngine.
func (e recordEngine) Told(ctx context.Context, key account.EntityKey) (told bool, err error) {
	err = e.query(ctx, selectTold, func(*sql.Rows) error {
		told = true
		return nil
	}, string(key.Kind), key.ID)
	return told, err
}

// AddNote implements writing.RecordEngine.
func (e recordEngine) AddNote(ctx context.Context, key account.EntityKey, sum []byte) (bool, error) {
	added, err := e.exec(ctx, insertNote, string(key.Kind), key.ID, sum)
	return added > 0, err
}
