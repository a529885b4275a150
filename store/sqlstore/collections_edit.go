package sqlstore

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// collectionEdit is a transaction that writes collections.
type collectionEdit struct {
	Conn
	// position is the last position of the log. It increases with each change of a collection.
	position store.Position
	now      time.Time
}

// edit runs fn in a transaction that blocks other writers of collections.
func (c *Collections) edit(ctx context.Context, fn func(ctx context.Context, e *collectionEdit) error) error {
	return c.db.Write(ctx, func(ctx context.Context, conn Conn) error {
		head, err := selectOne(ctx, conn, number, lockCollectionHead)
		if err != nil {
			return err
		}
		e := &collectionEdit{conn, head, c.db.Now()}
		if err := fn(ctx, e); err != nil || e.position == head {
			return err
		}
		conn.Do(ctx, updateCollectionHead, e.position)
		return nil
	})
}

var (
	selectCollection        = define(selectCollectionColumns + `FROM collections AS col WHERE col.id = $1`)
	selectDefaultCollection = define(selectCollectionColumns + `FROM collections AS col WHERE col.owner = $1 AND col.is_default`)
	countOwned              = define(`SELECT COUNT(*) FROM collections WHERE owner = $1`)
	countSaved              = define(`SELECT COUNT(*) FROM collection_saved WHERE user_id = $1`)
)

// Create implements store.Collections.
func (c *Collections) Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error) {
	if err := checkCollection(created); err != nil {
		return nil, err
	}
	if created.Default && created.Owner == "" {
		return nil, invalidCollection(fault.FieldError{Field: "default", Problem: "is of a collection that has an owner"})
	}
	body, err := encodeCollection(created)
	if err != nil {
		return nil, err
	}
	return valueOf(ctx, c.edit, func(ctx context.Context, e *collectionEdit) (*collection.Collection, error) {
		if created.Default {
			if row, err := selectOne(ctx, e, scanCollection, selectDefaultCollection, created.Owner); err != nil {
				return nil, err
			} else if row != nil {
				return row.decode()
			}
		}
		if row, err := selectOne(ctx, e, scanCollection, selectCollection, string(created.ID)); err != nil {
			return nil, err
		} else if row != nil {
			return nil, fault.Errorf(fault.Conflict, "there is a collection %q already", created.ID)
		}
		if created.Owner != "" {
			if n, err := selectOne(ctx, e, number, countOwned, created.Owner); err != nil {
				return nil, err
			} else if n >= collection.MaxOwned {
				return nil, fault.InvalidRequest("a user may have %d collections, no more", collection.MaxOwned)
			}
		}
		at := micros(e.now)
		row := &collectionRow{id: string(created.ID), created: at, updated: at, owner: created.Owner, isDefault: created.Default, body: body}
		return e.put(ctx, row, nil)
	})
}

// Change implements store.Collections.
func (c *Collections) Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (*collection.Collection, error) {
	return valueOf(ctx, c.edit, func(ctx context.Context, e *collectionEdit) (*collection.Collection, error) {
		row, err := e.row(ctx, id)
		if err != nil {
			return nil, err
		}
		changed, err := row.decode()
		if err != nil {
			return nil, err
		}
		if err := fn(changed); err != nil {
			return nil, err
		}
		before, err := row.decode()
		if err != nil {
			return nil, err
		}
		changed.ID, changed.Account, changed.Owner = before.ID, before.Account, before.Owner
		changed.Service, changed.Default = before.Service, before.Default
		body, err := encodeCollection(changed)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(body, row.body) {
			return before, nil
		}
		if err := checkCollection(changed); err != nil {
			return nil, err
		}
		// The update times of two changes differ even if the changes occur within the same microsecond, or if the clock
		// was set back: callers use the update time to detect concurrent changes.
		row.body, row.updated = body, max(micros(e.now), row.updated+1)
		return e.put(ctx, row, before)
	})
}

// Delete implements store.Collections.
func (c *Collections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	return c.edit(ctx, func(ctx context.Context, e *collectionEdit) error {
		row, err := e.row(ctx, id)
		if err != nil {
			return err
		}
		stored, err := row.decode()
		if err != nil {
			return err
		}
		if err := check(stored); err != nil {
			return err
		}
		e.remove(ctx, row.id)
		return nil
	})
}

var (
	insertSaved = define(`INSERT INTO collection_saved (user_id, collection) VALUES ($1, $2) ON CONFLICT DO NOTHING`)
	deleteSaved = define(`DELETE FROM collection_saved WHERE user_id = $1 AND collection = $2`)
	unsaveAll   = define(`DELETE FROM collection_saved WHERE user_id = $1`)
)

// Save implements store.Collections.
func (c *Collections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	return c.edit(ctx, func(ctx context.Context, e *collectionEdit) error {
		row, err := e.row(ctx, id)
		switch {
		case err != nil:
			return err
		case !saved:
			e.Do(ctx, deleteSaved, user, string(id))
			return nil
		case user == "" || user == row.owner:
			return fault.InvalidRequest("a collection is saved by a user who does not own it")
		}
		added, err := e.Exec(ctx, insertSaved, user, string(id))
		if err != nil || added == 0 {
			return err
		}
		n, err := selectOne(ctx, e, number, countSaved, user)
		if err == nil && n > collection.MaxSaved {
			err = fault.InvalidRequest("a user may have %d collections saved, no more", collection.MaxSaved)
		}
		return err
	})
}

// forgottenAtOnce is the largest number of collections that one transaction of ForgetVideos or ForgetUser changes, so
// that other writers do not wait long.
const forgottenAtOnce = 100

// forget runs fn in consecutive transactions until fn changes fewer than forgottenAtOnce collections, and returns the
// total number of changed collections.
func (c *Collections) forget(ctx context.Context, fn func(ctx context.Context, e *collectionEdit) (int, error)) (all int, err error) {
	for n := forgottenAtOnce; n == forgottenAtOnce; all += n {
		if n, err = valueOf(ctx, c.edit, fn); err != nil {
			return all, err
		}
	}
	return all, nil
}

var (
	selectHolding = DefinePer(
		selectCollectionColumns+`FROM collections AS col WHERE col.id IN (
			SELECT collection FROM collection_videos WHERE video IN (SELECT value FROM json_each($1))) LIMIT $2`,
		selectCollectionColumns+`FROM collections AS col WHERE col.id IN (
			SELECT DISTINCT collection FROM collection_videos WHERE video = ANY ($1::bytea[]) LIMIT $2)`)
	selectCommented = define(selectCollectionColumns + `
		FROM collections AS col WHERE col.id IN (SELECT collection FROM collection_commentators WHERE user_id = $1 LIMIT $2)`)
)

// ForgetVideos implements store.Collections.
func (c *Collections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	forgotten := make(map[catalogue.ID]bool, len(ids))
	for _, id := range ids {
		forgotten[id] = true
	}
	_, err := c.forget(ctx, func(ctx context.Context, e *collectionEdit) (int, error) {
		rows, err := selectAll(ctx, e, scanCollection, selectHolding, idList(ids), forgottenAtOnce)
		if err != nil {
			return 0, err
		}
		return len(rows), e.rewrite(ctx, rows, func(c *collection.Collection) {
			c.Assets = slices.DeleteFunc(c.Assets, func(a collection.Asset) bool { return forgotten[a.VideoID] })
		})
	})
	return err
}

// ForgetUser implements store.Collections.
func (c *Collections) ForgetUser(ctx context.Context, user string) (int, error) {
	deleted, err := c.forget(ctx, func(ctx context.Context, e *collectionEdit) (int, error) { return e.forgetOwned(ctx, user) })
	if err != nil {
		return 0, err
	}
	_, err = c.forget(ctx, func(ctx context.Context, e *collectionEdit) (int, error) { return e.forgetComments(ctx, user) })
	return deleted, err
}

func (e *collectionEdit) forgetOwned(ctx context.Context, user string) (int, error) {
	e.Do(ctx, unsaveAll, user)
	rows, err := selectAll(ctx, e, scanCollection, selectOwned, user, forgottenAtOnce)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		e.remove(ctx, row.id)
	}
	return len(rows), nil
}

func (e *collectionEdit) forgetComments(ctx context.Context, user string) (int, error) {
	rows, err := selectAll(ctx, e, scanCollection, selectCommented, user, forgottenAtOnce)
	if err != nil {
		return 0, err
	}
	return len(rows), e.rewrite(ctx, rows, func(c *collection.Collection) {
		for _, asset := range c.Assets {
			for i := range asset.Comments {
				if comment := &asset.Comments[i]; comment.UserID == user {
					comment.Name, comment.Email = "", ""
				}
			}
		}
	})
}

// rewrite changes collections without changing UpdatedAt, because it does not act for their owners.
func (e *collectionEdit) rewrite(ctx context.Context, rows []*collectionRow, fn func(c *collection.Collection)) error {
	for _, row := range rows {
		before, err := row.decode()
		if err != nil {
			return err
		}
		after, err := row.decode()
		if err != nil {
			return err
		}
		fn(after)
		if row.body, err = encodeCollection(after); err != nil {
			return err
		}
		if _, err := e.put(ctx, row, before); err != nil {
			return err
		}
	}
	return nil
}

// row returns the row of a collection. It returns an error of code NotFound if there is none.
func (e *collectionEdit) row(ctx context.Context, id catalogue.ID) (*collectionRow, error) {
	row, err := selectOne(ctx, e, scanCollection, selectCollection, string(id))
	if err == nil && row == nil {
		err = fault.Errorf(fault.NotFound, "there is no collection %q", id)
	}
	return row, err
}

var putCollection = define(`
	INSERT INTO collections (id, version, created_at, updated_at, owner, is_default, body)
	VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at, body = excluded.body`)

// put stores a row as a new version and returns the collection. before is the previous collection, or nil if there was
// none.
func (e *collectionEdit) put(ctx context.Context, row *collectionRow, before *collection.Collection) (*collection.Collection, error) {
	row.version = e.log(ctx, row.id, false)
	after, err := row.decode()
	if err != nil {
		return nil, err
	}
	var owner any // NULL means the operator
	if row.owner != "" {
		owner = row.owner
	}
	e.Do(ctx, putCollection, row.id, row.version, row.created, row.updated, owner, row.isDefault, row.body)
	e.relink(ctx, insertVideo, deleteVideo, row.id, videosOf(before), videosOf(after))
	e.relink(ctx, insertCommentator, deleteCommentator, row.id, commentatorsOf(before), commentatorsOf(after))
	return after, nil
}

var (
	insertVideo       = define(`INSERT INTO collection_videos (video, collection) VALUES ($1, $2)`)
	deleteVideo       = define(`DELETE FROM collection_videos WHERE video = $1 AND collection = $2`)
	insertCommentator = define(`INSERT INTO collection_commentators (user_id, collection) VALUES ($1, $2)`)
	deleteCommentator = define(`DELETE FROM collection_commentators WHERE user_id = $1 AND collection = $2`)
)

// relink updates the rows that link to a collection, from before to after. Neither list contains duplicates.
func (e *collectionEdit) relink(ctx context.Context, insert, remove *Statement, id string, before, after []string) {
	kept := make(map[string]bool, len(after))
	for _, one := range after {
		kept[one] = true
	}
	known := make(map[string]bool, len(before))
	for _, one := range before {
		if known[one] = true; !kept[one] {
			e.Do(ctx, remove, one, id)
		}
	}
	for _, one := range after {
		if !known[one] {
			e.Do(ctx, insert, one, id)
		}
	}
}

// videosOf returns the videos of a collection, or nil if c is nil.
func videosOf(c *collection.Collection) (list []string) {
	if c == nil {
		return nil
	}
	for _, id := range c.VideoIDs() {
		list = append(list, string(id))
	}
	return list
}

// commentatorsOf returns the users whose names or addresses are in the comments of a collection, or nil if c is nil.
func commentatorsOf(c *collection.Collection) (list []string) {
	if c == nil {
		return nil
	}
	met := map[string]bool{}
	for _, asset := range c.Assets {
		for _, comment := range asset.Comments {
			if comment.UserID != "" && (comment.Name != "" || comment.Email != "") && !met[comment.UserID] {
				met[comment.UserID] = true
				list = append(list, comment.UserID)
			}
		}
	}
	return list
}

// deleteCollection contains the statements that delete a collection and everything that belongs to it.
var deleteCollection = []*Statement{
	define(`DELETE FROM collections WHERE id = $1`),
	define(`DELETE FROM collection_videos WHERE collection = $1`),
	define(`DELETE FROM collection_commentators WHERE collection = $1`),
	define(`DELETE FROM collection_saved WHERE collection = $1`),
}

// remove deletes a collection.
func (e *collectionEdit) remove(ctx context.Context, id string) {
	e.log(ctx, id, true)
	for _, st := range deleteCollection {
		e.Do(ctx, st, id)
	}
}

// checkCollection returns the faults that Validate finds as one error.
func checkCollection(c *collection.Collection) error {
	if faults := c.Validate(); len(faults) > 0 {
		return invalidCollection(faults...)
	}
	return nil
}

func invalidCollection(faults ...fault.FieldError) error {
	err := fault.InvalidRequest("the collection cannot be stored: %s", faults[0])
	err.Reasons = fault.FieldErrors(faults).Reasons()
	return err
}
