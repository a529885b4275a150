package projection_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// TestRebuildByAnotherProcess checks that a command can rebuild a shared index while servers run.
func TestRebuildByAnotherProcess(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 100, "title ")...)
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		w.await()
		command := share(w, shared)
		w.index.mu.Lock()
		w.index.onDocument = func(n int) error {
			if n == 50 {
				w.put(videos(0, 10, "changed behind the scan ")...)
				w.remove(10, 20)
				time.Sleep(3 * leaseFor) // The holder renews the lease meanwhile.
			}
			return nil
		}
		w.index.mu.Unlock()
		_, before := holder.wrote()
		begun := time.Now()
		if err := command.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun) - 3*leaseFor; took > leaseFor {
			t.Errorf("handed over after %s", took)
		}
		if diff := cmp.Diff(w.stored(), w.index.content()); diff != "" {
			t.Errorf("when Rebuild returned (-stored +indexed):\n%s", diff)
		}
		if _, n := command.wrote(); n != 1 || command.holds() {
			t.Errorf("built anew %d times, holds the lease %t", n, command.holds())
		}
		w.put(videos(0, 20, "new title ")...)
		time.Sleep(2 * time.Second)
		w.await()
		for _, p := range append(others, holder) {
			if _, n := p.wrote(); n > 0 && (p != holder || n != before) {
				t.Error("built anew once more")
			}
			if err := p.Err(); err != nil || !p.Ready() {
				t.Errorf("ready %t, error %v", p.Ready(), err)
			}
		}
	})
}

// TestHandOverInTheMiddle checks that a holder with many batches left hands the lease over after the current batch, and
// does not take it again for a while.
func TestHandOverInTheMiddle(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		p.set(func(context.Context, search.Batch) error {
			time.Sleep(2 * time.Second)
			return nil
		}, nil)
		w.put(videos(0, 1000, "title ")...) // These changes make 25 batches.
		time.Sleep(time.Second)
		command := share(w, shared)
		if err := command.Rebuild(t.Context()); err != nil {
			t.Fatal(err)
		}
		orders, _ := p.wrote()
		if orders == 0 || orders > 6 {
			t.Errorf("handed over after %d orders", orders)
		}
		w.await()
	})
}

// TestRebuildByAServer checks Rebuild beside Run, in the holder of the lease and in another process.
func TestRebuildByAServer(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 100, "title ")...)
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		w.await()
		for i, p := range append(others, holder) {
			_, before := p.wrote()
			if err := p.Rebuild(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, rebuilds := p.wrote(); rebuilds != before+1 {
				t.Errorf("process %d built anew %d times", i, rebuilds-before)
			}
			w.put(videos(i, i+20, "new title ")...)
			w.await()
		}
	})
}

func TestRebuildGivesUpWaiting(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		p := share(w, shared).start()
		w.await()
		p.pause()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := share(w, shared).Rebuild(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		p.resume()
		w.put(videos(0, 10, "title ")...)
		w.await()
	})
}

// TestSharedIndexIsAway checks an outage of the shared index. No follower moves past the index, the store still
// propagates its changes, and the index catches up in order.
func TestSharedIndexIsAway(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 20, "title ")...)
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		w.await()
		time.Sleep(time.Second)
		var away atomic.Bool
		away.Store(true)
		var last int64
		w.index.mu.Lock()
		w.index.before = func(batch search.Batch) error {
			if away.Load() {
				return errFault
			}
			if batch.Position < last {
				t.Errorf("a batch for %d after one for %d", batch.Position, last)
			}
			last = batch.Position
			return nil
		}
		w.index.mu.Unlock()
		w.put(newSubject("subject", "Another subject"))
		w.eventually("changes are propagated", func() bool {
			more, err := w.other.FanOut(t.Context(), 1)
			return !more && err == nil
		})
		time.Sleep(2 * leaseFor)
		if !errors.Is(holder.Err(), errFault) || holder.Lag() == 0 || others[0].Lag() != holder.Lag() {
			t.Errorf("error %v, lag %d and %d", holder.Err(), holder.Lag(), others[0].Lag())
		}
		away.Store(false)
		w.await()
		time.Sleep(leaseFor)
		if holder.Err() != nil || !holder.holds() || shared.taken() != 1 {
			t.Errorf("error %v; the lease was taken %d times", holder.Err(), shared.taken())
		}
	})
}

// TestSharedIndexComesBack checks that a shared index which returns in an earlier state, or empty, is repaired although
// the log contains nothing new.
func TestSharedIndexComesBack(t *testing.T) {
	tests := []struct {
		name     string
		lose     func(w *world)
		rebuilds int
	}{
		{"as it was", func(*world) {}, 0},
		{"behind", func(w *world) {
			for i := range 10 {
				delete(w.index.documents, id(catalogue.KindVideo, string(rune('0'+i))))
			}
			w.index.position -= 20
		}, 0},
		{"behind the trimmed log", func(w *world) {
			w.index.position -= 20
			if err := w.other.Trim(context.Background(), 5); err != nil {
				w.Error(err)
			}
		}, 1},
		{"empty", func(w *world) { clear(w.index.documents); w.index.position = 0 }, 1},
		{"of another store", func(w *world) { w.index.position += 1000 }, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world, shared *leases) {
				w.put(videos(0, 20, "title ")...)
				holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
				w.await()
				time.Sleep(3 * leaseFor)
				_, before := holder.wrote()
				w.index.mu.Lock()
				test.lose(w)
				w.index.mu.Unlock()
				time.Sleep(time.Second)
				w.await()
				_, rebuilds := holder.wrote()
				if orders, more := others[0].wrote(); rebuilds-before != test.rebuilds || orders+more > 0 {
					t.Errorf("built anew %d times, want %d; the other gave %d orders", rebuilds-before, test.rebuilds, orders+more)
				}
			})
		})
	}
}

// TestWatcherWaitsForTheHolder checks that a process without the lease rebuilds nothing, and is ready once another
// process has rebuilt the index.
func TestWatcherWaitsForTheHolder(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		w.put(videos(0, 100, "title ")...)
		goOn := make(chan struct{})
		w.index.onDocument = func(int) error { <-goOn; return nil }
		holder, others := w.holderOf(share(w, shared).start(), share(w, shared).start())
		time.Sleep(4 * leaseFor)
		for _, p := range append(others, holder) {
			if p.Ready() || p.Lag() == 0 {
				t.Errorf("ready %t with a lag of %d", p.Ready(), p.Lag())
			}
		}
		if _, rebuilds := others[0].wrote(); rebuilds > 0 || shared.taken() != 1 {
			t.Errorf("the other built anew %d times; the lease was taken %d times", rebuilds, shared.taken())
		}
		close(goOn)
		w.eventually("all are ready", func() bool { return holder.Ready() && others[0].Ready() })
	})
}

// TestAnyWay kills, stops, pauses and starts processes while they and others write. Orders and lease requests fail,
// arrive late or lose their answers. In the end the index contains the content of the store.
func TestAnyWay(t *testing.T) {
	for seed := range uint64(8) {
		bubble(t, func(t *testing.T, w *world, shared *leases) {
			w.options.Poll, w.index.forward = time.Second, seed%4 > 0
			random := rand.New(rand.NewPCG(seed, 7))
			var all []*process
			for range 3 {
				all = append(all, share(w, shared).start())
			}
			w.await()
			still := map[*process]bool{}
			quiet := time.Now() // No process dies before this time.
			for range 60 {
				p := all[random.IntN(len(all))]
				switch n := random.IntN(80); random.IntN(10) {
				case 0, 1, 2:
					w.put(videos(n, n+15, string(rune('a'+random.IntN(26))))...)
				case 3, 4:
					w.remove(n, n+10)
				case 5, 6:
					misdeliver(w, p, random.IntN(5), time.Duration(random.Int64N(int64(leaseFor/2))))
				case 7:
					if still[p] = !still[p]; still[p] {
						p.pause()
					} else {
						p.resume()
						quiet = time.Now().Add(5 * leaseFor)
					}
				case 8, 9:
					if still[p] || time.Now().Before(quiet) {
						break
					}
					if n%3 == 0 { // An order is in flight that a later one has undone.
						misdeliver(w, p, 1, leaseFor/2-time.Second)
						w.put(videos(n, n+10, "undone ")...)
						time.Sleep(2 * time.Second)
						w.remove(n, n+10)
						time.Sleep(2 * time.Second)
					}
					if n%4 > 0 {
						p.kill()
					} else {
						p.stop()
					}
					all = append(all[:0:0], all...)
					for i := range all {
						if all[i] == p {
							all[i] = share(w, shared).start()
						}
					}
				}
				time.Sleep(time.Duration(random.Int64N(int64(leaseFor / 2))))
			}
			for _, p := range all {
				p.set(nil, nil)
				p.resume()
			}
			time.Sleep(8 * leaseFor)
			w.await()
			for _, p := range all {
				if !p.Ready() || p.Err() != nil || p.Lag() != 0 {
					t.Errorf("seed %d: ready %t, lag %d, error %v", seed, p.Ready(), p.Lag(), p.Err())
				}
			}
		})
	}
}

// misdeliver sets the fate of the next order or lease request of a process.
func misdeliver(w *world, p *process, way int, late time.Duration) {
	orders := func(deliver func(context.Context, search.Batch)) {
		p.set(func(ctx context.Context, batch search.Batch) error {
			p.set(nil, nil)
			deliver(ctx, batch)
			return errFault
		}, nil)
	}
	switch way {
	case 0: // The order never arrives.
		orders(func(context.Context, search.Batch) {})
	case 1: // The order arrives late.
		orders(func(_ context.Context, batch search.Batch) { w.lands(batch, late) })
	case 2: // The answer is lost.
		orders(func(_ context.Context, batch search.Batch) { w.lands(batch, 0) })
	case 3: // The order takes as long as it may, and arrives late.
		orders(func(ctx context.Context, batch search.Batch) {
			<-ctx.Done()
			w.lands(batch, late)
		})
	case 4: // The process cannot reach the lease store for a while.
		until := time.Now().Add(2 * late)
		p.set(nil, func() error {
			if time.Now().Before(until) {
				return errFault
			}
			return nil
		})
	}
}

// TestNotReadyBeforeTheLogIsKnown checks that a follower is not ready before it has read the position of the log.
func TestNotReadyBeforeTheLogIsKnown(t *testing.T) {
	bubble(t, func(t *testing.T, w *world, shared *leases) {
		var away atomic.Bool
		away.Store(true)
		w.store = &faulty{Catalogue: w.store, fault: func(method string) error {
			if method == "Head" && away.Load() {
				return errFault
			}
			return nil
		}}
		p := share(w, shared).start()
		time.Sleep(2 * leaseFor)
		if p.Ready() {
			t.Error("ready, though the store is away")
		}
		away.Store(false)
		w.eventually("ready", p.Ready)
	})
}
