package redis_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestForeignValues checks that a foreign value under a key is a miss and that the next Put replaces it. The test
// derives foreign values from a valid entry.
func TestForeignValues(t *testing.T) {
	s := testservers.SharedRedis(t)
	c, server := open(t, redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience, MaxValue: 1000}), raw(t, s.URL)
	ctx, key := context.Background(), s.Prefix+":v:key"
	put(t, c, "key", 1<<62, "nine")
	sound, err := server.Get(ctx, key).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int) func() error {
		other := bytes.Clone(sound)
		other[at] ^= 0x40
		return func() error { return server.Set(ctx, key, other, 0).Err() }
	}
	leave := map[string]func() error{
		"nothing at all":     func() error { return server.Set(ctx, key, "", 0).Err() },
		"text":               func() error { return server.Set(ctx, key, "text", 0).Err() },
		"a list":             func() error { return server.RPush(ctx, key, sound).Err() },
		"a hash":             func() error { return server.HSet(ctx, key, "a", sound).Err() },
		"a header alone":     func() error { return server.Set(ctx, key, sound[:24], 0).Err() },
		"half a header":      func() error { return server.Set(ctx, key, sound[:13], 0).Err() },
		"more than an entry": func() error { return server.Set(ctx, key, string(sound)+"x", 0).Err() },
		"megabytes":          func() error { return server.Set(ctx, key, string(sound)+strings.Repeat("x", 3<<20), 0).Err() },
		"an entry of another key": func() error {
			put(t, c, "yek", 1<<62, "nine")
			return server.Copy(ctx, s.Prefix+":v:yek", key, 0, true).Err()
		},
	}
	for at := range sound {
		leave[fmt.Sprint("byte ", at, " changed")] = changed(at)
	}
	for name, left := range leave {
		if err := server.Del(ctx, key).Err(); err != nil {
			t.Fatal(err)
		}
		if err := left(); err != nil {
			t.Fatal(err)
		}
		before := c.Stats()
		if got := get(t, c, "key"); got.Version != 0 || got.Value != nil {
			t.Errorf("%s: version %d, value %.40q; want none", name, got.Version, got.Value)
		}
		after := c.Stats()
		if after.Errors != before.Errors || after.Foreign+after.Misses != before.Foreign+before.Misses+1 {
			t.Errorf("%s: counted as %+v after %+v", name, after, before)
		}
		put(t, c, "key", 1, "mine")
		if got := get(t, c, "key"); got.Version != 1 || string(got.Value) != "mine" {
			t.Errorf("%s: after Put version %d, value %.40q", name, got.Version, got.Value)
		}
	}
}

// TestForeignMegabytesStayWhereTheyAre checks that the cache does not fetch a large foreign value whole.
func TestForeignMegabytesStayWhereTheyAre(t *testing.T) {
	s := testservers.SharedRedis(t)
	server := raw(t, s.URL)
	c := open(t, redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience, MaxValue: 1000})
	if err := server.Set(t.Context(), s.Prefix+":v:key", strings.Repeat("x", 8<<20), 0).Err(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	get(t, c, "key")
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d bytes were allocated for a key of 8 MB", got)
	}
}

func TestLifetimesAndLengthsAreBounded(t *testing.T) {
	s := testservers.SharedRedis(t)
	server := raw(t, s.URL)
	const ttl = time.Hour
	c := open(t, redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience, TTL: ttl, MaxValue: 1000})
	var items []cache.Item
	for i := range 50 {
		items = append(items, cache.Item{Key: fmt.Sprint(i), Entry: cache.Entry{Version: 1, Value: []byte("x")}})
	}
	if err := c.Put(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	lives := map[time.Duration]bool{}
	for _, item := range items {
		left := server.PTTL(t.Context(), s.Prefix+":v:"+item.Key).Val()
		if left < ttl*9/10-patience || left > ttl*11/10 {
			t.Errorf("an entry lives for %s, want %s give or take a tenth", left, ttl)
		}
		lives[left.Round(time.Second)] = true
	}
	if len(lives) < 10 {
		t.Errorf("50 entries end at %d moments", len(lives))
	}
	put(t, c, "fits", 1, strings.Repeat("x", 1000))
	put(t, c, "too long", 1, strings.Repeat("x", 1001))
	if got := server.Exists(t.Context(), s.Prefix+":v:fits", s.Prefix+":v:too long").Val(); got != 1 || len(get(t, c, "fits").Value) != 1000 {
		t.Errorf("%d of two values are kept, want the one that fits", got)
	}
	if got := c.Stats().Oversize; got != 1 {
		t.Errorf("%d values counted as too long", got)
	}
}
