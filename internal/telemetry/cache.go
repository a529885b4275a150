package telemetry

import (
	"context"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/cache"
)

// Cache counts the calls of a cache and its hits, and traces calls of recorded requests. engine names the cache, kind
// its contents: "documents", "pages", …; with kind "", hits are not counted, because a cache in front counts them.
// Several may wrap one cache, each for a kind of its own. Closing the result closes next.
func (t *Telemetry) Cache(next cache.Cache, engine, kind string) cache.Cache {
	w := &watchedCache{
		Cache: next, get: t.engines.operation("cache", engine, "get"), put: t.engines.operation("cache", engine, "put"),
	}
	if kind != "" {
		t.Lookups(kind, func() (int64, int64) { return w.hits.Load(), w.misses.Load() })
	}
	return w
}

type watchedCache struct {
	cache.Cache
	get, put     *operation
	hits, misses atomic.Int64
}

func (w *watchedCache) Get(ctx context.Context, asks []cache.Ask, into []cache.Entry) error {
	err := w.get.run(ctx, func(ctx context.Context) error { return w.Cache.Get(ctx, asks, into) })
	if err != nil { // into holds nothing usable
		w.misses.Add(int64(len(asks)))
		return err
	}
	hits := 0
	for i := range asks {
		if into[i].Version > 0 && into[i].Version >= asks[i].AtLeast {
			hits++
		}
	}
	w.hits.Add(int64(hits))
	w.misses.Add(int64(len(asks) - hits))
	return nil
}

func (w *watchedCache) Put(ctx context.Context, items []cache.Item) error {
	return w.put.run(ctx, func(ctx context.Context) error { return w.Cache.Put(ctx, items) })
}
