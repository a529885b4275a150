package projection

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// Lease lets the followers of several processes take turns at writing an index that they share.
type Lease struct {
	Store store.Leases
	// Name is that of the index, the same in every process that shares it.
	Name string
	// For is how long the others wait for a process that has gone without a word. The clock of a process
	// is asked only for how long something took. 0: 15 s.
	For time.Duration
}

// errNotHeld ends what only the holder of the lease may do.
var errNotHeld = errors.New("another process writes the search index now")

// lease is a follower's part in a Lease.
type lease struct {
	Lease
	holder  string
	logger  *slog.Logger
	indexed func() store.Position // what the index is known to reflect
	asks    streak
	urge    chan struct{} // ask now

	keeping sync.Mutex
	keepers int
	stop    func()

	asking sync.Mutex // held while the store is asked, so that no renewal overtakes a release

	mu      sync.Mutex
	mine    bool          // the store's last word
	wanted  bool          // by another
	wishes  int           // of this process
	abstain time.Time     // the lease is another's turn until then
	began   chan struct{} // closed while tenure goes on
	tenure  tenure
	given   *span // what was ordered since the last renewal
	doubted *doubt
	marks   []mark
}

// mark is what the index was known to reflect at a time.
type mark struct {
	at       time.Time
	position store.Position
}

func newLease(options *Options, indexed func() store.Position) *lease {
	l := &lease{
		Lease: *options.Lease, holder: rand.Text(), logger: options.Logger, indexed: indexed,
		urge: make(chan struct{}, 1), began: make(chan struct{}),
	}
	setDefault(&l.For, 15*time.Second)
	patience := *options
	patience.MaxBackOff = min(patience.MaxBackOff, l.For/6)
	l.asks = streak{task: "keep the lease of the index", options: &patience}
	return l
}

// keep takes the lease and renews it from now on, unless that goes on already. The last who stops it
// gives the lease up.
func (l *lease) keep(ctx context.Context) (stop func()) {
	if l == nil {
		return func() {}
	}
	l.keeping.Lock()
	defer l.keeping.Unlock()
	if l.keepers++; l.keepers == 1 {
		// The order at hand ends within the lease: who stops must still hold it then.
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		var asking sync.WaitGroup
		asking.Go(func() { l.askOn(ctx) })
		l.stop = func() {
			cancel()
			asking.Wait()
			l.leave(context.WithoutCancel(ctx))
		}
	}
	return func() {
		l.keeping.Lock()
		defer l.keeping.Unlock()
		if l.keepers--; l.keepers == 0 {
			l.stop()
		}
	}
}

// askOn renews the lease three times while it runs, and asks for that of another more often: what
// these questions cost is little beside an index that stands still.
func (l *lease) askOn(ctx context.Context) {
	for ctx.Err() == nil {
		if !sleepUntil(ctx, l.abstainUntil()) || !l.asks.run(ctx, l.ask) {
			continue
		}
		pause := l.For / 15
		if l.held() != nil {
			pause = l.For / 3
		}
		sleep(ctx, pause, l.urge)
	}
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	return !time.Now().Before(at) || sleep(ctx, time.Until(at), nil)
}

func (l *lease) abstainUntil() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.abstain
}

// ask takes or renews the lease. Its time limit ends before the tenure would that it renews.
func (l *lease) ask(ctx context.Context) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, l.For/6)
	defer cancel()
	answer, err := l.Store.Lease(ctx, l.request(asked))
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		// The question may have arrived, and may have taken the lease of another who had it in between.
		l.mine = false
		return err
	}
	taken := answer.Taken || !l.mine
	l.mine, l.wanted = answer.Held, answer.Wanted
	switch {
	case !answer.Held:
		l.lose()
	case taken:
		l.logger.InfoContext(ctx, "this process writes the search index from now on", "settled", answer.Settled)
		l.doubt(span{answer.Settled, math.MaxInt64}, asked)
		l.marks = nil
		l.extend(asked)
	default:
		l.given = nil
		l.extend(asked)
	}
	return nil
}

// request says how far the work has arrived: what was acknowledged half a lease ago, and is not in doubt.
func (l *lease) request(now time.Time) store.LeaseRequest {
	l.mu.Lock()
	defer l.mu.Unlock()
	request := store.LeaseRequest{Name: l.Name, Holder: l.holder, For: l.For}
	if !l.mine {
		request.Wanted = l.wishes > 0 || l.doubted != nil
		return request
	}
	l.marks = append(l.marks, mark{now, l.indexed()})
	for len(l.marks) > 1 && now.Sub(l.marks[1].at) >= l.For/2 {
		l.marks = l.marks[1:]
	}
	if now.Sub(l.marks[0].at) >= l.For/2 {
		request.Settled = l.marks[0].position
	}
	if l.doubted != nil {
		request.Settled = min(request.Settled, l.doubted.from)
	}
	return request
}

// wish asks for the lease, and waits until this process has it. Until done is called it keeps it,
// whoever wishes to have it.
func (l *lease) wish(ctx context.Context) (done func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wishes++
	signal(l.urge)
	done = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.wishes--
	}
	for !l.holds() {
		l.endTenure()
		began := l.began
		l.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-began:
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			l.wishes--
			return nil, ctx.Err()
		}
	}
	return done, nil
}

// handOver gives the lease to another who wishes to have it, once what was ordered here has arrived.
func (l *lease) handOver(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	if !l.wanted || l.wishes > 0 || !l.mine || !l.arrived() {
		l.mu.Unlock()
		return nil
	}
	l.abstain = time.Now().Add(2 * l.For) // until it is known when the turn of the other begins
	l.mu.Unlock()
	l.logger.InfoContext(ctx, "the search index is handed over to another process")
	err := l.release(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abstain = time.Now().Add(l.For)
	return err
}

// leave gives the lease up for good. Where an order may still be on its way the lease runs out by
// itself, which the order does not outlive.
func (l *lease) leave(ctx context.Context) {
	l.mu.Lock()
	arrived := l.arrived()
	l.endTenure()
	l.mu.Unlock()
	if !arrived {
		return
	}
	if err := l.release(ctx); err != nil {
		l.logger.WarnContext(ctx, "the lease of the search index runs out by itself", "error", err)
	}
}

// release gives the lease back, all that was ordered having arrived: whoever comes next repeats nothing.
func (l *lease) release(ctx context.Context) error {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.mu.Lock()
	held := l.mine
	l.mine, l.wanted, l.given = false, false, nil
	l.endTenure()
	last := store.LeaseRequest{Name: l.Name, Holder: l.holder, For: l.For, Settled: l.indexed()}
	if l.doubted != nil {
		last.Settled = min(last.Settled, l.doubted.from)
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, l.For/6)
	defer cancel()
	if held {
		if _, err := l.Store.Lease(ctx, last); err != nil {
			return err
		}
	}
	return l.Store.Release(ctx, l.Name, l.holder)
}
