package httpserver

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// Observer is told of every request that this server answers, and each pays for what its methods do.
// They are called concurrently.
type Observer interface {
	// Begin is told that a request begins, and of its place in a trace. It returns the context to go on
	// with, which carries that span or one below it that is recorded, of the same trace. The span of a caller
	// who is not trusted with traces comes beside it, to link to; it is invalid where there is none.
	Begin(ctx context.Context, span, caller trace.SpanContext) context.Context
	// End is told that a request has ended: the context from Begin, the path of its route or mount as it
	// is declared ("/v1/videos/{id}", with a * behind it where it stands for all below; "" where none
	// matched), the method as the caller wrote it, the status and the bytes of the answer's body, and
	// the time that it took, which for endless ones (Mount.Endless) is the time until the answer began.
	End(ctx context.Context, route, method string, status int, bytes int64, took time.Duration)
}

// unobserved is an Observer that does no more than it must.
type unobserved struct{}

func (unobserved) Begin(ctx context.Context, span, _ trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(ctx, span)
}

func (unobserved) End(context.Context, string, string, int, int64, time.Duration) {}
