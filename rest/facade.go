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

// Config holds what the facade needs. All fields are required unless they say otherwise.
type Config struct {
	// Schema is the domain.
	Schema graphql.ExecutableSchema
	// Documents keeps rendered videos, Pages whole answers.
	Documents, Pages cache.Cache
	Streams          hal.Streams
	// Anonymous: the server admits requests without a token to the mounts with an Anonymous caller, and the OpenAPI
	// document says so.
	Anonymous bool
	// AddressOf finds the network address of a caller, which is recorded with the events that it reports; nil, or the
	// zero address: the address is not known.
	AddressOf func(*http.Request) netip.Addr
	// Base finds the public base address of a request.
	Base *httpserver.Base
	// NoCompression leaves answers as they are.
	NoCompression bool
	Logger        *slog.Logger
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// facade is what the endpoints share.
type facade struct {
	Config

	operations *hal.Operations
	documents  *hal.Documents
	pages      *hal.Pages
}

// New returns the mounts of the API: one for each route, in the order in which requests are matched, and the OpenAPI
// document. It fails if an operation does not fit the schema or the endpoints.
func New(config Config) ([]httpserver.Mount, error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.AddressOf == nil {
		config.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	operations, err := hal.Load(config.Schema, operationNames)
	if err != nil {
		return nil, err
	}
	f := &facade{
		Config: config, operations: operations,
		documents: hal.NewDocuments(config.Documents, operations, config.Logger), pages: hal.NewPages(config.Pages, httpserver.CompressionLevel, config.Logger),
	}
	mounts := make([]httpserver.Mount, 0, len(routes)+1)
	for _, route := range routes {
		mount := httpserver.Mount{Path: route.path, Methods: []string{route.method}, Handler: f.serve(route), ForEmbeds: route.forEmbeds()}
		if config.Anonymous {
			mount.Anonymous = route.anonymous()
		}
		mounts = append(mounts, mount)
	}
	description, err := f.describeOn()
	return append(mounts, description), err
}

// base is the public base address of a request, without a slash at its end.
func (f *facade) base(r *http.Request) string { return f.Base.Of(r) }

// view is what fills the slots of an answer to a request.
func (f *facade) view(r *http.Request) hal.View {
	var rights account.Permissions
	if caller := account.CallerOf(r.Context()); caller != nil {
		rights = caller.Permissions
	}
	return hal.View{Base: f.base(r), Permissions: rights, Streams: f.Streams, Now: f.Now()}
}
