package httpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

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
	// used is what the request uses that is deprecated; server and request say where that is documented.
	used    deprecation.Call
	server  *server
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

// announce tells the caller, in the header of the answer that begins, which deprecated parts of the API it used.
func (p *requestState) announce() {
	p.used.Announce(p.Header(), func() string { return p.server.Base.Of(p.request) })
}

// begin is what a request meets first: it becomes part of a W3C trace, the observer is told of it, its
// time is bounded, and a panic becomes the error body.
func (s *server) begin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		span, caller := s.spanOf(r)
		timeout := s.timeoutOf(r)
		p := &requestState{Context: s.Observer.Begin(r.Context(), span, caller), ResponseWriter: w, endless: timeout == endless, server: s, request: r}
		p.used.Register = s.Deprecations
		defer s.finish(p, r.Method, begun)
		defer p.release()
		p.traceID[0] = span.TraceID().String()
		w.Header()[TraceHeader] = p.traceID[:]
		ctx, cancel := context.WithTimeout(p, timeout)
		defer cancel()
		r = r.WithContext(ctx)
		defer s.recover(p, r)
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
func (s *server) finish(p *requestState, method string, begun time.Time) {
	p.begun()
	if p.Err() != nil && p.status == http.StatusServiceUnavailable {
		p.status = statusHungUp // nobody reads that the time is over
	}
	took := time.Since(begun)
	if p.endless {
		took = p.answered.Sub(begun)
	}
	s.Observer.End(p.Context, p.route, method, p.status, p.bytes, took)
}

// endless is the timeout of what has none.
const endless time.Duration = math.MaxInt64

// timeoutOf is how long a request may take: a mount may have times of its own.
func (s *server) timeoutOf(r *http.Request) time.Duration {
	for _, mount := range s.patience {
		switch {
		case !strings.HasPrefix(r.URL.Path, mount.Path):
		case mount.Endless != nil && mount.Endless(r):
			return endless
		case mount.Timeout > 0:
			return mount.Timeout
		}
	}
	return s.Timeout
}

// recover, deferred, turns a panic into the error body. Endpoints build their answer before they
// write any of it, so there is none that is half written.
func (s *server) recover(w http.ResponseWriter, r *http.Request) {
	panicked := recover()
	if panicked == nil {
		return
	}
	if panicked == http.ErrAbortHandler { //nolint:errorlint // it is this very value
		panic(panicked)
	}
	s.Logger.ErrorContext(r.Context(), "panic", "method", r.Method, "path", r.URL.Path,
		"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
	httperror.WriteError(w, r, fmt.Errorf("panic: %v", panicked))
}
