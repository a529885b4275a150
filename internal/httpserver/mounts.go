package httpserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// Mount is a handler at a path. Two mounts may share a path if they take different methods.
type Mount struct {
	// Path is the path that the mount serves, with variables in braces; with Prefix, it serves everything below too.
	Path   string
	Prefix bool
	// Methods are the methods that the handler accepts. GET implies HEAD.
	Methods []string
	Handler http.Handler
	// Public mounts need no token.
	Public bool
	// Anonymous is the caller of requests without a token; nil: a token is required.
	Anonymous *account.Caller
	// ForEmbeds mounts also answer callers whose token is confined to one video. A variable {id} of the path must name
	// that video.
	ForEmbeds bool
	// ChecksUserID mounts refuse an invalid Service-User-Id themselves, with their own error.
	ChecksUserID bool
	// Timeout replaces Config.Timeout; 0: it does not.
	Timeout time.Duration
	// Endless reports whether a request has no time limit because a stream may answer it; nil: none is endless. The
	// observer gets the time until the response of such a request began.
	Endless func(*http.Request) bool
	// AnyOrigin mounts answer pages of any origin, without credentials, and set the headers of CORS themselves.
	AnyOrigin bool
	// SecretPath mounts have paths that give access, so the access log names only Path.
	SecretPath bool
	// StreamsBody mounts read bodies of any size in small pieces, which BodyMemory does not count. They bound the size
	// themselves.
	StreamsBody bool
	// AnyHost mounts accept every Host header, even if Config.Hosts restricts it.
	AnyHost bool
}

func (m Mount) samePath(other Mount) bool { return m.Path == other.Path && m.Prefix == other.Prefix }

// route is the declared path of the mount, for the observer.
func (m Mount) route() string {
	if m.Prefix {
		return m.Path + "*"
	}
	return m.Path
}

// router passes a request to the mount of its path and method, and answers 404 or 405 if there is none.
func (s *server) router() http.Handler {
	router := mux.NewRouter().UseEncodedPath().SkipClean(true)
	for i, mount := range s.Mounts {
		if slices.ContainsFunc(s.Mounts[:i], mount.samePath) {
			continue // mountsAt has mounted both
		}
		if mount.Prefix {
			router.PathPrefix(mount.Path).Handler(s.mountsAt(mount))
		} else {
			router.Path(mount.Path).Handler(s.mountsAt(mount))
		}
	}
	unrouted := s.unrouted()
	router.NotFoundHandler = unrouted
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxURLLength { // boundSizes refuses it; matching it would take long
			unrouted.ServeHTTP(w, r)
			return
		}
		router.ServeHTTP(w, r)
	})
}

// mountsAt joins the mounts that share the path of first, each behind its middleware. OPTIONS, and methods that no mount
// accepts, pass the middleware of first.
func (s *server) mountsAt(first Mount) http.Handler {
	allowed := methods{}
	for _, mount := range s.Mounts {
		if !first.samePath(mount) {
			continue
		}
		handler := s.serve(&mount, mount.Handler)
		for _, method := range mount.Methods {
			allowed[method] = handler.ServeHTTP
			if method == http.MethodGet {
				allowed[http.MethodHead] = handler.ServeHTTP
			}
		}
	}
	first.ForEmbeds = false
	others := s.serve(&first, allowed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handler := allowed[r.Method]; handler != nil {
			if r.Method == http.MethodOptions {
				w.Header().Set("Allow", allowed.allow())
			}
			handler(w, r)
			return
		}
		others.ServeHTTP(w, r)
	})
}

// unrouted answers requests without a mount. Callers without a token do not learn from the error which paths exist.
func (s *server) unrouted() http.Handler {
	missing := s.serve(&Mount{StreamsBody: true}, http.HandlerFunc(notFound))
	if s.Pages == nil {
		return missing
	}
	pages := s.serve(&Mount{StreamsBody: true, Public: true}, s.Pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		if (r.Method == http.MethodGet || r.Method == http.MethodHead) && httperror.PrefersHTML(r) {
			pages.ServeHTTP(w, r)
			return
		}
		missing.ServeHTTP(w, r)
	})
}

func notFound(w http.ResponseWriter, r *http.Request) {
	httperror.Write(w, r, http.StatusNotFound, "", "there is nothing at this address", nil)
}

// checkUserID refuses an invalid Service-User-Id of requests that need no token; Authenticate refuses it of the others.
func checkUserID(mount *Mount) middleware {
	return func(next http.Handler) http.Handler {
		if mount.ChecksUserID || !mount.Public && mount.Anonymous == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, problem := account.ServiceUserID(r.Header[account.ServiceUserIDHeader]); problem != "" {
				httperror.WriteError(w, r, fault.InvalidRequest("%s", problem))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// authenticate finds the caller of a request to a mount that is not public: that of its token or, without a token, the
// Anonymous caller. Methods that change resources always need a token.
func (s *server) authenticate(mount *Mount) middleware {
	return func(next http.Handler) http.Handler {
		if mount.Public {
			return next
		}
		authenticated := s.Authenticate(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodOptions: // a preflight carries no token
				next.ServeHTTP(w, r)
			case mount.Anonymous != nil && len(r.Header["Authorization"]) == 0 && !changes(r.Method):
				next.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), mount.Anonymous)))
			default:
				authenticated.ServeHTTP(w, r)
			}
		})
	}
}

// changes reports whether a method changes resources.
func changes(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
}

// confine refuses callers whose token is confined to one video, unless the mount is ForEmbeds and its path names no
// other video.
func confine(mount *Mount) middleware {
	return func(next http.Handler) http.Handler {
		if mount.Public {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller := account.CallerOf(r.Context()); caller != nil && caller.Video != "" {
				if id := Variable(r, "id"); !mount.ForEmbeds || id != "" && id != string(caller.Video) {
					httperror.WriteError(w, r, fault.Errorf(fault.Forbidden, "the token is good for the video %s alone", caller.Video))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Variable returns a variable of the path of a request, unescaped, or "" if there is none. The router matches the escaped
// path.
func Variable(r *http.Request, name string) string {
	value := mux.Vars(r)[name]
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// methods are the handlers of one path by method.
type methods map[string]http.HandlerFunc

// allow lists the methods for the Allow header.
func (m methods) allow() string {
	names := []string{http.MethodOptions}
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// ServeHTTP answers requests whose method has no handler: OPTIONS with the methods of the path, and others with 405.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", m.allow())
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	httperror.Write(w, r, http.StatusMethodNotAllowed, "", r.Method+" is not one of "+m.allow(), nil)
}
