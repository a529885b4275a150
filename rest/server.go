package rest

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"
	"github.com/rs/cors"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

const (
	// maxURLLength bounds path and query together. A thousand IDs fit.
	maxURLLength = 32 << 10
	// minCompressedLength is the length from which an answer is worth compressing.
	minCompressedLength = 1024
	// TraceHeader names every request in the answer, the logs and the traces.
	TraceHeader = "X-Service-Trace-ID"
)

// server puts routes and doors behind what every answer has in common. From the outside in: the
// trace, the safety net, the limits, CORS, compression, the router.
func (f *façade) server(config Config) http.Handler {
	router := f.router(config)
	shared := f.limits(config.Timeout, f.allowOrigins(config, compressed(config, router)))
	return otelhttp.NewHandler(traceID(f.recover(shared)), "http",
		otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }))
}

func compressed(config Config, next http.Handler) http.Handler {
	if config.NoCompression {
		return next
	}
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(minCompressedLength), gzhttp.CompressionLevel(1),
		gzhttp.ExceptContentTypes([]string{"video/mp2t", "image/jpeg", "image/png"}))
	if err != nil { // only options that contradict each other lead here
		panic(err)
	}
	return wrap(next)
}

// traceID names the request by its W3C trace, which otelhttp has continued or begun.
func traceID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()[TraceHeader] = []string{trace.SpanContextFromContext(r.Context()).TraceID().String()}
		next.ServeHTTP(w, r)
	})
}

// recover turns a panic into the error body, if nothing has been written yet.
func (f *façade) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if panicked == http.ErrAbortHandler { //nolint:errorlint // it is this very value
				panic(panicked)
			}
			f.logger.ErrorContext(r.Context(), "panic", "method", r.Method, "path", r.URL.Path,
				"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
			httperror.WriteError(w, r, fmt.Errorf("panic: %v", panicked))
		}()
		next.ServeHTTP(w, r)
	})
}

// limits bounds address and time. Bodies are bounded by whoever reads one.
func (f *façade) limits(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxURLLength {
			httperror.Write(w, r, http.StatusRequestURITooLong, "",
				fmt.Sprintf("the address has %d bytes, at most %d are allowed", len(r.RequestURI), maxURLLength), nil)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// allowOrigins answers preflights, which carry no token, and lets pages of the allowed origins read
// the answers. Doors for any origin do so themselves.
func (f *façade) allowOrigins(config Config, next http.Handler) http.Handler {
	guarded := cors.New(cors.Options{
		AllowOriginFunc:  config.Origins.Allows,
		AllowCredentials: true,
		AllowedMethods:   []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders:   []string{"*"},
		ExposedHeaders:   []string{"Location", "Content-Disposition", TraceHeader},
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
func (f *façade) router(config Config) http.Handler {
	router := mux.NewRouter().UseEncodedPath().SkipClean(true)
	protect := func(next http.Handler) http.Handler { return config.Protect(withLinkWriter(next)) }
	paths := map[string]methods{}
	var order []string
	for _, route := range routes {
		if paths[route.path] == nil {
			paths[route.path] = methods{}
			order = append(order, route.path)
		}
		paths[route.path].add(route.method, f.serve(route.endpoint, route.cacheControl))
	}
	for _, path := range order {
		router.Path(path).Handler(protect(paths[path]))
	}
	f.mountDoors(router, config)
	router.NotFoundHandler = config.Protect(http.HandlerFunc(notFound))
	return router
}

func (f *façade) mountDoors(router *mux.Router, config Config) {
	for _, door := range config.Doors {
		allowed := methods{}
		for _, method := range door.Methods {
			allowed.add(method, door.Handler.ServeHTTP)
		}
		handler := http.Handler(allowed)
		if !door.Public {
			handler = config.Protect(handler)
		}
		if door.Prefix {
			router.PathPrefix(door.Path).Handler(handler)
		} else {
			router.Path(door.Path).Handler(handler)
		}
	}
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
	return strings.Join(names, ", ")
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
