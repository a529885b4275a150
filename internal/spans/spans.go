// Package spans draws what happens within a request whose trace is recorded. Of any other request it
// only finds out that there is nothing to draw, which takes some nanoseconds and no memory.
package spans

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/fault"
)

// Scope names the program as the maker of its spans.
const Scope = "github.com/filmstrip/filmstrip"

// Span is a span that has been started, or the zero value, which does nothing.
type Span struct{ span trace.Span }

// Recorded reports whether the request of the context is recorded.
func Recorded(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// Start starts a span below the one in the context. Its name is one of few: what differs from request
// to request goes into attributes.
func Start(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(Scope).Start(ctx, name, trace.WithAttributes(attributes...))
	return ctx, Span{span}
}

// End ends the span with what came of it. An error is written by its code alone: its text may hold
// what callers sent. It is marked as a failure where it is the service's fault, not where it is an
// answer (a video that there is not) or the caller's end.
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

// Cancelled is the code of an error that says that the caller hung up or that its time is over.
const Cancelled = "CANCELLED"

// CodeOf is the code of an error: that of the domain, or Cancelled; "": none.
func CodeOf(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return Cancelled
	}
	return string(fault.CodeOf(err))
}
