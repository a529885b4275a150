package redis_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// listen counts the wakes of a cache. stop ends the subscription.
func listen(t testing.TB, c *redis.Cache) (woken *atomic.Int64, stop func()) {
	t.Helper()
	woken = new(atomic.Int64)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.OnWake(ctx, func() { woken.Add(1) })
	}()
	stop = func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(patience):
			t.Error("OnWake outlives its context")
		}
	}
	t.Cleanup(stop)
	return woken, stop
}

func testWaking(t *testing.T, one, other *redis.Cache) {
	t.Helper()
	woken, stop := listen(t, other)
	until(t, "somebody listens", func() bool { return woken.Load() == 1 })
	if err := one.Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "a wake is heard", func() bool { return woken.Load() == 2 })
	stop()
}

func TestWaking(t *testing.T) {
	s := testservers.SharedRedis(t)
	options := redis.Options{URL: s.URL, Namespace: s.Prefix, Timeout: patience}
	testWaking(t, open(t, options), open(t, options))

	woken, _ := listen(t, open(t, options))
	until(t, "somebody listens", func() bool { return woken.Load() == 1 })
	elsewhere := options
	elsewhere.Namespace += "other"
	if err := open(t, elsewhere).Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := open(t, options).Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "a wake is heard", func() bool { return woken.Load() >= 2 })
	if got := woken.Load(); got != 2 {
		t.Errorf("woken %d times, want twice: a wake of another namespace is none", got)
	}
}

func TestWakingOutlivesTheServer(t *testing.T) {
	s := testservers.Redis(t)
	c := open(t, redis.Options{URL: s.URL, Pause: 10 * time.Millisecond})
	woken, _ := listen(t, c)
	until(t, "somebody listens", func() bool { return woken.Load() == 1 })
	s.Kill()
	if err := c.Wake(t.Context()); err == nil {
		t.Error("a wake was published without a server")
	}
	s.Start()
	until(t, "somebody listens again, and was woken", func() bool { return woken.Load() >= 2 })
	before := woken.Load()
	until(t, "a wake is heard", func() bool {
		_ = c.Wake(t.Context())
		return woken.Load() > before
	})
}
