package endpoint

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

// The limits of streams.
const (
	// keepAlive is how long a stream is silent at most, so that whoever is between does not give it up.
	keepAlive = 15 * time.Second
	// sendTimeout is how long one message may take until the network has taken it.
	sendTimeout = 10 * time.Second
	// closeTimeout is how long Close waits for streams to end.
	closeTimeout = 5 * time.Second
)

const eventStreamType = "text/event-stream"

// MayStream reports whether the answer to a request may be a stream, which has no end of its own: what
// bounds the time of requests must not bound it.
func MayStream(r *http.Request) bool {
	return r.Method == http.MethodPost && acceptsEventStream(r) || r.Method == http.MethodGet && websocket.IsWebSocketUpgrade(r)
}

func acceptsEventStream(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		if mediaType, _, err := mime.ParseMediaType(part); err == nil && mediaType == eventStreamType {
			return true
		}
	}
	return false
}

var (
	errStopping = fault.Errorf(fault.Unavailable, "the server is stopping: come again")
	errChanged  = fault.Errorf(fault.Forbidden, "what the caller may do has changed: come again")
	errNone     = fault.Errorf(fault.Unavailable, "this server has no streams")
)

// Close ends all streams, and lets none begin. It waits for them, for seconds at the most.
func (e *Endpoint) Close() error {
	e.admission.mutex.Lock()
	e.admission.close()
	e.admission.mutex.Unlock()
	ended := make(chan struct{})
	go func() { e.admission.running.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-time.After(closeTimeout):
		return errors.New("streams of events did not end in time")
	}
}

// attend ends a stream when its caller could not begin it as it did: when the token expires or is revoked, or
// when the caller's rights are others. While nobody can tell, it goes on.
func (e *Endpoint) attend(r *http.Request, caller *account.Caller, end context.CancelCauseFunc) {
	tick := time.NewTicker(e.attention)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		current, err := e.authenticate(r)
		switch {
		case fault.CodeOf(err) == fault.Unavailable:
		case err != nil:
			end(err)
		case !sameCaller(current, caller):
			end(errChanged)
		}
	}
}

// checkStreams refuses subscriptions to several things at once, which validation lets through.
func checkStreams(operation *graphql.OperationContext) *refusal {
	if operation.Operation.Operation != ast.Subscription {
		return nil
	}
	fields := graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{"Subscription"})
	if len(fields) != 1 || strings.HasPrefix(fields[0].Name, "__") {
		return refuse(http.StatusBadRequest, codeValidation, "a subscription asks for one field of the root")
	}
	return nil
}

func sameCaller(a, b *account.Caller) bool {
	return a.Permissions == b.Permissions && a.ClientID == b.ClientID && a.User == b.User && (a.Account == nil) == (b.Account == nil) &&
		(a.Account == nil || a.Account.ID == b.Account.ID)
}

// follow executes a subscription. The handler that it returns yields each response; when no more come, it calls last
// once, yields what last returns, and then nil. The reason is nil if the subscription ended by itself.
func (e *Endpoint) follow(
	ctx context.Context, operation *graphql.OperationContext, last func(reason error) *graphql.Response,
) (graphql.ResponseHandler, context.Context) {
	ctx, ending := graph.WithEnding(ctx)
	responses, ctx := e.executor.DispatchOperation(ctx, operation)
	ended := false
	return func(ctx context.Context) (response *graphql.Response) {
		if ended {
			return nil
		}
		var panicked error // gqlgen does not recover panics while it writes a response
		e.guarded(ctx, func(err error) { panicked = err }, func() { response = responses(ctx) })
		if response != nil {
			return response
		}
		ended = true
		return last(cmp.Or(panicked, context.Cause(ctx), ending.Reason()))
	}, ctx
}

// faultOf says what a caller may know of why a stream ended.
func (e *Endpoint) faultOf(ctx context.Context, reason error) *gqlerror.Error {
	var cause *fault.Error
	if errors.As(reason, &cause) && cause.Code != fault.Internal {
		return told(cause)
	}
	return e.internal(ctx, reason).faults[0]
}
