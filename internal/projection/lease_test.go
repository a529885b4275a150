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

// lands lets an order arrive after a time, whatever its giver was told.
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

// TestHolderDies: its lease runs out. TestHolderStops: it is given up.
func TestHolderDies(t *testing.T) { testTakeOver(t, (*process).kill, leaseFor+2*time.Second) }

func TestHolderStops(t *testing.T) {
	testTakeOver(t, func(p *process) { p.stop() }, 2*time.Second)
}

// TestStopsSoon: what a process that stops in order has written is not written again, however short its
// time was.
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
		time.Sleep(leaseFor) // others are ready
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

// TestStopsWithAnOrderAtHand: the order is finished, and the lease given up then.
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

// TestFailedOrderArrivesLater lets an order that failed bring back what a later one has removed.
func TestFailedOrderArrivesLater(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		failLate(w, p)
		w.await()
		time.Sleep(leaseFor)
		w.await()
	})
}

// failLate lets an order fail that arrives nearly half a lease later, and returns when later ones have arrived.
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

// TestDiesBeforeItsOrderArrives: whoever comes next does not know what failed, and sends again what is
// not settled. TestStopsBeforeItsOrderArrives: the lease is not given up before the order has arrived.
func TestDiesBeforeItsOrderArrives(t *testing.T) { testEndsBeforeItsOrderArrives(t, (*process).kill) }

func TestStopsBeforeItsOrderArrives(t *testing.T) {
	testEndsBeforeItsOrderArrives(t, func(p *process) { p.stop() })
}

func testEndsBeforeItsOrderArrives(t *testing.T, end func(*process)) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		holder, _ := w.holderOf(share(w, shared).start(), share(w, shared).start())
		time.Sleep(4 * leaseFor) // what was before is settled
		failLate(w, holder)
		end(holder)
		time.Sleep(leaseFor + 2*time.Second)
		w.await()
	})
}

// TestHandsOverBeforeItsOrderArrives: not before it has.
func TestHandsOverBeforeItsOrderArrives(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		time.Sleep(2*leaseFor + leaseFor/5) // the next renewal comes soon
		rebuilt := make(chan error)
		go func() { rebuilt <- share(w, shared).Rebuild(t.Context()) }()
		failLate(w, p)
		if err := <-rebuilt; err != nil {
			t.Error(err)
		}
		time.Sleep(leaseFor / 2) // it has arrived, and the first has not come back to mend it
		if diff := cmp.Diff(w.stored(), w.index.content()); diff != "" {
			t.Errorf("not in step (-stored +indexed):\n%s", diff)
		}
	})
}

// TestHandedOverLeaseIsNotTakenAtOnce: whoever wished for it gets its turn.
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
		if after := time.Since(handed); after < leaseFor-10*time.Millisecond { // it was seen a little late
			t.Errorf("taken again after %s", after)
		}
	})
}

// TestHolderStandsStill: what it had sent arrives long after another has taken over, over what that one
// wrote, and brings the position back.
func TestHolderStandsStill(t *testing.T) {
	for _, died := range []string{"and goes on", "and its successor dies"} {
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

// TestHolderDoesNotNoticeThatItStoodStill: neither did its clock go on. It learns with its next renewal
// that another had the lease while it gave an order.
func TestHolderDoesNotNoticeThatItStoodStill(t *testing.T) {
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

// TestLeaseCannotBeRenewed: orders end, and none is given, before another could hold the lease.
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

// TestOrderThatTakesTooLong ends though the lease is renewed.
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

// TestAnswerLost: who took the lease without learning of it sends again what the last holder may have
// left behind.
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
