package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/clock"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/internal/places"
	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// openDeprecations begins to count who uses what is deprecated, until the service closes.
func (s *App) openDeprecations(ctx context.Context) {
	s.deprecations = deprecation.New(deprecation.Config{
		Roster: s.identity.tokens.Roster, Uses: s.stores.Deprecations, Logger: s.logger,
	})
	s.whileOpen(ctx, s.deprecations.Run)
}

// App is a running server without its listener.
type App struct {
	handler   http.Handler
	stores    *Stores
	catalogue *cache.Catalogue // of stores, with what it answered before
	indexes   *indexes         // index and shared cache
	analyzer  *analysis.Analyzer
	identity  *identity           // who may call
	usage     *usagePipeline      // what they use
	clock     *clock.Watch        // whether the wall clock may decide what is deleted
	searches  *searchlog.Recorder // what they search for; nil: it is not noted
	places    *places.Places
	graph     *endpoint.Endpoint
	// deprecations tells callers what they use that is deprecated, and counts it.
	deprecations *deprecation.Register
	telemetry    *telemetry.Telemetry
	logger       *slog.Logger
	asking       singleflight.Group // of the engines' states
	closers      []func() error
}

// Open opens the engines and wires the rooms. What has been opened is closed in reverse
// order, by close or where a later step fails.
func Open(ctx context.Context, settings *Settings, logger *slog.Logger) (_ *App, err error) {
	s := &App{logger: logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := s.openEngines(ctx, settings); err != nil {
		return nil, err
	}
	if err := s.openIdentity(ctx, settings); err != nil {
		return nil, err
	}
	s.openDeprecations(ctx)
	s.follow(ctx, settings)
	s.places = places.New(s.catalogue, logger)
	s.whileOpen(ctx, s.places.Run)
	if err := s.openUsage(ctx, settings); err != nil {
		return nil, err
	}
	s.openQueries(ctx, settings)
	s.handler, err = s.wire(ctx, settings)
	s.measure()
	return s, err
}

// openEngines takes the data directory for itself, where one is used, and opens stores, cache and index.
func (s *App) openEngines(ctx context.Context, settings *Settings) (err error) {
	if settings.usesData() {
		if err := s.lock(settings.Data); err != nil {
			return err
		}
	}
	if s.telemetry, err = settings.telemetry(s.logger); err != nil {
		return err
	}
	s.closers = append(s.closers, s.telemetry.Close)
	if settings.Demo { // its one command has to do
		if _, err = settings.StoreSettings.Migrate(ctx, settings.Data); err != nil {
			return err
		}
	}
	if s.stores, err = settings.StoreSettings.Open(ctx, settings.Data, s.logger); err != nil {
		return err
	}
	s.clock = clock.New(clock.Options{Log: s.stores.Events, Logger: s.logger})
	s.stores.Collections = s.telemetry.Collections(s.stores.Collections, s.stores.engine)
	s.catalogue = cache.NewCatalogue(s.telemetry.Catalogue(s.stores.Catalogue, s.stores.engine), cache.CatalogueOptions{
		AfterWrite: func() { s.indexes.wake() },
	})
	s.closers = append(s.closers,
		s.stores.Queries.Close, s.stores.Collections.Close, s.stores.Usage.Close, s.stores.Events.Close, s.stores.Accounts.Close, s.catalogue.Close)
	if s.analyzer, err = analyzerOf(settings.Synonyms); err != nil {
		return err
	}
	s.indexes, err = s.openIndexes(ctx, settings)
	return err
}

// lock keeps a second server from the data directory.
func (s *App) lock(data string) error {
	unlock, err := LockData(data)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, unlock)
	return nil
}

// analyzerOf reads the operator's synonyms, if there are any.
func analyzerOf(file string) (*analysis.Analyzer, error) {
	if file == "" {
		return analysis.New(analysis.Synonyms{}), nil
	}
	text, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("the synonyms cannot be read: %w", err)
	}
	defer text.Close()
	synonyms, err := analysis.ParseSynonyms(text)
	if err != nil {
		return nil, fmt.Errorf("the synonyms %s: %w", file, err)
	}
	return analysis.New(synonyms), nil
}

// follow keeps index and caches in step with the log until the service closes.
func (s *App) follow(ctx context.Context, settings *Settings) {
	var works []func(context.Context)
	for _, follower := range s.indexes.followers() {
		works = append(works, follower.Run)
	}
	if s.indexes.far != nil {
		works = append(works, s.indexes.tellOthers,
			func(ctx context.Context) { s.indexes.far.OnWake(ctx, s.indexes.follower.Wake) })
	}
	if settings.inMemory() {
		works = append(works, func(ctx context.Context) { obeyReindexRequests(ctx, settings.Data, s.indexes.rebuild, s.logger) })
	}
	s.whileOpen(ctx, works...)
}

// whileOpen does several things at once until the service closes, which waits for them.
func (s *App) whileOpen(ctx context.Context, works ...func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, work := range works {
		running.Go(func() { work(ctx) })
	}
	s.closers = append(s.closers, func() error { cancel(); running.Wait(); return nil })
}

// wire puts the parts of the service behind one handler.
func (s *App) wire(ctx context.Context, settings *Settings) (http.Handler, error) {
	documents := s.indexes.inFront(memory.New(memory.Options{MaxBytes: int64(settings.CacheMemory) << 20}))
	pages := memory.New(memory.Options{MaxBytes: int64(settings.PageMemory) << 20})
	s.closers = append(s.closers, documents.Close, pages.Close)
	watched := func(c cache.Cache, kind string) cache.Cache {
		return s.telemetry.Cache(c, s.indexes.cacheEngine(), kind)
	}
	cursorKeys, err := s.keys(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	schema := resolvers.NewSchema(resolvers.Config{
		Catalogue: s.catalogue, Analyzer: s.analyzer, CursorKeys: secrets(cursorKeys),
		Index: s.indexes.searches, Remote: s.indexes.shared != nil,
		Registry: s.stores.Accounts, SignIns: s.stores.Accounts,
		AccessLifetime: settings.AccessTokenLifetime, HashPassword: password.Hash,
		Events: s.usage, Live: s.usage.live,
		PersonKey: s.usage.personKey, FormerPersonKey: s.usage.personKeyBefore,
		Usage: s.stores.Usage, Statements: s.usage.counter, Persons: s.stores.Recorder.Persons(s.usage.counter),
		Voids:       s.stores.Recorder.Voids(s.usage.counter),
		Collections: s.collectionStore(), CollectionIndex: s.collectionIndex(), Roster: s.identity.tokens.Roster,
		SearchRecorder: s.searchLog(), SearchLog: s.queryStore(),
		Places: s.places, Embeds: embed.NewSigner(s.identity.tokens.EmbedKeys), Deprecations: s.stores.Deprecations,
	})
	streamKeys, err := s.keys(ctx, "stream")
	if err != nil {
		return nil, err
	}
	signer, err := media.NewSigner(streamKeys, 0)
	if err != nil {
		return nil, err
	}
	base, err := settings.baseFinder()
	if err != nil {
		return nil, err
	}
	origins := httpserver.Origins{List: settings.AllowedOrigins, Loopback: settings.Demo, OfAccounts: s.identity.tokens.AllowsOrigin}
	s.graph = endpoint.New(endpoint.Config{
		Schema: schema, AddressOf: s.identity.limits.AddressOf, Queries: watched(documents, "queries"),
		Introspection: settings.Introspection || settings.Demo, MaxDepth: settings.GraphQLDepth, MaxComplexity: settings.GraphQLCost,
		Authenticate: s.identity.tokens.Verifier().Authenticate, AllowOrigin: origins.AllowsFor, Timeout: settings.RequestTimeout,
		Logger: s.logger,
	})
	s.closers = append(s.closers, s.graph.Close)
	anonymous := s.identity.anonymous(settings)
	api, err := rest.New(rest.Config{
		Schema: schema, Documents: watched(documents, "documents"), Pages: s.telemetry.Cache(pages, engineMemory, "pages"),
		Streams: signer, Anonymous: anonymous != nil, AddressOf: s.identity.limits.AddressOf, Base: base,
		NoCompression: !settings.Compression, Logger: s.logger,
	})
	if err != nil {
		return nil, err
	}
	files, err := s.fileMounts(signer, settings)
	if err != nil {
		return nil, err
	}
	return httpserver.New(httpserver.Config{
		Mounts: slices.Concat(api, s.identity.mounts(settings), files, s.graphMounts(settings, base), s.watchMounts(settings), pageMounts()),
		Base:   base, AddressOf: s.identity.limits.AddressOf, Observer: s.telemetry,
		Protect: s.identity.protect, Limit: s.identity.limits.Client, Anonymous: anonymous,
		Origins: origins, Hosts: settings.localHosts(), Deprecations: s.deprecations,
		BodyMemory: int64(settings.BodyMemory) << 20, Timeout: settings.RequestTimeout, NoCompression: !settings.Compression, Logger: s.logger,
	}), nil
}

// close closes in reverse order of opening.
func (s *App) close() error {
	var faults []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		faults = append(faults, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(faults...)
}
