package endpoint

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

// The limits of streams.
const (
	// maxStreams bounds how many there are, and maxStreamsOfOne how many of one account.
	maxStreams      = 1000
	maxStreamsOfOne = 20
	// maxSubscriptionsOfOne bounds how many subscriptions go on for one account, in all its streams.
	maxSubscriptionsOfOne = 50
	// maxStrangers bounds how many there are of whom nobody knows yet whose they are, so that they leave room
	// for others, and maxStrangersOfOne how many from one address.
	maxStrangers      = 200
	maxStrangersOfOne = 20
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
	errStopping = catalogue.Errorf(catalogue.Unavailable, "the server is stopping: come again")
	errChanged  = catalogue.Errorf(catalogue.Forbidden, "what the caller may do has changed: come again")
	errCrowded  = catalogue.Errorf(catalogue.Unavailable, "there are too many streams at this time")
	errCrowding = catalogue.Errorf(catalogue.Unavailable, "the account has %d streams, and may have no more", maxStreamsOfOne)
	errGreedy   = catalogue.Errorf(catalogue.Unavailable, "the account has %d subscriptions, and may have no more", maxSubscriptionsOfOne)
	errNone     = catalogue.Errorf(catalogue.Unavailable, "this server has no streams")
)

// streams counts the streams that there are, and ends them.
type streams struct {
	closing context.Context
	close   context.CancelFunc

	mutex   sync.Mutex
	open    int
	of      map[string]int // by whose they are
	running sync.WaitGroup
}

func newStreams() *streams {
	s := &streams{of: map[string]int{}}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// begin counts a stream until leave is called. Its context ends when the server stops.
func (s *streams) begin(ctx context.Context) (_ context.Context, end context.CancelCauseFunc, leave func(), _ error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.closing.Err() != nil:
		return nil, nil, nil, errStopping
	case s.open >= maxStreams:
		return nil, nil, nil, errCrowded
	}
	s.open++
	s.running.Add(1)
	ctx, end = context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.closing, func() { end(errStopping) })
	return ctx, end, func() {
		stop()
		end(nil)
		s.mutex.Lock()
		s.open--
		s.mutex.Unlock()
		s.running.Done()
	}, nil
}

// admit counts a stream of a caller until leave is called.
func (s *streams) admit(caller *account.Caller) (leave func(), _ error) {
	return s.count("streams of "+holder(caller), maxStreamsOfOne, errCrowding)
}

// subscribe counts a subscription of a caller until leave is called.
func (s *streams) subscribe(caller *account.Caller) (leave func(), _ error) {
	return s.count("subscriptions of "+holder(caller), maxSubscriptionsOfOne, errGreedy)
}

// holder is who has the streams of a caller: the account, else the client.
func holder(caller *account.Caller) string {
	if caller.Account != nil {
		return "account " + caller.Account.ID
	}
	return "client " + caller.ClientID
}

// admitStranger counts a stream from an address until leave is called.
func (s *streams) admitStranger(address netip.Addr) (leave func(), _ error) {
	leaveAll, err := s.count("strangers", maxStrangers, errCrowded)
	if err != nil {
		return nil, err
	}
	leaveOne, err := s.count("address "+address.String(), maxStrangersOfOne, errCrowded)
	if err != nil {
		leaveAll()
		return nil, err
	}
	return func() { leaveOne(); leaveAll() }, nil
}

// count counts a stream under a name until leave is called. Where there are as many already, the error says so.
func (s *streams) count(whose string, most int, crowded error) (leave func(), _ error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.of[whose] >= most {
		return nil, crowded
	}
	s.of[whose]++
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if s.of[whose]--; s.of[whose] == 0 {
			delete(s.of, whose)
		}
	}, nil
}

// Close ends all streams, and lets none begin. It waits for them, for seconds at the most.
func (e *Endpoint) Close() error {
	e.streams.mutex.Lock()
	e.streams.close()
	e.streams.mutex.Unlock()
	ended := make(chan struct{})
	go func() { e.streams.running.Wait(); close(ended) }()
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
		case catalogue.CodeOf(err) == catalogue.Unavailable:
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
	return a.Rights == b.Rights && a.ClientID == b.ClientID && a.User == b.User && (a.Account == nil) == (b.Account == nil) &&
		(a.Account == nil || a.Account.ID == b.Account.ID)
}

// follow executes a subscription. It shows each thing that it comes to, and returns why it ended; nil: it
// had no more.
func (e *Endpoint) follow(ctx context.Context, operation *graphql.OperationContext, show func(*graphql.Response) error) (err error) {
	defer func() { // writing is not guarded by the executor
		if panicked := recover(); panicked != nil {
			err = e.recovered(ctx, panicked)
		}
	}()
	ctx, ending := graph.WithEnding(ctx)
	responses, ctx := e.executor.DispatchOperation(ctx, operation)
	for {
		response := responses(ctx)
		if response == nil {
			break
		}
		if err := show(response); err != nil {
			return err
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return ending.Reason()
}

// faultOf says what a caller may know of why a stream ended.
func (e *Endpoint) faultOf(ctx context.Context, reason error) *gqlerror.Error {
	var cause *catalogue.Error
	if errors.As(reason, &cause) && cause.Code != catalogue.Internal {
		return told(cause)
	}
	return e.internal(ctx, reason).faults[0]
}
