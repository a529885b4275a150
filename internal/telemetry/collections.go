package telemetry

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// Collections counts the calls of a store of collections, and traces calls of recorded requests. engine names it.
// Closing the result closes next.
func (t *Telemetry) Collections(next store.Collections, engine string) store.Collections {
	of := func(name string) *operation { return t.engines.operation("collections", engine, name) }
	return &watchedCollections{
		keptCollections: next,
		collections:     of("collections"), withParts: of("with parts"), userCollections: of("user collections"), saved: of("saved"), scan: of("scan"),
		create: of("create"), change: of("change"), remove: of("delete"), save: of("save"),
		forgetVideos: of("forget videos"), forgetUser: of("forget user"),
		head: of("head"), changes: of("changes"), trim: of("trim"),
	}
}

// keptCollections has a name that no method has, so that it can be embedded.
type keptCollections interface{ store.Collections }

type watchedCollections struct {
	keptCollections
	collections, withParts, userCollections, saved, scan   *operation
	create, change, remove, save, forgetVideos, forgetUser *operation
	head, changes, trim                                    *operation
}

func (w *watchedCollections) Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error) {
	return measure1(ctx, w.collections, w.keptCollections.Collections, ids)
}

func (w *watchedCollections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	ctx, call := w.withParts.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.WithParts(ctx, ids, most)
}

func (w *watchedCollections) UserCollections(ctx context.Context, user string) (store.UserCollections, error) {
	return measure1(ctx, w.userCollections, w.keptCollections.UserCollections, user)
}

func (w *watchedCollections) Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error) {
	return measure2(ctx, w.saved, w.keptCollections.Saved, user, ids)
}

func (w *watchedCollections) Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error) {
	return measure2(ctx, w.scan, w.keptCollections.Scan, after, limit)
}

func (w *watchedCollections) Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error) {
	return measure1(ctx, w.create, w.keptCollections.Create, created)
}

func (w *watchedCollections) Change(
	ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error,
) (*collection.Collection, error) {
	return measure2(ctx, w.change, w.keptCollections.Change, id, fn)
}

func (w *watchedCollections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error {
	return w.remove.run(ctx, func(ctx context.Context) error { return w.keptCollections.Delete(ctx, id, check) })
}

func (w *watchedCollections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) error {
	return w.save.run(ctx, func(ctx context.Context) error { return w.keptCollections.Save(ctx, user, id, saved) })
}

func (w *watchedCollections) ForgetVideos(ctx context.Context, ids []catalogue.ID) error {
	return w.forgetVideos.run(ctx, func(ctx context.Context) error { return w.keptCollections.ForgetVideos(ctx, ids) })
}

func (w *watchedCollections) ForgetUser(ctx context.Context, user string) (int, error) {
	return measure1(ctx, w.forgetUser, w.keptCollections.ForgetUser, user)
}

func (w *watchedCollections) Head(ctx context.Context) (store.Position, error) {
	return measure(ctx, w.head, w.keptCollections.Head)
}

func (w *watchedCollections) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	return measure2(ctx, w.changes, w.keptCollections.Changes, after, limit)
}

func (w *watchedCollections) Trim(ctx context.Context, keep int) error {
	return w.trim.run(ctx, func(ctx context.Context) error { return w.keptCollections.Trim(ctx, keep) })
}

// CollectionReader measures and traces Find of a reader of an engine.
func (t *Telemetry) CollectionReader(next search.CollectionReader, engine string) search.CollectionReader {
	return &watchedCollectionReader{next, t.engines.operation("collection search", engine, "find")}
}

// CollectionWriter measures and traces the calls of a writer of an engine, except Position.
func (t *Telemetry) CollectionWriter(next search.CollectionWriter, engine string) search.CollectionWriter {
	return watchWriter(t, next, "collection search", engine)
}

type watchedCollectionReader struct {
	search.CollectionReader
	find *operation
}

func (w *watchedCollectionReader) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	return measure(ctx, w.find, func(ctx context.Context) (*search.CollectionResult, error) {
		return w.CollectionReader.Find(ctx, query)
	})
}
