// Package httpserver is the HTTP server around the handlers of this program: it gives every request a trace, a time
// limit and the error body, checks who calls, and finds the handler.
//
// The router (mounts.go) finds the Mount of a request. The request then passes the middleware that serve lists, in order,
// each of which does only what the mount needs. A requestState (request_state.go) follows the request through all of
// them and reports it to the observer once.
package httpserver

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// Config holds the handlers and the settings of a server. All fields are required unless they say otherwise.
type Config struct {
	// Mounts are matched in order.
	Mounts []Mount
	// Authenticate passes on requests with a valid token, with their account.Caller in the context, and answers 401 to all
	// others.
	Authenticate func(http.Handler) http.Handler
	// Limit refuses callers beyond their rate; nil: no limits.
	Limit func(http.Handler) http.Handler
	// AddressOf returns the network address of a caller; nil, or the zero address: the address is unknown.
	AddressOf func(*http.Request) netip.Addr
	// Pages answers GET and HEAD requests without a mount that prefer HTML; nil: all requests without a mount get the
	// error body.
	Pages http.Handler
	// Base returns the public base URL of a request.
	Base *Base
	// Origins are the origins whose pages may send requests with credentials.
	Origins Origins
	// Hosts admits requests by their Host header, except at mounts for AnyHost; nil: every host is admitted.
	Hosts *LocalHosts
	// BodyMemory bounds the total size of the bodies of concurrent requests, in bytes. One client may take a quarter of
	// it, and at least 8 MiB; 0: DefaultBodyMemory.
	BodyMemory int64
	// Timeout bounds every request, from its first byte to the last byte of the response.
	Timeout time.Duration
	// NoCompression turns off compression of responses.
	NoCompression bool
	// Deprecations announces the sunsets of deprecated items and counts their uses; nil: neither.
	Deprecations *deprecation.Register
	// Observer is called for every request; nil: none is.
	Observer Observer
	// AccessLog is nil if requests are not logged.
	AccessLog *AccessLog
	Logger    *slog.Logger
}

// server holds what the middleware of one server shares.
type server struct {
	Config

	bodies   *bodies
	cors     *cors.Cors
	compress middleware
}

// New returns the handler of a whole server.
func New(config Config) http.Handler { return newServer(config).router() }

func newServer(config Config) *server {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.AddressOf == nil {
		config.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	if config.Limit == nil {
		config.Limit = func(next http.Handler) http.Handler { return next }
	}
	return &server{
		Config: config, bodies: newBodies(cmp.Or(config.BodyMemory, DefaultBodyMemory)),
		cors: config.Origins.cors(), compress: compression(config.NoCompression),
	}
}

// middleware puts its part of the work before a handler.
type middleware = func(next http.Handler) http.Handler

// serve puts all middleware before the handler of a mount, the outermost first.
func (s *server) serve(mount *Mount, handler http.Handler) http.Handler {
	return chain(handler,
		s.begin(mount), // trace, time limit, and the error body for a panic
		s.allowHosts(mount),
		s.allowOrigins(mount),
		boundSizes,
		s.compress,
		checkUserID(mount),
		s.authenticate(mount), // who calls
		noteClient,
		s.keepOrigin,
		s.Limit,
		confine(mount), // tokens that are good for one video
	)
}

// chain puts middleware before a handler; the first is the outermost.
func chain(handler http.Handler, all ...middleware) http.Handler {
	for _, wrap := range slices.Backward(all) {
		handler = wrap(handler)
	}
	return handler
}

const (
	// MinCompressedLength is the minimum length in bytes of a response that is compressed.
	MinCompressedLength = 1024
	// CompressionLevel is the gzip level of every compressed response: higher levels cost more time than the saved bytes
	// are worth.
	CompressionLevel = 2
)

// compression compresses responses whose type and length make it worthwhile, unless it is off.
func compression(off bool) middleware {
	if off {
		return func(next http.Handler) http.Handler { return next }
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(MinCompressedLength), gzhttp.CompressionLevel(CompressionLevel),
		gzhttp.ExceptContentTypes([]string{"video/mp2t", "image/jpeg", "image/png", "text/event-stream"}))
	if err != nil { // only contradictory options cause an error
		panic(err)
	}
	return func(next http.Handler) http.Handler { return wrap(next) }
}
