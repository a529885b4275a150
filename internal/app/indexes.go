package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// indexes is what follows from the stores: the index, and what processes share of answers.
type indexes struct {
	namespace string // of what is shared, of the history that the stores held at the start
	engine    string
	index     search.Index  // the engine
	searches  search.Reader // index behind a cache of answers, and perhaps with a fallback
	answers   *cache.Searches
	follower  *projection.Follower
	// fallback keeps up the index that answers while Typesense is away; nil: there is none.
	fallback    *projection.Follower
	shared      *typesense.Index // index, if processes share it
	guarded     *guardedIndex    // refuses searches while shared is empty and should not be; nil without shared
	collections *collectionIndex
	far         *redis.Cache  // nil: each process remembers its own
	written     chan struct{} // holds a token when other processes should hear of a write
}

// openIndexes opens index and shared cache, and makes what keeps them in step with the log.
func (s *App) openIndexes(ctx context.Context, settings *Settings) (*indexes, error) {
	namespace, err := s.stores.namespace(ctx)
	if err != nil {
		return nil, err
	}
	d := &indexes{namespace: namespace, written: make(chan struct{}, 1)}
	if settings.Cache != "" {
		if d.far, err = settings.cacheSettings.open(ctx, namespace, s.logger); err != nil {
			return nil, err
		}
		s.closers = append(s.closers, d.far.Close)
	}
	if settings.inMemory() {
		err = s.openEmbedded(settings, d)
	} else {
		err = s.openShared(ctx, settings, namespace, d)
	}
	if err == nil {
		err = s.openCollections(ctx, settings, d)
	}
	return d, err
}

// openEmbedded makes the index of this process alone.
func (s *App) openEmbedded(settings *Settings, d *indexes) error {
	index, searches, err := s.embeddedIndex(settings, d.far)
	if err != nil {
		return err
	}
	d.engine, d.index, d.searches, d.answers = engineEmbedded, index, searches, searches
	d.follower = projection.New(projection.Options{
		Store: s.catalogue, Index: s.writer(index, engineEmbedded, searches), Subscribers: []projection.Subscriber{s.catalogue},
		Logger: s.logger, Snapshots: index,
	})
	return nil
}

func (s *App) embeddedIndex(settings *Settings, far *redis.Cache) (*embedded.Index, *cache.Searches, error) {
	index, err := embedded.Open(embedded.Options{Dir: filepath.Join(settings.Data, SearchFolder), Analyzer: s.analyzer})
	if err != nil {
		return nil, nil, err
	}
	return index, s.remembering(index, engineEmbedded, settings, far), nil
}

// remembering puts a cache of answers in front of an index, and metrics between the two. Both are closed with the
// application.
func (s *App) remembering(index search.Index, engine string, settings *Settings, far *redis.Cache) *cache.Searches {
	options := cache.SearchOptions{MaxBytes: int64(settings.AnswerMemory) << 20}
	if far != nil {
		options.Far = s.telemetry.Cache(unclosed{far}, engineRedis, "")
	}
	searches := cache.NewSearches(s.telemetry.IndexReader(index, engine), options)
	s.closers = append(s.closers, index.Close, searches.Close)
	return searches
}

// writer returns the writer of an index whose answers are remembered.
func (s *App) writer(index search.Writer, engine string, searches *cache.Searches) search.Writer {
	return searches.Writer(s.telemetry.IndexWriter(index, engine))
}

// openShared makes the index that processes share, which one of them at a time writes, and the fallback
// if there is to be one.
func (s *App) openShared(ctx context.Context, settings *Settings, namespace string, d *indexes) (err error) {
	if d.shared, err = settings.searchSettings.open(ctx, namespace, s.analyzer, s.logger); err != nil {
		return err
	}
	searches := s.remembering(d.shared, engineTypesense, settings, d.far)
	d.engine, d.index, d.searches, d.answers = engineTypesense, d.shared, searches, searches
	d.follower = projection.New(projection.Options{
		Store: s.catalogue, Index: s.writer(d.shared, engineTypesense, searches), Subscribers: []projection.Subscriber{s.catalogue},
		Logger: s.logger, Lease: s.stores.indexLease(d.shared.Name()),
	})
	d.guarded = &guardedIndex{Reader: searches, follower: d.follower}
	d.searches = d.guarded
	if !settings.SearchFallback {
		return nil
	}
	index, second, err := s.embeddedIndex(settings, nil)
	if err != nil {
		return err
	}
	d.fallback = projection.New(projection.Options{Store: s.catalogue, Index: s.writer(index, engineEmbedded, second), Logger: s.logger, Snapshots: index})
	d.searches = search.WithFallback(d.guarded, second, s.logger)
	return nil
}

// indexLease is the lease by which processes take turns at writing an index of a name.
func (s *Stores) indexLease(index string) *lease.Options {
	return &lease.Options{Store: s.leases, Name: "index " + index}
}

// typesense is what an index in Typesense is opened with.
func (c *searchSettings) typesense(namespace string, analyzer *analysis.Analyzer, logger *slog.Logger) (typesense.Options, error) {
	addresses, err := c.addresses()
	if err != nil {
		return typesense.Options{}, err
	}
	trust, err := authorities("search-ca", c.SearchCA)
	return typesense.Options{
		Addresses: addresses, Key: c.SearchKey, Namespace: namespace, Analyzer: analyzer, TLS: trust,
		Guard: guard.Options{Timeout: c.SearchTimeout}, Logger: logger,
	}, err
}

// open opens the index that processes share. A server that is away is said, and no fault: all that needs
// no search works without it.
func (c *searchSettings) open(ctx context.Context, namespace string, analyzer *analysis.Analyzer, logger *slog.Logger) (*typesense.Index, error) {
	options, err := c.typesense(namespace, analyzer, logger)
	if err != nil {
		return nil, err
	}
	index, err := typesense.Open(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("--search: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, c.SearchTimeout)
	defer cancel()
	version, err := index.Check(limited)
	switch {
	case fault.CodeOf(err) == fault.Unavailable:
		logger.WarnContext(ctx, "searches are not answered until Typesense is there", "error", err)
	case err != nil:
		return nil, fmt.Errorf("--search: %w", err)
	default:
		logger.InfoContext(ctx, "searches are answered by Typesense", "version", version)
	}
	return index, nil
}

// open opens the shared cache. A server that is away is said, and no fault: everything works without it,
// slower.
func (c *cacheSettings) open(ctx context.Context, namespace string, logger *slog.Logger) (*redis.Cache, error) {
	trust, err := authorities("cache-ca", c.CacheCA)
	if err != nil {
		return nil, err
	}
	far, err := redis.Open(ctx, redis.Options{
		URL: c.Cache, TLS: trust, Namespace: namespace,
		TTL: c.CacheLifetime, Timeout: c.CacheTimeout, Logger: logger,
	})
	if err != nil {
		return nil, fmt.Errorf("--cache: %w", err)
	}
	if err := far.Check(ctx); err != nil {
		logger.WarnContext(ctx, "answers are made without Redis until it is there", "error", err)
		return far, nil
	}
	if advice, err := far.Advice(ctx); err == nil && advice != "" {
		logger.WarnContext(ctx, advice)
	}
	return far, nil
}

// followers are all that keep something in step with a log.
func (d *indexes) followers() []*projection.Follower {
	all := []*projection.Follower{d.follower}
	if d.fallback != nil {
		all = append(all, d.fallback)
	}
	return append(all, d.collections.followers()...)
}

// rebuild builds anew what the reindex command is for.
func (d *indexes) rebuild(ctx context.Context) error {
	return errors.Join(d.follower.Rebuild(ctx), d.collections.follower.Rebuild(ctx))
}

// wake has all look at the log at once: something was written here.
func (d *indexes) wake() {
	for _, follower := range d.followers() {
		follower.Wake()
	}
	select {
	case d.written <- struct{}{}:
	default: // the others are about to be told
	}
}

// tellOthers has other processes look at the log whenever something was written here, until the context
// ends.
func (d *indexes) tellOthers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.written:
			_ = d.far.Wake(ctx) // they look by themselves, a little later
		}
	}
}

// inFront puts a cache of this process in front of the one that processes share, where there is one.
func (d *indexes) inFront(near cache.Cache) cache.Cache {
	if d.far == nil {
		return near
	}
	return cache.NewTiered(near, unclosed{d.far})
}

// unclosed leaves closing to whoever opened the cache.
type unclosed struct{ cache.Cache }

// Close does nothing.
func (unclosed) Close() error { return nil }

// cacheEngine is where rendered documents are kept.
func (d *indexes) cacheEngine() string {
	if d.far != nil {
		return engineRedis
	}
	return engineMemory
}
