package rest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime/debug"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// TraceHeader names every request in the answer, the logs and the traces.
const TraceHeader = "X-Service-Trace-Id"

// maxURLLength bounds path and query together. A thousand IDs fit.
const maxURLLength = 32 << 10

// enter is what a request meets first: it becomes part of a W3C trace, its time is bounded, and a
// panic becomes the error body. A recorded request costs ten times the rest of this,
// so only those that are to be recorded are.
func (f *façade) enter(config Config, next http.Handler) http.Handler {
	bounded := func(w http.ResponseWriter, r *http.Request, ctx context.Context) {
		w.Header()[TraceHeader] = []string{trace.SpanContextFromContext(ctx).TraceID().String()}
		ctx, cancel := context.WithTimeout(ctx, config.Timeout)
		defer cancel()
		r = r.WithContext(ctx)
		defer f.recover(w, r)
		next.ServeHTTP(w, r)
	}
	recorded := otelhttp.NewHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bounded(w, r, r.Context())
	}), "http", otelhttp.WithSpanNameFormatter(func(_ string, r *http.Request) string { return r.Method }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		span := spanOf(r)
		if span.IsSampled() || !span.IsRemote() && rand.Float64() < config.TraceShare {
			recorded.ServeHTTP(w, r)
			return
		}
		bounded(w, r, trace.ContextWithSpanContext(r.Context(), span))
	})
}

// boundAddress refuses addresses that are too long. It stands behind what lets pages read answers.
func boundAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > maxURLLength {
			httperror.Write(w, r, http.StatusRequestURITooLong, "",
				fmt.Sprintf("the address has %d bytes, at most %d are allowed", len(r.RequestURI), maxURLLength), nil)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// spanOf continues the trace that the caller brings (traceparent), or begins one.
func spanOf(r *http.Request) trace.SpanContext {
	if r.Header.Get("Traceparent") != "" {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
		if span := trace.SpanContextFromContext(ctx); span.IsValid() {
			return span
		}
	}
	var traceID trace.TraceID
	var spanID trace.SpanID
	binary.BigEndian.PutUint64(traceID[:], rand.Uint64())
	binary.BigEndian.PutUint64(traceID[8:], rand.Uint64())
	binary.BigEndian.PutUint64(spanID[:], rand.Uint64()|1)
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID})
}

// recover, deferred, turns a panic into the error body. Endpoints build their answer before they
// write any of it, so there is none that is half written.
func (f *façade) recover(w http.ResponseWriter, r *http.Request) {
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
}
