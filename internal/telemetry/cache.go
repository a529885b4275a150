package telemetry

import (
	"context"

	"github.com/filmstrip/filmstrip/cache"
)

// Cache counts the calls of a cache, and what it was asked for and had; it draws the calls where the
// request is recorded. engine names the cache, kind what is kept in it: "documents", "pages", …; "": what
// it had is not counted, because that of a cache in front of it is. Several may stand around one cache,
// each for a kind. Closing Cache closes next.
func (t *Telemetry) Cache(next cache.Cache, engine, kind string) cache.Cache {
	w := &watchedCache{
		Cache: next, lookups: func(int, int) {},
		get: t.engines.operation("cache", engine, "get"), put: t.engines.operation("cache", engine, "put"),
	}
	if kind != "" {
		w.lookups = t.Lookups(kind)
	}
	return w
}

type watchedCache struct {
	cache.Cache
	lookups  func(hits, misses int)
	get, put *operation
}

func (w *watchedCache) Get(ctx context.Context, asks []cache.Ask, into []cache.Entry) error {
	ctx, call := w.get.begin(ctx)
	err := w.Cache.Get(ctx, asks, into)
	call.end(err)
	if err != nil { // nothing in into may be used
		w.lookups(0, len(asks))
		return err
	}
	hits := 0
	for i := range asks {
		if into[i].Version > 0 && into[i].Version >= asks[i].AtLeast {
			hits++
		}
	}
	w.lookups(hits, len(asks)-hits)
	return nil
}

func (w *watchedCache) Put(ctx context.Context, items []cache.Item) error {
	ctx, call := w.put.begin(ctx)
	err := w.Cache.Put(ctx, items)
	call.end(err)
	return err
}
