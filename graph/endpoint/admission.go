package endpoint

import (
	"context"
	"net/netip"
	"sync"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// The shares of connections for subscriptions, and of the subscriptions that go on in them.
const (
	// maxStreams bounds how many connections there are.
	maxStreams = 1000
	// maxStrangers bounds how many there are of whom nobody knows yet whose they are, so that they leave room
	// for others, and maxStrangersOfOne how many from one address.
	maxStrangers      = 200
	maxStrangersOfOne = 20
)

// share is how many of something one holder may have.
type share struct {
	of   string // what the holder is
	name func(*account.Caller) string
	// streams and subscriptions are how many connections and how many subscriptions in all of them.
	streams, subscriptions int
}

// shares are those of a caller, the narrowest first. A holder without a name has no share of its own.
var shares = []share{
	{"user", func(c *account.Caller) string { return c.User }, 5, 20},
	{"client", func(c *account.Caller) string { return c.ClientID }, 20, 50},
	{"account", accountOf, 60, 150},
}

func accountOf(c *account.Caller) string {
	if c.Account == nil {
		return ""
	}
	return c.Account.ID
}

var (
	errCrowded = fault.Errorf(fault.Unavailable, "there are too many streams at this time")
	errNoUsage = fault.Errorf(fault.Forbidden, "subscriptions need the permission %s, and a token without a user unless it is an operator's", account.ViewUsage)
)

// admission decides who may hold a connection for subscriptions, counts the connections, and ends them. It knows
// nothing of how a connection is spoken over: every transport calls begin, then admit as soon as the caller is known
// (before it answers the request, or in the first message), and subscribe for each subscription.
type admission struct {
	closing context.Context
	close   context.CancelFunc

	mutex   sync.Mutex
	open    int
	of      map[string]int // by whose they are
	running sync.WaitGroup
}

func newAdmission() *admission {
	a := &admission{of: map[string]int{}}
	a.closing, a.close = context.WithCancel(context.Background())
	return a
}

// begin counts a connection until leave is called. Its context ends when the server stops.
func (a *admission) begin(ctx context.Context) (_ context.Context, end context.CancelCauseFunc, leave func(), _ error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch {
	case a.closing.Err() != nil:
		return nil, nil, nil, errStopping
	case a.open >= maxStreams:
		return nil, nil, nil, errCrowded
	}
	a.open++
	a.running.Add(1)
	ctx, end = context.WithCancelCause(ctx)
	stop := context.AfterFunc(a.closing, func() { end(errStopping) })
	return ctx, end, func() {
		stop()
		end(nil)
		a.mutex.Lock()
		a.open--
		a.mutex.Unlock()
		a.running.Done()
	}, nil
}

// admit counts a connection of a caller until leave is called. The error is of code Forbidden for a caller who may
// subscribe to nothing, and Unavailable where the caller's user, client or account has its share already.
func (a *admission) admit(caller *account.Caller) (leave func(), _ error) {
	if !caller.SeesUsage() {
		return nil, errNoUsage
	}
	return a.shared(caller, "streams", func(s share) int { return s.streams })
}

// subscribe counts a subscription of a caller until leave is called. The error is that of admit.
func (a *admission) subscribe(caller *account.Caller) (leave func(), _ error) {
	return a.shared(caller, "subscriptions", func(s share) int { return s.subscriptions })
}

// shared counts something for each holder that a caller is, or for none of them.
func (a *admission) shared(caller *account.Caller, what string, most func(share) int) (leave func(), _ error) {
	var left []func()
	leave = func() {
		for _, one := range left {
			one()
		}
	}
	for _, s := range shares {
		name := s.name(caller)
		if name == "" {
			continue
		}
		one, err := a.count(what+" of "+s.of+" "+name, most(s), fault.Errorf(fault.Unavailable, "the %s has %d %s, and may have no more", s.of, most(s), what))
		if err != nil {
			leave()
			return nil, err
		}
		left = append(left, one)
	}
	return leave, nil
}

// admitStranger counts a connection from an address until leave is called.
func (a *admission) admitStranger(address netip.Addr) (leave func(), _ error) {
	leaveAll, err := a.count("strangers", maxStrangers, errCrowded)
	if err != nil {
		return nil, err
	}
	leaveOne, err := a.count("address "+address.String(), maxStrangersOfOne, errCrowded)
	if err != nil {
		leaveAll()
		return nil, err
	}
	return func() { leaveOne(); leaveAll() }, nil
}

// count counts one under a name until leave is called. Where there are as many already, the error says so.
func (a *admission) count(whose string, most int, crowded error) (leave func(), _ error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.of[whose] >= most {
		return nil, crowded
	}
	a.of[whose]++
	return func() {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if a.of[whose]--; a.of[whose] == 0 {
			delete(a.of, whose)
		}
	}, nil
}
