// Package spans traces the work within a request, if the request is recorded. For any other request, a call costs a few
// nanoseconds and no memory.
package spans

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/fault"
)

// Scope is the instrumentation scope of the spans.
const Scope = "github.com/filmstrip/filmstrip"

// Span is a started span. The zero value does nothing.
type Span struct{ span trace.Span }

// Recorded reports whether the request of the context is recorded.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Start starts a span below the one in the context. Span names come from a small fixed set; values that differ between
// requests belong in attributes.
func Start(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(Scope).Start(ctx, name, trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// End ends the span with the result of the work. Of an error, it records only the code, because the text may contain
// callers' data. It marks the span as failed if the service is at fault, but not for domain errors such as NotFound,
// nor if the caller hung up.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		code := CodeOf(err)
		s.span.SetAttributes(attribute.String("error.type", code))
		if code == string(fault.Unavailable) || code == string(fault.Internal) {
			s.span.SetStatus(codes.Error, code)
		}
	}
	s.span.End()
}

// Cancelled is the code of an error whose caller hung up or ran out of time.
const Cancelled = "CANCELLED"

// CodeOf returns the code of an error: the domain's, or Cancelled, or "" for nil.
func CodeOf(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return Cancelled
	}
	return string(fault.CodeOf(err))
}
