package projection_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// leaseFor is the duration of leases in these tests, on the clock of the bubble.
const leaseFor = 15 * time.Second

// leases keeps one lease as a store does.
type leases struct {
	mu      sync.Mutex
	holder  string
	until   time.Time
	settled store.Position
	wisher  string
	wished  time.Time
	takes   int
}

func (l *leases) Lease(_ context.Context, r store.LeaseRequest) (store.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	lease := store.Lease{Held: l.holder == r.Holder && now.Before(l.until)}
	if !lease.Held && !now.Before(l.until) {
		lease.Held, lease.Taken = true, true
		l.takes++
	}
	if lease.Held {
		l.holder, l.until = r.Holder, now.Add(r.For)
		if !lease.Taken {
			l.settled = max(l.settled, r.Settled)
		}
		if l.wisher == r.Holder {
			l.wisher = ""
		}
	} else if r.Wanted {
		l.wisher, l.wished = r.Holder, now.Add(r.For)
	}
	lease.Settled, lease.Wanted = l.settled, l.wisher != "" && now.Before(l.wished)
	return lease, nil
}

func (l *leases) Release(_ context.Context, _, holder string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder == holder {
		l.until = time.Time{}
	}
	return nil
}

// left returns the remaining time of a holder's lease, or 0 if another process has it.
func (l *leases) left(holder string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder != holder {
		return 0
	}
	return time.Until(l.until)
}

// taken returns how often a process has taken the lease, including the same process again.
func (l *leases) taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.takes
}

// expire ends the lease at once.
func (l *leases) expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
}

// process is one of several processes that share the store, the leases and the index. While a process is paused, its
// calls block; they continue when it resumes, as if nothing had happened. The calls of a dead process fail.
type process struct {
	*world
	*projection.Follower
	shared *leases
	stop   func()

	mu       sync.Mutex
	moves    chan struct{} // moves is closed unless the process is paused.
	dead     bool
	holder   string
	orders   int
	rebuilds int
	// onOrder runs before each order, and onLease before each lease request. An error fails the call.
	onOrder func(ctx context.Context, batch search.Batch) error
	onLease func() error
}

// share returns a process that is not started yet.
func share(w *world, shared *leases) *process {
	p := &process{world: w, shared: shared, moves: make(chan struct{})}
	close(p.moves)
	options := w.options
	options.Store = &faulty{Catalogue: w.store, fault: func(string) error { return p.reach() }}
	options.Index = processIndex{w.index, p}
	options.Subscribers = nil
	options.Lease = &lease.Options{Store: processLeases{p}, Name: "search", For: leaseFor}
	p.Follower = projection.New(options)
	return p
}

// start runs the follower until it is stopped or killed, or the test ends.
func (p *process) start() *process {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.stop = func() { cancel(); running.Wait() }
	p.Cleanup(p.kill)
	return p
}

// reach waits while the process is paused, and fails if the process is dead.
func (p *process) reach() error {
	p.mu.Lock()
	moves := p.moves
	p.mu.Unlock()
	<-moves
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return errFault
	}
	return nil
}

func (p *process) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.moves = make(chan struct{})
}

func (p *process) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.moves:
	default:
		close(p.moves)
	}
}

func (p *process) kill() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.resume()
	p.stop()
}

func (p *process) set(onOrder func(context.Context, search.Batch) error, onLease func() error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onOrder, p.onLease = onOrder, onLease
}

// wrote returns the numbers of orders and of rebuilds that the process has sent.
func (p *process) wrote() (orders, rebuilds int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.orders, p.rebuilds
}

// left returns the remaining time of the process's lease.
func (p *process) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shared.left(p.holder)
}

func (p *process) holds() bool { return p.left() > 0 }

type processLeases struct{ *process }

func (l processLeases) Lease(ctx context.Context, r store.LeaseRequest) (store.Lease, error) {
	if err := l.reach(); err != nil {
		return store.Lease{}, err
	}
	l.mu.Lock()
	l.holder = r.Holder
	onLease := l.onLease
	l.mu.Unlock()
	if onLease != nil {
		if err := onLease(); err != nil {
			return store.Lease{}, err
		}
	}
	return l.shared.Lease(ctx, r)
}

func (l processLeases) Release(ctx context.Context, name, holder string) error {
	if err := l.reach(); err != nil {
		return err
	}
	return l.shared.Release(ctx, name, holder)
}

// processIndex is the shared index as a process reaches it. It fails the test if a process writes without the lease, or
// if an order moves the position back.
type processIndex struct {
	search.Index
	*process
}

func (x processIndex) Position(ctx context.Context) (int64, error) {
	if err := x.reach(); err != nil {
		return 0, err
	}
	return x.Index.Position(ctx)
}

func (x processIndex) Apply(ctx context.Context, batch search.Batch) error {
	x.check("an order")
	if position, err := x.Index.Position(ctx); err != nil || batch.Position < position {
		x.Errorf("an order for position %d of an index at %d (%v)", batch.Position, position, err)
	}
	x.mu.Lock()
	x.orders++
	onOrder := x.onOrder
	x.mu.Unlock()
	if err := x.reach(); err != nil {
		return err
	}
	if onOrder != nil {
		if err := onOrder(ctx, batch); err != nil {
			return err
		}
	}
	return x.Index.Apply(ctx, batch)
}

func (x processIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	x.check("a rebuild")
	x.mu.Lock()
	x.rebuilds++
	x.mu.Unlock()
	if err := x.reach(); err != nil {
		return err
	}
	return x.Index.Rebuild(ctx, position, documents)
}

func (x processIndex) Close() error { return x.Index.Close() }

func (x processIndex) check(what string) {
	if !x.holds() {
		x.Errorf("%s without the lease", what)
	}
}

// bubble runs a test of several processes on a fake clock, which advances when all of them wait.
func bubble(t *testing.T, test func(t *testing.T, w *world, shared *leases)) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		w.pause = 100 * time.Millisecond
		w.index.forward = true // Late orders must not reveal themselves by the position.
		w.options.Poll, w.options.RebuildShare = 150*time.Millisecond, 1000
		w.options.BackOff, w.options.MaxBackOff = 100*time.Millisecond, 5*time.Second
		test(t, w, &leases{})
	})
}
