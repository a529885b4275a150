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

func (w *watchedCatalogue) Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error) {
	return measure1(ctx, w.videos, w.Catalogue.Videos, ids)
}

func (w *watchedCatalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	return measure1(ctx, w.states, w.Catalogue.States, ids)
}

func (w *watchedCatalogue) Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error) {
	return measure1(ctx, w.transcripts, w.Catalogue.Transcripts, ids)
}

func (w *watchedCatalogue) Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error) {
	return measure1(ctx, w.aliases, w.Catalogue.Aliases, legacy)
}

func (w *watchedCatalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	return measure1(ctx, w.directory, w.Catalogue.Directory, atLeast)
}

func (w *watchedCatalogue) OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return measure2(ctx, w.ownedItems, w.Catalogue.OwnedItems, kind, ids)
}

func (w *watchedCatalogue) OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error) {
	return measure2(ctx, w.ownedItemsOf, w.Catalogue.OwnedItemsOf, kind, owners)
}

func (w *watchedCatalogue) OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	return measure(ctx, w.ownedItemsSince, func(ctx context.Context) ([]catalogue.OwnedItem, error) {
		return w.Catalogue.OwnedItemsSince(ctx, kind, after, limit)
	})
}

func (w *watchedCatalogue) CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest store.Position, err error) {
	ctx, call := w.countOwnedItems.begin(ctx)
	defer func() { call.end(err) }()
	return w.Catalogue.CountOwnedItems(ctx, kind)
}

func (w *watchedCatalogue) Feed(ctx context.Context, query store.FeedQuery) (store.FeedPage, error) {
	return measure1(ctx, w.feed, w.Catalogue.Feed, query)
}

func (w *watchedCatalogue) Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error) {
	return measure2(ctx, w.scan, w.Catalogue.Scan, after, limit)
}

func (w *watchedCatalogue) CountVideos(ctx context.Context) (int, error) {
	return measure(ctx, w.count, w.Catalogue.CountVideos)
}

func (w *watchedCatalogue) Removals(ctx context.Context, query store.RemovalQuery) (store.RemovalPage, error) {
	return measure1(ctx, w.removals, w.Catalogue.Removals, query)
}

func (w *watchedCatalogue) Audit(ctx context.Context, query store.CatalogueAuditQuery) ([]store.CatalogueAuditEntry, error) {
	return measure1(ctx, w.audit, w.Catalogue.Audit, query)
}

func (w *watchedCatalogue) Head(ctx context.Context) (store.Position, error) {
	return measure(ctx, w.head, w.Catalogue.Head)
}

func (w *watchedCatalogue) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	return measure2(ctx, w.changes, w.Catalogue.Changes, after, limit)
}

func (w *watchedCatalogue) Trim(ctx context.Context, keep int) error {
	return w.trim.run(ctx, func(ctx context.Context) error { return w.Catalogue.Trim(ctx, keep) })
}

func (w *watchedCatalogue) Attest(ctx context.Context, token string, position store.Position) error {
	return w.attest.run(ctx, func(ctx context.Context) error { return w.Catalogue.Attest(ctx, token, position) })
}

func (w *watchedCatalogue) Attested(ctx context.Context, token string, position store.Position) (bool, error) {
	return measure2(ctx, w.attested, w.Catalogue.Attested, token, position)
}

func (w *watchedCatalogue) Write(ctx context.Context, fn func(ctx context.Context, tx store.Tx) error) error {
	return w.write.run(ctx, func(ctx context.Context) error { return w.Catalogue.Write(ctx, fn) })
}

func (w *watchedCatalogue) FanOut(ctx context.Context, limit int) (bool, error) {
	return measure1(ctx, w.fanOut, w.Catalogue.FanOut, limit)
}
