package deprecation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
)

// kept is a store of uses that fails while away is set.
type kept struct {
	mutex    sync.Mutex
	away     error
	calls    [][]account.DeprecatedUse
	reported chan struct{}
}

func (k *kept) AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("the call has no end")
	}
	if k.away != nil {
		return k.away
	}
	k.calls = append(k.calls, uses)
	if k.reported != nil {
		k.reported <- struct{}{}
	}
	return ctx.Err()
}

// noted returns a register that writes to a store, and a function that makes calls of clients.
func noted(t *testing.T, uses Uses, now func() time.Time) (r *Register, use func(client string, items ...*Item)) {
	r = New(Config{Uses: uses, Every: time.Hour, Now: now})
	return r, func(client string, items ...*Item) {
		ctx := context.WithValue(t.Context(), CallKey{}, &Call{Register: r})
		ctx = account.WithCaller(ctx, &account.Caller{ClientID: client, Account: &account.Account{ID: "of " + client}})
		for _, item := range items {
			Note(ctx, item)
			Note(ctx, item) // The second Note belongs to the same call, which counts once.
		}
	}
}

// end runs the register with a canceled context, so that it writes once.
func end(t *testing.T, r *Register) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.Run(ctx)
}

// TestTallyKeepsWhatFails checks that uses add up while the store is down, and are written exactly once when it
// recovers.
func TestTallyKeepsWhatFails(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 8999, time.UTC)
	store := &kept{away: errors.New("away")}
	r, use := noted(t, store, func() time.Time { at = at.Add(time.Second); return at })
	a, b := items[0], items[1]
	use("c", a, b)
	end(t, r)
	use("c", a)
	use("d", a)
	end(t, r)
	store.away = nil
	end(t, r)
	end(t, r)
	second := func(n int) time.Time { return time.Date(2026, 3, 4, 5, 6, 7+n, 8000, time.UTC) }
	want := [][]account.DeprecatedUse{{
		{Item: a.Key, Client: "c", Account: "of c", First: second(1), Last: second(3), Count: 2},
		{Item: a.Key, Client: "d", Account: "of d", First: second(4), Last: second(4), Count: 1},
		{Item: b.Key, Client: "c", Account: "of c", First: second(2), Last: second(2), Count: 1},
	}}
	if diff := cmp.Diff(want, store.calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTallyIsBounded checks that a full register, while the store is down, still counts known uses and drops new ones.
func TestTallyIsBounded(t *testing.T) {
	store := &kept{away: errors.New("away")}
	r, use := noted(t, store, time.Now)
	for client := range maxUses + 10 {
		use(fmt.Sprint(client), items[0])
	}
	end(t, r)
	use("0", items[0])
	use("one more", items[0])
	store.away = nil
	end(t, r)
	if len(store.calls) != 1 || len(store.calls[0]) != maxUses {
		t.Fatalf("%d calls", len(store.calls))
	}
	for _, one := range store.calls[0] {
		if want := map[string]int64{"0": 2}[one.Client]; one.Count != max(want, 1) || one.Client == "one more" {
			t.Errorf("%+v", one)
		}
	}
}

// TestTallyWritesWhileItRuns checks that a running register writes without being stopped.
func TestTallyWritesWhileItRuns(t *testing.T) {
	store := &kept{reported: make(chan struct{}, 10)}
	r := New(Config{Uses: store, Every: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { r.Run(ctx); close(ended) }()
	call := &Call{Register: r}
	Note(context.WithValue(t.Context(), CallKey{}, call), items[0])
	await := func(what string, of <-chan struct{}) {
		t.Helper()
		select {
		case <-of:
		case <-time.After(20 * time.Second):
			t.Fatal(what)
		}
	}
	await("nothing is written", store.reported)
	cancel()
	await("the register does not end", ended)
}

// TestAgain checks that each call over one connection counts, and that a context without a call counts nothing.
func TestAgain(t *testing.T) {
	store := &kept{}
	r := New(Config{Uses: store})
	connection := context.WithValue(t.Context(), CallKey{}, &Call{Register: r})
	for range 3 {
		Note(Again(connection), items[0])
	}
	Note(Again(t.Context()), items[0])
	end(t, r)
	if len(store.calls) != 1 || len(store.calls[0]) != 1 || store.calls[0][0].Count != 3 {
		t.Errorf("%+v", store.calls)
	}
}
