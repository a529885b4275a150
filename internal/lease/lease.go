// Package lease lets processes take turns at a piece of work: one of them at a time holds a lease in the store.
//
// A lease does not fence: an order that a process has sent may arrive after another process has taken over. So
//   - a holder gives orders for half a lease from the moment before it requested its last renewal, and it waits for no
//     order any longer; during the other half, an order that it gave up arrives, or never will;
//   - with each renewal the holder reports up to where its work is settled: acknowledged half a lease ago or more, and
//     not in doubt. A new holder sends again what comes after that;
//   - an order that failed, or ended after the tenure, is in doubt: it may still arrive, over what was sent later. Its
//     span is sent again half a lease later. A process that has lost the lease meanwhile asks for it back to do so;
//   - a process that stops or hands over gives the lease up only when none of its orders can still arrive.
package lease

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/store"
)

// Options are the settings of a Client.
type Options struct {
	Store store.Leases
	// Name is the name of the lease, the same in every process.
	Name string
	// For is how long other processes wait for a holder that does not renew. Processes use their clocks only to
	// measure durations. 0: 15 s.
	For time.Duration
	// Settled returns the position up to which the work is known to have arrived; nil: nothing is ever sent again.
	Settled func() store.Position
	// Began is called when this process becomes the holder; nil: nothing is called. It must not wait.
	Began  func()
	Logger *slog.Logger
	// BackOff and MaxBackOff are those of background.Task, for errors of the store.
	BackOff, MaxBackOff time.Duration
}

// ErrNotHeld is returned for work that only the holder of the lease may do.
var ErrNotHeld = errors.New("another process holds the lease")

// Client takes, renews and gives up one lease for this process. A nil Client stands for work that no other process
// does: it always holds. Methods may be called concurrently.
type Client struct {
	options  Options
	holder   string
	logger   *slog.Logger
	renewing background.Task
	urge     chan struct{} // renew now

	keeping sync.Mutex
	keepers int
	stop    func()

	asking sync.Mutex // held during a request to the store, so that no renewal overtakes a release

	mu      sync.Mutex
	mine    bool          // as the store last said
	wanted  bool          // by another process
	wishes  int           // of this process
	abstain time.Time     // until then, it is another process's turn
	began   chan struct{} // closed while there is a tenure
	tenure  tenure
	given   *Span // the orders since the last renewal
	doubted *Doubt
	marks   []mark
}

// mark is the position that was settled at a time.
type mark struct {
	at       time.Time
	position store.Position
}

// New returns a Client that does nothing until Keep is called.
func New(options Options) *Client {
	options.For = cmp.Or(options.For, 15*time.Second)
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	logger := options.Logger.With("lease", options.Name)
	return &Client{
		options: options, holder: rand.Text(), logger: logger,
		urge: make(chan struct{}, 1), began: make(chan struct{}),
		renewing: background.Task{
			Name: "keep the lease " + options.Name, Logger: logger,
			BackOff: options.BackOff, MaxBackOff: min(cmp.Or(options.MaxBackOff, 5*time.Second), options.For/6),
		},
	}
}

// Err returns the error of the last request to the store, nil if it succeeded.
func (c *Client) Err() error {
	if c == nil {
		return nil
	}
	return c.renewing.Err()
}

// Keep takes the lease and renews it from now on. Keep may be called several times; when each caller has called stop,
// the lease is given up.
func (c *Client) Keep(ctx context.Context) (stop func()) {
	if c == nil {
		return func() {}
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if c.keepers++; c.keepers == 1 {
		// The current order ends within the lease, which must be held until then.
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var renewals sync.WaitGroup
		renewals.Go(func() { c.renewOn(ctx) })
		c.stop = func() {
			cancel()
			renewals.Wait()
			c.finish(context.WithoutCancel(ctx))
		}
	}
	return func() {
		c.keeping.Lock()
		defer c.keeping.Unlock()
		if c.keepers--; c.keepers == 0 {
			c.stop()
		}
	}
}

// renewOn renews the lease three times while it runs, and requests that of another process more often: these requests
// cost little compared with work that is interrupted.
func (c *Client) renewOn(ctx context.Context) {
	for ctx.Err() == nil {
		if !sleepUntil(ctx, c.abstainUntil()) || !c.renewing.Try(ctx, c.renew) {
			continue
		}
		pause := c.options.For / 15
		if c.Held() {
			pause = c.options.For / 3
		}
		background.Sleep(ctx, pause, c.urge)
	}
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	return !time.Now().Before(at) || background.Sleep(ctx, time.Until(at), nil)
}

func (c *Client) abstainUntil() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abstain
}

// renew takes or renews the lease. Its time limit ends before the tenure that it renews.
func (c *Client) renew(ctx context.Context) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.options.For/6)
	defer cancel()
	answer, err := c.options.Store.Lease(ctx, c.request(asked))
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		// The request may have arrived, and may have taken the lease after another process had it.
		c.mine = false
		return err
	}
	taken := answer.Taken || !c.mine
	c.mine, c.wanted = answer.Held, answer.Wanted
	switch {
	case !answer.Held:
		c.lose()
	case taken:
		c.logger.InfoContext(ctx, "this process holds the lease from now on", "settled", answer.Settled)
		c.doubt(Span{answer.Settled, math.MaxInt64}, asked)
		c.marks = nil
		c.extend(asked)
	default:
		c.given = nil
		c.extend(asked)
	}
	return nil
}

// request returns the next request to the store. It reports as settled what was acknowledged half a lease ago and is
// not in doubt.
func (c *Client) request(now time.Time) store.LeaseRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	request := store.LeaseRequest{Name: c.options.Name, Holder: c.holder, For: c.options.For}
	if !c.mine {
		request.Wanted = c.wishes > 0 || c.doubted != nil
		return request
	}
	c.marks = append(c.marks, mark{now, c.settled()})
	for len(c.marks) > 1 && now.Sub(c.marks[1].at) >= c.options.For/2 {
		c.marks = c.marks[1:]
	}
	if now.Sub(c.marks[0].at) >= c.options.For/2 {
		request.Settled = c.marks[0].position
	}
	if c.doubted != nil {
		request.Settled = min(request.Settled, c.doubted.From)
	}
	return request
}

func (c *Client) settled() store.Position {
	if c.options.Settled == nil {
		return 0
	}
	return c.options.Settled()
}

// Wish asks the holder to hand the lease over, and waits until this process holds it. The process then keeps it until
// the caller calls done, even if another process asks for it.
func (c *Client) Wish(ctx context.Context) (done func(), err error) {
	if c == nil {
		return func() {}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wishes++
	background.Signal(c.urge)
	done = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.wishes--
	}
	for !c.holds() {
		c.endTenure()
		began := c.began
		c.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-began:
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			c.wishes--
			return nil, ctx.Err()
		}
	}
	return done, nil
}

// HandOver gives the lease to another process that asks for it, once the orders of this process have arrived.
func (c *Client) HandOver(ctx context.Context) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	if !c.wanted || c.wishes > 0 || !c.mine || !c.arrived() {
		c.mu.Unlock()
		return nil
	}
	c.abstain = time.Now().Add(2 * c.options.For) // until it is known when the other process may take it
	c.mu.Unlock()
	c.logger.InfoContext(ctx, "the lease is handed over to another process")
	err := c.release(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abstain = time.Now().Add(c.options.For)
	return err
}

// finish gives the lease up for good. If an order may still arrive, finish lets the lease run out instead: by then the
// order has arrived, or never will.
func (c *Client) finish(ctx context.Context) {
	c.mu.Lock()
	arrived := c.arrived()
	c.endTenure()
	c.mu.Unlock()
	if !arrived {
		return
	}
	if err := c.release(ctx); err != nil {
		c.logger.WarnContext(ctx, "the lease cannot be given up and will run out", "error", err)
	}
}

// release gives the lease up after all orders have arrived, so that the next holder repeats nothing.
func (c *Client) release(ctx context.Context) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	c.mu.Lock()
	held := c.mine
	c.mine, c.wanted, c.given = false, false, nil
	c.endTenure()
	last := store.LeaseRequest{Name: c.options.Name, Holder: c.holder, For: c.options.For, Settled: c.settled()}
	if c.doubted != nil {
		last.Settled = min(last.Settled, c.doubted.From)
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.options.For/6)
	defer cancel()
	if held {
		if _, err := c.options.Store.Lease(ctx, last); err != nil {
			return err
		}
	}
	return c.options.Store.Release(ctx, c.options.Name, c.holder)
}
