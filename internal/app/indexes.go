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

// indexes are the search indexes and the shared cache. All of them can be derived from the stores again.
type indexes struct {
	namespace string // prefix in shared engines, derived from the history of the stores at the start
	engine    string
	index     search.Index  // the engine
	searches  search.Reader // index behind a cache of answers, and perhaps with a fallback
	answers   *cache.Searches
	follower  *projection.Follower
	// fallback follows the log for the index that answers while Typesense is unavailable. It is nil without a fallback.
	fallback    *projection.Follower
	shared      *typesense.Index // index, if processes share it
	guarded     *guardedIndex    // refuses searches while shared is empty and the catalogue is not; nil without shared
	collections *collectionIndex
	far         *redis.Cache // nil: each process has its own cache only
	embeddings  *embeddings  // nil: search uses words alone
}

// openIndexes opens the search indexes and the shared cache.
func (s *App) openIndexes(ctx context.Context, settings *Settings) error {
	namespace, err := s.stores.namespace(ctx)
	if err != nil {
		return err
	}
	d := &indexes{namespace: namespace}
	s.indexes = d
	if settings.Cache != "" {
		if d.far, err = settings.cacheSettings.open(ctx, namespace, s.logger); err != nil {
			return err
		}
		s.closers = append(s.closers, d.far.Close)
	}
	if d.embeddings, err = s.openEmbeddings(settings); err != nil {
		return err
	}
	if settings.inMemory() {
		err = s.openEmbedded(settings, d)
	} else {
		err = s.openShared(ctx, settings, namespace, d)
	}
	if err != nil {
		return err
	}
	return s.openCollections(ctx, settings, d)
}

// openEmbedded opens an index in memory.
func (s *App) openEmbedded(settings *Settings, d *indexes) error {
	index, searches, err := s.embeddedIndex(settings, d.far)
	if err != nil {
		return err
	}
	d.engine, d.index, d.searches, d.answers = engineEmbedded, index, searches, searches
	d.follower = projection.New(projection.Options{
		Store: s.catalogue, Index: s.writer(index, engineEmbedded, searches), Subscribers: []projection.Subscriber{s.catalogue},
		Logger: s.logger, Snapshots: index, Model: settings.EmbeddingsModel,
	})
	return nil
}

func (s *App) embeddedIndex(settings *Settings, far *redis.Cache) (*embedded.Index, *cache.Searches, error) {
	index, err := embedded.Open(embedded.Options{
		Dir: filepath.Join(settings.Data, SearchFolder), Analyzer: s.analyzer, Model: settings.EmbeddingsModel,
	})
	if err != nil {
		return nil, nil, err
	}
	return index, s.withCache(index, engineEmbedded, settings, far), nil
}

// withCache puts a cache of search results in front of an index, and metrics between the two. Both are closed with the
// application.
func (s *App) withCache(index search.Index, engine string, settings *Settings, far *redis.Cache) *cache.Searches {
	options := cache.SearchOptions{MaxBytes: int64(settings.AnswerMemory) << 20}
	if far != nil {
		options.Far = s.telemetry.Cache(unclosed{far}, engineRedis, "")
	}
	searches := cache.NewSearches(s.telemetry.IndexReader(index, engine), options)
	s.closers = append(s.closers, index.Close, searches.Close)
	return searches
}

// writer returns the writer of an index whose answers are cached.
func (s *App) writer(index search.Writer, engine string, searches *cache.Searches) search.Writer {
	return searches.Writer(s.telemetry.IndexWriter(index, engine))
}

// openShared opens the index in Typesense, which one process at a time writes, and the fallback if it is configured.
func (s *App) openShared(ctx context.Context, settings *Settings, namespace string, d *indexes) (err error) {
	if d.shared, err = settings.searchSettings.open(ctx, namespace, s.analyzer, s.logger); err != nil {
		return err
	}
	searches := s.withCache(d.shared, engineTypesense, settings, d.far)
	d.engine, d.index, d.searches, d.answers = engineTypesense, d.shared, searches, searches
	d.follower = projection.New(projection.Options{
		Store: s.catalogue, Index: s.writer(d.shared, engineTypesense, searches), Subscribers: []projection.Subscriber{s.catalogue},
		Logger: s.logger, Lease: s.stores.indexLease(d.shared.Name()), Model: settings.EmbeddingsModel,
	})
	d.guarded = &guardedIndex{Reader: searches, source: d.follower}
	d.searches = d.guarded
	if !settings.SearchFallback {
		return nil
	}
	index, second, err := s.embeddedIndex(settings, nil)
	if err != nil {
		return err
	}
	d.fallback = projection.New(projection.Options{
		Store: s.catalogue, Index: s.writer(index, engineEmbedded, second), Logger: s.logger, Snapshots: index, Model: settings.EmbeddingsModel,
	})
	d.searches = search.WithFallback(d.guarded, second, s.logger)
	return nil
}

// indexLease returns the lease by which one process at a time writes the index with a name.
func (s *Stores) indexLease(index string) *lease.Options {
	return &lease.Options{Store: s.leases, Name: "index " + index}
}

// typesense returns the options of an index in Typesense.
func (c *searchSettings) typesense(namespace string, analyzer *analysis.Analyzer, logger *slog.Logger) (typesense.Options, error) {
	addresses, err := c.addresses()
	if err != nil {
		return typesense.Options{}, err
	}
	trust, err := authorities("search-ca", c.SearchCA)
	return typesense.Options{
		Addresses: addresses, Key: c.SearchKey, Namespace: namespace, Analyzer: analyzer, Model: c.EmbeddingsModel, TLS: trust,
		Guard: guard.Options{Timeout: c.SearchTimeout}, Logger: logger,
	}, err
}

// open opens the index in Typesense. An unavailable Typesense is logged and is no error: everything but searches works
// without it.
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
		logger.WarnContext(ctx, "Typesense is unavailable; searches fail until it answers", "error", err)
	case err != nil:
		return nil, fmt.Errorf("--search: %w", err)
	default:
		logger.InfoContext(ctx, "Typesense answers searches", "version", version)
	}
	return index, nil
}

// open opens the shared cache. An unavailable Redis is logged and is no error: everything works without it, but slower.
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
		logger.WarnContext(ctx, "Redis is unavailable; the server answers without it", "error", err)
		return far, nil
	}
	if advice, err := far.Advice(ctx); err == nil && advice != "" {
		logger.WarnContext(ctx, advice)
	}
	return far, nil
}

// followers returns all followers of a log.
func (d *indexes) followers() []*projection.Follower {
	all := []*projection.Follower{d.follower}
	if d.fallback != nil {
		all = append(all, d.fallback)
	}
	if d.embeddings != nil {
		all = append(all, d.embeddings.follower)
	}
	return append(all, d.collections.followers()...)
}

// rebuild rebuilds the search indexes, for the reindex command.
func (d *indexes) rebuild(ctx context.Context) error {
	return errors.Join(d.follower.Rebuild(ctx), d.collections.follower.Rebuild(ctx))
}

// wake makes the followers of this process read the log at once, after a write. Those of other processes poll it.
func (d *indexes) wake() {
	for _, follower := range d.followers() {
		follower.Wake()
	}
}

// inFront puts a cache of this process in front of the shared cache, if there is one.
func (d *indexes) inFront(near cache.Cache) cache.Cache {
	if d.far == nil {
		return near
	}
	return cache.NewTiered(near, unclosed{d.far})
}

// unclosed is a cache that its users cannot close.
type unclosed struct{ cache.Cache }

// Close does nothing.
func (unclosed) Close() error { return nil }

// cacheEngine returns the name of the engine that stores rendered documents.
func (d *indexes) cacheEngine() string {
	if d.far != nil {
		return engineRedis
	}
	return engineMemory
}
