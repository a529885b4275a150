package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// EmptyDeprecations creates a new, empty store of deprecated uses and returns a function that opens it. Each opening
// represents a separate process.
type EmptyDeprecations func(t *testing.T) (open func() store.Deprecations)

// Deprecations runs the suite of store.Deprecations.
func Deprecations(t *testing.T, empty EmptyDeprecations) {
	for name, test := range map[string]func(t *testing.T, open func() store.Deprecations){
		"uses are added up":            testUsesAddedUp,
		"uses are of one client":       testUsesOfOne,
		"uses by pages":                testUsesPaged,
		"uses since a moment":          testUsesSince,
		"uses of processes at once":    testUsesAtOnce,
		"ended contexts, deprecations": testUsesEnded,
		"no uses, and many":            testUsesNone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // tests are bound by disks, not by processors
			test(t, empty(t))
		})
	}
}

// used returns a use of an item by a client of the account "of " + client.
func used(item, client string, first, last time.Duration, count int64) account.DeprecatedUse {
	return account.DeprecatedUse{Item: item, Client: client, Account: "of " + client, First: noon.Add(first), Last: noon.Add(last), Count: count}
}

func addUses(t *testing.T, to store.Deprecations, uses ...account.DeprecatedUse) {
	t.Helper()
	if err := to.AddDeprecatedUses(t.Context(), uses); err != nil {
		t.Fatal(err)
	}
}

// wantUses compares the results of a query with want.
func wantUses(t *testing.T, of store.Deprecations, query store.DeprecatedUseQuery, want ...account.DeprecatedUse) {
	t.Helper()
	if query.Limit == 0 {
		query.Limit = 100
	}
	got, err := of.DeprecatedUses(t.Context(), query)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%+v (%v) (-want +got):\n%s", query, err, diff)
	}
}

func testUsesAddedUp(t *testing.T, open func() store.Deprecations) {
	one, other := open(), open()
	addUses(t, one, used("a", "c", 0, time.Hour, 3), used("a", "c", time.Minute, 2*time.Hour, 1), used("b", "c", 0, 0, 1))
	addUses(t, other, used("a", "c", -time.Microsecond, 0, 5))
	wantUses(t, one, store.DeprecatedUseQuery{Item: "a"}, used("a", "c", -time.Microsecond, 2*time.Hour, 9))
	wantUses(t, other, store.DeprecatedUseQuery{Item: "b"}, used("b", "c", 0, 0, 1))
	wantUses(t, one, store.DeprecatedUseQuery{Item: "A"})
}

func testUsesOfOne(t *testing.T, open func() store.Deprecations) {
	uses, of := open(), func(client string) store.DeprecatedUseQuery {
		return store.DeprecatedUseQuery{Item: "a", Client: &client}
	}
	moved := used("a", "c", 0, 0, 4)
	moved.Account = "another"
	nobody := account.DeprecatedUse{Item: "a", First: noon, Last: noon, Count: 2}
	addUses(t, uses, used("a", "c", 0, 0, 1), moved, used("a", "cc", 0, 0, 1), used("a", "C", 0, 0, 1), used("b", "d", 0, 0, 1), nobody)
	wantUses(t, uses, of("c"), moved, used("a", "c", 0, 0, 1))
	wantUses(t, uses, of("cc"), used("a", "cc", 0, 0, 1))
	wantUses(t, uses, of("d"))
	wantUses(t, uses, of(""), nobody)
	last := of("c")
	last.After = &store.DeprecatedUsePlace{Client: "c", Account: "another"}
	wantUses(t, uses, last, used("a", "c", 0, 0, 1))
}

func testUsesPaged(t *testing.T, open func() store.Deprecations) {
	uses := open()
	want := []account.DeprecatedUse{{Item: "a", First: noon, Last: noon, Count: 1}}
	for _, client := range []string{"B", "a", "a-1", "b", "é"} {
		want = append(want, used("a", client, 0, 0, 1))
	}
	addUses(t, uses, append([]account.DeprecatedUse{used("0", "z", 0, 0, 1), used("b", "0", 0, 0, 1)}, want...)...)
	for size := 1; size <= len(want)+1; size++ {
		query := store.DeprecatedUseQuery{Item: "a", Limit: size}
		for left := want; ; {
			page := left[:min(size, len(left))]
			wantUses(t, uses, query, page...)
			if left = left[len(page):]; len(page) < size {
				break
			}
			last := page[len(page)-1]
			query.After = &store.DeprecatedUsePlace{Client: last.Client, Account: last.Account}
		}
	}
}

func testUsesSince(t *testing.T, open func() store.Deprecations) {
	uses := open()
	addUses(t, uses, used("a", "before", 0, 0, 1), used("a", "then", 0, time.Hour, 1), used("a", "since", 0, 2*time.Hour, 1))
	query := store.DeprecatedUseQuery{Item: "a", Since: noon.Add(time.Hour)}
	wantUses(t, uses, query, used("a", "since", 0, 2*time.Hour, 1), used("a", "then", 0, time.Hour, 1))
	before := "before"
	query.Client = &before
	wantUses(t, uses, query)
}

// testUsesAtOnce checks that nothing is lost if processes add to the same uses concurrently, in different orders.
func testUsesAtOnce(t *testing.T, open func() store.Deprecations) {
	const processes, rounds = 4, 10
	var adding sync.WaitGroup
	faults := make([]error, processes)
	for p := range processes {
		mine := open()
		adding.Go(func() {
			for round := range rounds {
				both := []account.DeprecatedUse{used("a", "c", 0, 0, 1), used("a", "d", 0, 0, 2)}
				if (p+round)%2 == 0 {
					both[0], both[1] = both[1], both[0]
				}
				faults[p] = errors.Join(faults[p], mine.AddDeprecatedUses(t.Context(), both))
			}
		})
	}
	adding.Wait()
	if err := errors.Join(faults...); err != nil {
		t.Fatal(err)
	}
	wantUses(t, open(), store.DeprecatedUseQuery{Item: "a"},
		used("a", "c", 0, 0, processes*rounds), used("a", "d", 0, 0, 2*processes*rounds))
}

func testUsesEnded(t *testing.T, open func() store.Deprecations) {
	uses := open()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := uses.AddDeprecatedUses(ended, []account.DeprecatedUse{used("a", "c", 0, 0, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("added by a request that ended: %v", err)
	}
	if _, err := uses.DeprecatedUses(ended, store.DeprecatedUseQuery{Item: "a", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("read by a request that ended: %v", err)
	}
	wantUses(t, uses, store.DeprecatedUseQuery{Item: "a"})
}

func testUsesNone(t *testing.T, open func() store.Deprecations) {
	uses := open()
	addUses(t, uses)
	var many []account.DeprecatedUse
	for i := range 1001 {
		many = append(many, used("a", fmt.Sprintf("%04d", i), 0, 0, 1))
	}
	addUses(t, uses, many...)
	wantUses(t, uses, store.DeprecatedUseQuery{Item: "a", Limit: 5000}, many[:1000]...)
	wantUses(t, uses, store.DeprecatedUseQuery{Item: "a", Limit: -1})
}
