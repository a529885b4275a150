package endpoint

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// stream answers a subscription with server-sent events, in the "distinct connections mode" of graphql-sse: an event
// next for each response, and an event complete at the end unless the client may connect again.
func (e *Endpoint) stream(answers answer, operation *graphql.OperationContext) {
	caller := account.CallerOf(answers.r.Context())
	switch {
	case !acceptsEventStream(answers.r):
		answers.fault(refuse(http.StatusNotAcceptable, fault.Invalid,
			"subscriptions are answered over a websocket, or to requests that accept %s", eventStreamType))
		return
	case caller == nil || e.authenticate == nil:
		answers.fault(refusalOf(errNone))
		return
	}
	ctx, end, finish, err := e.admission.begin(answers.r.Context())
	if err != nil {
		answers.fault(refusalOf(err))
		return
	}
	defer finish()
	for _, begin := range []func(*account.Caller) (func(), error){e.admission.admit, e.admission.subscribe} {
		finish, err := begin(caller)
		if err != nil {
			answers.fault(refusalOf(err))
			return
		}
		defer finish()
	}
	e.sendEvents(ctx, end, answers, operation, caller)
}

func refusalOf(err error) *refusal {
	return refuse(httperror.StatusOf(fault.CodeOf(err)), fault.CodeOf(err), "%s", err)
}

// sendEvents sends the responses of a subscription through gqlgen's transport until it or its context ends.
func (e *Endpoint) sendEvents(
	ctx context.Context, end context.CancelCauseFunc, answers answer, operation *graphql.OperationContext, caller *account.Caller,
) {
	events := &eventWriter{ResponseWriter: answers.w, control: http.NewResponseController(answers.w), end: end}
	defer events.stop()
	r := answers.r.WithContext(ctx)
	r.Body = io.NopCloser(strings.NewReader("{}")) // the operation has been read
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	beside.Go(func() { e.guarded(ctx, end, func() { e.endWhenRefused(r, caller, end) }) })
	transport.SSE{KeepAlivePingInterval: keepAlive}.Do(events, r, &eventExecutor{endpoint: e, operation: operation, events: events})
}

// eventExecutor executes one prepared subscription for gqlgen's transport.
type eventExecutor struct {
	endpoint  *Endpoint
	operation *graphql.OperationContext
	events    *eventWriter
}

// CreateOperationContext implements graphql.GraphExecutor.
func (x *eventExecutor) CreateOperationContext(context.Context, *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	return x.operation, nil
}

// DispatchOperation implements graphql.GraphExecutor. If the subscription did not end by itself, its last response is
// the reason. The transport then writes the event complete, after which clients do not connect again; those that may
// do not receive it.
func (x *eventExecutor) DispatchOperation(ctx context.Context, operation *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	var ended error
	responses, ctx := x.endpoint.follow(ctx, operation, func(reason error) *graphql.Response {
		if ended = reason; reason == nil {
			return nil
		}
		return &graphql.Response{Errors: gqlerror.List{x.endpoint.faultOf(ctx, reason)}}
	})
	return func(ctx context.Context) *graphql.Response {
		response := responses(ctx)
		if response == nil && fault.CodeOf(ended) == fault.Unavailable {
			x.events.stop()
		}
		return response
	}, ctx
}

// DispatchError implements graphql.GraphExecutor.
func (x *eventExecutor) DispatchError(_ context.Context, faults gqlerror.List) *graphql.Response {
	return &graphql.Response{Errors: faults}
}

// eventWriter gives each write a deadline of its own in place of the server's, and ends the stream if the client does
// not take it. After stop it writes nothing: the transport's keep-alive may outlive the request.
type eventWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	end     context.CancelCauseFunc

	mutex          sync.Mutex
	begun, stopped bool
}

// Write implements http.ResponseWriter.
func (w *eventWriter) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.stopped {
		return len(text), nil
	}
	if !w.begun {
		w.begun = true
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Accel-Buffering", "no")
	}
	_ = w.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	return len(text), w.failed(w.ResponseWriter.Write(text))
}

// Flush implements http.Flusher.
func (w *eventWriter) Flush() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !w.stopped {
		_ = w.failed(0, w.control.Flush())
	}
}

// failed ends the stream if a write failed.
func (w *eventWriter) failed(_ int, err error) error {
	if err != nil {
		w.stopped = true
		w.end(nil)
	}
	return err
}

func (w *eventWriter) stop() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.stopped = true
}
