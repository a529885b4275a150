package projection_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// lands applies an order to the index after a delay, whatever answer its sender received.
func (w *world) lands(batch search.Batch, after time.Duration) {
	time.AfterFunc(after, func() { _ = w.index.Apply(context.Background(), batch) })
}

// holderOf waits until one of the processes holds the lease.
func (w *world) holderOf(all ...*process) (holder *process, others []*process) {
	w.Helper()
	w.eventually("one holds the lease", func() bool {
		holder, others = nil, nil
		for _, p := range all {
			if holder == nil && p.holds() {
				holder = p
			} else {
				others = append(others, p)
			}
		}
		return holder != nil
	})
	return holder, others
}

func TestOneWritesAtATime(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start(), share(w, shared).start())
		for round := range 5 {
			w.put(videos(10*round, 10*round+20, fmt.Sprint("round ", round, " "))...)
			w.await()
			time.Sleep(leaseFor)
		}
		for _, p := range append(others, holder) {
			if !p.Ready() || p.Lag() != 0 || p.Err() != nil {
				t.Errorf("ready %t, lag %d, error %v", p.Ready(), p.Lag(), p.Err())
			}
			if orders, rebuilds := p.wrote(); p != holder && orders+rebuilds > 0 {
				t.Errorf("%d orders and %d rebuilds of a process without the lease", orders, rebuilds)
			}
		}
		if shared.taken() != 1 {
			t.Errorf("the lease was taken %d times", shared.taken())
		}
	})
}

// TestHolderDies checks that another process takes over when the lease of a killed holder expires. TestHolderStops
// checks that a holder that stops releases its lease.
func TestHolderDies(t *testing.T) { testTakeOver(t, (*process).kill, leaseFor+2*time.Second) }

func TestHolderStops(t *testing.T) {
	testTakeOver(t, func(p *process) { p.stop() }, 2*time.Second)
}

// TestStopsSoon checks that the next process does not repeat the writes of a process that stopped in order, however
// briefly that one ran.
func TestStopsSoon(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 50, "title ")...)
		first := share(w, shared).start()
		w.await()
		first.stop()
		second := share(w, shared).start()
		w.eventually("the second is ready", second.Ready)
		time.Sleep(time.Second)
		if orders, rebuilds := second.wrote(); orders+rebuilds > 0 {
			t.Errorf("the second wrote the index again: %d orders, %d rebuilds", orders, rebuilds)
		}
	})
}

func testTakeOver(t *testing.T, end func(*process), within time.Duration) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 50, "title ")...)
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		w.await()
		time.Sleep(leaseFor) // The others are ready by then.
		end(holder)
		w.put(videos(0, 20, "new title ")...)
		time.Sleep(time.Second)
		if p := others[0]; within > leaseFor && (p.Lag() != 20 || p.Err() != nil) {
			t.Errorf("lag %d, want 20; error %v", p.Lag(), p.Err())
		}
		ended := time.Now()
		w.await()
		if took := time.Since(ended) + time.Second; took > within {
			t.Errorf("taken over after %s, want %s", took, within)
		}
		if orders, rebuilds := others[0].wrote(); orders == 0 || rebuilds > 0 {
			t.Errorf("%d orders and %d rebuilds after the other", orders, rebuilds)
		}
	})
}

// TestStopsWithAnOrderAtHand checks that a process which stops finishes its order first and then releases the lease.
func TestStopsWithAnOrderAtHand(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		ordered := make(chan struct{})
		p.set(func(ctx context.Context, _ search.Batch) error {
			close(ordered)
			time.Sleep(time.Second)
			return ctx.Err()
		}, nil)
		w.put(videos(0, 20, "title ")...)
		<-ordered
		p.stop()
		if p.holds() {
			t.Error("stopped, and holds the lease")
		}
		w.await()
	})
}

// TestFailedOrderArrivesLater checks that the follower repairs the index when a failed order arrives late and restores
// documents that a later order has removed.
func TestFailedOrderArrivesLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		failLate(w, p)
		w.await()
		time.Sleep(leaseFor)
		w.await()
	})
}

// failLate makes the next order fail and arrive nearly half a lease later. It returns when later orders have arrived.
func failLate(w *world, p *process) {
	w.Helper()
	w.eventually("ready", p.Ready)
	failed := make(chan struct{})
	p.set(func(_ context.Context, batch search.Batch) error {
		p.set(nil, nil)
		w.remove(0, 10)
		w.lands(batch, leaseFor/2-time.Second)
		close(failed)
		return errFault
	}, nil)
	w.put(videos(0, 20, "title ")...)
	<-failed
	w.await()
}

// TestDiesBeforeItsOrderArrives checks that the successor of a killed holder, which does not know the failed orders,
// sends everything again that is not settled. TestStopsBeforeItsOrderArrives checks that a holder that stops keeps the
// lease until its failed order has arrived.
func TestDiesBeforeItsOrderArrives(t *testing.T) { testEndsBeforeItsOrderArrives(t, (*process).kill) }

func TestStopsBeforeItsOrderArrives(t *testing.T) {
	testEndsBeforeItsOrderArrives(t, func(p *process) { p.stop() })
}

func testEndsBeforeItsOrderArrives(t *testing.T, end func(*process)) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		holder, _ := w.holderOf(share(w, shared).start(), share(w, shared).start())
		time.Sleep(4 * leaseFor) // Everything before is settled by then.
		failLate(w, holder)
		end(holder)
		time.Sleep(leaseFor + 2*time.Second)
		w.await()
	})
}

// TestHandsOverBeforeItsOrderArrives checks that a holder hands the lease over only after its failed order has arrived.
func TestHandsOverBeforeItsOrderArrives(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		time.Sleep(2*leaseFor + leaseFor/5) // The next renewal comes soon.
		rebuilt := make(chan error)
		go func() { rebuilt <- share(w, shared).Rebuild(t.Context()) }()
		failLate(w, p)
		if err := <-rebuilt; err != nil {
			t.Error(err)
		}
		time.Sleep(leaseFor / 2) // The order has arrived, and the first process has not returned to repair the index.
		if diff := cmp.Diff(w.stored(), w.index.content()); diff != "" {
			t.Errorf("not in step (-stored +indexed):\n%s", diff)
		}
	})
}

// TestHandedOverLeaseIsNotTakenAtOnce checks that a holder which hands its lease over leaves it to the process that
// requested it.
func TestHandedOverLeaseIsNotTakenAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		if _, err := shared.Lease(t.Context(), store.LeaseRequest{Holder: "another", For: leaseFor, Wanted: true}); err != nil {
			t.Fatal(err)
		}
		w.eventually("handed over", func() bool { return !p.holds() })
		handed := time.Now()
		w.eventually("taken again", p.holds)
		if after := time.Since(handed); after < leaseFor-10*time.Millisecond { // The test sees the hand-over a little late.
			t.Errorf("taken again after %s", after)
		}
	})
}

// TestHolderIsPaused pauses a holder during an order. The order arrives long after another process has taken over,
// overwrites that one's changes and moves the position back. The index must recover.
func TestHolderIsPaused(t *testing.T) {
	for _, died := range []string{"and resumes", "and its successor dies"} {
		t.Run(died, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world, shared *leases) {
				holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start(), share(w, shared).start())
				w.await()
				still := make(chan struct{})
				holder.set(func(context.Context, search.Batch) error {
					holder.set(nil, nil)
					holder.pause()
					close(still)
					return holder.reach()
				}, nil)
				w.put(videos(0, 20, "title ")...)
				<-still
				w.remove(0, 10)
				w.put(videos(10, 15, "new title ")...)
				time.Sleep(5 * leaseFor)
				w.await()
				successor, _ := w.holderOf(others...)
				holder.resume()
				if died == "and its successor dies" {
					successor.kill()
				}
				time.Sleep(5 * leaseFor)
				w.await()
			})
		})
	}
}

// TestHolderAndClockArePaused pauses a holder together with its clock. The holder learns with its next
// renewal that another process had the lease during its order.
func TestHolderAndClockArePaused(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		holder, _ := w.holderOf(share(w, shared).start(), share(w, shared).start())
		time.Sleep(2*leaseFor + time.Second/10)
		holder.set(func(context.Context, search.Batch) error {
			holder.set(nil, nil)
			shared.expire()
			time.Sleep(2 * time.Second)
			w.remove(0, 10)
			time.Sleep(time.Second)
			w.await()
			return nil
		}, nil)
		w.put(videos(0, 20, "title ")...)
		time.Sleep(5 * leaseFor)
		if shared.taken() < 3 {
			t.Errorf("the lease was taken %d times, want by one, by another and by the first again", shared.taken())
		}
		w.await()
	})
}

// TestLeaseCannotBeRenewed checks that, if the lease cannot be renewed, the current order ends and no new one starts
// before another process could take the lease.
func TestLeaseCannotBeRenewed(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		ends := make(chan time.Duration, 10)
		p.set(func(ctx context.Context, _ search.Batch) error {
			<-ctx.Done()
			ends <- p.left()
			return ctx.Err()
		}, func() error { return errFault })
		w.put(videos(0, 20, "title ")...)
		time.Sleep(3 * leaseFor)
		if left := <-ends; len(ends) > 0 || left < leaseFor/2 {
			t.Errorf("an order ended with %s left of the lease, want half of it; %d more were given", left, len(ends))
		}
		if p.Lag() != 20 || !errors.Is(p.Err(), errFault) {
			t.Errorf("lag %d, error %v", p.Lag(), p.Err())
		}
		p.set(nil, nil)
		w.await()
		w.eventually("no error is left", func() bool { return p.Err() == nil })
	})
}

// TestOrderThatTakesTooLong checks that an order ends after half a lease, although the lease is renewed.
func TestOrderThatTakesTooLong(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		took := make(chan time.Duration, 1)
		p.set(func(ctx context.Context, _ search.Batch) error {
			given := time.Now()
			<-ctx.Done()
			took <- time.Since(given)
			p.set(nil, nil)
			return ctx.Err()
		}, nil)
		w.put(videos(0, 20, "title ")...)
		w.await()
		if took := <-took; took != leaseFor/2 {
			t.Errorf("the order ended after %s", took)
		}
	})
}

// TestAnswerLost checks that a process which takes the lease but loses the answer repeats the last holder's unsettled
// orders.
func TestAnswerLost(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		time.Sleep(4 * leaseFor)
		failLate(w, holder)
		holder.kill()
		time.Sleep(leaseFor / 2)
		other := others[0]
		other.set(nil, func() error {
			if other.holder == "" {
				return nil
			}
			answer, err := shared.Lease(context.Background(), store.LeaseRequest{Holder: other.holder, For: leaseFor})
			if err == nil && answer.Taken {
				other.set(nil, nil)
				return errFault
			}
			return err
		})
		time.Sleep(leaseFor)
		w.await()
	})
}
