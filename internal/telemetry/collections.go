package telemetry

import (
	"context"
	"iter"

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

func (w *watchedCollections) Collections(ctx context.Context, ids []catalogue.ID) (found []*collection.Collection, err error) {
	ctx, call := w.collections.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Collections(ctx, ids)
}

func (w *watchedCollections) WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error) {
	ctx, call := w.withParts.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.WithParts(ctx, ids, most)
}

func (w *watchedCollections) UserCollections(ctx context.Context, user string) (userCollections store.UserCollections, err error) {
	ctx, call := w.userCollections.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.UserCollections(ctx, user)
}

func (w *watchedCollections) Saved(ctx context.Context, user string, ids []catalogue.ID) (saved map[catalogue.ID]bool, err error) {
	ctx, call := w.saved.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Saved(ctx, user, ids)
}

func (w *watchedCollections) Scan(ctx context.Context, after catalogue.ID, limit int) (found []*collection.Collection, err error) {
	ctx, call := w.scan.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Scan(ctx, after, limit)
}

func (w *watchedCollections) Create(ctx context.Context, created *collection.Collection) (stored *collection.Collection, err error) {
	ctx, call := w.create.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Create(ctx, created)
}

func (w *watchedCollections) Change(
	ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error,
) (stored *collection.Collection, err error) {
	ctx, call := w.change.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Change(ctx, id, fn)
}

func (w *watchedCollections) Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) (err error) {
	ctx, call := w.remove.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Delete(ctx, id, check)
}

func (w *watchedCollections) Save(ctx context.Context, user string, id catalogue.ID, saved bool) (err error) {
	ctx, call := w.save.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Save(ctx, user, id, saved)
}

func (w *watchedCollections) ForgetVideos(ctx context.Context, ids []catalogue.ID) (err error) {
	ctx, call := w.forgetVideos.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.ForgetVideos(ctx, ids)
}

func (w *watchedCollections) ForgetUser(ctx context.Context, user string) (deleted int, err error) {
	ctx, call := w.forgetUser.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.ForgetUser(ctx, user)
}

func (w *watchedCollections) Head(ctx context.Context) (position store.Position, err error) {
	ctx, call := w.head.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Head(ctx)
}

func (w *watchedCollections) Changes(ctx context.Context, after store.Position, limit int) (changes []store.Change, err error) {
	ctx, call := w.changes.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Changes(ctx, after, limit)
}

func (w *watchedCollections) Trim(ctx context.Context, keep int) (err error) {
	ctx, call := w.trim.begin(ctx)
	defer func() { call.end(err) }()
	return w.keptCollections.Trim(ctx, keep)
}

// CollectionReader measures and traces Find of a reader of an engine.
func (t *Telemetry) CollectionReader(next search.CollectionReader, engine string) search.CollectionReader {
	return &watchedCollectionReader{next, t.engines.operation("collection search", engine, "find")}
}

// CollectionWriter measures and traces the calls of a writer of an engine, except Position.
func (t *Telemetry) CollectionWriter(next search.CollectionWriter, engine string) search.CollectionWriter {
	of := func(name string) *operation { return t.engines.operation("collection search", engine, name) }
	return &watchedCollectionWriter{CollectionWriter: next, apply: of("apply"), rebuild: of("rebuild"), count: of("count")}
}

type watchedCollectionReader struct {
	search.CollectionReader
	find *operation
}

type watchedCollectionWriter struct {
	search.CollectionWriter
	apply, rebuild, count *operation
}

func (w *watchedCollectionReader) Find(ctx context.Context, query search.CollectionQuery) (result *search.CollectionResult, err error) {
	ctx, call := w.find.begin(ctx)
	defer func() { call.end(err) }()
	return w.CollectionReader.Find(ctx, query)
}

func (w *watchedCollectionWriter) Apply(ctx context.Context, batch search.CollectionBatch) (err error) {
	ctx, call := w.apply.begin(ctx)
	defer func() { call.end(err) }()
	return w.CollectionWriter.Apply(ctx, batch)
}

func (w *watchedCollectionWriter) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) (err error) {
	ctx, call := w.rebuild.begin(ctx)
	defer func() { call.end(err) }()
	return w.CollectionWriter.Rebuild(ctx, position, documents)
}

func (w *watchedCollectionWriter) Count(ctx context.Context) (n int, err error) {
	ctx, call := w.count.begin(ctx)
	defer func() { call.end(err) }()
	return w.CollectionWriter.Count(ctx)
}
