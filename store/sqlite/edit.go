package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Edit implements store.Registry. fn runs once.
func (a *Accounts) Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	return a.edit(ctx, &actor, func(e *storelogic.Edit) error { return fn(ctx, e) })
}

// Note implements store.Registry.
func (a *Accounts) Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error {
	return a.edit(ctx, &actor, func(e *storelogic.Edit) error { return e.Note(ctx, key, body) })
}

// EnsureUser implements store.Registry. A user who is there already as asked for costs one read.
func (a *Accounts) EnsureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error) {
	if err := storelogic.CheckUser(user); err != nil {
		return nil, err
	}
	known, err := a.Named(ctx, user.Names()[0])
	if err != nil {
		return nil, err
	}
	if known != nil {
		found, err := storelogic.UserOf(known)
		if err != nil || !profile || storelogic.InProfile(found, user) {
			return found, err
		}
	}
	var found *account.User
	err = a.edit(ctx, nil, func(e *storelogic.Edit) (err error) {
		found, err = e.EnsureUser(ctx, user, profile)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// seed puts the built-in tiers into a store that never had them.
func (a *Accounts) seed(ctx context.Context) error {
	var version int64
	err := a.read(ctx, func(s *session) (err error) {
		version, err = s.number(ctx, selectRecordVersion)
		return err
	})
	if err != nil || version > 0 {
		return err
	}
	return a.edit(ctx, nil, func(e *storelogic.Edit) error { return e.PutBuiltInTiers(ctx) })
}

var (
	selectRecordVersion = define(`SELECT version FROM registry WHERE one = 1`)
	updateRecordVersion = define(`UPDATE registry SET version = ? WHERE one = 1`)
)

// edit runs fn in a transaction that writes records; actor is nil where the trail is not told.
func (a *Accounts) edit(ctx context.Context, actor *account.Actor, fn func(*storelogic.Edit) error) error {
	return a.write(ctx, func(s *session) error {
		last, err := s.number(ctx, selectRecordVersion)
		if err != nil {
			return err
		}
		e := storelogic.BeginEdit(recordEngine{s}, last, actor, a.now())
		err = fn(e)
		if failed := e.Over(); err == nil {
			err = failed
		}
		if err != nil || e.Version == last {
			return err
		}
		if _, err := s.exec(ctx, updateRecordVersion, e.Version); err != nil {
			return err
		}
		if e.RosterChanged {
			_, err = s.exec(ctx, nextVersion)
		}
		return err
	})
}

// recordEngine is the engine of one edit.
type recordEngine struct{ *session }

var _ storelogic.RecordEngine = recordEngine{}

// Row implements writing.RecordEngine.
func (e recordEngine) Row(ctx context.Context, key account.EntityKey) (row *storelogic.RecordRow, err error) {
	err = e.query(ctx, selectRecord, func(rows *sql.Rows) error {
		row, err = scanRecord(rows)
		return err
	}, string(key.Kind), key.ID)
	return row, err
}

var (
	selectHolder    = define(`SELECT kind, id FROM record_names WHERE name = ?`)
	selectDependant = define(`
		SELECT kind, id FROM record_links WHERE target_kind = ? AND target_id = ? ORDER BY kind, id LIMIT 1`)
)

// Holder implements writing.RecordEngine.
func (e recordEngine) Holder(ctx context.Context, name string) (account.EntityKey, error) {
	return e.key(ctx, selectHolder, name)
}

// Dependant implements writing.RecordEngine.
func (e recordEngine) Dependant(ctx context.Context, key account.EntityKey) (account.EntityKey, error) {
	return e.key(ctx, selectDependant, string(key.Kind), key.ID)
}

func (e recordEngine) key(ctx context.Context, st *statement, args ...any) (key account.EntityKey, err error) {
	err = e.query(ctx, st, func(rows *sql.Rows) error { return rows.Scan(&key.Kind, &key.ID) }, args...)
	return key, err
}

var (
	putRecord = define(`
		INSERT INTO records (kind, id, owner, version, created_at, updated_at, body) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (kind, id) DO UPDATE SET owner = excluded.owner, version = excluded.version,
			updated_at = excluded.updated_at, body = excluded.body`)
	insertRecordName  = define(`INSERT INTO record_names (name, kind, id) VALUES (?, ?, ?)`)
	insertRecordLink  = define(`INSERT OR IGNORE INTO record_links (target_kind, target_id, kind, id) VALUES (?, ?, ?, ?)`)
	deleteRecord      = define(`DELETE FROM records WHERE kind = ? AND id = ?`)
	deleteRecordNames = define(`DELETE FROM record_names WHERE kind = ? AND id = ?`)
	deleteRecordLinks = define(`DELETE FROM record_links WHERE kind = ? AND id = ?`)
)

// PutRow implements writing.RecordEngine.
func (e recordEngine) PutRow(ctx context.Context, row *storelogic.RecordRow, owner string, names []string, links []account.EntityKey) error {
	kind, id := string(row.Key.Kind), row.Key.ID
	if err := e.detach(ctx, kind, id); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := e.exec(ctx, insertRecordName, name, kind, id); err != nil {
			return err
		}
	}
	for _, link := range links {
		if _, err := e.exec(ctx, insertRecordLink, string(link.Kind), link.ID, kind, id); err != nil {
			return err
		}
	}
	_, err := e.exec(ctx, putRecord, kind, id, owner, row.Meta.Version, micros(row.Meta.CreatedAt), micros(row.Meta.UpdatedAt), row.Body)
	return err
}

// DeleteRow implements writing.RecordEngine.
func (e recordEngine) DeleteRow(ctx context.Context, key account.EntityKey) error {
	if err := e.detach(ctx, string(key.Kind), key.ID); err != nil {
		return err
	}
	_, err := e.exec(ctx, deleteRecord, string(key.Kind), key.ID)
	return err
}

// detach removes the names and links of a record.
func (e recordEngine) detach(ctx context.Context, kind, id string) error {
	if _, err := e.exec(ctx, deleteRecordNames, kind, id); err != nil {
		return err
	}
	_, err := e.exec(ctx, deleteRecordLinks, kind, id)
	return err
}
