package rest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// TraceHeader names every request in the answer, the logs and the traces.
const TraceHeader = "X-Service-Trace-Id"

// maxURLLength bounds path and query together. A thousand IDs fit.
const maxURLLength = 32 << 10

// maxHeaderLength bounds the names and values of the header together.
const maxHeaderLength = 48 << 10

// begin is what a request meets first: it becomes part of a W3C trace, the observer is told of it, its
// time is bounded, and a panic becomes the error body.
func (f *facade) begin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		span, caller := f.spanOf(r)
		timeout := f.timeoutOf(r)
		p := &requestState{Context: f.observer.Begin(r.Context(), span, caller), ResponseWriter: w, endless: timeout == endless, facade: f, request: r}
		p.used.Register = f.deprecations
		defer f.finish(p, r.Method, begun)
		defer p.release()
		p.traceID[0] = span.TraceID().String()
		w.Header()[TraceHeader] = p.traceID[:]
		ctx, cancel := context.WithTimeout(p, timeout)
		defer cancel()
		r = r.WithContext(ctx)
		defer f.recover(p, r)
		if p.endless {
			next.ServeHTTP(endlessState{p}, r)
			return
		}
		next.ServeHTTP(p, r)
	})
}

// statusHungUp is what a request counts as whose caller hung up before there was an answer.
const statusHungUp = 499

// finish tells the observer what a request came to. One that wrote nothing has status 200 all the same.
func (f *facade) finish(p *requestState, method string, begun time.Time) {
	p.begun()
	if p.Err() != nil && p.status == http.StatusServiceUnavailable {
		p.status = statusHungUp // nobody reads that the time is over
	}
	took := time.Since(begun)
	if p.endless {
		took = p.answered.Sub(begun)
	}
	f.observer.End(p.Context, p.route, method, p.status, p.bytes, took)
}

// endless is the timeout of what has none.
const endless time.Duration = math.MaxInt64

// timeoutOf is how long a request may take: a door may have times of its own.
func (f *facade) timeoutOf(r *http.Request) time.Duration {
	for _, door := range f.slowDoors {
		switch {
		case !strings.HasPrefix(r.URL.Path, door.Path):
		case door.Endless != nil && door.Endless(r):
			return endless
		case door.Timeout > 0:
			return door.Timeout
		}
	}
	return f.timeout
}

// boundSizes refuses addresses and headers that are too long. It stands behind what lets pages read
// answers.
func boundSizes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := headerLength(r.Header); n > maxHeaderLength {
			httperror.Write(w, r, http.StatusRequestHeaderFieldsTooLarge, "",
				fmt.Sprintf("the header has %d bytes, at most %d are allowed", n, maxHeaderLength), nil)
			return
		}
		if len(r.RequestURI) > maxURLLength {
			httperror.Write(w, r, http.StatusRequestURITooLong, "",
				fmt.Sprintf("the address has %d bytes, at most %d are allowed", len(r.RequestURI), maxURLLength), nil)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// checkUserID refuses a user's id that is none, before it is asked who calls.
func checkUserID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, problem := account.ServiceUserID(r.Header[account.ServiceUserIDHeader]); problem != "" {
			httperror.WriteError(w, r, fault.InvalidRequest("%s", problem))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func headerLength(header http.Header) int {
	n := 0
	for name, values := range header {
		for _, value := range values {
			n += len(name) + len(value)
		}
	}
	return n
}

// spanOf returns the place of a request in a trace. A trusted proxy's traceparent and tracestate are continued. Any
// other request is the root of a new trace: a caller's flag, or a trace ID of the caller's choice, must not decide
// what is recorded. The span of such a caller is returned beside it, without its flags and state; it is invalid where
// there is none.
func (f *facade) spanOf(r *http.Request) (span, caller trace.SpanContext) {
	if r.Header.Get("Traceparent") != "" {
		ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
		caller = trace.SpanContextFromContext(ctx)
	}
	if caller.IsValid() && f.baseOf.trusts(r.RemoteAddr) {
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

// recover, deferred, turns a panic into the error body. Endpoints build their answer before they
// write any of it, so there is none that is half written.
func (f *facade) recover(w http.ResponseWriter, r *http.Request) {
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
