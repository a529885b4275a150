package cache_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

func TestTieredSuite(t *testing.T) {
	for name, openFar := range map[string]func(t *testing.T) cache.Cache{
		"over Redis":      func(t *testing.T) cache.Cache { return openRedis(t, testservers.SharedRedis(t), t.Name()) },
		"over one broken": func(*testing.T) cache.Cache { return &farSpy{err: errors.New("away")} },
	} {
		t.Run(name, func(t *testing.T) {
			cachetest.Run(t, func(t *testing.T) cache.Cache {
				return cache.NewTiered(memory.New(memory.Options{}), openFar(t))
			}, cachetest.Options{})
		})
	}
}

func openRedis(t *testing.T, s *testservers.Server, namespace string) *redis.Cache {
	t.Helper()
	c, err := redis.Open(t.Context(), redis.Options{URL: s.URL, Namespace: s.Prefix + namespace, Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// farSpy is a far level that records its calls. If block is set, each call waits until block is closed or the context
// of the call ends.
type farSpy struct {
	cache.Cache
	err   error
	block chan struct{}

	mu     sync.Mutex
	asked  [][]cache.Ask
	put    []cache.Item
	closed bool
}

func (f *farSpy) wait(ctx context.Context) error {
	if f.block != nil {
		select {
		case <-f.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return f.err
}

func (f *farSpy) Get(ctx context.Context, asks []cache.Ask, into []cache.Entry) error {
	f.mu.Lock()
	f.asked = append(f.asked, slices.Clone(asks))
	f.mu.Unlock()
	if err := f.wait(ctx); err != nil {
		for i := range into { // The Tiered must use none of these entries.
			into[i] = cache.Entry{Version: 77, Value: []byte("rubbish")}
		}
		return err
	}
	return f.Cache.Get(ctx, asks, into)
}

func (f *farSpy) Put(ctx context.Context, items []cache.Item) error {
	if err := f.wait(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	f.put = append(f.put, items...)
	f.mu.Unlock()
	return f.Cache.Put(ctx, items)
}

func (f *farSpy) Close() error {
	f.closed = true
	return nil
}

func itemOf(key string, version int64) cache.Item {
	return cache.Item{Key: key, Entry: cache.Entry{Version: version, Value: fmt.Append(nil, key, " at ", version)}}
}

func putAll(t *testing.T, c cache.Cache, items ...cache.Item) {
	t.Helper()
	if err := c.Put(context.Background(), items); err != nil {
		t.Fatal(err)
	}
}

func versionsOf(t *testing.T, c cache.Cache, asks ...cache.Ask) []int64 {
	t.Helper()
	into := make([]cache.Entry, len(asks))
	if err := c.Get(context.Background(), asks, into); err != nil {
		t.Fatal(err)
	}
	versions := make([]int64, len(into))
	for i, entry := range into {
		versions[i] = entry.Version
	}
	return versions
}

func TestTieredAsksFarForWhatNearLacks(t *testing.T) {
	near := memory.New(memory.Options{})
	far := &farSpy{Cache: memory.New(memory.Options{})}
	putAll(t, near, itemOf("both", 3), itemOf("old", 3), itemOf("near", 3), itemOf("ahead", 9))
	putAll(t, far.Cache, itemOf("both", 5), itemOf("old", 5), itemOf("far", 5), itemOf("ahead", 5))
	tiered := cache.NewTiered(near, far)
	defer tiered.Close()

	asks := []cache.Ask{{"both", 3}, {"old", 4}, {"none", 0}, {"near", 1}, {"far", 5}, {"ahead", 10}}
	if got, want := versionsOf(t, tiered, asks...), []int64{3, 5, 0, 3, 5, 9}; !slices.Equal(got, want) {
		t.Errorf("versions %d, want %d", got, want)
	}
	if want := []cache.Ask{{"old", 4}, {"none", 0}, {"far", 5}, {"ahead", 10}}; len(far.asked) != 1 || !slices.Equal(far.asked[0], want) {
		t.Errorf("far was asked %v, want once %v", far.asked, want)
	}
	if got := versionsOf(t, near, cache.Ask{Key: "old"}, cache.Ask{Key: "far"}); !slices.Equal(got, []int64{5, 5}) {
		t.Errorf("near keeps versions %d of what far had, want 5, 5", got)
	}
}

func TestTieredWithoutFarAnswersWhatNearHas(t *testing.T) {
	near := memory.New(memory.Options{})
	tiered := cache.NewTiered(near, &farSpy{err: errors.New("away")})
	defer tiered.Close()
	putAll(t, near, itemOf("a", 3))
	if got := versionsOf(t, tiered, cache.Ask{"a", 1}, cache.Ask{"a", 4}, cache.Ask{"b", 1}); !slices.Equal(got, []int64{3, 3, 0}) {
		t.Errorf("versions %d, want 3, 3, 0", got)
	}
}

func TestTieredPutDoesNotWaitForFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &farSpy{Cache: memory.New(memory.Options{}), block: make(chan struct{})}
		tiered := cache.NewTiered(memory.New(memory.Options{}), far)
		started := time.Now()
		for i := range 1000 {
			putAll(t, tiered, itemOf(fmt.Sprint(i), 1))
		}
		if waited := time.Since(started); waited != 0 {
			t.Errorf("Put waited %s", waited)
		}
		close(far.block)
		if err := tiered.Close(); err != nil {
			t.Error(err)
		}
		if len(far.put) != 1000 || !far.closed {
			t.Errorf("far has %d items, closed %v; want all that was put before Close", len(far.put), far.closed)
		}
	})
}

func TestTieredBoundsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &farSpy{Cache: memory.New(memory.Options{}), block: make(chan struct{})}
		tiered := cache.NewTiered(memory.New(memory.Options{}), far)
		const items, size = 100, 1 << 20
		for i := range items {
			putAll(t, tiered, cache.Item{Key: fmt.Sprint(i), Entry: cache.Entry{Version: 1, Value: make([]byte, size)}})
		}
		close(far.block)
		if err := tiered.Close(); err != nil {
			t.Error(err)
		}
		// Besides the 16 MB of waiting items, up to 4 MB were being written.
		if written := len(far.put); written <= 10 || written > 20 {
			t.Errorf("%d of %d items of 1 MB were written", written, items)
		}
	})
}

func TestTieredCloseDoesNotWaitLongForFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := &farSpy{Cache: memory.New(memory.Options{}), block: make(chan struct{})}
		tiered := cache.NewTiered(memory.New(memory.Options{}), far)
		putAll(t, tiered, itemOf("pending", 1))
		started := time.Now()
		if err := tiered.Close(); err != nil {
			t.Error(err)
		}
		if waited := time.Since(started); waited != 2*time.Second {
			t.Errorf("Close waited %s for a far level that hangs", waited)
		}
		putAll(t, tiered, itemOf("late", 1)) // A Put after Close does no harm.
	})
}

func TestTwoProcessesShareWhatOneMade(t *testing.T) {
	s := testservers.SharedRedis(t)
	process := func() (*cache.Tiered, *memory.Cache) {
		near := memory.New(memory.Options{})
		tiered := cache.NewTiered(near, openRedis(t, s, "shared"))
		t.Cleanup(func() { _ = tiered.Close() })
		return tiered, near
	}
	one, _ := process()
	other, nearOther := process()
	arrives := func(ask cache.Ask) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); versionsOf(t, other, ask)[0] < ask.AtLeast; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%v did not reach the other process", ask)
			}
		}
	}
	putAll(t, one, itemOf("a", 5))
	arrives(cache.Ask{"a", 5})
	if got := versionsOf(t, nearOther, cache.Ask{Key: "a"}); got[0] != 5 {
		t.Errorf("the other process keeps version %d near, want 5", got[0])
	}
	putAll(t, one, itemOf("a", 6))
	arrives(cache.Ask{"a", 6})
	if got := versionsOf(t, other, cache.Ask{"a", 5}); got[0] != 6 {
		t.Errorf("version %d after version 6", got[0])
	}
	putAll(t, other, itemOf("a", 4), itemOf("b", 1)) // The old version of a arrives late.
	for deadline := time.Now().Add(20 * time.Second); versionsOf(t, one, cache.Ask{"b", 1})[0] == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if got := versionsOf(t, openRedis(t, s, "shared"), cache.Ask{"a", 1}, cache.Ask{"b", 1}); !slices.Equal(got, []int64{6, 1}) {
		t.Errorf("Redis has versions %d, want 6, 1", got)
	}
}
