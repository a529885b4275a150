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
	// keepAlive is the interval of pings, so that proxies do not close a silent stream.
	keepAlive = 15 * time.Second
	// sendTimeout bounds the write of one message.
	sendTimeout = 10 * time.Second
	// closeTimeout is the longest that Close waits for streams to end.
	closeTimeout = 5 * time.Second
)

const eventStreamType = "text/event-stream"

// MayStream reports whether the response may be a stream, to which the time limits of requests must not apply.
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
	errStopping = fault.Errorf(fault.Unavailable, "the server is stopping: connect again")
	errChanged  = fault.Errorf(fault.Forbidden, "the permissions of the caller have changed: connect again")
	errNone     = fault.Errorf(fault.Unavailable, "this server does not serve streams")
)

// Close ends all streams, accepts no new ones, and waits up to closeTimeout for them to end.
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
		return errors.New("streams did not end in time")
	}
}

// endWhenRefused ends a stream when its caller could no longer start it: when the token expires or is revoked, or when the
// caller's permissions change. The stream continues while the caller cannot be checked.
func (e *Endpoint) endWhenRefused(r *http.Request, caller *account.Caller, end context.CancelCauseFunc) {
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

// checkStreams refuses subscriptions with several root fields, which gqlparser's validation accepts (GraphQL, "Single
// Root Field").
func checkStreams(operation *graphql.OperationContext) *refusal {
	if operation.Operation.Operation != ast.Subscription {
		return nil
	}
	fields := graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{"Subscription"})
	if len(fields) != 1 || strings.HasPrefix(fields[0].Name, "__") {
		return refuse(http.StatusBadRequest, codeValidation, "a subscription must have exactly one root field")
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

// faultOf returns the public form of the error that ended a stream.
func (e *Endpoint) faultOf(ctx context.Context, reason error) *gqlerror.Error {
	if cause, ok := errors.AsType[*fault.Error](reason); ok && cause.Code != fault.Internal {
		return publicError(cause)
	}
	return e.internal(ctx, reason).faults[0]
}
