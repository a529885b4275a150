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
	patience      = time.Second            // how long the exchange waits for the shared counters
	exchangers    = 4                      // concurrent calls of the exchange
	maxQueue      = 10_000                 // tallies that wait; one beyond that counts in this process only, until its next request
)

// unit is one request in the shared counters. Reading a counter requires adding to it, so a read adds 1, a millionth of
// a request.
const unit = 1 << 20

// sharing sends the counts of this process to the shared counters, and receives the totals.
type sharing struct {
	counters cache.Counters // nil: the process counts alone
	alone    atomic.Int64   // failed calls

	mu     sync.Mutex
	queue  []*tally
	hurry  chan struct{} // holds a token if the next exchange must not wait
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

// close sends the remaining counts, if the shared counters respond.
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

// heed acts on the signal of a tally.
func (s *sharing) heed(t *tally, sig signal) {
	if s.counters == nil {
		return
	}
	if sig.enqueue && !s.enqueue(t) {
		t.mu.Lock()
		t.queued = false
		t.mu.Unlock()
	}
	if sig.hurry {
		select {
		case s.hurry <- struct{}{}:
		default:
		}
	}
}

// enqueue adds a tally to the next exchange and reports whether there was room.
func (s *sharing) enqueue(t *tally) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) >= maxQueue {
		return false
	}
	s.queue = append(s.queue, t)
	return true
}

// exchangeAll exchanges the waiting tallies, a few at a time.
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
	_, _ = s.publish(ctx, t, claimed)
}

// takeExactly is tally.take with the counts of all processes. An attempt counts even if only the shared counters refuse
// it.
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
	total, err := s.publish(ctx, t, claimed)
	if err != nil {
		return 0 // this process's own count has let it pass
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

// publish adds claimed counts to the shared ones, and returns the total of the current window.
func (s *sharing) publish(ctx context.Context, t *tally, claimed claims) (total int64, err error) {
	if claimed.compare || claimed.previous > 0 {
		_, err = s.add(ctx, t, claimed.index-1, claimed.previous)
	}
	if claimed.current > 0 && err == nil {
		return s.add(ctx, t, claimed.index, claimed.current)
	}
	s.keep(t, claimed.index, claimed.current)
	return 0, err
}

// add adds n to a shared count, or reads it if n is 0.
func (s *sharing) add(ctx context.Context, t *tally, index, n int64) (int64, error) {
	// A count must last as long as its window matters, wherever in the window it starts.
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

// keep lets n requests that were not sent count in this process only: during an outage, each process counts its own.
func (s *sharing) keep(t *tally, index, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.of(index); of != nil && n > 0 {
		of.keep(n)
	}
}

// key returns the name of the shared count of a window: the number of the window, at fixed width, then the subject.
func (t *tally) key(index int64) string {
	b := make([]byte, 0, cache.MaxKeyLength)
	b = append(b, 'r')
	b = binary.BigEndian.AppendUint64(b, uint64(index))
	return string(append(b, t.subject...))
}
