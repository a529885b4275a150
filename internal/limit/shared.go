package limit

import (
	"context"
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/cache"
)

const (
	interval      = 150 * time.Millisecond // of the exchange
	exactPatience = 150 * time.Millisecond // how long an attempt waits for the shared counters
	patience      = time.Second            // how long the exchange waits for them
	exchangers    = 4                      // calls of the exchange at once
	maxQueue      = 10_000                 // tallies that wait for it; those beyond count here alone until they come again
)

// unit is what one request is in the shared counters. They cannot be read without adding to them, so that
// a look adds 1, which a request is a million of.
const unit = 1 << 20

// sharing tells the shared counters what this process counts, and learns what all do.
type sharing struct {
	counters cache.Counters // nil: the process counts for itself
	alone    atomic.Int64   // calls that were not answered

	mu     sync.Mutex
	queue  []*tally
	hurry  chan struct{} // holds a token when the next exchange should not wait
	ended  chan struct{}
	cancel context.CancelFunc
}

func startSharing(counters cache.Counters) *sharing {
	ctx, cancel := context.WithCancel(context.Background())
	s := &sharing{counters: counters, hurry: make(chan struct{}, 1), ended: make(chan struct{}), cancel: cancel}
	if counters == nil {
		close(s.ended)
		return s
	}
	go s.run(ctx)
	return s
}

// close tells what is left to tell, as far as the shared counters answer.
func (s *sharing) close() {
	s.cancel()
	<-s.ended
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.exchangeAll(ctx)
}

func (s *sharing) run(ctx context.Context) {
	defer close(s.ended)
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-s.hurry:
		}
		s.exchangeAll(ctx)
	}
}

// heed does what a signal of a tally asks for.
func (s *sharing) heed(t *tally, told signal) {
	if s.counters == nil {
		return
	}
	if told.enqueue && !s.enqueue(t) {
		t.mu.Lock()
		t.queued = false
		t.mu.Unlock()
	}
	if told.hurry {
		select {
		case s.hurry <- struct{}{}:
		default:
		}
	}
}

// enqueue has a tally exchanged with the next that are, if there is room.
func (s *sharing) enqueue(t *tally) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= maxQueue {
		return false
	}
	s.queue = append(s.queue, t)
	return true
}

// exchangeAll exchanges the tallies that wait, a few at a time.
func (s *sharing) exchangeAll(ctx context.Context) {
	s.mu.Lock()
	waiting := s.queue
	s.queue = nil
	s.mu.Unlock()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(exchangers, len(waiting)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(waiting)); i = next.Add(1) - 1 {
				s.exchange(ctx, waiting[i])
			}
		})
	}
	workers.Wait()
}

func (s *sharing) exchange(ctx context.Context, t *tally) {
	t.mu.Lock()
	t.queued = false
	claimed := t.claim()
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, _ = s.tell(ctx, t, claimed)
}

// takeExactly is tally.take with the counts of all processes. An attempt that only they refuse has been
// counted.
func (s *sharing) takeExactly(ctx context.Context, t *tally, at instant, rate int64) time.Duration {
	if s.counters == nil {
		wait, _ := t.take(at, rate, 1)
		return wait
	}
	t.mu.Lock()
	if wait := t.filled(at).waiting(rate, 1); wait > 0 {
		t.mu.Unlock()
		return wait
	}
	t.current.add(1)
	claimed := t.claim()
	t.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, exactPatience)
	defer cancel()
	total, err := s.tell(ctx, t, claimed)
	if err != nil {
		return 0 // the process's own count has let it pass
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.filled(at)
	if t.index != claimed.index { // the window has ended meanwhile
		return 0
	}
	all.current = total - 1
	return all.waiting(rate, 1)
}

// tell adds what was claimed to the shared counts, and returns what the current window's comes to.
func (s *sharing) tell(ctx context.Context, t *tally, claimed claims) (total int64, err error) {
	if claimed.compare || claimed.previous > 0 {
		_, err = s.add(ctx, t, claimed.index-1, claimed.previous)
	}
	if claimed.current > 0 && err == nil {
		return s.add(ctx, t, claimed.index, claimed.current)
	}
	s.keep(t, claimed.index, claimed.current)
	return 0, err
}

// add adds n, or looks where n is 0.
func (s *sharing) add(ctx context.Context, t *tally, index, n int64) (int64, error) {
	// A count lasts as long as its window is of use, whenever in the window it begins.
	total, _, err := s.counters.Add(ctx, t.key(index), max(n*unit, 1), 2*time.Duration(t.length)*time.Millisecond)
	if err != nil {
		s.alone.Add(1)
		s.keep(t, index, n)
		return 0, err
	}
	total /= unit
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.of(index); of != nil {
		of.settle(n, total)
		t.compared = t.compared || of == &t.previous
	}
	return total, nil
}

// keep has n that could not be told count in this process alone: of an outage, each process counts what
// it has met itself.
func (s *sharing) keep(t *tally, index, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.of(index); of != nil && n > 0 {
		of.keep(n)
	}
}

// key names the shared count of a window: the number of the window has a fixed width, the subject is the
// rest.
func (t *tally) key(index int64) string {
	b := make([]byte, 0, cache.MaxKeyLength)
	b = append(b, 'r')
	b = binary.BigEndian.AppendUint64(b, uint64(index))
	return string(append(b, t.subject...))
}
