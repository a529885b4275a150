package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/store"
)

// EmptyLeases creates leases without holders and returns a function that opens them. Each opening represents a separate
// process. The creator closes all of them at the end of the test.
type EmptyLeases func(t *testing.T) (open func() store.Leases)

// Leases runs the suite of store.Leases. It relies on the store's clock and waits for it.
func Leases(t *testing.T, empty EmptyLeases) {
	for name, test := range map[string]func(p *leasePair){
		"one holds it":                 testOneHolds,
		"one of many gets it":          testLeaseRace,
		"it runs out":                  testLeaseRunsOut,
		"it is given up":               testRelease,
		"settled moves on, never back": testSettled,
		"a wish is passed on":          testWish,
		"a wish runs out":              testWishRunsOut,
		"names are apart":              testLeaseNames,
		"invalid requests":             testLeaseRefused,
		"ended contexts, leases":       testLeasesEnded,
		"a late holder has no effect":  testOldHolder,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by clocks, not by processors
			open := empty(t)
			test(&leasePair{T: t, a: open(), b: open()})
		})
	}
}

// leasePair is two processes that compete for the same leases.
type leasePair struct {
	*testing.T
	a, b store.Leases
}

const (
	longLease  = time.Hour
	shortLease = 200 * time.Millisecond
	// leasePatience is the maximum time that a test waits for a lease to expire.
	leasePatience = 30 * time.Second
)

func (p *leasePair) lease(by store.Leases, request store.LeaseRequest) store.Lease {
	p.Helper()
	if request.Name == "" {
		request.Name = "work"
	}
	lease, err := by.Lease(p.Context(), request)
	if err != nil {
		p.Fatal(err)
	}
	return lease
}

// wantLease requests a lease and compares the result.
func (p *leasePair) wantLease(by store.Leases, request store.LeaseRequest, want store.Lease) {
	p.Helper()
	if got := p.lease(by, request); got != want {
		p.Errorf("%s asks for %s: got %+v, want %+v", request.Holder, request.For, got, want)
	}
}

// awaitLease repeats the request until good accepts the result.
func (p *leasePair) awaitLease(by store.Leases, request store.LeaseRequest, what string, good func(store.Lease) bool) store.Lease {
	p.Helper()
	for end := time.Now().Add(leasePatience); ; time.Sleep(5 * time.Millisecond) {
		lease := p.lease(by, request)
		if good(lease) {
			return lease
		}
		if time.Now().After(end) {
			p.Fatalf("%s: still %+v", what, lease)
		}
	}
}

func held(l store.Lease) bool { return l.Held }

func testOneHolds(p *leasePair) {
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{Held: true, Taken: true})
	for range 3 {
		p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{})
		p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{Held: true})
	}
	// A holder is identified by its name, not by its connection.
	p.wantLease(p.b, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{Held: true})
}

func testLeaseRace(p *leasePair) {
	var taken atomic.Int32
	for round := range 5 {
		taken.Store(0)
		together(8, func(i int) {
			by := []store.Leases{p.a, p.b}[i%2]
			lease, err := by.Lease(p.Context(), store.LeaseRequest{
				Name: fmt.Sprint("work ", round), Holder: fmt.Sprint("holder ", i), For: longLease,
			})
			if err != nil {
				p.Error(err)
			}
			if lease.Held != lease.Taken {
				p.Errorf("got %+v", lease)
			}
			if lease.Taken {
				taken.Add(1)
			}
		})
		if n := taken.Load(); n != 1 {
			p.Errorf("%d took the lease", n)
		}
	}
}

func testLeaseRunsOut(p *leasePair) {
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: shortLease})
	lease := p.awaitLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, "the lease does not run out", held)
	if !lease.Taken {
		p.Errorf("got %+v", lease)
	}
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{})
	// Any process can take a lease that was not renewed in time.
	p.lease(p.a, store.LeaseRequest{Name: "other", Holder: "a", For: time.Millisecond})
	time.Sleep(20 * time.Millisecond)
	p.wantLease(p.a, store.LeaseRequest{Name: "other", Holder: "a", For: longLease}, store.Lease{Held: true, Taken: true})
}

func testRelease(p *leasePair) {
	if err := p.a.Release(p.Context(), "work", "a"); err != nil {
		p.Errorf("nobody had it: %v", err)
	}
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: longLease})
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: longLease, Settled: 7})
	for _, not := range []struct{ name, holder string }{{"work", "b"}, {"another", "a"}, {"work", "A"}} {
		if err := p.b.Release(p.Context(), not.name, not.holder); err != nil {
			p.Error(err)
		}
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{Settled: 7})
	if err := p.a.Release(p.Context(), "work", "a"); err != nil {
		p.Error(err)
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{Held: true, Taken: true, Settled: 7})
}

func testSettled(p *leasePair) {
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease, Settled: 5}, store.Lease{Held: true, Taken: true})
	for _, step := range []struct{ settled, want store.Position }{{5, 5}, {3, 5}, {0, 5}, {9, 9}, {9, 9}} {
		p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease, Settled: step.settled}, store.Lease{Held: true, Settled: step.want})
	}
	// Settled is ignored for another holder, and for a process that takes the lease anew.
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease, Settled: 100}, store.Lease{Settled: 9})
	if err := p.a.Release(p.Context(), "work", "a"); err != nil {
		p.Error(err)
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease, Settled: 100}, store.Lease{Held: true, Taken: true, Settled: 9})
}

func testWish(p *leasePair) {
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: longLease})
	wish := store.LeaseRequest{Holder: "b", For: longLease, Wanted: true}
	p.wantLease(p.b, wish, store.Lease{})
	for range 2 {
		p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{Held: true, Wanted: true})
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "c", For: longLease}, store.Lease{Wanted: true})
	if err := p.a.Release(p.Context(), "work", "a"); err != nil {
		p.Error(err)
	}
	// A holder that received its wish has no wish any more.
	p.wantLease(p.b, wish, store.Lease{Held: true, Taken: true})
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{Held: true})
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{})
}

func testWishRunsOut(p *leasePair) {
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: longLease})
	p.lease(p.b, store.LeaseRequest{Holder: "b", For: shortLease, Wanted: true})
	p.awaitLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, "the wish does not run out", func(l store.Lease) bool {
		return l.Held && !l.Wanted
	})
}

func testLeaseNames(p *leasePair) {
	for _, name := range []string{"a", "A", "b\x00", "b", "é", strings.Repeat("x", 200)} {
		p.wantLease(p.a, store.LeaseRequest{Name: name, Holder: name, For: longLease}, store.Lease{Held: true, Taken: true})
		p.wantLease(p.b, store.LeaseRequest{Name: name, Holder: name, For: longLease}, store.Lease{Held: true})
		p.wantLease(p.b, store.LeaseRequest{Name: name, Holder: name + "?"[:min(1, 200-len(name))], For: longLease},
			store.Lease{Held: len(name) == 200})
	}
}

func testLeaseRefused(p *leasePair) {
	for _, request := range []store.LeaseRequest{
		{Name: "work", Holder: "a"}, {Name: "work", Holder: "a", For: time.Microsecond}, {Name: "work", Holder: "a", For: -time.Hour},
		{Holder: "a", For: longLease}, {Name: "work", For: longLease},
		{Name: strings.Repeat("x", 201), Holder: "a", For: longLease}, {Name: "work", Holder: strings.Repeat("x", 201), For: longLease},
	} {
		if lease, err := p.a.Lease(p.Context(), request); err == nil {
			p.Errorf("%+v: got %+v", request, lease)
		}
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{Held: true, Taken: true})
}

func testLeasesEnded(p *leasePair) {
	ctx, cancel := context.WithCancel(p.Context())
	cancel()
	if _, err := p.a.Lease(ctx, store.LeaseRequest{Name: "work", Holder: "a", For: longLease}); err != context.Canceled {
		p.Errorf("Lease: %v", err)
	}
	p.lease(p.b, store.LeaseRequest{Holder: "b", For: longLease})
	if err := p.b.Release(ctx, "work", "b"); err != context.Canceled {
		p.Errorf("Release: %v", err)
	}
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease}, store.Lease{})
}

// testOldHolder checks that a holder that was stopped for too long and settles late does not affect the next holder.
func testOldHolder(p *leasePair) {
	p.lease(p.a, store.LeaseRequest{Holder: "a", For: shortLease})
	p.awaitLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, "the lease does not run out", held)
	p.wantLease(p.a, store.LeaseRequest{Holder: "a", For: longLease, Settled: 50}, store.Lease{})
	if err := p.a.Release(p.Context(), "work", "a"); err != nil {
		p.Error(err)
	}
	p.wantLease(p.b, store.LeaseRequest{Holder: "b", For: longLease}, store.Lease{Held: true})
}
