package postgres

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Create implements store.Collections.
func (c *Collections) Create(ctx context.Context, created *collection.Collection) (stored *collection.Collection, err error) {
	err = c.edit(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) error {
		stored, err = e.Create(ctx, created)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Change implements store.Collections. fn runs again where the server gives the transaction up for another.
func (c *Collections) Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (stored *collection.Collection, err error) {
	err = c.edit(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) error {
		stored, err = e.Change(ctx, id, fn)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Delete implements store.Collections. check runs again where the server gives the transaction up for another.
func (c *Collections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	return c.edit(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) error { return e.Delete(ctx, id, check) })
}

// Save implements store.Collections.
func (c *Collections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	return c.edit(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) error { return e.Save(ctx, user, id, saved) })
}

// ForgetVideos implements store.Collections.
func (c *Collections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	_, err := c.forget(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) (int, error) { return e.ForgetVideos(ctx, ids) })
	return err
}

// ForgetUser implements store.Collections.
func (c *Collections) ForgetUser(ctx context.Context, user string) (int, error) {
	deleted, err := c.forget(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) (int, error) { return e.ForgetOwned(ctx, user) })
	if err != nil {
		return 0, err
	}
	_, err = c.forget(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) (int, error) {
		return e.ForgetComments(ctx, user)
	})
	return deleted, err
}

// forget runs fn in one transaction after another until nothing is left for it, and returns how many collections
// it went through.
func (c *Collections) forget(ctx context.Context, fn func(context.Context, *storelogic.CollectionEdit) (int, error)) (all int, err error) {
	for n := storelogic.ForgottenAtOnce; n == storelogic.ForgottenAtOnce; all += n {
		err := c.edit(ctx, func(ctx context.Context, e *storelogic.CollectionEdit) (err error) {
			n, err = fn(ctx, e)
			return err
		})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// edit runs fn in a transaction that others who write collections wait for. It may run again.
func (c *Collections) edit(ctx context.Context, fn func(ctx context.Context, e *storelogic.CollectionEdit) error) error {
	return c.writing(ctx, func(ctx context.Context, s *session, head store.Position, last *pipeline) error {
		e := storelogic.EditCollections(&collectionEngine{s, last}, head, c.now())
		if err := fn(ctx, e); err != nil {
			return err
		}
		if e.Position != head {
			last.do(updateCollectionHead, e.Position)
		}
		return nil
	})
}

// writing runs fn under the lock on the head of the log, and commits with what fn gathers.
func (c *Collections) writing(ctx context.Context, fn func(ctx context.Context, s *session, head store.Position, last *pipeline) error) error {
	leave, err := c.turn.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var head store.Position
	first := func(p *pipeline) { p.number(lockCollectionHead, &head) }
	return c.changing(ctx, first, func(ctx context.Context, s *session, last *pipeline) error { return fn(ctx, s, head, last) })
}

// collectionEngine is the engine of one edit. What it writes goes with the commit: no edit reads what it has written.
type collectionEngine struct {
	*session
	last *pipeline
}

var _ storelogic.CollectionEngine = (*collectionEngine)(nil)

var (
	selectCollection        = define(collectionColumns + `FROM col_collections AS col WHERE col.id = $1`)
	selectDefaultCollection = define(collectionColumns + `FROM col_collections AS col WHERE col.owner = $1 AND col.is_default`)
	countOwnCollections     = define(`SELECT COUNT(*) FROM col_collections WHERE owner = $1`)
	countSavedCollections   = define(`SELECT COUNT(*) FROM col_saved WHERE user_id = $1`)
	countSavedCollection    = define(`SELECT COUNT(*) FROM col_saved WHERE user_id = $1 AND collection = $2`)
	selectHolding           = define(collectionColumns + `
		FROM (SELECT DISTINCT collection FROM col_videos WHERE video = ANY ($1::text[]) LIMIT $2) AS held
		JOIN col_collections AS col ON col.id = held.collection`)
	selectCommented = define(collectionColumns + `
		FROM (SELECT collection FROM col_commentators WHERE user_id = $1 LIMIT $2) AS held
		JOIN col_collections AS col ON col.id = held.collection`)
)

// Row implements writing.CollectionEngine.
func (e *collectionEngine) Row(ctx context.Context, id catalogue.ID) (*storelogic.CollectionRow, error) {
	return e.one(ctx, selectCollection, idList([]catalogue.ID{id})[0])
}

// DefaultOf implements writing.CollectionEngine.
func (e *collectionEngine) DefaultOf(ctx context.Context, owner string) (*storelogic.CollectionRow, error) {
	return e.one(ctx, selectDefaultCollection, []byte(owner))
}

// one reads the row that a statement finds; nil: there is none.
func (e *collectionEngine) one(ctx context.Context, st *statement, args ...any) (*storelogic.CollectionRow, error) {
	rows, err := e.some(ctx, st, args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func (e *collectionEngine) some(ctx context.Context, st *statement, args ...any) (rows []*storelogic.CollectionRow, err error) {
	err = e.send(ctx, func(p *pipeline) { p.collections(&rows, st, args...) })
	return rows, err
}

// CountOwned implements writing.CollectionEngine.
func (e *collectionEngine) CountOwned(ctx context.Context, owner string) (int, error) {
	return e.count(ctx, countOwnCollections, []byte(owner))
}

// CountSaved implements writing.CollectionEngine.
func (e *collectionEngine) CountSaved(ctx context.Context, user string) (int, error) {
	return e.count(ctx, countSavedCollections, []byte(user))
}

// IsSaved implements writing.CollectionEngine.
func (e *collectionEngine) IsSaved(ctx context.Context, user string, id catalogue.ID) (bool, error) {
	n, err := e.count(ctx, countSavedCollection, []byte(user), string(id))
	return n > 0, err
}

func (e *collectionEngine) count(ctx context.Context, st *statement, args ...any) (int, error) {
	var n int64
	err := e.send(ctx, func(p *pipeline) { p.number(st, &n, args...) })
	return int(n), err
}

// OwnedBy implements writing.CollectionEngine.
func (e *collectionEngine) OwnedBy(ctx context.Context, owner string, limit int) ([]*storelogic.CollectionRow, error) {
	return e.some(ctx, selectOwnCollections, []byte(owner), limit)
}

// Holding implements writing.CollectionEngine.
func (e *collectionEngine) Holding(ctx context.Context, videos []catalogue.ID, limit int) ([]*storelogic.CollectionRow, error) {
	return e.some(ctx, selectHolding, idList(videos), limit)
}

// CommentedBy implements writing.CollectionEngine.
func (e *collectionEngine) CommentedBy(ctx context.Context, user string, limit int) ([]*storelogic.CollectionRow, error) {
	return e.some(ctx, selectCommented, []byte(user), limit)
}

var (
	putCollection = define(`
		INSERT INTO col_collections (id, version, created_at, updated_at, is_default, owner, body) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at, body = excluded.body`)
	insertCollectionVideos       = define(`INSERT INTO col_videos (video, collection) SELECT added, $1 FROM unnest($2::text[]) AS added`)
	insertCollectionCommentators = define(`INSERT INTO col_commentators (user_id, collection) SELECT added, $1 FROM unnest($2::bytea[]) AS added`)
	deleteCollectionVideos       = define(`DELETE FROM col_videos WHERE collection = $1 AND video = ANY ($2::text[])`)
	deleteCollectionCommentators = define(`DELETE FROM col_commentators WHERE collection = $1 AND user_id = ANY ($2::bytea[])`)
	insertCollectionChange       = define(`INSERT INTO col_log (position, id, deleted) VALUES ($1, $2, $3)`)
)

// PutRow implements writing.CollectionEngine.
func (e *collectionEngine) PutRow(_ context.Context, row *storelogic.CollectionRow) error {
	e.last.do(putCollection, string(row.ID), row.Version, row.Created, row.Updated, row.Default, optional(row.Owner), row.Body)
	return nil
}

// Link implements writing.CollectionEngine.
func (e *collectionEngine) Link(_ context.Context, id catalogue.ID, videos, commentators storelogic.Links) error {
	if len(videos.Removed) > 0 {
		e.last.do(deleteCollectionVideos, string(id), videos.Removed)
	}
	if len(videos.Added) > 0 {
		e.last.do(insertCollectionVideos, string(id), videos.Added)
	}
	if len(commentators.Removed) > 0 {
		e.last.do(deleteCollectionCommentators, string(id), bytesOf(commentators.Removed))
	}
	if len(commentators.Added) > 0 {
		e.last.do(insertCollectionCommentators, string(id), bytesOf(commentators.Added))
	}
	return nil
}

// deleteCollection are the statements that remove a collection and all that hangs on it.
var deleteCollection = []*statement{
	define(`DELETE FROM col_collections WHERE id = $1`),
	define(`DELETE FROM col_videos WHERE collection = $1`),
	define(`DELETE FROM col_commentators WHERE collection = $1`),
	define(`DELETE FROM col_saved WHERE collection = $1`),
}

// DeleteRow implements writing.CollectionEngine.
func (e *collectionEngine) DeleteRow(_ context.Context, id catalogue.ID) error {
	for _, st := range deleteCollection {
		e.last.do(st, string(id))
	}
	return nil
}

var (
	insertSaved = define(`INSERT INTO col_saved (user_id, collection) VALUES ($1, $2) ON CONFLICT DO NOTHING`)
	deleteSaved = define(`DELETE FROM col_saved WHERE user_id = $1 AND collection = $2`)
	unsaveAll   = define(`DELETE FROM col_saved WHERE user_id = $1`)
)

// SetSaved implements writing.CollectionEngine.
func (e *collectionEngine) SetSaved(_ context.Context, user string, id catalogue.ID, saved bool) error {
	st := deleteSaved
	if saved {
		st = insertSaved
	}
	e.last.do(st, []byte(user), string(id))
	return nil
}

// UnsaveAll implements writing.CollectionEngine.
func (e *collectionEngine) UnsaveAll(_ context.Context, user string) error {
	e.last.do(unsaveAll, []byte(user))
	return nil
}

// AddChange implements writing.CollectionEngine.
func (e *collectionEngine) AddChange(_ context.Context, change store.Change) error {
	e.last.do(insertCollectionChange, change.Position, string(change.ID), change.Deleted)
	return nil
}
