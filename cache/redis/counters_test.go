package redis_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestCounters(t *testing.T) {
	s := testservers.SharedRedis(t)
	cachetest.Counters(t, func(t *testing.T) cache.Counters {
		return open(t, redis.Options{URL: s.URL, Namespace: s.Prefix + t.Name(), Timeout: patience})
	}, cachetest.CounterOptions{})
}

// TestForeignCounts checks that a foreign value under the key of a count never locks a user out.
func TestForeignCounts(t *testing.T) {
	s := testservers.SharedRedis(t)
	c, server := open(t, redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience}), raw(t, s.URL)
	ctx, key := t.Context(), s.Prefix+":n:key"
	for name, leave := range map[string]func() error{
		"a list":            func() error { return server.LPush(ctx, key, "x").Err() },
		"text":              func() error { return server.Set(ctx, key, "many", 0).Err() },
		"a negative number": func() error { return server.Set(ctx, key, -5, time.Hour).Err() },
		"the largest":       func() error { return server.Set(ctx, key, int64(1<<63-1), 0).Err() },
	} {
		if err := server.Del(ctx, key).Err(); err != nil {
			t.Fatal(err)
		}
		if err := leave(); err != nil {
			t.Fatal(err)
		}
		if count, left, err := c.Add(ctx, "key", 1, time.Minute); err != nil || count != 1 || left > time.Minute {
			t.Errorf("%s: count %d, %s left, %v; want 1 of a minute", name, count, left, err)
		}
	}
	if err := server.Persist(ctx, key).Err(); err != nil {
		t.Fatal(err)
	}
	if count, left, err := c.Add(ctx, "key", 1, time.Minute); err != nil || count != 2 || left <= 0 || left > time.Minute {
		t.Errorf("a count that has lost its end: %d, %s left, %v", count, left, err)
	}
	if left := server.PTTL(ctx, key).Val(); left <= 0 || left > time.Minute {
		t.Errorf("it ends in %s", left)
	}
}
