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
	// Methods are the methods that the handler takes. GET implies HEAD.
	Methods []string
	Handler http.Handler
	// Public mounts need no token.
	Public bool
	// Anonymous is the caller of requests without a token, where Config.Anonymous admits them; nil: a token is required.
	Anonymous *account.Caller
	// ForEmbeds: the mount also answers callers whose token is confined to one video. A variable {id} of the path must
	// name that video.
	ForEmbeds bool
	// ChecksUserID: the handler refuses an invalid Service-User-Id itself, in its own words.
	ChecksUserID bool
	// Timeout replaces Config's; 0: it does not.
	Timeout time.Duration
	// Endless reports which requests have no time limit, because a stream may answer them; nil: none. It is asked before
	// any other middleware. The observer learns of such a request's time until its answer began.
	Endless func(*http.Request) bool
	// AnyOrigin: the handler answers pages of any origin, without credentials, and sets the headers of CORS itself.
	AnyOrigin bool
	// AnyHost: the mount answers whatever the Host header, even where Config.Hosts restricts it.
	AnyHost bool
}

func (m Mount) samePath(other Mount) bool { return m.Path == other.Path && m.Prefix == other.Prefix }

// mountsAt joins the mounts that share the path of first, each behind what its requests need. OPTIONS and methods that
// no mount takes are answered behind what first needs.
func (s *server) mountsAt(first Mount) http.Handler {
	allowed := methods{}
	for _, mount := range s.Mounts {
		if !first.samePath(mount) {
			continue
		}
		guarded := s.guard(mount, mount.Handler)
		for _, method := range mount.Methods {
			allowed.add(method, guarded.ServeHTTP)
		}
	}
	first.ForEmbeds = false
	others := s.guard(first, allowed)
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

// guard puts before a handler what the requests of a mount pass.
func (s *server) guard(mount Mount, next http.Handler) http.Handler {
	switch {
	case mount.Public && mount.ChecksUserID:
		return next
	case mount.Public:
		return checkUserID(next)
	}
	return s.allowAnonymous(mount.Anonymous, next, s.protect(mount.ForEmbeds, next))
}

// allowAnonymous lets requests without a token through to next as those of caller, and passes all others on to guarded.
// Methods that change something always need a token.
func (s *server) allowAnonymous(caller *account.Caller, next, guarded http.Handler) http.Handler {
	if s.Anonymous == nil || caller == nil {
		return guarded
	}
	open := s.Anonymous(checkUserID(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Authorization"]) > 0 || changes(r.Method) {
			guarded.ServeHTTP(w, r)
			return
		}
		open.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
}

// changes reports whether a method changes a resource, whichever methods its path takes.
func changes(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
}

// confine refuses callers whose token is confined to one video, unless the mount is forEmbeds and its path names no
// other video.
func confine(forEmbeds bool) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if caller := account.CallerOf(r.Context()); caller != nil && caller.Video != "" {
				if id := Variable(r, "id"); !forEmbeds || id != "" && id != string(caller.Video) {
					httperror.WriteError(w, r, fault.Errorf(fault.Forbidden, "the token is good for the video %s alone", caller.Video))
					return
				}
			}
			next.ServeHTTP(w, r)
		})
	}
}

// Variable returns a variable of the path of a request, unescaped; "" where the path has no such variable. The router
// leaves escapes, which are only another spelling.
func Variable(r *http.Request, name string) string {
	value := mux.Vars(r)[name]
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// checkUserID refuses an invalid Service-User-Id, before anything asks who calls.
func checkUserID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, problem := account.ServiceUserID(r.Header[account.ServiceUserIDHeader]); problem != "" {
			httperror.WriteError(w, r, fault.InvalidRequest("%s", problem))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// methods are the handlers of one path by method.
type methods map[string]http.HandlerFunc

func (m methods) add(method string, handler http.HandlerFunc) {
	m[method] = handler
	if method == http.MethodGet {
		m[http.MethodHead] = handler
	}
}

// allow lists the methods for the Allow header.
func (m methods) allow() string {
	names := []string{http.MethodOptions}
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// ServeHTTP answers OPTIONS with the methods of the path, and 405 to any method that it lacks.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := m[r.Method]; handler != nil {
		handler(w, r)
		return
	}
	w.Header().Set("Allow", m.allow())
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	httperror.Write(w, r, http.StatusMethodNotAllowed, "", r.Method+" is not one of "+m.allow(), nil)
}
