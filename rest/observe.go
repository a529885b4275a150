package rest

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// Observer is told of every request that this server answers, and each pays for what its methods do.
// They are called concurrently.
type Observer interface {
	// Begin is told that a request begins, and of its place in a trace. It returns the context to go on
	// with, which carries that span or one below it that is recorded, of the same trace. The span of a caller
	// who is not trusted with traces comes beside it, to link to; it is invalid where there is none.
	Begin(ctx context.Context, span, caller trace.SpanContext) context.Context
	// End is told that a request has ended: the context from Begin, the path of its route or door as it
	// is declared ("/v1/videos/{id}", with a * behind it where it stands for all below; "" where none
	// matched), the method as the caller wrote it, the status and the bytes of the answer's body, and
	// the time that it took, which for endless ones (Door.Endless) is the time until the answer began.
	End(ctx context.Context, route, method string, status int, bytes int64, took time.Duration)
}

// unobserved is an Observer that does no more than it must.
type unobserved struct{}

func (unobserved) Begin(ctx context.Context, span, _ trace.SpanContext) context.Context {
	return trace.ContextWithSpanContext(ctx, span)
}

func (unobserved) End(context.Context, string, string, int, int64, time.Duration) {}

// requestState is one request on its way through the server: what the observer will be told of it, and the
// context by which the router finds it. Both are one object, as is what the header needs, because every
// request makes one.
type requestState struct {
	context.Context
	http.ResponseWriter
	traceID [1]string
	route   string
	status  int
	bytes   int64
	// answered is when the answer of an endless request began.
	endless  bool
	answered time.Time
	// used is what the request uses that is deprecated; facade and request say where that is documented.
	used    deprecation.Call
	facade  *facade
	request *http.Request
	body    countedBody
	client  string // who calls; "": nobody whom a client vouches for
}

type requestStateKey struct{}

// Value implements context.Context.
func (p *requestState) Value(key any) any {
	switch key.(type) {
	case requestStateKey:
		return p
	case deprecation.CallKey:
		return &p.used
	}
	return p.Context.Value(key)
}

// WriteHeader implements http.ResponseWriter. What is sent before the answer (1xx) is none.
func (p *requestState) WriteHeader(status int) {
	if status >= http.StatusOK {
		p.beginWith(status)
	}
	p.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (p *requestState) Write(body []byte) (int, error) {
	p.begun()
	n, err := p.ResponseWriter.Write(body)
	p.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, so that what passes through need not pass through memory.
func (p *requestState) ReadFrom(from io.Reader) (int64, error) {
	p.begun()
	n, err := io.Copy(p.ResponseWriter, from)
	p.bytes += n
	return n, err
}

// Flush implements http.Flusher.
func (p *requestState) Flush() {
	p.begun()
	_ = http.NewResponseController(p.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (p *requestState) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// endlessState is the state of an endless request, which may go on as something that is no longer HTTP.
// What lies behind pays for a writer that can be hijacked, so no other state can.
type endlessState struct{ *requestState }

// Hijack implements http.Hijacker.
func (p endlessState) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(p.ResponseWriter).Hijack()
	if err == nil {
		p.beginWith(http.StatusSwitchingProtocols)
	}
	return conn, buffered, err
}

// begun notes that an answer without a status has one.
func (p *requestState) begun() { p.beginWith(http.StatusOK) }

// beginWith notes the status of an answer, which is the first that it is given.
func (p *requestState) beginWith(status int) {
	if p.status != 0 {
		return
	}
	p.status = status
	p.announce()
	if p.endless {
		p.answered = time.Now()
	}
}

// routed tells the request's state which route it takes.
func routed(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, ok := r.Context().Value(requestStateKey{}).(*requestState); ok {
			p.route = route
			p.count(r)
		}
		next.ServeHTTP(w, r)
	})
}
