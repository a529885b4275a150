// Package app is the wired application: it chooses engines, starts servers and background work, and closes them in
// reverse order. Only this package imports engines.
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
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/clock"
	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/imports"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/internal/places"
	"github.com/filmstrip/filmstrip/internal/searchlog"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/internal/uploads"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// App is a running server without its listener.
type App struct {
	handler      http.Handler
	telemetry    *telemetry.Telemetry
	stores       *Stores
	clock        *clock.Watch     // decides whether the wall clock may cause deletions
	catalogue    *cache.Catalogue // the catalogue of stores, behind its cache
	analyzer     *analysis.Analyzer
	indexes      *indexes  // the search indexes and the shared cache
	identity     *identity // tokens, sign-in and limits
	deprecations *deprecation.Register
	places       *places.Places
	usage        *usagePipeline
	jobs         []*jobs.Runner // empty until the handler is complete
	jobKinds     map[string]jobs.Func
	uploads      UploadSettings
	searches     *searchlog.Recorder // nil if the server records no searches
	graph        *endpoint.Endpoint
	filling      atomic.Bool        // the content of the demo is not complete yet
	readiness    singleflight.Group // shares one check of the engines among concurrent probes
	sizing       singleflight.Group // shares one measurement of the engines
	documents    *memory.Cache      // rendered documents in this process
	pages        *memory.Cache
	logger       *slog.Logger
	closers      []func() error
}

// Open opens the engines, starts the background work, and wires everything behind one handler. close ends all of it in
// reverse order, and so does Open when a step fails.
func Open(ctx context.Context, settings *Settings, logger *slog.Logger) (_ *App, err error) {
	s := &App{logger: logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for _, step := range []func(context.Context, *Settings) error{
		s.lockData,
		s.openTelemetry,
		s.openStores,
		s.openIndexes,
		s.openIdentity,
		s.openDeprecations,
		s.startProjections,
		s.openPlaces,
		s.openUsage,
		s.openSearchLog,
		s.openHandler,
		s.openJobs,
	} {
		if err := step(ctx, settings); err != nil {
			return nil, err
		}
	}
	s.measure()
	return s, nil
}

// close ends everything in the reverse order of its start.
func (s *App) close() error {
	var faults []error
	for _, closer := range slices.Backward(s.closers) {
		faults = append(faults, closer())
	}
	s.closers = nil
	return errors.Join(faults...)
}

// whileOpen runs background work until the application closes, which waits for it.
func (s *App) whileOpen(ctx context.Context, works ...func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, work := range works {
		running.Go(func() { work(ctx) })
	}
	s.closers = append(s.closers, func() error { cancel(); running.Wait(); return nil })
}

// lockData keeps a second server from the data directory.
func (s *App) lockData(_ context.Context, settings *Settings) error {
	if !settings.usesData() {
		return nil
	}
	unlock, err := LockData(settings.Data)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, unlock)
	return nil
}

// openStores opens the system of record, the watch on its clock, and the cache in front of the catalogue. It also
// migrates the stores of a demo, which has no other command.
func (s *App) openStores(ctx context.Context, settings *Settings) (err error) {
	if settings.Demo {
		if _, err = settings.StoreSettings.Migrate(ctx, settings.Data); err != nil {
			return err
		}
	}
	s.uploads = settings.UploadSettings
	if s.stores, err = settings.StoreSettings.Open(ctx, settings.Data, s.logger); err != nil {
		return err
	}
	s.clock = clock.New(clock.Options{Log: s.stores.Events, Logger: s.logger})
	s.stores.Collections = s.telemetry.Collections(s.stores.Collections, s.stores.engine)
	s.catalogue = cache.NewCatalogue(s.telemetry.Catalogue(s.stores.Catalogue, s.stores.engine), cache.CatalogueOptions{
		MaxStateBytes: settings.stateCache, MaxFeedBytes: settings.feedCache, AfterWrite: func() { s.indexes.wake() },
	})
	s.closers = append(s.closers,
		s.stores.Jobs.Close, s.stores.Queries.Close, s.stores.Collections.Close, s.stores.Usage.Close, s.stores.Events.Close, s.stores.Accounts.Close, s.catalogue.Close)
	s.analyzer, err = openAnalyzer(settings.Synonyms)
	return err
}

// openAnalyzer returns the text analyzer with the synonyms of a file, or without synonyms if file is "".
func openAnalyzer(file string) (*analysis.Analyzer, error) {
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

// openDeprecations starts to count the uses of deprecated items.
func (s *App) openDeprecations(ctx context.Context, _ *Settings) error {
	s.deprecations = deprecation.New(deprecation.Config{
		Roster: s.identity.tokens.Roster, Uses: s.stores.Deprecations, Logger: s.logger,
	})
	s.whileOpen(ctx, s.deprecations.Run)
	return nil
}

// startProjections starts the followers that update indexes and caches from the log.
func (s *App) startProjections(ctx context.Context, settings *Settings) error {
	var works []func(context.Context)
	for _, follower := range s.indexes.followers() {
		works = append(works, follower.Run)
	}
	if settings.inMemory() {
		works = append(works, func(ctx context.Context) { serveReindexRequests(ctx, settings.Data, s.indexes.rebuild, s.logger) })
	}
	s.whileOpen(ctx, works...)
	return nil
}

// openPlaces starts the search of schools and districts.
func (s *App) openPlaces(ctx context.Context, _ *Settings) error {
	s.places = places.New(s.catalogue, s.logger)
	s.whileOpen(ctx, s.places.Run)
	return nil
}

// openHandler wires schema, facade, endpoint and pages behind one handler.
func (s *App) openHandler(ctx context.Context, settings *Settings) error {
	schema, err := s.newSchema(ctx, settings)
	if err != nil {
		return err
	}
	base, err := settings.baseFinder()
	if err != nil {
		return err
	}
	signer, err := s.streamSigner(ctx)
	if err != nil {
		return err
	}
	s.documents = memory.New(memory.Options{MaxBytes: int64(settings.CacheMemory) << 20})
	documents := s.indexes.inFront(s.documents)
	s.closers = append(s.closers, documents.Close)
	origins := httpserver.Origins{List: settings.AllowedOrigins, Loopback: settings.Demo, OfAccounts: s.identity.tokens.AllowsOrigin}
	s.openEndpoint(schema, documents, origins, settings)
	api, err := s.newFacade(schema, documents, signer, base, settings)
	if err != nil {
		return err
	}
	files, err := s.fileMounts(signer, settings)
	if err != nil {
		return err
	}
	received, err := s.uploadMounts(base, settings)
	if err != nil {
		return err
	}
	s.handler = httpserver.New(httpserver.Config{
		Mounts: slices.Concat(api, s.identity.mounts(settings), files, received, s.graphMounts(settings, base), s.watchMounts(settings), s.consoleMounts(settings), s.invoiceMounts(), pageMounts()),
		Pages:  s.site(settings), AccessLog: s.accessLog(settings),
		Base: base, AddressOf: s.identity.limits.AddressOf, Observer: s.telemetry,
		Authenticate: s.identity.authenticate, Limit: s.identity.limits.Client,
		Origins: origins, Hosts: settings.localHosts(), Deprecations: s.deprecations,
		BodyMemory: int64(settings.BodyMemory) << 20, Timeout: settings.RequestTimeout, NoCompression: !settings.Compression, Logger: s.logger,
	})
	return nil
}

// accessLog returns the access log that --access-log selects; nil: none.
func (s *App) accessLog(settings *Settings) *httpserver.AccessLog {
	if settings.AccessLog == "off" || settings.AccessLog == "" {
		return nil
	}
	return &httpserver.AccessLog{Logger: s.logger, ErrorsOnly: settings.AccessLog == "errors", Addresses: settings.KeepAddresses > 0}
}

// newSchema returns the executable schema over the stores and indexes.
func (s *App) newSchema(ctx context.Context, settings *Settings) (graphql.ExecutableSchema, error) {
	cursorKeys, err := s.keys(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	config := resolvers.Config{
		Catalogue: s.catalogue, Analyzer: s.analyzer, CursorKeys: secrets(cursorKeys),
		Index: s.indexes.searches, Remote: s.indexes.shared != nil,
		Registry: s.stores.Accounts, SignIns: s.stores.Accounts,
		AccessLifetime: settings.AccessTokenLifetime, HashPassword: password.Hash, CheckProvider: s.identity.checkProvider, LimitCodes: s.identity.limits.Codes,
		Events: s.usage.gate, Live: s.usage.live,
		PersonKey: s.usage.personKey, FormerPersonKey: s.usage.personKeyBefore,
		Clock: s.stores.Events.ClockRecord,
		Usage: s.stores.Usage, Statements: s.usage.counter, Persons: s.stores.Recorder.Persons(s.usage.counter),
		Voids:       s.stores.Recorder.Voids(s.usage.counter),
		Collections: s.collectionStore(), CollectionIndex: s.collectionIndex(), Roster: s.identity.tokens.Roster,
		Version: Version(), Parts: s.parts, Sizes: s.sizes, Keys: s.stores.Accounts, SigningKeys: auth.AccessKeys, RotateKeys: RotateKeys(s.stores.Accounts),
		Jobs: s.stores.Jobs, WakeJobs: s.wakeJobs, FilesPath: uploads.Path, CanMaintain: maintenance{s, settings}.can,
		Imports: imports.New(imports.Config{
			Jobs: s.stores.Jobs, Catalogue: s.catalogue, Collections: s.stores.ImportCollections(), MaxPlain: maxPlain(settings),
		}),
		Places: s.places, Embeds: embed.NewSigner(s.identity.tokens.EmbedKeys), Deprecations: s.stores.Deprecations,
	}
	if s.indexes.embeddings != nil {
		config.Meanings = s.indexes.embeddings.questions
	}
	if s.searches != nil {
		config.SearchRecorder, config.SearchLog = s.searches, s.stores.Queries
	}
	domain := resolvers.New(config)
	s.jobKinds = domain.JobKinds()
	return domain.Schema(), nil
}

// streamSigner returns the signer of stream URLs.
func (s *App) streamSigner(ctx context.Context) (*media.Signer, error) {
	keys, err := s.keys(ctx, "stream")
	if err != nil {
		return nil, err
	}
	return media.NewSigner(keys, 0)
}

// openEndpoint opens the public GraphQL endpoint.
func (s *App) openEndpoint(schema graphql.ExecutableSchema, documents cache.Cache, origins httpserver.Origins, settings *Settings) {
	s.graph = endpoint.New(endpoint.Config{
		Schema: schema, AddressOf: s.identity.limits.AddressOf, Queries: s.telemetry.Cache(documents, s.indexes.cacheEngine(), "queries"),
		Introspection: settings.Introspection || settings.Demo, MaxDepth: settings.GraphQLDepth, MaxComplexity: settings.GraphQLCost,
		Authenticate: s.identity.tokens.Verifier().Authenticate, AllowOrigin: origins.AllowsFor, Timeout: settings.RequestTimeout,
		Logger: s.logger,
	})
	s.closers = append(s.closers, s.graph.Close)
}

// newFacade returns the mounts of the HAL facade.
func (s *App) newFacade(
	schema graphql.ExecutableSchema, documents cache.Cache, signer *media.Signer, base *httpserver.Base, settings *Settings,
) ([]httpserver.Mount, error) {
	s.pages = memory.New(memory.Options{MaxBytes: int64(settings.PageMemory) << 20})
	s.closers = append(s.closers, s.pages.Close)
	return rest.New(rest.Config{
		Schema: schema, Documents: s.telemetry.Cache(documents, s.indexes.cacheEngine(), "documents"), Pages: s.telemetry.Cache(s.pages, engineMemory, "pages"),
		Streams: signer, Anonymous: settings.Anonymous == anonymousPlayback, AddressOf: s.identity.limits.AddressOf, Base: base,
		NoCompression: !settings.Compression, Logger: s.logger,
	})
}
