package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Create implements store.Collections.
func (c *Collections) Create(ctx context.Context, created *collection.Collection) (stored *collection.Collection, err error) {
	err = c.edit(ctx, func(e *storelogic.CollectionEdit) error {
		stored, err = e.Create(ctx, created)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Change implements store.Collections. fn runs once.
func (c *Collections) Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (stored *collection.Collection, err error) {
	err = c.edit(ctx, func(e *storelogic.CollectionEdit) error {
		stored, err = e.Change(ctx, id, fn)
		return err
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// Delete implements store.Collections. check runs once.
func (c *Collections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	return c.edit(ctx, func(e *storelogic.CollectionEdit) error { return e.Delete(ctx, id, check) })
}

// Save implements store.Collections.
func (c *Collections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	return c.edit(ctx, func(e *storelogic.CollectionEdit) error { return e.Save(ctx, user, id, saved) })
}

// ForgetVideos implements store.Collections.
func (c *Collections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	_, err := c.forget(ctx, func(e *storelogic.CollectionEdit) (int, error) { return e.ForgetVideos(ctx, ids) })
	return err
}

// ForgetUser implements store.Collections.
func (c *Collections) ForgetUser(ctx context.Context, user string) (int, error) {
	deleted, err := c.forget(ctx, func(e *storelogic.CollectionEdit) (int, error) { return e.ForgetOwned(ctx, user) })
	if err != nil {
		return 0, err
	}
	_, err = c.forget(ctx, func(e *storelogic.CollectionEdit) (int, error) { return e.ForgetComments(ctx, user) })
	return deleted, err
}

// forget runs fn in one transaction after another until nothing is left for it, and returns how many collections
// it went through.
func (c *Collections) forget(ctx context.Context, fn func(*storelogic.CollectionEdit) (int, error)) (all int, err error) {
	for n := storelogic.ForgottenAtOnce; n == storelogic.ForgottenAtOnce; all += n {
		err := c.edit(ctx, func(e *storelogic.CollectionEdit) (err error) {
			n, err = fn(e)
			return err
		})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// edit runs fn in a transaction that writes collections.
func (c *Collections) edit(ctx context.Context, fn func(*storelogic.CollectionEdit) error) error {
	return c.write(ctx, func(s *session) error {
		last, err := s.number(ctx, selectCollectionHead)
		if err != nil {
			return err
		}
		return fn(storelogic.EditCollections(collectionEngine{s}, last, c.now()))
	})
}

// collectionEngine is the engine of one edit.
type collectionEngine struct{ *session }

var _ storelogic.CollectionEngine = collectionEngine{}

var (
	selectCollection        = define(collectionColumns + `FROM collections AS col WHERE col.id = ?`)
	selectDefaultCollection = define(collectionColumns + `FROM collections AS col WHERE col.owner = ? AND col.is_default = 1`)
	countOwnCollections     = define(`SELECT COUNT(*) FROM collections WHERE owner = ?`)
	countSavedCollections   = define(`SELECT COUNT(*) FROM collection_saved WHERE user = ?`)
	countSavedCollection    = define(`SELECT COUNT(*) FROM collection_saved WHERE user = ? AND collection = ?`)
	// The collections of several videos, each once: the engine compares without sorting.
	selectHolding = define(collectionColumns + `
		FROM collections AS col
		WHERE col.id IN (SELECT cv.collection FROM json_each(?) AS asked CROSS JOIN collection_videos AS cv ON cv.video = asked.value)
		LIMIT ?`)
	selectCommented = define(collectionColumns + `
		FROM collection_commentators AS cc CROSS JOIN collections AS col ON col.id = cc.collection WHERE cc.user = ? LIMIT ?`)
)

// Row implements writing.CollectionEngine.
func (e collectionEngine) Row(ctx context.Context, id catalogue.ID) (*storelogic.CollectionRow, error) {
	return e.one(ctx, selectCollection, string(id))
}

// DefaultOf implements writing.CollectionEngine.
func (e collectionEngine) DefaultOf(ctx context.Context, owner string) (*storelogic.CollectionRow, error) {
	return e.one(ctx, selectDefaultCollection, owner)
}

// one reads the row that a statement finds; nil: there is none.
func (e collectionEngine) one(ctx context.Context, st *statement, args ...any) (*storelogic.CollectionRow, error) {
	rows, err := e.collections(ctx, st, args...)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// CountOwned implements writing.CollectionEngine.
func (e collectionEngine) CountOwned(ctx context.Context, owner string) (int, error) {
	n, err := e.number(ctx, countOwnCollections, owner)
	return int(n), err
}

// CountSaved implements writing.CollectionEngine.
func (e collectionEngine) CountSaved(ctx context.Context, user string) (int, error) {
	n, err := e.number(ctx, countSavedCollections, user)
	return int(n), err
}

// IsSaved implements writing.CollectionEngine.
func (e collectionEngine) IsSaved(ctx context.Context, user string, id catalogue.ID) (bool, error) {
	n, err := e.number(ctx, countSavedCollection, user, string(id))
	return n > 0, err
}

// OwnedBy implements writing.CollectionEngine.
func (e collectionEngine) OwnedBy(ctx context.Context, owner string, limit int) ([]*storelogic.CollectionRow, error) {
	return e.collections(ctx, selectOwnCollections, owner, limit)
}

// Holding implements writing.CollectionEngine.
func (e collectionEngine) Holding(ctx context.Context, videos []catalogue.ID, limit int) ([]*storelogic.CollectionRow, error) {
	return e.collections(ctx, selectHolding, idList(videos), limit)
}

// CommentedBy implements writing.CollectionEngine.
func (e collectionEngine) CommentedBy(ctx context.Context, user string, limit int) ([]*storelogic.CollectionRow, error) {
	return e.collections(ctx, selectCommented, user, limit)
}

var (
	putCollection = define(`
		INSERT INTO collections (id, version, created_at, updated_at, owner, is_default, body) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at, body = excluded.body`)
	insertCollectionVideos       = defineInsertion(2, `INSERT INTO collection_videos (video, collection)`, ``)
	insertCollectionCommentators = defineInsertion(2, `INSERT INTO collection_commentators (user, collection)`, ``)
	deleteCollectionVideo        = define(`DELETE FROM collection_videos WHERE video = ? AND collection = ?`)
	deleteCollectionCommentator  = define(`DELETE FROM collection_commentators WHERE user = ? AND collection = ?`)
	insertCollectionChange       = define(`INSERT INTO collection_log (position, id, deleted) VALUES (?, ?, ?)`)
)

// PutRow implements writing.CollectionEngine.
func (e collectionEngine) PutRow(ctx context.Context, row *storelogic.CollectionRow) error {
	_, err := e.exec(ctx, putCollection, string(row.ID), row.Version, row.Created, row.Updated, optional(&row.Owner), flag(row.Default), row.Body)
	return err
}

// Link implements writing.CollectionEngine.
func (e collectionEngine) Link(ctx context.Context, id catalogue.ID, videos, commentators storelogic.Links) error {
	if err := e.link(ctx, insertCollectionVideos, deleteCollectionVideo, id, videos); err != nil {
		return err
	}
	return e.link(ctx, insertCollectionCommentators, deleteCollectionCommentator, id, commentators)
}

func (e collectionEngine) link(ctx context.Context, into *insertion, from *statement, id catalogue.ID, links storelogic.Links) error {
	for _, one := range links.Removed {
		if _, err := e.exec(ctx, from, one, string(id)); err != nil {
			return err
		}
	}
	added := batch{insertion: into}
	for _, one := range links.Added {
		added.add(one, string(id))
	}
	return added.flush(ctx, e.session)
}

// deleteCollection are the statements that remove a collection and all that hangs on it.
var deleteCollection = []*statement{
	define(`DELETE FROM collections WHERE id = ?`),
	define(`DELETE FROM collection_videos WHERE collection = ?`),
	define(`DELETE FROM collection_commentators WHERE collection = ?`),
	define(`DELETE FROM collection_saved WHERE collection = ?`),
}

// DeleteRow implements writing.CollectionEngine.
func (e collectionEngine) DeleteRow(ctx context.Context, id catalogue.ID) error {
	for _, st := range deleteCollection {
		if _, err := e.exec(ctx, st, string(id)); err != nil {
			return err
		}
	}
	return nil
}

var (
	insertSaved = define(`INSERT INTO collection_saved (user, collection) VALUES (?, ?) ON CONFLICT DO NOTHING`)
	deleteSaved = define(`DELETE FROM collection_saved WHERE user = ? AND collection = ?`)
	unsaveAll   = define(`DELETE FROM collection_saved WHERE user = ?`)
)

// SetSaved implements writing.CollectionEngine.
func (e collectionEngine) SetSaved(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	st := deleteSaved
	if saved {
		st = insertSaved
	}
	_, err := e.exec(ctx, st, user, string(id))
	return err
}

// UnsaveAll implements writing.CollectionEngine.
func (e collectionEngine) UnsaveAll(ctx context.Context, user string) error {
	_, err := e.exec(ctx, unsaveAll, user)
	return err
}

// AddChange implements writing.CollectionEngine.
func (e collectionEngine) AddChange(ctx context.Context, change store.Change) error {
	_, err := e.exec(ctx, insertCollectionChange, change.Position, string(change.ID), flag(change.Deleted))
	return err
}
