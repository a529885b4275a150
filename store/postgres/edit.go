package postgres

import (
	"context"
	"crypto/sha256"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Edit implements store.Registry. fn runs again where the server gives the transaction up for another.
func (a *Accounts) Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error {
	return a.edit(ctx, &actor, func(ctx context.Context, e *storelogic.Edit) error { return fn(ctx, e) })
}

// Note implements store.Registry.
func (a *Accounts) Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error {
	return a.edit(ctx, &actor, func(ctx context.Context, e *storelogic.Edit) error { return e.Note(ctx, key, body) })
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
	err = a.edit(ctx, nil, func(ctx context.Context, e *storelogic.Edit) (err error) {
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
	if err := a.read(ctx, func(p *pipeline) { p.number(selectRecordVersion, &version) }); err != nil || version > 0 {
		return err
	}
	return a.edit(ctx, nil, func(ctx context.Context, e *storelogic.Edit) error { return e.PutBuiltInTiers(ctx) })
}

var (
	selectRecordVersion = define(`SELECT version FROM registry WHERE one`)
	lockRegistry        = define(`SELECT version FROM registry WHERE one FOR UPDATE`)
	updateRecordVersion = define(`UPDATE registry SET version = $1 WHERE one`)
)

// edit runs fn in a transaction that others who write records wait for; actor is nil where the trail is
// not told.
func (a *Accounts) edit(ctx context.Context, actor *account.Actor, fn func(ctx context.Context, e *storelogic.Edit) error) error {
	var version int64
	first := func(p *pipeline) { p.number(lockRegistry, &version) }
	return a.changing(ctx, first, func(ctx context.Context, s *session, last *pipeline) error {
		e := storelogic.BeginEdit(recordEngine{s}, version, actor, a.now())
		err := fn(ctx, e)
		if failed := e.Over(); err == nil {
			err = failed
		}
		if err != nil {
			return err
		}
		if e.Version != version {
			last.do(updateRecordVersion, e.Version)
		}
		if e.RosterChanged {
			last.do(nextVersion)
		}
		return nil
	})
}

// recordEngine is the engine of one edit.
type recordEngine struct{ *session }

var _ storelogic.RecordEngine = recordEngine{}

// Row implements writing.RecordEngine.
func (e recordEngine) Row(ctx context.Context, key account.EntityKey) (row *storelogic.RecordRow, err error) {
	err = e.send(ctx, func(p *pipeline) {
		p.ask(selectRecord, func(rows pgx.Rows) (err error) {
			row, err = scanRecord(rows)
			return err
		}, []byte(key.Kind), []byte(key.ID))
	})
	return row, err
}

var (
	selectHolder    = define(`SELECT kind, id FROM record_names WHERE sum = $1`)
	selectDependant = define(`
		SELECT kind, id FROM record_links WHERE target_kind = $1 AND target_id = $2 ORDER BY kind, id LIMIT 1`)
)

// sumOf is what a name is found by: names may be longer than an index takes.
func sumOf(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

// Holder implements writing.RecordEngine.
func (e recordEngine) Holder(ctx context.Context, name string) (account.EntityKey, error) {
	return e.key(ctx, selectHolder, sumOf(name))
}

// Dependant implements writing.RecordEngine.
func (e recordEngine) Dependant(ctx context.Context, key account.EntityKey) (account.EntityKey, error) {
	return e.key(ctx, selectDependant, []byte(key.Kind), []byte(key.ID))
}

func (e recordEngine) key(ctx context.Context, st *statement, args ...any) (key account.EntityKey, err error) {
	err = e.send(ctx, func(p *pipeline) {
		p.ask(st, func(rows pgx.Rows) error {
			var kind, id []byte
			err := rows.Scan(&kind, &id)
			key = account.EntityKey{Kind: account.Kind(kind), ID: string(id)}
			return err
		}, args...)
	})
	return key, err
}

var (
	putRecord = define(`
		INSERT INTO records (kind, id, owner, version, created_at, updated_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (kind, id) DO UPDATE SET owner = excluded.owner, version = excluded.version,
			updated_at = excluded.updated_at, body = excluded.body`)
	insertRecordName = define(`INSERT INTO record_names (sum, kind, id) VALUES ($1, $2, $3)`)
	insertRecordLink = define(`
		INSERT INTO record_links (target_kind, target_id, kind, id) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`)
	deleteRecord      = define(`DELETE FROM records WHERE kind = $1 AND id = $2`)
	deleteRecordNames = define(`DELETE FROM record_names WHERE kind = $1 AND id = $2`)
	deleteRecordLinks = define(`DELETE FROM record_links WHERE kind = $1 AND id = $2`)
)

// PutRow implements writing.RecordEngine.
func (e recordEngine) PutRow(ctx context.Context, row *storelogic.RecordRow, owner string, names []string, links []account.EntityKey) error {
	kind, id := []byte(row.Key.Kind), []byte(row.Key.ID)
	return e.send(ctx, func(p *pipeline) {
		p.detach(kind, id)
		for _, name := range names {
			p.do(insertRecordName, sumOf(name), kind, id)
		}
		for _, link := range links {
			p.do(insertRecordLink, []byte(link.Kind), []byte(link.ID), kind, id)
		}
		p.do(putRecord, kind, id, []byte(owner), row.Meta.Version, micros(row.Meta.CreatedAt), micros(row.Meta.UpdatedAt), row.Body)
	})
}

// DeleteRow implements writing.RecordEngine.
func (e recordEngine) DeleteRow(ctx context.Context, key account.EntityKey) error {
	return e.send(ctx, func(p *pipeline) {
		p.detach([]byte(key.Kind), []byte(key.ID))
		p.do(deleteRecord, []byte(key.Kind), []byte(key.ID))
	})
}

// detach removes the names and links of a record.
func (p *pipeline) detach(kind, id []byte) {
	p.do(deleteRecordNames, kind, id)
	p.do(deleteRecordLinks, kind, id)
}
