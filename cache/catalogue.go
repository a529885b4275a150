package cache

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// CatalogueOptions are the settings of a Catalogue. Zero values select the defaults.
type CatalogueOptions struct {
	// MaxStateBytes is the maximum memory for states in bytes; one takes about 430. The default is 80 MiB.
	MaxStateBytes int64
	// MaxAliases is the maximum number of cached legacy identifiers. The default is 50,000.
	MaxAliases int
	// MaxFeedBytes is the maximum memory for feed pages in bytes. The default is 32 MiB.
	MaxFeedBytes int64
	// AfterWrite, if not nil, is called after each Write that changed something, once reads show the change, so that a
	// follower of the log can read it at once.
	AfterWrite func()
}

// Catalogue is a store.Catalogue that caches results of another: states, aliases, the directory and pages of the feed.
// It caches existing items only, because callers could fill the memory with ids that do not exist.
//
// Reads show every Write and FanOut through Catalogue that ended before the read began. They show writes of other
// processes after Invalidate. Pages of the feed are always exact.
type Catalogue struct {
	store.Catalogue // serves everything that is not cached
	afterWrite      func()

	guard     guard
	states    bounded[catalogue.ID, state]
	epoch     atomic.Int64
	aliases   aliases
	directory atomic.Pointer[snapshot]
	loads     flights[*catalogue.Directory]
	pages     bounded[feedKey, feedPage]

	lookups struct{ states, aliases, directory, feed lookups }
}

// bounded has the methods of otter.Cache that this package calls. Each package that imports a struct with a generic field
// compiles the field's methods again, so structs have fields of this type instead.
type bounded[K comparable, V any] interface {
	GetIfPresent(key K) (V, bool)
	Set(key K, value V) (V, bool)
	Invalidate(key K) (V, bool)
	InvalidateAll()
	CleanUp()
	WeightedSize() uint64
	EstimatedSize() int
}

// NewCatalogue returns a cache of primary. A follower of the log of primary must call InvalidateAll, and then
// Invalidate with all changes after the position of the log before that call. Closing the Catalogue closes primary.
func NewCatalogue(primary store.Catalogue, options CatalogueOptions) *Catalogue {
	if options.MaxStateBytes <= 0 {
		options.MaxStateBytes = 80 << 20
	}
	if options.MaxAliases <= 0 {
		options.MaxAliases = 50_000
	}
	if options.MaxFeedBytes <= 0 {
		options.MaxFeedBytes = 32 << 20
	}
	if options.AfterWrite == nil {
		options.AfterWrite = func() {}
	}
	return &Catalogue{
		Catalogue:  primary,
		afterWrite: options.AfterWrite,
		states: otter.Must(&otter.Options[catalogue.ID, state]{
			MaximumWeight: uint64(options.MaxStateBytes),
			Weigher:       func(_ catalogue.ID, s state) uint32 { return s.weight() },
		}),
		aliases: newAliases(options.MaxAliases),
		pages: otter.Must(&otter.Options[feedKey, feedPage]{
			MaximumWeight: uint64(options.MaxFeedBytes),
			Weigher:       func(_ feedKey, p feedPage) uint32 { return p.weight() },
		}),
	}
}

// Write implements store.Catalogue.
func (c *Catalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	var written touched
	// Also after an error, because a commit may take effect and still fail.
	defer func() {
		if written.any() {
			c.guard.invalidate(func() { c.forget(written) })
			c.afterWrite()
		}
	}()
	return c.Catalogue.Write(ctx, func(ctx context.Context, tx store.Tx) error {
		return fn(ctx, &notingTx{Tx: tx, written: &written})
	})
}

// FanOut implements store.Catalogue. It removes the changed videos from the cache.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	before, err := c.Head(ctx)
	if err != nil {
		return false, err
	}
	defer c.forgetSince(ctx, before) // also after an error, because a commit may take effect and still fail
	return c.Catalogue.FanOut(ctx, limit)
}

// forgetSince removes the videos that changed after a position of the log, or everything if it cannot read the log.
func (c *Catalogue) forgetSince(ctx context.Context, after store.Position) {
	for {
		changes, err := c.Changes(ctx, after, fanOutChanges)
		if err != nil {
			c.InvalidateAll()
			return
		}
		if len(changes) == 0 {
			return
		}
		after = changes[len(changes)-1].Position
		var news touched
		for _, change := range changes {
			if change.Kind == catalogue.KindVideo {
				news.note(change.Kind, change.ID)
			}
		}
		c.guard.invalidate(func() { c.forget(news) })
	}
}

// fanOutChanges is the maximum number of log entries of one read.
const fanOutChanges = 2_000

// Invalidate removes everything that the changes of the log make stale. One follower calls it, in order and without
// gaps since the last InvalidateAll.
func (c *Catalogue) Invalidate(changes []store.Change) {
	if len(changes) == 0 {
		return
	}
	c.guard.invalidate(func() {
		var news touched
		for _, change := range changes {
			if change.Kind == catalogue.KindVideo || !c.directoryReflects(change.Position) {
				news.note(change.Kind, change.ID)
			}
			news.channels = news.channels || change.Kind == catalogue.KindChannel
		}
		c.forget(news)
		c.advanceDirectory(changes[len(changes)-1].Position)
	})
}

// InvalidateAll invalidates everything. The follower calls it when it starts and when it loses its position in the log.
func (c *Catalogue) InvalidateAll() {
	c.guard.invalidate(func() {
		c.epoch.Add(1)
		c.aliases.forgetAll()
		c.directory.Store(nil)
		c.pages.InvalidateAll() // a different log has other videos at the same positions
	})
}

// forget removes the touched items. It runs within guard.invalidate.
func (c *Catalogue) forget(t touched) {
	for _, id := range t.videos {
		c.states.Invalidate(id)
		c.aliases.forget(id)
	}
	if t.channels { // the privacy and the categories of a channel are part of the states of its videos
		c.epoch.Add(1)
	}
	if t.small {
		c.directory.Store(nil)
	}
}

// Close implements store.Catalogue.
func (c *Catalogue) Close() error {
	c.InvalidateAll()
	c.states.InvalidateAll()
	c.pages.InvalidateAll()
	return c.Catalogue.Close()
}

// touched records the items that a write, or a part of the log, changed.
type touched struct {
	videos []catalogue.ID
	// small is set for an item of the directory, channels for a channel, and records for an owned item.
	small, channels, records bool
}

func (t *touched) any() bool { return t.small || t.records || len(t.videos) > 0 }

// note records one changed item. The cache contains no owned items.
func (t *touched) note(kind catalogue.Kind, id catalogue.ID) {
	switch {
	case kind == catalogue.KindVideo:
		t.videos = append(t.videos, id)
	case kind.IsRecord():
		t.records = true
	default:
		t.small = true
		t.channels = t.channels || kind == catalogue.KindChannel
	}
}

// noteOwner records the video of an owned item if writing the item gives the video a new version.
func (t *touched) noteOwner(item catalogue.Item) {
	if record, ok := item.(catalogue.OwnedItem); ok && record.Kind().MovesVideo() {
		t.videos = append(t.videos, record.Owner().ID)
	}
}

// notingTx is a store.Tx that records the changed items.
type notingTx struct {
	store.Tx
	written *touched
}

func (tx *notingTx) Put(ctx context.Context, items []catalogue.Item) ([]store.Outcome, error) {
	if err := tx.noteLeft(ctx, items); err != nil {
		return nil, err
	}
	outcomes, err := tx.Tx.Put(ctx, items)
	for i, item := range items {
		// An error comes without outcomes, so all items count as changed.
		if err == nil && (outcomes[i].Status == store.Unchanged || outcomes[i].Status == store.Rejected) {
			continue
		}
		tx.written.note(item.Kind(), item.Head().ID)
		tx.written.noteOwner(item)
	}
	return outcomes, err
}

// noteLeft records the current videos of highlights, because Put may move highlights to other videos. Captions never
// move.
func (tx *notingTx) noteLeft(ctx context.Context, items []catalogue.Item) error {
	var ids []catalogue.ID
	for _, item := range items {
		if item.Kind() == catalogue.KindHighlight {
			ids = append(ids, item.Head().ID)
		}
	}
	return tx.noteOwners(ctx, catalogue.KindHighlight, ids)
}

// noteOwners records the videos of the stored owned items.
func (tx *notingTx) noteOwners(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) error {
	if !kind.MovesVideo() || len(ids) == 0 {
		return nil
	}
	stored, err := tx.Items(ctx, kind, ids)
	for _, record := range stored {
		tx.written.noteOwner(record)
	}
	return err
}

func (tx *notingTx) Delete(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.ID, error) {
	if err := tx.noteOwners(ctx, kind, ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		tx.written.note(kind, id)
	}
	return tx.Tx.Delete(ctx, kind, ids)
}

// guard prevents a read that began before a write from caching its stale result after the write.
type guard struct {
	mu         sync.RWMutex
	generation atomic.Int64
}

// begin returns the current generation. A reader calls it before a read and passes the result to keep.
func (g *guard) begin() int64 { return g.generation.Load() }

// keep calls put, unless invalidate was called since begin.
func (g *guard) keep(begun int64, put func()) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.generation.Load() == begun {
		put()
	}
}

// invalidate calls forget. Reads that began before it cache nothing afterwards.
func (g *guard) invalidate(forget func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.generation.Add(1)
	forget()
}
