package storelogic

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

// CollectionEdit does what methods of store.Collections do within one open transaction.
type CollectionEdit struct {
	// Position is the last one of the log. It moves on as collections change; engines that do not keep it by
	// themselves store it.
	Position store.Position

	engine CollectionEngine
	now    time.Time
}

// EditCollections makes the edit of a transaction that was begun, after the last position of the log.
func EditCollections(engine CollectionEngine, last store.Position, now time.Time) *CollectionEdit {
	return &CollectionEdit{Position: last, engine: engine, now: now}
}

// Create is store.Collections.Create.
func (e *CollectionEdit) Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error) {
	if err := checkCollection(created); err != nil {
		return nil, err
	}
	if created.Default {
		if created.Owner == "" {
			return nil, invalidCollection(fault.FieldError{Field: "default", Problem: "is of a collection that has an owner"})
		}
		if row, err := e.engine.DefaultOf(ctx, created.Owner); err != nil {
			return nil, err
		} else if row != nil {
			return row.Collection()
		}
	}
	if row, err := e.engine.Row(ctx, created.ID); err != nil {
		return nil, err
	} else if row != nil {
		return nil, fault.Errorf(fault.Conflict, "there is a collection %q already", created.ID)
	}
	if created.Owner != "" {
		if n, err := e.engine.CountOwned(ctx, created.Owner); err != nil {
			return nil, err
		} else if n >= collection.MaxOwned {
			return nil, fault.InvalidRequest("a user may have %d collections, no more", collection.MaxOwned)
		}
	}
	body, err := encodeCollection(created)
	if err != nil {
		return nil, err
	}
	at := e.now.UnixMicro()
	row := &CollectionRow{ID: created.ID, Created: at, Updated: at, Owner: created.Owner, Default: created.Default, Body: body}
	return e.put(ctx, row, nil)
}

// Change is store.Collections.Change.
func (e *CollectionEdit) Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (*collection.Collection, error) {
	row, err := e.row(ctx, id)
	if err != nil {
		return nil, err
	}
	changed, err := row.Collection()
	if err != nil {
		return nil, err
	}
	if err := fn(changed); err != nil {
		return nil, err
	}
	before, err := row.Collection()
	if err != nil {
		return nil, err
	}
	changed.ID, changed.Account, changed.Owner = before.ID, before.Account, before.Owner
	changed.Service, changed.Default = before.Service, before.Default
	body, err := encodeCollection(changed)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(body, row.Body) {
		return before, nil
	}
	if err := checkCollection(changed); err != nil {
		return nil, err
	}
	// Two changes within a microsecond, or with a clock that was set back, differ in time all the same: who locks
	// a collection by the time of its last change must notice the other.
	row.Body, row.Updated = body, max(e.now.UnixMicro(), row.Updated+1)
	return e.put(ctx, row, before)
}

// Delete is store.Collections.Delete.
func (e *CollectionEdit) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	row, err := e.row(ctx, id)
	if err != nil {
		return err
	}
	c, err := row.Collection()
	if err != nil {
		return err
	}
	if err := check(c); err != nil {
		return err
	}
	return e.remove(ctx, id)
}

// Save is store.Collections.Save.
func (e *CollectionEdit) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	row, err := e.row(ctx, id)
	if err != nil {
		return err
	}
	if !saved {
		return e.engine.SetSaved(ctx, user, id, false)
	}
	if user == "" || user == row.Owner {
		return fault.InvalidRequest("a collection is saved by a user who does not own it")
	}
	already, err := e.engine.IsSaved(ctx, user, id)
	if err != nil || already {
		return err
	}
	if n, err := e.engine.CountSaved(ctx, user); err != nil {
		return err
	} else if n >= collection.MaxSaved {
		return fault.InvalidRequest("a user may have %d collections saved, no more", collection.MaxSaved)
	}
	return e.engine.SetSaved(ctx, user, id, true)
}

// ForgottenAtOnce is how many collections one call of ForgetVideos, ForgetOwned or ForgetComments goes through, so
// that other writers wait little.
const ForgottenAtOnce = 100

// ForgetVideos takes videos out of some of the collections that hold them, and returns how many these were: fewer
// than ForgottenAtOnce where none is left.
func (e *CollectionEdit) ForgetVideos(ctx context.Context, ids []catalogue.ID) (int, error) {
	rows, err := e.engine.Holding(ctx, ids, ForgottenAtOnce)
	if err != nil {
		return 0, err
	}
	forgotten := make(map[catalogue.ID]bool, len(ids))
	for _, id := range ids {
		forgotten[id] = true
	}
	return len(rows), e.rewrite(ctx, rows, func(c *collection.Collection) {
		c.Assets = slices.DeleteFunc(c.Assets, func(a collection.Asset) bool { return forgotten[a.VideoID] })
	})
}

// ForgetOwned deletes some of what a user owns, and all that they have saved. It returns how many were deleted:
// fewer than ForgottenAtOnce where none is left.
func (e *CollectionEdit) ForgetOwned(ctx context.Context, user string) (int, error) {
	if err := e.engine.UnsaveAll(ctx, user); err != nil {
		return 0, err
	}
	rows, err := e.engine.OwnedBy(ctx, user, ForgottenAtOnce)
	if err != nil {
		return 0, err
	}
	for _, row := range rows {
		if err := e.remove(ctx, row.ID); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// ForgetComments takes a user's name and address out of the comments of some collections, and returns how many
// these were: fewer than ForgottenAtOnce where none is left.
func (e *CollectionEdit) ForgetComments(ctx context.Context, user string) (int, error) {
	rows, err := e.engine.CommentedBy(ctx, user, ForgottenAtOnce)
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

// rewrite changes collections for somebody else's sake than that of their owners: when they were updated stays.
func (e *CollectionEdit) rewrite(ctx context.Context, rows []*CollectionRow, fn func(c *collection.Collection)) error {
	for _, row := range rows {
		before, err := row.Collection()
		if err != nil {
			return err
		}
		after, err := row.Collection()
		if err != nil {
			return err
		}
		fn(after)
		if row.Body, err = encodeCollection(after); err != nil {
			return err
		}
		if _, err := e.put(ctx, row, before); err != nil {
			return err
		}
	}
	return nil
}

// row reads a collection that must be there.
func (e *CollectionEdit) row(ctx context.Context, id catalogue.ID) (*CollectionRow, error) {
	if row, err := e.engine.Row(ctx, id); err != nil || row != nil {
		return row, err
	}
	return nil, fault.Errorf(fault.NotFound, "there is no collection %q", id)
}

// put writes a row as a new version, in the place of what was before (nil: nothing), and returns the collection.
func (e *CollectionEdit) put(ctx context.Context, row *CollectionRow, before *collection.Collection) (*collection.Collection, error) {
	var err error
	if row.Version, err = e.log(ctx, row.ID, false); err != nil {
		return nil, err
	}
	after, err := row.Collection()
	if err != nil {
		return nil, err
	}
	if err := e.engine.PutRow(ctx, row); err != nil {
		return nil, err
	}
	err = e.engine.Link(ctx, row.ID, linksOf(videosOf(before), videosOf(after)), linksOf(commentatorsOf(before), commentatorsOf(after)))
	if err != nil {
		return nil, err
	}
	return after, nil
}

// remove deletes a collection.
func (e *CollectionEdit) remove(ctx context.Context, id catalogue.ID) error {
	if _, err := e.log(ctx, id, true); err != nil {
		return err
	}
	return e.engine.DeleteRow(ctx, id)
}

// log adds an entry to the log and returns its position.
func (e *CollectionEdit) log(ctx context.Context, id catalogue.ID, deleted bool) (store.Position, error) {
	e.Position++
	return e.Position, e.engine.AddChange(ctx, store.Change{Position: e.Position, Kind: store.KindCollection, ID: id, Deleted: deleted})
}

// checkCollection returns what Validate finds, as one error.
func checkCollection(c *collection.Collection) error {
	if faults := c.Validate(); len(faults) > 0 {
		return invalidCollection(faults...)
	}
	return nil
}

func invalidCollection(faults ...fault.FieldError) error {
	err := fault.InvalidRequest("the collection cannot be stored: %s", faults[0])
	for _, problem := range faults {
		err.Reasons = append(err.Reasons, problem.Error())
	}
	return err
}
