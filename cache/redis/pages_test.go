package redis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// page returns n items with values of size bytes, and the asks for them.
func page(n, size int) ([]cache.Item, []cache.Ask) {
	items, asks := make([]cache.Item, n), make([]cache.Ask, n)
	for i := range items {
		items[i] = cache.Item{
			Key:   fmt.Sprintf("document of the long view %024d", i),
			Entry: cache.Entry{Version: int64(i + 1), Value: bytes.Repeat([]byte{byte(i)}, size)},
		}
		asks[i] = cache.Ask{Key: items[i].Key, AtLeast: items[i].Version}
	}
	return items, asks
}

func TestAPageTakesOneRoundTrip(t *testing.T) {
	s := testservers.SharedRedis(t)
	server := raw(t, s.URL)
	link := testservers.NewLink(t, s.Addr)
	c := open(t, redis.Options{URL: "redis://" + link.Addr, Namespace: s.Prefix, Timeout: patience})
	// The fewest of several attempts count: on a busy machine, a long request may arrive in parts that the link counts apart.
	trips := func(do func() error) int {
		t.Helper()
		fewest := math.MaxInt
		for range 5 {
			before := link.RoundTrips()
			if err := do(); err != nil {
				t.Fatal(err)
			}
			fewest = min(fewest, link.RoundTrips()-before)
		}
		return fewest
	}
	ctx := context.Background()
	items, asks := page(100, 3000)
	small, _ := page(100, 30)
	into := make([]cache.Entry, len(asks))
	get := func() error { return c.Get(ctx, asks, into) }

	withoutScripts := func(do func() error) func() error {
		return func() error { return errors.Join(server.ScriptFlush(ctx).Err(), do()) }
	}
	if got := trips(withoutScripts(func() error { return c.Put(ctx, small) })); got != 2 {
		t.Errorf("Put on a server that does not know the script: %d round trips, want 2", got)
	}
	for i := range small {
		small[i].Version = 1000
	}
	if got := trips(func() error { return c.Put(ctx, small) }); got != 1 {
		t.Errorf("Put: %d round trips, want 1", got)
	}
	for i := range items {
		items[i].Version = 2000
	}
	if err := c.Put(ctx, items); err != nil {
		t.Fatal(err)
	}
	if got := trips(get); got != 1 || into[99].Version != 2000 {
		t.Errorf("Get of 100 documents of 3 KB: %d round trips, want 1; the last has version %d", got, into[99].Version)
	}
	add := func() error { _, _, err := c.Add(ctx, "key", 1, patience); return err }
	if got := trips(withoutScripts(add)); got > 2 {
		t.Errorf("Add on a server that does not know the script: %d round trips, want 2", got)
	}
	if got := trips(add); got != 1 {
		t.Errorf("Add: %d round trips, want 1", got)
	}
}

func BenchmarkPage(b *testing.B) {
	s := testservers.SharedRedis(b)
	c := open(b, redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience})
	items, asks := page(100, 3000)
	into := make([]cache.Entry, len(asks))
	ctx := context.Background()
	b.Run("Put", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for i := range items {
				items[i].Version++
			}
			if err := c.Put(ctx, items); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Get", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := c.Get(ctx, asks, into); err != nil || into[99].Version == 0 {
				b.Fatal(err, into[99].Version)
			}
		}
	})
	b.Run("MGET", func(b *testing.B) { // MGET measures one command that does not check the values.
		server := raw(b, s.URL)
		keys := make([]string, len(asks))
		for i := range asks {
			keys[i] = s.Prefix + ":v:" + asks[i].Key
		}
		b.ReportAllocs()
		for b.Loop() {
			if found, err := server.MGet(ctx, keys...).Result(); err != nil || found[99] == nil {
				b.Fatal(err)
			}
		}
	})
}
