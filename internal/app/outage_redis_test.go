//go:build system

package app

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestRedisAway: while Redis is killed, hangs, stands still, is cut off or full, everything is answered as
// before, without waiting for it each time; when it is back, it is used again. What the process remembers
// by itself is kept small, so that Redis is asked at all.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	server := testservers.Redis(t)
	link := testservers.Cut(t, server.Addr)
	p := admit(t, "--cache", apptest.Through(t, server, link), "--cache-memory=1", "--page-memory=1", "--answer-memory=1")
	p.awaitHits()
	for _, o := range append(outagesOf(server, link), outage{"hanging", link.Hang, link.Mend}, fullRedis(t, server)) {
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

// fullRedis leaves a server no room, and allows it to evict nothing.
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
