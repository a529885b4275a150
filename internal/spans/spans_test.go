package spans_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/spans"
)

func TestErrorsAreRecordedByTheirCode(t *testing.T) {
	for _, test := range []struct {
		err     error
		code    string
		failure bool
	}{
		{nil, "", false},
		{fault.Errorf(fault.NotFound, "there is no secret"), "NOT_FOUND", false},
		{fmt.Errorf("wrapped: %w", fault.Errorf(fault.Unavailable, "secret")), string(fault.Unavailable), true},
		{&fault.Error{Code: fault.Unavailable, Cause: context.Canceled}, string(fault.Unavailable), true},
		{errors.New("secret"), string(fault.Internal), true},
		{context.Canceled, spans.Cancelled, false},
		{fmt.Errorf("wrapped: %w", context.DeadlineExceeded), spans.Cancelled, false},
	} {
		recorder := tracetest.NewSpanRecorder()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
		ctx, root := provider.Tracer("test").Start(t.Context(), "root")
		_, span := spans.Start(ctx, "child", attribute.String("k", "v"))
		span.End(test.err)
		ended := recorder.Ended()
		if len(ended) != 1 || ended[0].Name() != "child" || ended[0].Parent().SpanID() != root.SpanContext().SpanID() {
			t.Fatalf("%v: got %v", test.err, ended)
		}
		reported := map[attribute.Key]string{}
		for _, one := range ended[0].Attributes() {
			reported[one.Key] = one.Value.AsString()
		}
		status := ended[0].Status()
		if reported["k"] != "v" || reported["error.type"] != test.code || (status.Code == codes.Error) != test.failure || len(ended[0].Events()) > 0 {
			t.Errorf("%v: got %v %v", test.err, reported, status)
		}
		if test.failure && status.Description != test.code {
			t.Errorf("%v: the span says %q", test.err, status.Description)
		}
	}
}

// TestNothingIsDrawnOfOthers checks that Start makes no span and allocates nothing if the parent is not recorded.
func TestNothingIsDrawnOfOthers(t *testing.T) {
	ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled,
	}))
	for name, parent := range map[string]context.Context{"no span": context.Background(), "a span of another": ctx} {
		if spans.Recorded(parent) {
			t.Errorf("%s is recorded", name)
		}
		if child, span := spans.Start(parent, "child"); child != parent || span != (spans.Span{}) {
			t.Errorf("%s: a span was started", name)
		}
		if n := testing.AllocsPerRun(100, func() {
			_, span := spans.Start(parent, "child")
			span.End(nil)
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
