package httpserver

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Observer is called at the beginning and the end of every request, which waits for it. Calls are concurrent.
type Observer interface {
	// Begin returns the context of a request, which carries the span or a recorded span below it, of the same trace. caller
	// is the span of a caller who is not trusted with traces, for a link; it is invalid if there is none.
	Begin(ctx context.Context, span, caller trace.SpanContext) context.Context
	// End reports the end of a request: the context from Begin, the declared path of its route or mount ("/v1/videos/{id}",
	// with a final * for a prefix; "" without a match), the method as the caller wrote it, the status, the length of the
	// response body in bytes, and the duration, which for endless requests (Mount.Endless) ends where the response begins.
	End(ctx context.Context, route, method string, status int, bytes int64, took time.Duration)
}

// unobserved is an Observer that records nothing.
type unobserved struct{}

func (unobserved) Begin(ctx context.Context, span, _ trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(ctx, span)
}

func (unobserved) End(context.Context, string, string, int, int64, time.Duration) {}
