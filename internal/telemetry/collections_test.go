package telemetry_test

import (
	"context"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/store/storetest"
)

func TestWatchedCollectionsConform(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the whole suite of the store of collections")
	}
	watch := newTelemetry(t, telemetry.Options{})
	storetest.Collections(t, func(t *testing.T, now func() time.Time) func() store.Collections {
		path := filepath.Join(t.TempDir(), "collections.db")
		return func() store.Collections {
			c, err := sqlite.OpenCollections(t.Context(), path, sqlite.WithClock(now))
			if err != nil {
				t.Fatal(err)
			}
			return watch.Collections(c, "sqlite")
		}
	})
}

func TestWatchedCollectionIndexConforms(t *testing.T) {
	watch := newTelemetry(t, telemetry.Options{})
	searchtest.RunCollections(t, func(*testing.T) search.CollectionIndex {
		index := embedded.OpenCollections(nil)
		return searchtest.JoinCollections(watch.CollectionReader(index, "embedded"), watch.CollectionWriter(index, "embedded"), index)
	})
}

type failingCollections struct {
	// The embedded type is named, because its own name would collide with a method.
	named
	err error
}

type named interface{ store.Collections }

func (f failingCollections) Collections(context.Context, []catalogue.ID) ([]*collection.Collection, error) {
	return nil, f.err
}
func (f failingCollections) WithParts(context.Context, []catalogue.ID, int) (list, parts []*collection.Collection, err error) {
	return nil, nil, f.err
}
func (f failingCollections) UserCollections(context.Context, string) (store.UserCollections, error) {
	return store.UserCollections{}, f.err
}
func (f failingCollections) Saved(context.Context, string, []catalogue.ID) (map[catalogue.ID]bool, error) {
	return nil, f.err
}
func (f failingCollections) Scan(context.Context, catalogue.ID, int) ([]*collection.Collection, error) {
	return nil, f.err
}
func (f failingCollections) Create(context.Context, *collection.Collection) (*collection.Collection, error) {
	return nil, f.err
}
func (f failingCollections) Change(
	context.Context, catalogue.ID, func(*collection.Collection) error,
) (*collection.Collection, error) {
	return nil, f.err
}
func (f failingCollections) Delete(context.Context, catalogue.ID, func(*collection.Collection) error) error {
	return f.err
}
func (f failingCollections) Save(context.Context, string, catalogue.ID, bool) error { return f.err }
func (f failingCollections) ForgetVideos(context.Context, []catalogue.ID) error     { return f.err }
func (f failingCollections) ForgetUser(context.Context, string) (int, error)        { return 0, f.err }
func (f failingCollections) Head(context.Context) (store.Position, error)           { return 0, f.err }
func (f failingCollections) Trim(context.Context, int) error                        { return f.err }
func (f failingCollections) Changes(context.Context, store.Position, int) ([]store.Change, error) {
	return nil, f.err
}

type failingCollectionIndex struct {
	search.CollectionIndex
	err error
}

func (f failingCollectionIndex) Find(context.Context, search.CollectionQuery) (*search.CollectionResult, error) {
	return nil, f.err
}
func (f failingCollectionIndex) Apply(context.Context, search.CollectionBatch) error { return f.err }
func (f failingCollectionIndex) Rebuild(context.Context, int64, iter.Seq2[search.CollectionDocument, error]) error {
	return f.err
}
func (f failingCollectionIndex) Count(context.Context) (int, error) { return 0, f.err }

// collectionCalls returns all calls of both ports of collections, on engines that fail with the given error.
func collectionCalls(ctx context.Context, watch *telemetry.Telemetry, fault error) []engineCall {
	c := watch.Collections(failingCollections{err: fault}, "l")
	i, w := watch.CollectionReader(failingCollectionIndex{err: fault}, "f"), watch.CollectionWriter(failingCollectionIndex{err: fault}, "f")
	var query search.CollectionQuery
	return []engineCall{
		{"collections", "l", "collections", func() error { _, err := c.Collections(ctx, nil); return err }},
		{"collections", "l", "user collections", func() error { _, err := c.UserCollections(ctx, ""); return err }},
		{"collections", "l", "with parts", func() error { _, _, err := c.WithParts(ctx, nil, 1); return err }},
		{"collections", "l", "saved", func() error { _, err := c.Saved(ctx, "", nil); return err }},
		{"collections", "l", "scan", func() error { _, err := c.Scan(ctx, "", 1); return err }},
		{"collections", "l", "create", func() error { _, err := c.Create(ctx, nil); return err }},
		{"collections", "l", "change", func() error { _, err := c.Change(ctx, "", nil); return err }},
		{"collections", "l", "delete", func() error { return c.Delete(ctx, "", nil) }},
		{"collections", "l", "save", func() error { return c.Save(ctx, "", "", true) }},
		{"collections", "l", "forget videos", func() error { return c.ForgetVideos(ctx, nil) }},
		{"collections", "l", "forget user", func() error { _, err := c.ForgetUser(ctx, ""); return err }},
		{"collections", "l", "head", func() error { _, err := c.Head(ctx); return err }},
		{"collections", "l", "changes", func() error { _, err := c.Changes(ctx, 0, 1); return err }},
		{"collections", "l", "trim", func() error { return c.Trim(ctx, 1) }},
		{"collection search", "f", "find", func() error { _, err := i.Find(ctx, query); return err }},
		{"collection search", "f", "apply", func() error { return w.Apply(ctx, search.CollectionBatch{}) }},
		{"collection search", "f", "rebuild", func() error { return w.Rebuild(ctx, 0, nil) }},
		{"collection search", "f", "count", func() error { _, err := w.Count(ctx); return err }},
	}
}
