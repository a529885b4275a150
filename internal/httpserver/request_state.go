package httpserver

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/filmstrip/filmstrip/internal/deprecation"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// requestState accompanies one request through the server: it is the context and the response writer of the request, and
// holds the values for the observer. It is a single object because every request allocates one.
type requestState struct {
	context.Context // without the time limit
	http.ResponseWriter
	timeLimit
	traceID [1]string
	route   string
	status  int
	bytes   int64
	// answered is the time at which the response of an endless request began.
	endless  bool
	answered time.Time
	// used holds the deprecated items that the request uses; server and request give the URL of their documentation.
	used    deprecation.Call
	server  *server
	request *http.Request
	body    countedBody
	// account and client are those of the caller; client is "" if the caller has none.
	account, client string
	secretPath      bool // of the mount
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
	if limited := p.limited.Load(); limited != nil {
		return (*limited).Value(key) // the contexts that derive from this one find the one that ends them
	}
	return p.Context.Value(key)
}

// WriteHeader implements http.ResponseWriter. Informational responses (1xx) do not begin the response.
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

// ReadFrom implements io.ReaderFrom, so that files need not pass through memory.
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

// endlessState is the state of an endless request, whose connection may switch to another protocol. Only it can be
// hijacked, because handlers pay for a writer that can.
type endlessState struct{ *requestState }

// Hijack implements http.Hijacker.
func (p endlessState) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(p.ResponseWriter).Hijack()
	if err == nil {
		p.beginWith(http.StatusSwitchingProtocols)
	}
	return conn, buffered, err
}

// begun records the implicit status of a response.
func (p *requestState) begun() { p.beginWith(http.StatusOK) }

// beginWith records the status of a response, which is the first one that it is given.
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

// announce adds the deprecated parts of the API that the request used to the header of the response.
func (p *requestState) announce() {
	p.used.Announce(p.Header(), func() string { return p.server.Base.Of(p.request) })
}

// begin is the first middleware: it assigns a W3C trace, calls the observer, bounds the time and the memory of the body,
// and turns a panic into the error body.
func (s *server) begin(mount *Mount) middleware {
	route := mount.route()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun := time.Now()
			span, caller := s.spanOf(r)
			p := &requestState{
				Context: s.Observer.Begin(r.Context(), span, caller), ResponseWriter: w, server: s, request: r,
				route: route, secretPath: mount.SecretPath, endless: mount.Endless != nil && mount.Endless(r),
			}
			if !p.endless {
				p.deadline = begun.Add(cmp.Or(mount.Timeout, s.Timeout))
			}
			p.used.Register = s.Deprecations
			defer s.finish(p, r.Method, begun)
			defer p.release()
			p.traceID[0] = span.TraceID().String()
			w.Header()[TraceHeader] = p.traceID[:]
			defer p.end()
			r = r.WithContext(p)
			if !mount.StreamsBody {
				p.count(r)
			}
			defer s.recover(p, r)
			if p.endless {
				next.ServeHTTP(endlessState{p}, r)
				return
			}
			next.ServeHTTP(p, r)
		})
	}
}

// statusHungUp is the status, for the observer, of a request whose caller hung up before the response.
const statusHungUp = 499

// finish reports a request to the observer. A request that wrote nothing has status 200, as in net/http.
func (s *server) finish(p *requestState, method string, begun time.Time) {
	p.begun()
	if p.Context.Err() != nil && p.status == http.StatusServiceUnavailable {
		p.status = statusHungUp // the caller does not read that the time is over
	}
	took := time.Since(begun)
	if p.endless {
		took = p.answered.Sub(begun)
	}
	s.Observer.End(p.Context, p.route, method, p.status, p.bytes, took)
	s.AccessLog.write(p, method, took)
}

// recover, deferred, turns a panic into the error body. Endpoints build their response before they write any of it, so no
// response is half written.
func (s *server) recover(w http.ResponseWriter, r *http.Request) {
	panicked := recover()
	if panicked == nil {
		return
	}
	if panicked == http.ErrAbortHandler { //nolint:errorlint // the panic is this value itself
		panic(panicked)
	}
	s.Logger.ErrorContext(r.Context(), "panic", "method", r.Method, "path", r.URL.Path,
		"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
	httperror.WriteError(w, r, fmt.Errorf("panic: %v", panicked))
}
