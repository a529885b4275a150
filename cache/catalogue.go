package cache

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// CatalogueOptions are the settings of a Catalogue. Zero values stand for the defaults.
type CatalogueOptions struct {
	// MaxStates is the most remembered states, at about 600 bytes each; a state with long lists counts as several. 0: 200,000.
	MaxStates int
	// MaxAliases is the most remembered legacy identifiers. 0: 50,000.
	MaxAliases int
	// MaxFeedBytes is the most memory for feed pages. 0: 32 MB.
	MaxFeedBytes int64
	// AfterWrite is called after each Write, once reads show it, so that a follower of the log can read it at once; nil:
	// nothing is called.
	AfterWrite func()
}

// Catalogue is a store.Catalogue that remembers answers of another: states, aliases, the directory and pages of the feed. It
// remembers only what exists: a caller could choose any number of IDs that do not exist and fill the memory.
//
// Reads show every Write and FanOut through Catalogue that ended before they began. They show writes of others after Invalidate;
// pages of the feed are always exact.
type Catalogue struct {
	store.Catalogue // answers what is not remembered
	afterWrite      func()

	guard     guard
	states    *otter.Cache[catalogue.ID, state]
	era       atomic.Int64
	aliases   aliases
	directory atomic.Pointer[snapshot]
	loads     flights[*catalogue.Directory]
	pages     *otter.Cache[feedKey, feedPage]

	lookups struct{ states, aliases, directory, feed lookups }
}

// NewCatalogue remembers the answers of primary. A follower of its log must call InvalidateAll, and then Invalidate with all
// changes behind the position at which the log stood before that call. Closing the Catalogue closes primary.
func NewCatalogue(primary store.Catalogue, options CatalogueOptions) *Catalogue {
	if options.MaxStates <= 0 {
		options.MaxStates = 200_000
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
			MaximumWeight: uint64(options.MaxStates) * usualState,
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
	// Also after an error: a commit may fail after it took effect.
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

// FanOut implements store.Catalogue, and forgets the changed videos.
func (c *Catalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	before, err := c.Head(ctx)
	if err != nil {
		return false, err
	}
	defer c.forgetSince(ctx, before) // also after an error: that of a commit may come after it took effect
	return c.Catalogue.FanOut(ctx, limit)
}

// forgetSince forgets the videos that the log names behind a position, or everything if the log cannot be read.
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

// fanOutChanges is the greatest number of log entries to read at once.
const fanOutChanges = 2_000

// Invalidate forgets what changes of the log made old. One follower calls it, in order and without gaps since the last
// InvalidateAll.
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

// InvalidateAll forgets everything: the follower begins, or has lost its place in the log.
func (c *Catalogue) InvalidateAll() {
	c.guard.invalidate(func() {
		c.era.Add(1)
		c.aliases.forgetAll()
		c.directory.Store(nil)
		c.pages.InvalidateAll() // another history has the same positions with other videos
	})
}

// forget runs within guard.invalidate.
func (c *Catalogue) forget(t touched) {
	for _, id := range t.videos {
		c.states.Invalidate(id)
		c.aliases.forget(id)
	}
	if t.channels { // a channel's privacy and categories are part of the states of all its videos
		c.era.Add(1)
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

// touched is what a write or a part of the log changed.
type touched struct {
	videos []catalogue.ID
	// small: something in the directory; channels: a channel; records: an owned item.
	small, channels, records bool
}

func (t *touched) any() bool { return t.small || t.records || len(t.videos) > 0 }

// note records one changed thing. Owned items themselves are not remembered here.
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

// noteOwner records the video that an owned item belongs to.
func (t *touched) noteOwner(item catalogue.Item) {
	if record, ok := item.(catalogue.OwnedItem); ok && record.Kind().MovesVideo() {
		t.videos = append(t.videos, record.Owner().ID)
	}
}

// notingTx records what is written.
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
		// Before the check for outcomes: after an error there may be none.
		if err == nil && (outcomes[i].Status == store.Unchanged || outcomes[i].Status == store.Rejected) {
			continue
		}
		tx.written.note(item.Kind(), item.Head().ID)
		tx.written.noteOwner(item)
	}
	return outcomes, err
}

// noteLeft records the videos that highlights may be about to leave. Captions never leave their video.
func (tx *notingTx) noteLeft(ctx context.Context, items []catalogue.Item) error {
	var ids []catalogue.ID
	for _, item := range items {
		if item.Kind() == catalogue.KindHighlight {
			ids = append(ids, item.Head().ID)
		}
	}
	return tx.noteOwners(ctx, catalogue.KindHighlight, ids)
}

// noteOwners records the videos of owned items, as they are stored.
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

// guard keeps a read that began before a write from storing an old answer after it.
type guard struct {
	mu         sync.RWMutex
	generation atomic.Int64
}

// begin is called before a read. Its result is passed to keep.
func (g *guard) begin() int64 { return g.generation.Load() }

// keep calls put unless something was invalidated since begin.
func (g *guard) keep(begun int64, put func()) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.generation.Load() == begun {
		put()
	}
}

// invalidate calls forget. Reads that began before it store nothing afterwards.
func (g *guard) invalidate(forget func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.generation.Add(1)
	forget()
}
