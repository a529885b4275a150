package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
)

// BenchmarkGet measures the hot path of every page: reading the documents of 1, 100 or 1,000 references out of 100,000.
// ns/key is the time of one key.
func BenchmarkGet(b *testing.B) {
	const kept = 100_000
	for _, size := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("keys=%d", size), func(b *testing.B) {
			c := memory.New(memory.Options{MaxBytes: 1 << 30})
			defer c.Close()
			keys := fill(b, c, kept)
			into := make([]cache.Entry, size)
			b.ReportAllocs()
			next := 0
			for b.Loop() {
				if next += size; next+size > kept {
					next = 0
				}
				if err := c.Get(context.Background(), keys[next:next+size], into); err != nil {
					b.Fatal(err)
				}
				if into[size-1].Version == 0 {
					b.Fatal("an entry is missing")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/key")
		})
	}
}

func fill(tb testing.TB, c cache.Cache, n int) []cache.Ask {
	tb.Helper()
	keys := make([]cache.Ask, n)
	for i := range keys {
		keys[i] = cache.Ask{Key: fmt.Sprintf("%032d", i*7919), AtLeast: 1}
		item := cache.Item{Key: keys[i].Key, Entry: cache.Entry{Version: 1, Value: make([]byte, 64)}}
		if err := c.Put(context.Background(), []cache.Item{item}); err != nil {
			tb.Fatal(err)
		}
	}
	return keys
}
