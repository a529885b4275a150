package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/invoices"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/resolvers/billing"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/web"
)

// site returns the pages for browsers at paths without a mount: the landing page and the page for unknown addresses.
func (s *App) site(settings *Settings) http.Handler {
	config := web.SiteConfig{Base: settings.base, Version: Version()}
	if settings.Demo {
		config.Demo = func(ctx context.Context) *web.DemoView {
			ours, err := demo.Contains(ctx, s.catalogue)
			return demo.View(err == nil && ours)
		}
	}
	return web.Site(config)
}

// pageMounts returns the pages that present the API to people. The pages are public; their requests need a token.
func pageMounts() []httpserver.Mount {
	player := httpserver.Mount{ // to pages of any origin
		Path: "/player/", Prefix: true, Methods: []string{http.MethodGet, http.MethodOptions}, Handler: web.Player(), Public: true, AnyOrigin: true,
	}
	get, files := []string{http.MethodGet}, web.SiteFiles()
	return append(slices.Concat(pageMount("/docs", web.Docs()), pageMount("/explorer", web.Explorer())), player,
		httpserver.Mount{Path: "/design/", Prefix: true, Methods: get, Handler: files, Public: true},
		httpserver.Mount{Path: "/favicon.ico", Methods: get, Handler: files, Public: true},
		httpserver.Mount{Path: "/robots.txt", Methods: get, Handler: files, Public: true})
}

// consoleMounts returns the operator's console.
func (s *App) consoleMounts(settings *Settings) []httpserver.Mount {
	id := settings.ConsoleClient
	if settings.Demo {
		id = demo.ConsoleClient
	}
	exists := func() bool {
		client, _ := s.identity.tokens.Roster().Client(id)
		return client != nil
	}
	return pageMount(web.ConsolePath, web.Console(id, settings.AuthURL, exists))
}

// pageMount returns the mounts of a page and of everything below it.
func pageMount(path string, page http.Handler) []httpserver.Mount {
	get := []string{http.MethodGet}
	return []httpserver.Mount{
		{Path: path, Methods: get, Handler: page, Public: true},
		{Path: path + "/", Prefix: true, Methods: get, Handler: page, Public: true},
	}
}

// invoiceMounts returns the files of invoices and royalties. Only staff who may see bills get them.
func (s *App) invoiceMounts() []httpserver.Mount {
	files := invoices.Handler(billing.New(billing.Config{
		Registry: registry.New(s.stores.Accounts), Catalogue: s.catalogue, Counts: s.stores.Usage, Now: time.Now,
	}))
	get := []string{http.MethodGet}
	return []httpserver.Mount{
		{Path: invoices.Path, Prefix: true, Methods: get, Handler: files},
		{Path: invoices.MonthPath, Methods: get, Handler: files, Timeout: invoices.Timeout},
		{Path: invoices.ZipPath, Methods: get, Handler: files, Timeout: invoices.Timeout},
		{Path: invoices.RoyaltiesPath, Methods: get, Handler: files, Timeout: invoices.Timeout},
	}
}

// streamTimeout bounds a request for a part of a stream, which this server may proxy from a distant source to a slow
// player.
const streamTimeout = 2 * time.Minute

// fileMounts returns the mounts of streams, pictures and health probes.
func (s *App) fileMounts(signer *media.Signer, settings *Settings) ([]httpserver.Mount, error) {
	get := []string{http.MethodGet}
	allowed, err := networks("stream-networks", settings.StreamNetworks)
	if err != nil {
		return nil, err
	}
	streams := media.Handler(media.Options{
		Signer: signer, Find: s.findPlayback, Proxy: settings.ProxyStreams, ProxyNetworks: allowed, Now: time.Now, Card: demo.Card,
		LimitDrawing: func(next http.Handler) http.Handler {
			return s.identity.limits.Address("pictures", settings.PictureRate, next)
		},
	})
	return []httpserver.Mount{
		{Path: media.StreamsPath, Prefix: true, Methods: append(get, http.MethodOptions), Handler: streams, Public: true, AnyOrigin: true, SecretPath: true, Timeout: streamTimeout},
		{Path: media.ImagesPath, Prefix: true, Methods: append(get, http.MethodOptions), Handler: streams, Public: true, AnyOrigin: true},
		{Path: "/healthz", Methods: get, Handler: http.HandlerFunc(alive), Public: true, AnyHost: true},
		{Path: "/readyz", Methods: get, Handler: http.HandlerFunc(s.ready), Public: true, AnyHost: true},
	}, nil
}

// graphMounts returns the mounts of GraphQL. A client that opens a WebSocket sends its token in the first message.
func (s *App) graphMounts(settings *Settings, base *httpserver.Base) []httpserver.Mount {
	sockets := s.identity.limits.Address("stream", settings.TokenRate, withBase(base, s.graph.Websocket()))
	return append([]httpserver.Mount{
		{Path: "/graphql", Methods: []string{http.MethodPost}, Handler: withBase(base, s.graph), Endless: endpoint.MayStream},
		{Path: "/graphql", Methods: []string{http.MethodGet}, Handler: sockets, Public: true, Endless: endpoint.MayStream},
	}, pageMount("/graphiql", web.GraphiQL())...)
}

// endStreams ends subscriptions, which would otherwise delay the shutdown.
func (s *App) endStreams() {
	if s.graph != nil {
		_ = s.graph.Close() // close reports the error
	}
}

// findPlayback returns the stream of a video and the state that decides who may see it.
func (s *App) findPlayback(ctx context.Context, id catalogue.ID) (catalogue.Playback, catalogue.State, error) {
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

// withBase puts the base URL of each request into its context, for embeds.
func withBase(base *httpserver.Base, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(embed.WithBase(r.Context(), base.Of(r))))
	})
}
