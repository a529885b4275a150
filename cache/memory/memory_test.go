package memory_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/memory"
)

func TestSuite(t *testing.T) {
	cachetest.Run(t, func(*testing.T) cache.Cache { return memory.New(memory.Options{}) }, cachetest.Options{})
}

func TestMaxBytes(t *testing.T) {
	const bound, size = 1 << 20, 1000
	c := memory.New(memory.Options{MaxBytes: bound})
	defer c.Close()
	var keys []string
	for i := range 10 * bound / size {
		keys = append(keys, fmt.Sprint(i))
		put(t, c, keys[i], 1, string(make([]byte, size)))
	}
	// The cache evicts entries over the bound in the background.
	for attempt := 0; ; attempt++ {
		kept := present(t, c, keys) * size
		if kept == 0 {
			t.Fatal("nothing is kept")
		}
		if kept <= bound {
			return
		}
		if attempt == 500 {
			t.Fatalf("%d bytes of values are kept, the bound is %d", kept, bound)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestValueAboveMaxBytes(t *testing.T) {
	c := memory.New(memory.Options{MaxBytes: 10_000})
	defer c.Close()
	put(t, c, "small", 1, "x")
	put(t, c, "large", 1, string(make([]byte, 100_000)))
	for attempt := 0; get(t, c, "large").Version != 0; attempt++ {
		if attempt == 500 {
			t.Fatal("a value above the bound is kept")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func present(t *testing.T, c cache.Cache, keys []string) int {
	t.Helper()
	asks, into := make([]cache.Ask, len(keys)), make([]cache.Entry, len(keys))
	for i, key := range keys {
		asks[i].Key = key
	}
	if err := c.Get(context.Background(), asks, into); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, entry := range into {
		if entry.Version != 0 {
			n++
		}
	}
	return n
}

func put(t *testing.T, c cache.Cache, key string, version int64, value string) {
	t.Helper()
	items := []cache.Item{{Key: key, Entry: cache.Entry{Version: version, Value: []byte(value)}}}
	if err := c.Put(context.Background(), items); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, c cache.Cache, key string) cache.Entry {
	t.Helper()
	into := make([]cache.Entry, 1)
	if err := c.Get(context.Background(), []cache.Ask{{Key: key}}, into); err != nil {
		t.Fatal(err)
	}
	return into[0]
}

func TestSize(t *testing.T) {
	c := memory.New(memory.Options{})
	defer c.Close()
	put(t, c, "a", 1, "text")
	put(t, c, "b", 1, string(make([]byte, 1000)))
	if bytes, entries, err := c.Size(t.Context()); err != nil || entries != 2 || bytes < 1006 || bytes > 2000 {
		t.Errorf("%d bytes in %d entries, %v", bytes, entries, err)
	}
}
