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

func TestCounters(t *testing.T) {
	cachetest.Counters(t, func(*testing.T) cache.Counters {
		return memory.NewCounters(memory.CounterOptions{})
	}, cachetest.CounterOptions{})
}

func TestCountersAreBounded(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const limit = 80
	c := memory.NewCounters(memory.CounterOptions{MaxKeys: limit, Clock: func() time.Time { return now }})
	add := func(key string, window time.Duration) int64 {
		count, _, err := c.Add(context.Background(), key, 1, window)
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	add("lasting", time.Hour)
	for i := range limit - 1 {
		add(fmt.Sprint("short ", i), time.Minute)
	}
	now = now.Add(time.Minute)
	add("one more", time.Hour)
	if got := add("lasting", time.Hour); got != 2 {
		t.Errorf("a count that had not ended went before those that had: %d, want 2", got)
	}
	for i := range 10 * limit {
		add(fmt.Sprint("long ", i), time.Hour)
	}
	kept := 0
	for i := 10*limit - 1; i >= 0; i-- { // The loop starts with the newest: asking for a dropped count evicts others.
		if add(fmt.Sprint("long ", i), time.Hour) > 1 {
			kept++
		}
	}
	if kept == 0 || kept > limit {
		t.Errorf("%d counts are kept, want at most %d and some", kept, limit)
	}
}
