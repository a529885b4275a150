package follow_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/follow"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// leaseFor is how long leases run in these tests, on the clock of the bubble.
const leaseFor = 15 * time.Second

// leases keeps one lease as a store does. fault is asked before each question.
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

// process is one of several that share store, leases and index, as it reaches them: what it asks
// stands still while the process does, and goes on as if nothing had been. A process that has died
// reaches nothing.
type process struct {
	*world
	name    string
	shared  *leases
	stopped context.CancelFunc
	*follow.Follower

	mu    sync.Mutex
	moves chan struct{} // closed while the process goes on
	dead  bool
	// index is asked before each order.
	onOrder func(ctx context.Context, batch *search.Batch) error
	orders  int
}

// share starts a process.
func share(w *world, shared *leases, name string) *process {
	p := &process{world: w, name: name, shared: shared, moves: make(chan struct{})}
	close(p.moves)
	options := w.options
	options.Store = &faulty{Catalogue: w.store, fault: func(string) error { return p.reach() }}
	options.Index = processIndex{p}
	options.Subscribers = nil
	options.Lease = &follow.Lease{Store: p.leases(), Name: "search", For: leaseFor}
	p.Follower = follow.New(options)
	return p
}

// start runs the follower until stop is called or the test ends.
func (p *process) start() *process {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.stopped = func() { cancel(); running.Wait() }
	return p
}

// reach waits while the process stands still.
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
	close(p.moves)
}

func (p *process) kill() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.stopped()
}

func (p *process) ordered() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.orders
}

func (p *process) leases() store.Leases { return processLeases{p} }

type processLeases struct{ *process }

func (l processLeases) Lease(ctx context.Context, r store.LeaseRequest) (store.Lease, error) {
	if err := l.reach(); err != nil {
		return store.Lease{}, err
	}
	return l.shared.Lease(ctx, r)
}

func (l processLeases) Release(ctx context.Context, name, holder string) error {
	if err := l.reach(); err != nil {
		return err
	}
	return l.shared.Release(ctx, name, holder)
}

// processIndex is the shared index as a process reaches it.
type processIndex struct{ *process }

func (x processIndex) Position(ctx context.Context) (int64, error) {
	if err := x.reach(); err != nil {
		return 0, err
	}
	return x.index.Position(ctx)
}

func (x processIndex) Apply(ctx context.Context, batch search.Batch) error {
	x.mu.Lock()
	x.orders++
	onOrder := x.onOrder
	x.mu.Unlock()
	if err := x.reach(); err != nil {
		return err
	}
	if onOrder != nil {
		if err := onOrder(ctx, &batch); err != nil {
			return err
		}
	}
	return x.index.Apply(ctx, batch)
}

func (x processIndex) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	if err := x.reach(); err != nil {
		return err
	}
	return x.index.Rebuild(ctx, position, documents)
}

func (processIndex) Search(context.Context, search.Query) (*search.Result, error) { return nil, nil }
func (processIndex) Matches(context.Context, search.Text, []search.Step, catalogue.Access, catalogue.Date, int) ([]int, error) {
	return nil, nil
}
func (processIndex) Phrases(context.Context, string, catalogue.Access, catalogue.Date, int) ([]search.Phrase, error) {
	return nil, nil
}
func (processIndex) Count(context.Context) (int, error) { return 0, nil }
func (processIndex) Generation() string                 { return "shared" }
func (processIndex) Close() error                       { return nil }

// bubble runs a test of several processes on a clock that goes on when all of them wait.
func bubble(t *testing.T, test func(t *testing.T, w *world, shared *leases)) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t)
		w.options.Poll, w.options.RebuildShare = 150*time.Millisecond, 1000
		w.options.BackOff, w.options.MaxBackOff = 100*time.Millisecond, 5*time.Second
		test(t, w, &leases{})
	})
}

func TestOneWritesAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		var all []*process
		for i := range 3 {
			all = append(all, share(w, shared, fmt.Sprint(i)).start())
		}
		for round := range 5 {
			w.put(videos(10*round, 10*round+20, fmt.Sprint("round ", round, " "))...)
			w.await()
			time.Sleep(leaseFor)
		}
		writers := 0
		for _, p := range all {
			if p.ordered() > 0 {
				writers++
			}
			if !p.Ready() || p.Lag() != 0 || p.Err() != nil {
				t.Errorf("process %s: ready %t, lag %d, error %v", p.name, p.Ready(), p.Lag(), p.Err())
			}
			p.stopped()
		}
		if writers != 1 || shared.takes != 1 {
			t.Errorf("%d processes wrote, the lease was taken %d times", writers, shared.takes)
		}
	})
}
