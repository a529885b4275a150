package endpoint

import (
	"context"
	"net/netip"
	"sync"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// The limits of connections for subscriptions, and of the subscriptions that run over them.
const (
	// maxStreams bounds the connections of the process.
	maxStreams = 1000
	// maxStrangers bounds the connections whose caller is not known yet, and maxStrangersOfOne those from one address,
	// so that they leave room for known callers.
	maxStrangers      = 200
	maxStrangersOfOne = 20
)

// share is how many connections and subscriptions one holder may have.
type share struct {
	of   string // the kind of holder
	name func(*account.Caller) string
	// streams limits the connections, subscriptions the subscriptions over all of them.
	streams, subscriptions int
}

// shares lists the holders that a caller counts for, the narrowest first. A holder without a name is not counted.
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
	errCrowded  = fault.Errorf(fault.Unavailable, "too many streams are open")
	errNoEvents = fault.Errorf(fault.Forbidden, "subscriptions need the permission %s and a token without a user, or, for staff, %s", account.ViewUsage, account.ViewPersons)
)

// admission decides who may hold a connection for subscriptions, counts the connections, and ends them. It does not
// depend on transports: each calls begin, then admit as soon as it knows the caller (before it answers the request, or
// after the first message), and subscribe for each subscription.
type admission struct {
	closing context.Context
	close   context.CancelFunc

	mutex   sync.Mutex
	open    int
	of      map[string]int // counts by holder
	running sync.WaitGroup
}

func newAdmission() *admission {
	a := &admission{of: map[string]int{}}
	a.closing, a.close = context.WithCancel(context.Background())
	return a
}

// begin counts a connection until finish is called. Its context ends when the server stops.
func (a *admission) begin(ctx context.Context) (_ context.Context, end context.CancelCauseFunc, finish func(), _ error) {
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

// admit counts a connection of a caller until finish is called. The error has the code Forbidden for a caller who may
// not subscribe to anything, and Unavailable if the user, client or account of the caller is at its limit.
func (a *admission) admit(caller *account.Caller) (finish func(), _ error) {
	if !caller.SeesEvents() {
		return nil, errNoEvents
	}
	return a.shared(caller, "streams", func(s share) int { return s.streams })
}

// subscribe counts a subscription of a caller until finish is called. The error has the code Unavailable if a limit is
// reached.
func (a *admission) subscribe(caller *account.Caller) (finish func(), _ error) {
	return a.shared(caller, "subscriptions", func(s share) int { return s.subscriptions })
}

// shared counts one connection or subscription for each holder of a caller, or for none if one is at its limit.
func (a *admission) shared(caller *account.Caller, what string, most func(share) int) (finish func(), _ error) {
	var left []func()
	finish = func() {
		for _, one := range left {
			one()
		}
	}
	for _, s := range shares {
		name := s.name(caller)
		if name == "" {
			continue
		}
		one, err := a.count(what+" of "+s.of+" "+name, most(s), fault.Errorf(fault.Unavailable, "the %s has %d %s, the maximum", s.of, most(s), what))
		if err != nil {
			finish()
			return nil, err
		}
		left = append(left, one)
	}
	return finish, nil
}

// admitStranger counts a connection from an address until finish is called.
func (a *admission) admitStranger(address netip.Addr) (finish func(), _ error) {
	finishAll, err := a.count("strangers", maxStrangers, errCrowded)
	if err != nil {
		return nil, err
	}
	finishOne, err := a.count("address "+address.String(), maxStrangersOfOne, errCrowded)
	if err != nil {
		finishAll()
		return nil, err
	}
	return func() { finishOne(); finishAll() }, nil
}

// count increases the count of a holder until finish is called. It returns crowded if the count has reached most.
func (a *admission) count(whose string, most int, crowded error) (finish func(), _ error) {
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
