package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// minCompressedLength is the length from which an answer is worth compressing.
const minCompressedLength = 1024

// server puts routes and doors behind what every answer has in common. From the outside in: trace,
// limit of time and safety net, check of the host, CORS, limit of the address, compression, the router.
func (f *facade) server(config Config) http.Handler {
	return f.begin(allowHosts(config, f.allowOrigins(config, boundSizes(compressed(config, f.router(config))))))
}

// allowHosts puts Config's check of the Host header before all doors that do not answer every host.
func allowHosts(config Config, next http.Handler) http.Handler {
	if config.Hosts == nil {
		return next
	}
	var exempt []string
	for _, door := range config.Doors {
		if door.AnyHost {
			exempt = append(exempt, door.Path)
		}
	}
	return config.Hosts.Guard(next, exempt...)
}

func compressed(config Config, next http.Handler) http.Handler {
	if config.NoCompression {
		return next
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressedLength), gzhttp.CompressionLevel(compressionLevel),
		gzhttp.ExceptContentTypes([]string{"video/mp2t", "image/jpeg", "image/png", "text/event-stream"}))
	if err != nil { // only options that contradict each other lead here
		panic(err)
	}
	return wrap(next)
}

// allowOrigins answers preflights, which carry no token, and lets pages of the allowed origins read
// the answers; once it is known who calls, keepOrigin narrows that. Doors for any origin do so themselves.
func (f *facade) allowOrigins(config Config, next http.Handler) http.Handler {
	guarded := cors.New(cors.Options{
		AllowOriginFunc:  config.Origins.allows,
		AllowCredentials: true,
		AllowedMethods:   []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders:   []string{"*"},
		ExposedHeaders:   []string{"Location", "Content-Disposition", "Retry-After", "RateLimit", "RateLimit-Policy", "Link", "Deprecation", "Sunset", TraceHeader},
		MaxAge:           600,
	}).Handler(next)
	var open []string
	for _, door := range config.Doors {
		if door.AnyOrigin {
			open = append(open, door.Path)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, prefix := range open {
			if strings.HasPrefix(r.URL.Path, prefix) {
				next.ServeHTTP(w, r)
				return
			}
		}
		guarded.ServeHTTP(w, r)
	})
}

// router mounts routes and doors. One handler a path knows all its methods, so that any other gets
// 405 with those that there are.
func (f *facade) router(config Config) http.Handler {
	router := mux.NewRouter().UseEncodedPath().SkipClean(true)
	protect := config.protected
	paths := map[string]methods{}
	var order []string
	for _, route := range routes {
		if paths[route.path] == nil {
			paths[route.path] = methods{}
			order = append(order, route.path)
		}
		paths[route.path].add(route.method, f.serve(route))
	}
	for _, path := range order {
		router.Path(path).Handler(routed(path, config.opened(path, paths[path], protect(path, paths[path]))))
	}
	f.mountDoors(router, config)
	router.NotFoundHandler = protect("", http.HandlerFunc(notFound))
	return router
}

// protected lets callers with a valid token through, and questions about what a path can do, which
// carry none. Public doors see to themselves. path is that of a route, "": of none.
func (c *Config) protected(path string, next http.Handler) http.Handler {
	limited := confine(path, next)
	if c.Limit != nil {
		limited = c.Limit(limited)
	}
	guarded := checkUserID(c.Protect(noteClient(c.keepOrigin(limited))))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// keepOrigin takes the permission to read an answer from pages of an origin that is not allowed for the
// caller, but for another's account only.
func (c *Config) keepOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !c.Origins.AllowsFor(account.CallerOf(r.Context()), origin) {
			for _, name := range []string{"Origin", "Credentials"} {
				w.Header().Del("Access-Control-Allow-" + name)
			}
			w.Header().Del("Access-Control-Expose-Headers")
		}
		next.ServeHTTP(w, r)
	})
}

func (f *facade) mountDoors(router *mux.Router, config Config) {
	for i, door := range config.Doors {
		if slices.ContainsFunc(config.Doors[:i], door.samePath) {
			continue // mounted with that
		}
		handler := config.doorsAt(door)
		if door.Prefix {
			router.PathPrefix(door.Path).Handler(routed(door.Path+"*", handler))
		} else {
			router.Path(door.Path).Handler(routed(door.Path, handler))
		}
	}
}

func (d Door) samePath(other Door) bool { return d.Path == other.Path && d.Prefix == other.Prefix }

// doorsAt are the doors at the path of one, each behind what its requests need. Questions and mistakes about
// methods are that one's.
func (c *Config) doorsAt(first Door) http.Handler {
	allowed := methods{}
	for _, door := range c.Doors {
		if !first.samePath(door) {
			continue
		}
		guarded := c.guarded(door, door.Handler)
		for _, method := range door.Methods {
			allowed.add(method, guarded.ServeHTTP)
		}
	}
	others := c.guarded(first, allowed)
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

// guarded puts what stands before a door there.
func (c *Config) guarded(door Door, next http.Handler) http.Handler {
	switch {
	case !door.Public:
		return c.protected("", next)
	case !door.ChecksUserID:
		return checkUserID(next)
	}
	return next
}

// methods are the methods of one path.
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

// ServeHTTP answers OPTIONS by the methods that there are, and 405 to any other.
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

func notFound(w http.ResponseWriter, r *http.Request) {
	httperror.Write(w, r, http.StatusNotFound, "", "there is nothing at this address", nil)
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }
