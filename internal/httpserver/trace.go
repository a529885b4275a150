package httpserver

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// TraceHeader is the response header with the trace ID of the request, which logs and traces contain too.
const TraceHeader = "X-Service-Trace-Id"

// TraceIDOf returns the trace ID of the request with this context, in hex, or "" if the context is not from a request of
// this server.
func TraceIDOf(ctx context.Context) string {
	if p, ok := ctx.Value(requestStateKey{}).(*requestState); ok {
		return p.traceID[0]
	}
	return ""
}

// spanOf returns the span of a request. It continues the trace of a trusted proxy. Any other request starts a new trace,
// because a caller must decide neither the trace ID nor what is recorded; the span that such a caller sent is returned
// beside it, without flags and state, and is invalid if there is none.
func (s *server) spanOf(r *http.Request) (span, caller trace.SpanContext) {
	if r.Header.Get("Traceparent") != "" {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
		caller = trace.SpanContextFromContext(ctx)
	}
	if caller.IsValid() && s.Base.trusts(r.RemoteAddr) {
		return caller, trace.SpanContext{}
	}
	return newSpan(), caller.WithTraceFlags(0).WithTraceState(trace.TraceState{})
}

// newSpan returns the root span of a new trace.
func newSpan() trace.SpanContext {
	var traceID trace.TraceID
	var spanID trace.SpanID
	binary.BigEndian.PutUint64(traceID[:], rand.Uint64())
	binary.BigEndian.PutUint64(traceID[8:], rand.Uint64())
	binary.BigEndian.PutUint64(spanID[:], rand.Uint64()|1)
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID})
}
