package redis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/cachetest"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func addresses(servers []*testservers.Server) string {
	list := make([]string, len(servers))
	for i, s := range servers {
		list[i] = s.Addr
	}
	return strings.Join(list, ",")
}

func TestCluster(t *testing.T) {
	s := testservers.Redis(t, testservers.ClusterOf(3))
	url := "redis+cluster://" + addresses(s.Nodes[:2])
	options := func(t *testing.T) redis.Options {
		return redis.Options{URL: url, Namespace: t.Name(), Timeout: patience, Pause: 10 * time.Millisecond}
	}
	t.Run("values", func(t *testing.T) {
		cachetest.Run(t, func(t *testing.T) cache.Cache { return open(t, options(t)) }, cachetest.Options{})
	})
	t.Run("counters", func(t *testing.T) {
		cachetest.Counters(t, func(t *testing.T) cache.Counters { return open(t, options(t)) }, cachetest.CounterOptions{})
	})
	t.Run("check", func(t *testing.T) {
		c := open(t, options(t))
		if err := c.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if advice, err := c.Advice(t.Context()); err != nil || !strings.Contains(advice, "maxmemory") {
			t.Errorf("advice %q, %v", advice, err)
		}
	})
	t.Run("keys on every node", func(t *testing.T) {
		c := open(t, options(t))
		items, _ := page(100, 10)
		if err := c.Put(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		for _, node := range s.Nodes {
			if keys := raw(t, node.URL).Keys(t.Context(), t.Name()+":*").Val(); len(keys) < 10 {
				t.Errorf("%d of 100 keys on one of three nodes", len(keys))
			}
		}
	})
	t.Run("without one node", func(t *testing.T) {
		o := options(t)
		o.Timeout = time.Second
		c := open(t, o)
		items, asks := page(100, 10)
		if err := c.Put(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		for _, node := range s.Nodes { // Without this setting, the other nodes stop answering when they notice the failure.
			if err := raw(t, node.URL).ConfigSet(t.Context(), "cluster-require-full-coverage", "no").Err(); err != nil {
				t.Fatal(err)
			}
		}
		s.Nodes[2].Kill()
		into := make([]cache.Entry, len(asks))
		until(t, "the rest is answered", func() bool { return c.Get(t.Context(), asks, into) == nil && present(into) >= 30 })
		if got := present(into); got > 90 {
			t.Errorf("%d of 100 entries are answered without a third of the keys", got)
		}
		s.Nodes[2].Start()
		until(t, "all is kept again", func() bool {
			_ = c.Put(t.Context(), items)
			return c.Get(t.Context(), asks, into) == nil && present(into) == 100
		})
	})
}

func present(entries []cache.Entry) (n int) {
	for _, entry := range entries {
		if entry.Version != 0 {
			n++
		}
	}
	return n
}

func TestSentinel(t *testing.T) {
	s := testservers.Redis(t, testservers.Sentinel(), testservers.Password("secret"))
	c := open(t, redis.Options{
		URL:   "redis+sentinel://:secret@" + addresses(s.Sentinels) + "/" + testservers.SentinelMaster,
		Pause: 10 * time.Millisecond,
	})
	until(t, "the master answers", func() bool { return c.Check(t.Context()) == nil })
	put(t, c, "key", 5, "five")
	s.Kill()
	until(t, "the replica has taken over", func() bool {
		// Redis does not replicate scripts. The first Put on the replica sends them again.
		_ = c.Put(t.Context(), []cache.Item{{Key: "after", Entry: cache.Entry{Version: 1, Value: []byte("x")}}})
		into := make([]cache.Entry, 1)
		return c.Get(t.Context(), []cache.Ask{{Key: "after"}}, into) == nil && into[0].Version == 1
	})
}

// TestSentinelsAskForAPassword checks that Sentinels may require a password of their own, which the URL contains.
func TestSentinelsAskForAPassword(t *testing.T) {
	s := testservers.Redis(t, testservers.Sentinel(), testservers.Password("secret"))
	client := raw(t, "redis://"+s.Sentinels[0].Addr)
	if err := client.Do(t.Context(), "ACL", "SETUSER", "default", "resetpass", ">w@tching").Err(); err != nil {
		t.Fatal(err)
	}
	url := "redis+sentinel://:secret@" + addresses(s.Sentinels) + "/" + testservers.SentinelMaster
	if err := open(t, redis.Options{URL: url}).Check(t.Context()); err == nil {
		t.Error("the Sentinels ask for no password, so that this test shows nothing")
	}
	c := open(t, redis.Options{URL: url + "?sentinel_password=w%40tching"})
	until(t, "the master answers", func() bool { return c.Check(t.Context()) == nil })
}

func TestTLS(t *testing.T) {
	s := testservers.Redis(t, testservers.TLS(), testservers.Password("secret"))
	url := "rediss://:secret@" + s.Addr
	c := open(t, redis.Options{URL: url, TLS: trusting(t, s.CAFile), Timeout: patience})
	if err := c.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, c, "key", 1, "x")
	if got := get(t, c, "key"); got.Version != 1 {
		t.Errorf("version %d, want 1", got.Version)
	}
	if err := open(t, redis.Options{URL: url}).Check(t.Context()); err == nil {
		t.Error("a server is believed that nobody vouches for")
	}
}

func TestEveryPolicyOfEviction(t *testing.T) {
	for _, policy := range []string{
		"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl", "noeviction",
	} {
		t.Run(policy, func(t *testing.T) {
			s := testservers.Redis(t, testservers.MaxMemory(4<<20, policy))
			c := open(t, redis.Options{URL: s.URL, Timeout: patience})
			refused := 0
			into := make([]cache.Entry, 1)
			for i := range 300 {
				key, value := fmt.Sprint(i), strings.Repeat(string(rune('a'+i%26)), 30_000)
				items := []cache.Item{{Key: key, Entry: cache.Entry{Version: int64(i + 1), Value: []byte(value)}}}
				if err := c.Put(context.Background(), items); err != nil {
					refused++
				}
				for _, known := range []int{i, i / 2} {
					if err := c.Get(context.Background(), []cache.Ask{{Key: fmt.Sprint(known)}}, into); err != nil {
						t.Fatalf("Get: %v", err)
					}
					if got := into[0]; got.Version != 0 && (got.Version != int64(known+1) || len(got.Value) != 30_000 || got.Value[0] != byte('a'+known%26)) {
						t.Errorf("key %d: version %d, %d bytes", known, got.Version, len(got.Value))
					}
				}
			}
			// A full server that may not evict refuses new values. The cache still reads old values from it.
			if full := policy == "noeviction"; full != (refused > 0) || c.Stats().LeftAlone {
				t.Errorf("%d values were refused; left alone: %v", refused, c.Stats().LeftAlone)
			}
			if c.Stats().Hits < 50 {
				t.Errorf("%d hits", c.Stats().Hits)
			}
			err := c.Check(t.Context())
			advice, adviceErr := c.Advice(t.Context())
			if adviceErr != nil {
				t.Error(adviceErr)
			}
			if full := policy == "noeviction"; full != (err != nil) || full != strings.Contains(advice, "maxmemory-policy") {
				t.Errorf("check: %v; advice: %q", err, advice)
			}
		})
	}
}
