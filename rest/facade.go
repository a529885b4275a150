package rest

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// Config configures the facade. All fields are required unless their comment says otherwise.
type Config struct {
	// Schema is the domain.
	Schema graphql.ExecutableSchema
	// Documents caches rendered videos, Pages whole responses.
	Documents, Pages cache.Cache
	Streams          hal.Streams
	// Anonymous: players need no token. Their mounts have an Anonymous caller, and the OpenAPI document says so.
	Anonymous bool
	// AddressOf returns the network address of a caller, which its events record. nil or the zero address means that it is
	// unknown.
	AddressOf func(*http.Request) netip.Addr
	// Base returns the public base address of a request.
	Base *httpserver.Base
	// NoCompression turns off compression.
	NoCompression bool
	Logger        *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// facade holds what the endpoints share.
type facade struct {
	Config

	operations *hal.Operations
	documents  *hal.Documents
	pages      *hal.Pages
}

// New returns the mounts of the API: one for each route, in the order in which requests are matched, and the OpenAPI
// document. It fails if an operation does not fit the schema.
func New(config Config) ([]httpserver.Mount, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.AddressOf == nil {
		config.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	operations, err := hal.Load(config.Schema)
	if err != nil {
		return nil, err
	}
	f := &facade{
		Config: config, operations: operations,
		documents: hal.NewDocuments(config.Documents, operations, config.Logger), pages: hal.NewPages(config.Pages, httpserver.CompressionLevel, config.Logger),
	}
	mounts := make([]httpserver.Mount, 0, len(routes)+2)
	for _, route := range routes {
		mount := httpserver.Mount{Path: route.path, Methods: []string{route.method}, Handler: f.serve(route), ForEmbeds: route.forEmbeds()}
		if config.Anonymous {
			mount.Anonymous = route.anonymous()
		}
		mounts = append(mounts, mount)
	}
	return append(mounts, f.describe()...), nil
}

// base returns the public base address of a request, without a trailing slash.
func (f *facade) base(r *http.Request) string { return f.Base.Of(r) }

// view returns the view that fills the slots of a response.
func (f *facade) view(r *http.Request) hal.View {
	var permissions account.Permissions
	if caller := account.CallerOf(r.Context()); caller != nil {
		permissions = caller.Permissions
	}
	return hal.View{Base: f.base(r), Permissions: permissions, Streams: f.Streams, Now: f.Now()}
}
