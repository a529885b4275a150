// Package httpserver is the HTTP server around the handlers of this program: it gives every request a trace, a time
// limit and the error body, checks who calls, and finds the handler.
//
// New lists the middleware of every request in order. The router then finds the Mount (mounts.go), and protect lists the
// middleware of mounts that need a token. A requestState (request_state.go) follows the request through all of them and
// reports it to the observer once.
package httpserver

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"

	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// Config holds the handlers and the settings of a server. All fields are required unless they say otherwise.
type Config struct {
	// Mounts are matched in order.
	Mounts []Mount
	// Protect passes on requests with a valid token, with their account.Caller in the context, and answers 401 to all
	// others.
	Protect func(http.Handler) http.Handler
	// Limit runs after Protect and refuses callers beyond their rate; nil: no limits.
	Limit func(http.Handler) http.Handler
	// Anonymous runs before requests without a token to mounts with an Anonymous caller, and may refuse them; nil: such
	// requests need a token too.
	Anonymous func(http.Handler) http.Handler
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

// server holds the state that the middleware of one server shares.
type server struct {
	Config

	bodies      *bodies
	ownTimeouts []Mount // mounts with a time limit of their own, or none
}

// New returns the handler of a whole server.
func New(config Config) http.Handler {
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	if config.AddressOf == nil {
		config.AddressOf = func(*http.Request) netip.Addr { return netip.Addr{} }
	}
	s := &server{Config: config, bodies: newBodies(cmp.Or(config.BodyMemory, DefaultBodyMemory))}
	for _, mount := range s.Mounts {
		if mount.Timeout > 0 || mount.Endless != nil {
			s.ownTimeouts = append(s.ownTimeouts, mount)
		}
	}
	return chain(s.router(),
		s.begin, // trace, time limit, and the error body for a panic
		s.allowHosts,
		s.allowOrigins,
		boundSizes,
		s.compress,
	)
}

// protect puts the middleware of requests with a token before a handler. Only mounts forEmbeds answer callers whose token
// is confined to one video.
func (s *server) protect(forEmbeds bool, next http.Handler) http.Handler {
	guarded := chain(next,
		checkUserID,
		s.Protect,
		noteClient,
		s.keepOrigin,
		s.limit,
		confine(forEmbeds),
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions { // a preflight carries no token
			next.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// chain puts middleware before a handler; the first is the outermost.
func chain(handler http.Handler, middleware ...func(http.Handler) http.Handler) http.Handler {
	for _, wrap := range slices.Backward(middleware) {
		handler = wrap(handler)
	}
	return handler
}

// router passes a request to the mount of its path, and answers 404 if there is none.
func (s *server) router() http.Handler {
	router := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for i, mount := range s.Mounts {
		if slices.ContainsFunc(s.Mounts[:i], mount.samePath) {
			continue // mountsAt has mounted both
		}
		handler := s.mountsAt(mount)
		if mount.Prefix {
			router.PathPrefix(mount.Path).Handler(routed(mount, mount.Path+"*", handler))
		} else {
			router.Path(mount.Path).Handler(routed(mount, mount.Path, handler))
		}
	}
	router.NotFoundHandler = s.unrouted()
	return router
}

// unrouted answers requests without a mount. Callers without a token do not learn from the error which paths exist.
func (s *server) unrouted() http.Handler {
	guarded := s.protect(false, http.HandlerFunc(notFound))
	if s.Pages == nil {
		return guarded
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && httperror.PrefersHTML(r) {
			s.Pages.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	httperror.Write(w, r, http.StatusNotFound, "", "there is nothing at this address", nil)
}

// allowHosts checks the Host header, except of mounts for AnyHost.
func (s *server) allowHosts(next http.Handler) http.Handler {
	if s.Hosts == nil {
		return next
	}
	var exempt []string
	for _, mount := range s.Mounts {
		if mount.AnyHost {
			exempt = append(exempt, mount.Path)
		}
	}
	return s.Hosts.Guard(next, exempt...)
}

func (s *server) limit(next http.Handler) http.Handler {
	if s.Limit == nil {
		return next
	}
	return s.Limit(next)
}

const (
	// MinCompressedLength is the minimum length in bytes of a response that is compressed.
	MinCompressedLength = 1024
	// CompressionLevel is the gzip level of every compressed response: higher levels cost more time than the saved bytes
	// are worth.
	CompressionLevel = 2
)

func (s *server) compress(next http.Handler) http.Handler {
	if s.NoCompression {
		return next
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(MinCompressedLength), gzhttp.CompressionLevel(CompressionLevel),
		gzhttp.ExceptContentTypes([]string{"video/mp2t", "image/jpeg", "image/png", "text/event-stream"}))
	if err != nil { // only contradictory options cause an error
		panic(err)
	}
	return wrap(next)
}
