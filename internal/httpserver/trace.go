package httpserver

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// TraceHeader names every request in the answer, the logs and the traces.
const TraceHeader = "X-Service-Trace-Id"

// TraceIDOf returns the ID of the trace of the request with this context, in hex; "" where the context is of no request
// of this server.
func TraceIDOf(ctx context.Context) string {
	if p, ok := ctx.Value(requestStateKey{}).(*requestState); ok {
		return p.traceID[0]
	}
	return ""
}

// spanOf returns the place of a request in a trace. A trusted proxy's traceparent and tracestate are continued. Any
// other request is the root of a new trace: a caller's flag, or a trace ID of the caller's choice, must not decide
// what is recorded. The span of such a caller is returned beside it, without its flags and state; it is invalid where
// there is none.
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

// newSpan draws the root of a new trace.
func newSpan() trace.SpanContext {
	var traceID trace.TraceID
	var spanID trace.SpanID
	binary.BigEndian.PutUint64(traceID[:], rand.Uint64())
	binary.BigEndian.PutUint64(traceID[8:], rand.Uint64())
	binary.BigEndian.PutUint64(spanID[:], rand.Uint64()|1)
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID})
}
