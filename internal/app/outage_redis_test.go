//go:build system

package app

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestRedisAway verifies outages of Redis: killed, hanging, paused, cut off or full. The server answers every request
// as before, and does not wait for Redis each time. It uses Redis again afterwards. The process's own cache is small in
// this test, so that the server needs Redis at all.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	server := testservers.Redis(t)
	link := testservers.NewLink(t, server.Addr)
	p := admit(t, "--cache", apptest.URLThrough(t, server, link), "--cache-memory=1", "--page-memory=1", "--answer-memory=1")
	p.awaitHits()
	for _, o := range append(outagesOf(server, link), outage{"hanging", link.Hang, link.Restore}, fullRedis(t, server)) {
		t.Run(o.name, func(t *testing.T) {
			p := p.in(t)
			o.away()
			before, began := p.indexes.far.Stats(), time.Now()
			requests := p.useEverything()
			refused, took := p.indexes.far.Stats().Refused-before.Refused, time.Since(began)
			if o.name != "full" && refused < int64(requests)/2 {
				t.Errorf("of the calls of %d requests %d were not made", requests, refused)
			}
			if took > time.Duration(requests)*100*time.Millisecond {
				t.Errorf("%d requests take %s", requests, took)
			}
			t.Logf("%d requests take %s, %d calls are not made", requests, took.Round(time.Millisecond), refused)
			p.awaitReadiness(stateDegraded, map[string]string{"cache": stateDegraded, "store": stateUp, "accounts": stateUp, "search": stateUp})
			o.back()
			p.awaitReadiness(stateUp, nil)
			p.awaitHits()
			p.useEverything()
		})
	}
	t.Run("flushed", func(t *testing.T) {
		p := p.in(t)
		redisOf(t, server).FlushAll(t.Context())
		p.useEverything()
		p.awaitHits()
	})
}

func redisOf(t testing.TB, server *testservers.Server) *redis.Client {
	client := redis.NewClient(apptest.Must(redis.ParseURL(server.URL))(t))
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// fullRedis makes a server run out of memory, and forbids it to evict keys.
func fullRedis(t testing.TB, server *testservers.Server) outage {
	limit := func(bytes string) func() {
		return func() {
			if err := redisOf(t, server).ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return outage{"full", limit("1"), limit("0")}
}
