package endpoint

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// The limits of the subscriptions of one WebSocket.
const (
	// maxSubscriptions bounds how many run at the same time.
	maxSubscriptions = 10
	// subscribePause is the least time between two of them. Nothing else limits their rate.
	subscribePause = 20 * time.Millisecond
)

// connection executes the subscriptions of one WebSocket for gqlgen's transport.
type connection struct {
	endpoint *Endpoint
	r        *http.Request // with the caller's token
	end      context.CancelCauseFunc
	known    func()       // ends the counting of the connection as a stranger's
	finish   func()       // ends the counting of the connection as the caller's
	running  atomic.Int32 // subscriptions
	lastTime time.Time    // of a subscription; only the reader uses it
}

var _ graphql.GraphExecutor = &connection{}

// serve runs gqlgen's transport over a socket until the connection ends. The caller is nil if the first message
// identifies it.
func (c *connection) serve(s *socket, caller *account.Caller) {
	ctx, limit := c.r.Context(), int64(maxMessage)
	stop := context.AfterFunc(ctx, func() { s.closeFor(context.Cause(ctx)) })
	defer stop()
	defer s.finish()
	c.endpoint.guarded(ctx, s.closeFor, func() {
		transport.Websocket{
			Implementation: accepted{s},
			InitFunc: func(ctx context.Context, payload transport.InitPayload) (context.Context, *transport.InitPayload, error) {
				ctx, err := c.initialize(ctx, payload, caller)
				if err != nil {
					s.closeFor(err)
				}
				return ctx, nil, err
			},
			PingPongInterval: keepAlive,
			PayloadReadLimit: &limit,
		}.Do(nil, c.r, c)
	})
}

// accepted is the WebSocket of a request that the server has upgraded already.
type accepted struct{ socket *socket }

// Accept implements transport.WebsocketImplementation.
func (a accepted) Accept(http.ResponseWriter, *http.Request, transport.WebsocketAcceptOptions) (transport.WebsocketConn, error) {
	return a.socket, nil
}

// initialize identifies the caller by the first message, unless the request's header did.
func (c *connection) initialize(ctx context.Context, payload transport.InitPayload, caller *account.Caller) (context.Context, error) {
	if caller == nil {
		var err error
		if caller, err = c.callerOf(payload); err != nil {
			return ctx, err
		}
		if c.finish, err = c.endpoint.admission.admit(caller); err != nil {
			c.finish = func() {}
			return ctx, err
		}
	}
	c.known()
	ctx = account.WithCaller(ctx, caller)
	subscribed := c.r.WithContext(ctx)
	go c.endpoint.guarded(ctx, c.end, func() { c.endpoint.endWhenRefused(subscribed, caller, c.end) })
	return ctx, nil
}

// callerOf identifies the caller by the payload of connection_init: {"Authorization": "Bearer …"}.
func (c *connection) callerOf(payload transport.InitPayload) (*account.Caller, error) {
	for name, value := range payload {
		if token, ok := value.(string); ok && strings.EqualFold(name, "Authorization") {
			c.r = c.r.Clone(c.r.Context())
			c.r.Header.Set("Authorization", token)
		}
	}
	caller, err := c.endpoint.authenticate(c.r)
	if err == nil && !c.endpoint.allows(c.r, caller) {
		err = errOrigin
	}
	return caller, err
}

// CreateOperationContext implements graphql.GraphExecutor. An operation that cannot run fails in DispatchOperation,
// because the transport would send errors from here as a result.
func (c *connection) CreateOperationContext(ctx context.Context, raw *graphql.RawParams) (operation *graphql.OperationContext, _ gqlerror.List) {
	var faults gqlerror.List
	failed := func(err error) { faults = gqlerror.List{c.endpoint.faultOf(ctx, err)} }
	c.endpoint.guarded(ctx, failed, func() { operation, faults = c.prepare(ctx, raw) })
	if len(faults) > 0 {
		operation = &graphql.OperationContext{RecoverFunc: c.endpoint.recovered, Extensions: map[string]any{faultsOf: faults}}
	}
	return operation, nil
}

// faultsOf is the extension of an operation that holds the errors for which it cannot run.
const faultsOf = "faults"

func (c *connection) prepare(ctx context.Context, raw *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	time.Sleep(subscribePause - min(subscribePause, time.Since(c.lastTime)))
	c.lastTime = time.Now()
	params, problem := requestOf(raw)
	if problem != nil {
		return nil, problem.faults
	}
	operation, problem := c.endpoint.prepare(deprecation.Again(ctx), params, c.r.Header)
	if problem == nil && operation.Operation.Operation != ast.Subscription {
		problem = badRequest("a WebSocket serves only subscriptions: post queries and mutations")
	}
	if problem != nil {
		return nil, problem.faults
	}
	return operation, nil
}

// DispatchOperation implements graphql.GraphExecutor. The subscription ends with ctx.
func (c *connection) DispatchOperation(ctx context.Context, operation *graphql.OperationContext) (graphql.ResponseHandler, context.Context) {
	refuse := func(faults ...*gqlerror.Error) *graphql.Response { // as a message error, which ends the subscription
		for _, one := range faults {
			transport.AddSubscriptionError(ctx, one)
		}
		return nil
	}
	ended, faults := c.begin(ctx, operation)
	if len(faults) > 0 {
		return func(context.Context) *graphql.Response { return refuse(faults...) }, ctx
	}
	context.AfterFunc(ctx, ended)
	responses, inner := c.endpoint.follow(ctx, operation, func(reason error) *graphql.Response {
		if reason == nil || ctx.Err() != nil {
			return nil
		}
		return refuse(c.endpoint.faultOf(ctx, reason))
	})
	return func(ctx context.Context) *graphql.Response {
		response := responses(ctx)
		if response != nil && response.Data == nil { // the subscription could not start
			return refuse(response.Errors...)
		}
		return response
	}, inner
}

// begin counts a subscription until ended is called.
func (c *connection) begin(ctx context.Context, operation *graphql.OperationContext) (ended func(), _ gqlerror.List) {
	if faults, ok := operation.Extensions[faultsOf].(gqlerror.List); ok {
		return nil, faults
	}
	fail := func(err error) (func(), gqlerror.List) {
		c.running.Add(-1)
		return nil, gqlerror.List{c.endpoint.faultOf(ctx, err)}
	}
	if c.running.Add(1) > maxSubscriptions {
		return fail(fault.Errorf(fault.Unavailable, "a connection may run at most %d subscriptions at the same time", maxSubscriptions))
	}
	finish, err := c.endpoint.admission.subscribe(account.CallerOf(ctx))
	if err != nil {
		return fail(err)
	}
	return func() { c.running.Add(-1); finish() }, nil
}

// DispatchError implements graphql.GraphExecutor.
func (c *connection) DispatchError(_ context.Context, faults gqlerror.List) *graphql.Response {
	return &graphql.Response{Errors: faults}
}
