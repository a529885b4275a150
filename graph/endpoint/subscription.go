package endpoint

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/deprecation"
)

// The limits of the subscriptions of one connection.
const (
	// maxSubscriptions bounds how many go on at one time.
	maxSubscriptions = 10
	// subscribePause is what lies between two of them at least: nothing else bounds how many are asked for.
	subscribePause = 20 * time.Millisecond
)

// subscription is what a client asked for under a name.
type subscription struct{ cancel context.CancelFunc }

// subscribe begins a subscription.
func (c *connection) subscribe(m *message) {
	c.names.Lock()
	taken := c.ofName[m.id] != nil
	c.names.Unlock()
	switch {
	case m.id == "":
		c.close(closeInvalid, "Invalid message: it has no id")
		return
	case taken:
		c.close(closeTaken, "Subscriber for "+m.id+" already exists")
		return
	}
	time.Sleep(subscribePause - min(subscribePause, time.Since(c.lastTime)))
	c.lastTime = time.Now()
	params, problem := decode(m.payload)
	if problem == nil && c.going.Load() >= maxSubscriptions {
		problem = refusalOf(fault.Errorf(fault.Unavailable, "a connection has at most %d subscriptions at one time", maxSubscriptions))
	}
	var ended func()
	if problem == nil {
		var err error
		if ended, err = c.endpoint.admission.subscribe(account.CallerOf(c.r.Context())); err != nil {
			problem = refusalOf(err)
		}
	}
	if problem != nil {
		c.fail(m.id, problem.faults)
		return
	}
	ctx, cancel := context.WithCancel(c.r.Context())
	mine := &subscription{cancel}
	c.names.Lock()
	c.ofName[m.id] = mine
	c.names.Unlock()
	c.going.Add(1)
	c.running.Go(func() {
		defer ended()
		defer c.going.Add(-1)
		defer cancel()
		forget := func() { c.forget(m.id, mine) }
		failed := func(reason error) {
			forget()
			c.fail(m.id, gqlerror.List{c.endpoint.faultOf(ctx, reason)})
		}
		c.endpoint.guarded(ctx, failed, func() { c.run(ctx, m.id, params, forget) })
	})
}

// forget ends the subscription of a name; of several that had it, the one that is given.
func (c *connection) forget(id string, mine *subscription) {
	c.names.Lock()
	defer c.names.Unlock()
	if found := c.ofName[id]; found != nil && (mine == nil || mine == found) {
		delete(c.ofName, id)
		found.cancel()
	}
}

// errAnswered ends a subscription whose client knows all of it.
var errAnswered = errors.New("answered")

// run sends what a subscription comes to, and how it ended, unless the client has ended it.
func (c *connection) run(ctx context.Context, id string, params *request, forget func()) {
	operation, problem := c.endpoint.prepare(deprecation.Again(ctx), params, c.r.Header)
	if problem == nil && operation.Operation.Operation != ast.Subscription {
		problem = badRequest("only subscriptions are answered over a websocket: post the others")
	}
	if problem != nil {
		forget()
		c.fail(id, problem.faults)
		return
	}
	reason := c.endpoint.follow(ctx, operation, func(response *graphql.Response) error {
		if response.Data == nil {
			forget()
			c.fail(id, response.Errors)
			return errAnswered
		}
		return c.send(messageNext, id, bodyOf(response))
	})
	ended := ctx.Err() != nil
	forget()
	switch {
	case ended, errors.Is(reason, errAnswered):
	case reason == nil:
		_ = c.send(messageComplete, id, nil)
	default:
		c.fail(id, gqlerror.List{c.endpoint.faultOf(ctx, reason)})
	}
}

// fail ends a subscription by what is wrong with it.
func (c *connection) fail(id string, faults gqlerror.List) {
	payload, err := stdjson.Marshal(faults)
	if err != nil { // only extensions that cannot be written lead here
		payload = []byte("[]")
	}
	_ = c.send(messageError, id, payload)
}
