package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
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
	"github.com/filmstrip/filmstrip/web"
)

// service is a running server without its listener.
type service struct {
	handler   http.Handler
	stores    *stores
	catalogue *cache.Catalogue // of stores, with what it answered before
	derived   *derived         // index and shared cache
	analyzer  *analysis.Analyzer
	identity  *identity           // who may call
	meter     *meter              // what they use
	clock     *clock.Watch        // whether the wall clock may decide what is deleted
	asked     *searchlog.Recorder // what they search for; nil: it is not noted
	places    *places.Places
	graph     *endpoint.Endpoint
	// deprecations tells callers what they use that is deprecated, and counts it.
	deprecations *deprecation.Register
	telemetry    *telemetry.Telemetry
	logger       *slog.Logger
	asking       singleflight.Group // of the engines' states
	closers      []func() error
}

// openService opens the engines and wires the rooms. What has been opened is closed in reverse
// order, by close or where a later step fails.
func openService(ctx context.Context, settings *serveCommand, logger *slog.Logger) (_ *service, err error) {
	s := &service{logger: logger}
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
	if err := s.openMeter(ctx, settings); err != nil {
		return nil, err
	}
	s.openQueries(ctx, settings)
	s.handler, err = s.wire(ctx, settings)
	s.measure()
	return s, err
}

// openEngines takes the data directory for itself, where one is used, and opens stores, cache and index.
func (s *service) openEngines(ctx context.Context, settings *serveCommand) (err error) {
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
		if _, err = settings.storeSettings.migrate(ctx, settings.Data); err != nil {
			return err
		}
	}
	if s.stores, err = settings.storeSettings.open(ctx, settings.Data, s.logger); err != nil {
		return err
	}
	s.clock = clock.New(clock.Options{Log: s.stores.events, Logger: s.logger})
	s.stores.collections = s.telemetry.Collections(s.stores.collections, s.stores.engine)
	s.catalogue = cache.NewCatalogue(s.telemetry.Catalogue(s.stores.catalogue, s.stores.engine), cache.CatalogueOptions{
		AfterWrite: func() { s.derived.wake() },
	})
	s.closers = append(s.closers,
		s.stores.queries.Close, s.stores.collections.Close, s.stores.usage.Close, s.stores.events.Close, s.stores.accounts.Close, s.catalogue.Close)
	if s.analyzer, err = analyzerOf(settings.Synonyms); err != nil {
		return err
	}
	s.derived, err = s.openDerived(ctx, settings)
	return err
}

// lock keeps a second server from the data directory.
func (s *service) lock(data string) error {
	unlock, err := lockData(data)
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
func (s *service) follow(ctx context.Context, settings *serveCommand) {
	var works []func(context.Context)
	for _, follower := range s.derived.followers() {
		works = append(works, follower.Run)
	}
	if s.derived.far != nil {
		works = append(works, s.derived.tellOthers,
			func(ctx context.Context) { s.derived.far.OnWake(ctx, s.derived.follower.Wake) })
	}
	if settings.inMemory() {
		works = append(works, func(ctx context.Context) { obeyReindexRequests(ctx, settings.Data, s.derived.rebuild, s.logger) })
	}
	s.whileOpen(ctx, works...)
}

// whileOpen does several things at once until the service closes, which waits for them.
func (s *service) whileOpen(ctx context.Context, works ...func(context.Context)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, work := range works {
		running.Go(func() { work(ctx) })
	}
	s.closers = append(s.closers, func() error { cancel(); running.Wait(); return nil })
}

// base is the base address where a request does not decide: the one that is set, else that of the
// listener.
func (c *serveCommand) base() string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	return "http://" + c.Addr
}

// wire puts the parts of the service behind one handler.
func (s *service) wire(ctx context.Context, settings *serveCommand) (http.Handler, error) {
	documents := s.derived.inFront(memory.New(memory.Options{MaxBytes: int64(settings.CacheMemory) << 20}))
	pages := memory.New(memory.Options{MaxBytes: int64(settings.PageMemory) << 20})
	s.closers = append(s.closers, documents.Close, pages.Close)
	watched := func(c cache.Cache, kind string) cache.Cache {
		return s.telemetry.Cache(c, s.derived.cacheEngine(), kind)
	}
	cursorKeys, err := s.keys(ctx, "cursor")
	if err != nil {
		return nil, err
	}
	schema := resolvers.NewSchema(resolvers.Config{
		Catalogue: s.catalogue, Analyzer: s.analyzer, CursorKeys: secrets(cursorKeys),
		Index: s.derived.searches, Distant: s.derived.shared != nil,
		Registry: s.stores.accounts, SignIns: s.stores.accounts,
		AccessLifetime: settings.AccessTokenLifetime, HashPassword: password.Hash,
		Events: s.meter, Live: s.meter.live, EventLog: s.stores.events,
		PersonKey: s.meter.personKey, PersonKeyBefore: s.meter.personKeyBefore,
		Usage: s.stores.usage, Statements: s.meter.counter, Persons: s.stores.recorder.Persons(s.meter.counter),
		Voids:       s.stores.recorder.Voids(s.meter.counter),
		Collections: s.collectionStore(), CollectionIndex: s.collectionIndex(), Roster: s.identity.tokens.Roster,
		SearchRecorder: s.searchLog(), SearchLog: s.queryStore(),
		Places: s.places, Embeds: embed.NewSigner(s.identity.tokens.EmbedKeys), Deprecations: s.stores.deprecations,
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

// streamTimeout bounds a request for a part of a stream, which may come from afar through this server
// to a slow player.
const streamTimeout = 2 * time.Minute

// fileMounts serve streams, pictures and probes, which need no domain.
func (s *service) fileMounts(signer *media.Signer, settings *serveCommand) ([]httpserver.Mount, error) {
	get := []string{http.MethodGet}
	allowed, err := networks("stream-networks", settings.StreamNetworks)
	if err != nil {
		return nil, err
	}
	streams := media.Handler(media.Options{
		Signer: signer, Find: s.findPlayback, Proxy: settings.ProxyStreams, ProxyNetworks: allowed, Now: time.Now,
		LimitDrawing: func(next http.Handler) http.Handler {
			return s.identity.limits.Address("pictures", settings.PictureRate, next)
		},
	})
	return []httpserver.Mount{
		{Path: media.StreamsPath, Prefix: true, Methods: append(get, http.MethodOptions), Handler: streams, Public: true, AnyOrigin: true, Timeout: streamTimeout},
		{Path: media.ImagesPath, Prefix: true, Methods: append(get, http.MethodOptions), Handler: streams, Public: true, AnyOrigin: true},
		{Path: "/healthz", Methods: get, Handler: http.HandlerFunc(alive), Public: true, AnyHost: true},
		{Path: "/readyz", Methods: get, Handler: http.HandlerFunc(s.ready), Public: true, AnyHost: true},
	}, nil
}

// graphMounts serve GraphQL. A client that opens a WebSocket sends its token in the first message.
func (s *service) graphMounts(settings *serveCommand, base *httpserver.Base) []httpserver.Mount {
	page := web.GraphiQL()
	sockets := s.identity.limits.Address("stream", settings.TokenRate, based(base, s.graph.Websocket()))
	return []httpserver.Mount{
		{Path: "/graphql", Methods: []string{http.MethodPost}, Handler: based(base, s.graph), Endless: endpoint.MayStream},
		{Path: "/graphql", Methods: []string{http.MethodGet}, Handler: sockets, Public: true, Endless: endpoint.MayStream},
		{Path: "/graphiql", Methods: []string{http.MethodGet}, Handler: page, Public: true},
		{Path: "/graphiql/", Prefix: true, Methods: []string{http.MethodGet}, Handler: page, Public: true},
	}
}

// endStreams sends away whoever watches: they would hold the end of the server up.
func (s *service) endStreams() {
	if s.graph != nil {
		_ = s.graph.Close() // and again, with its error, when the service closes
	}
}

// findPlayback is what the streams need to know of a video.
func (s *service) findPlayback(ctx context.Context, id catalogue.ID) (catalogue.Playback, catalogue.State, error) {
	videos, err := s.catalogue.Videos(ctx, []catalogue.ID{id})
	if err != nil {
		return catalogue.Playback{}, catalogue.State{}, err
	}
	if len(videos) == 0 {
		return catalogue.Playback{}, catalogue.State{}, fault.Errorf(fault.NotFound, "there is no video %q", id)
	}
	directory, err := s.catalogue.Directory(ctx, videos[0].Version)
	if err != nil {
		return catalogue.Playback{}, catalogue.State{}, err
	}
	return videos[0].Playback, directory.StateOf(videos[0]), nil
}

// localHosts restricts a demo, whose credentials everybody knows, to hosts of this machine and those that the
// operator names; nil outside demo mode, where requests for any host are answered.
func (c *serveCommand) localHosts() *httpserver.LocalHosts {
	if !c.Demo {
		return nil
	}
	return httpserver.NewLocalHosts(c.AllowedHosts, c.BaseURL)
}

// baseFinder finds the base address of each request.
func (c *serveCommand) baseFinder() (*httpserver.Base, error) {
	base := &httpserver.Base{Fixed: c.BaseURL, Default: c.base(), Hosts: slices.Concat(c.AllowedHosts, loopbackHosts(c.Addr))}
	var err error
	base.Proxies, err = c.proxies()
	return base, err
}

// proxies are the networks whose headers are believed.
func (c *serveCommand) proxies() ([]netip.Prefix, error) {
	return networks("trusted-proxies", c.TrustedProxies)
}

// networks parses the value of a setting that lists networks.
func networks(setting string, texts []string) ([]netip.Prefix, error) {
	var parsed []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %q is not a network such as 10.0.0.0/8", setting, text)
		}
		parsed = append(parsed, network)
	}
	return parsed, nil
}

// keys returns the secrets for a purpose, made at first need.
func (s *service) keys(ctx context.Context, purpose string) ([]account.Key, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	first := account.Key{ID: rand.Text(), Secret: secret, CreatedAt: time.Now()}
	if err := s.stores.accounts.AddKey(ctx, purpose, first, true); err != nil {
		return nil, err
	}
	return s.stores.accounts.Keys(ctx, purpose)
}

// firstSecret is the oldest of some keys, nil where there are none: for what another key would make anew.
func firstSecret(keys []account.Key) []byte {
	if len(keys) == 0 {
		return nil
	}
	return keys[len(keys)-1].Secret
}

func secrets(keys []account.Key) [][]byte {
	list := make([][]byte, len(keys))
	for i, key := range keys {
		list[i] = key.Secret
	}
	return list
}

// close closes in reverse order of opening.
func (s *service) close() error {
	var faults []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		faults = append(faults, s.closers[i]())
	}
	s.closers = nil
	return errors.Join(faults...)
}
