package telemetry

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// Catalogue counts the calls of a store, and traces calls of recorded requests. engine names it. Methods of next beyond
// the port (leases, lineage) are available on next only. Closing the result closes next.
func (t *Telemetry) Catalogue(next store.Catalogue, engine string) store.Catalogue {
	of := func(name string) *operation { return t.engines.operation("store", engine, name) }
	return &watchedCatalogue{
		Catalogue: next,
		videos:    of("videos"), states: of("states"), transcripts: of("transcripts"), aliases: of("aliases"),
		directory: of("directory"), ownedItems: of("owned items"), ownedItemsOf: of("owned items of"),
		ownedItemsSince: of("owned items since"), countOwnedItems: of("count owned items"), feed: of("feed"), scan: of("scan"), count: of("count"),
		removals: of("removals"), audit: of("audit"),
		head: of("head"), changes: of("changes"), trim: of("trim"), attest: of("attest"), attested: of("attested"),
		write: of("write"), fanOut: of("fan out"),
	}
}

type watchedCatalogue struct {
	store.Catalogue
	videos, states, transcripts, aliases, directory, feed, scan, count          *operation
	ownedItems, ownedItemsOf, ownedItemsSince, countOwnedItems, removals, audit *operation
	head, changes, trim, attest, attested, write, fanOut                        *operation
}

func (w *watchedCatalogue) Videos(ctx context.Context, ids []catalogue.ID) (videos []*catalogue.Video, err error) {
	ctx, call := w.videos.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Videos(ctx, ids)
}

func (w *watchedCatalogue) States(ctx context.Context, ids []catalogue.ID) (states []catalogue.State, err error) {
	ctx, call := w.states.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.States(ctx, ids)
}

func (w *watchedCatalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (texts map[catalogue.ID]string, err error) {
	ctx, call := w.transcripts.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Transcripts(ctx, ids)
}

func (w *watchedCatalogue) Aliases(ctx context.Context, legacy []string) (ids map[string]catalogue.ID, err error) {
	ctx, call := w.aliases.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Aliases(ctx, legacy)
}

func (w *watchedCatalogue) Directory(ctx context.Context, atLeast store.Position) (directory *catalogue.Directory, err error) {
	ctx, call := w.directory.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Directory(ctx, atLeast)
}

func (w *watchedCatalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (records []catalogue.OwnedItem, err error) {
	ctx, call := w.ownedItems.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.OwnedItems(ctx, kind, ids)
}

func (w *watchedCatalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) (records []catalogue.OwnedItem, err error) {
	ctx, call := w.ownedItemsOf.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.OwnedItemsOf(ctx, kind, owners)
}

func (w *watchedCatalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) (records []catalogue.OwnedItem, err error) {
	ctx, call := w.ownedItemsSince.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.OwnedItemsSince(ctx, kind, after, limit)
}

func (w *watchedCatalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest store.Position, err error) {
	ctx, call := w.countOwnedItems.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.CountOwnedItems(ctx, kind)
}

func (w *watchedCatalogue) Feed(ctx context.Context, query store.FeedQuery) (page store.FeedPage, err error) {
	ctx, call := w.feed.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Feed(ctx, query)
}

func (w *watchedCatalogue) Scan(ctx context.Context, after int64, limit int) (videos []*catalogue.Video, err error) {
	ctx, call := w.scan.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Scan(ctx, after, limit)
}

func (w *watchedCatalogue) CountVideos(ctx context.Context) (n int, err error) {
	ctx, call := w.count.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.CountVideos(ctx)
}

func (w *watchedCatalogue) Removals(ctx context.Context, query store.RemovalQuery) (page store.RemovalPage, err error) {
	ctx, call := w.removals.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Removals(ctx, query)
}

func (w *watchedCatalogue) Audit(ctx context.Context, query store.CatalogueAuditQuery) (entries []store.CatalogueAuditEntry, err error) {
	ctx, call := w.audit.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Audit(ctx, query)
}

func (w *watchedCatalogue) Head(ctx context.Context) (position store.Position, err error) {
	ctx, call := w.head.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Head(ctx)
}

func (w *watchedCatalogue) Changes(ctx context.Context, after store.Position, limit int) (changes []store.Change, err error) {
	ctx, call := w.changes.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Changes(ctx, after, limit)
}

func (w *watchedCatalogue) Trim(ctx context.Context, keep int) (err error) {
	ctx, call := w.trim.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Trim(ctx, keep)
}

func (w *watchedCatalogue) Attest(ctx context.Context, token string, position store.Position) (err error) {
	ctx, call := w.attest.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Attest(ctx, token, position)
}

func (w *watchedCatalogue) Attested(ctx context.Context, token string, position store.Position) (known bool, err error) {
	ctx, call := w.attested.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Attested(ctx, token, position)
}

func (w *watchedCatalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) (err error) {
	ctx, call := w.write.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.Write(ctx, fn)
}

func (w *watchedCatalogue) FanOut(ctx context.Context, limit int) (more bool, err error) {
	ctx, call := w.fanOut.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.FanOut(ctx, limit)
}
