package endpoint

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// stream answers a subscription by server-sent events, as "distinct connections" of graphql-sse have it: one
// event next for each thing, with the object that a query would be answered with. Where no more will come, and
// asking again would not help, an event complete ends it.
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
	ctx, end, leave, err := e.admission.begin(answers.r.Context())
	if err != nil {
		answers.fault(refusalOf(err))
		return
	}
	defer leave()
	left, err := e.admission.admit(caller)
	if err != nil {
		answers.fault(refusalOf(err))
		return
	}
	defer left()
	ended, err := e.admission.subscribe(caller)
	if err != nil {
		answers.fault(refusalOf(err))
		return
	}
	defer ended()
	e.sendEvents(ctx, end, newEventStream(answers), operation, caller)
}

func refusalOf(err error) *refusal {
	return refuse(httperror.StatusOf(fault.CodeOf(err)), fault.CodeOf(err), "%s", err)
}

// sendEvents sends what a subscription comes to until it or its context ends.
func (e *Endpoint) sendEvents(
	ctx context.Context, end context.CancelCauseFunc, events *eventStream, operation *graphql.OperationContext, caller *account.Caller,
) {
	var beside sync.WaitGroup
	defer beside.Wait()
	defer end(nil)
	if err := events.begin(); err != nil {
		return
	}
	beside.Go(func() { e.guarded(ctx, end, func() { events.keepAlive(ctx, end) }) })
	beside.Go(func() { e.guarded(ctx, end, func() { e.attend(events.r.WithContext(ctx), caller, end) }) })
	reason := e.follow(ctx, operation, events.next)
	if events.broken || ctx.Err() != nil && context.Cause(ctx) == context.Canceled { //nolint:errorlint // nobody reads any more
		return
	}
	if reason != nil {
		_ = events.next(&graphql.Response{Errors: gqlerror.List{e.faultOf(ctx, reason)}})
	}
	if fault.CodeOf(reason) != fault.Unavailable {
		_ = events.send("event: complete\ndata:\n\n")
	}
}

// eventStream writes server-sent events.
type eventStream struct {
	r       *http.Request
	w       http.ResponseWriter
	control *http.ResponseController

	mutex  sync.Mutex
	broken bool
}

func newEventStream(answers answer) *eventStream {
	return &eventStream{r: answers.r, w: answers.w, control: http.NewResponseController(answers.w)}
}

// begin sends the header.
func (s *eventStream) begin() error {
	header := s.w.Header()
	header.Set("Content-Type", eventStreamType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Accel-Buffering", "no")
	return s.send(":\n\n")
}

func (s *eventStream) next(response *graphql.Response) error {
	return s.send("event: next\ndata: " + string(bodyOf(response)) + "\n\n")
}

// send sends a whole event, and returns once the network has taken it. The server's limit for an answer does
// not hold: each event has its own.
func (s *eventStream) send(text string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_ = s.control.SetWriteDeadline(time.Now().Add(sendTimeout))
	_, err := s.w.Write([]byte(text))
	if err == nil {
		err = s.control.Flush()
	}
	s.broken = s.broken || err != nil
	return err
}

// keepAlive sends comments, and ends the stream when nobody takes them.
func (s *eventStream) keepAlive(ctx context.Context, end context.CancelCauseFunc) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.send(":\n\n") != nil {
				end(nil)
				return
			}
		}
	}
}
