package limit_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/limit"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// spy counts the calls of shared counters, and can make them fail, wait or forget.
type spy struct {
	mu     sync.Mutex
	counts map[string]windowCount
	calls  atomic.Int64
	away   atomic.Bool
	takes  time.Duration
}

type windowCount struct {
	n    int64
	ends time.Time
}

func (s *spy) Add(_ context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	s.calls.Add(1)
	if s.takes > 0 {
		time.Sleep(s.takes)
	}
	if s.away.Load() {
		return 0, 0, errors.New("away")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	count, now := s.counts[key], time.Now()
	if !now.Before(count.ends) {
		count = windowCount{ends: now.Add(window)}
	}
	count.n += n
	s.counts[key] = count
	return count.n, count.ends.Sub(now), nil
}

func (s *spy) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts = map[string]windowCount{}
}

func shared() *spy {
	s := &spy{}
	s.forget()
	return s
}

// TestProcessesShareAClient checks that of requests that alternate between three processes, no more pass than the rate
// plus the number that the other processes may let pass between two exchanges, and that no request waits for an
// exchange.
func TestProcessesShareAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counters := shared()
		counters.takes = 2 * time.Millisecond
		config := limit.Config{Rates: limit.Rates{Client: 160}, Counters: counters}
		var processes []http.Handler
		for range 3 {
			processes = append(processes, open(t, config).Client(ok))
		}
		let := 0
		for i := range 4000 {
			before := time.Now()
			if passes(t, processes[i%3], as("client", nil)) {
				let++
			}
			if time.Since(before) > 0 {
				t.Fatalf("a request waited %s", time.Since(before))
			}
			time.Sleep(10 * time.Millisecond)
		}
		if let < 160 || let > 160+2*160/16 {
			t.Errorf("%d passed at a rate of 160", let)
		}
	})
}

// TestTheMinuteBeforeIsShared checks that a client that has used its rate at one process has also used it at a process
// that has not seen the client before, across the start of a minute.
func TestTheMinuteBeforeIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := limit.Config{Rates: limit.Rates{Client: 160}, Counters: shared()}
		one, other := open(t, config).Client(ok), open(t, config).Client(ok)
		time.Sleep(59 * time.Second)
		request := func() *http.Request { return as("client", nil) }
		if got := passed(t, one, 200, request); got != 160 {
			t.Fatalf("%d passed at first", got)
		}
		time.Sleep(2 * time.Second)
		let := 0
		for range 100 {
			let += passed(t, other, 1, request)
			time.Sleep(20 * time.Millisecond)
		}
		if let > 160/16+6 {
			t.Errorf("%d more passed at the other process", let)
		}
	})
}

// TestCountersThatAreAway checks that while the shared counters are unavailable, each process applies the rate alone,
// and that it later learns the others' counts again.
func TestCountersThatAreAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counters := shared()
		config := limit.Config{Rates: limit.Rates{Client: 32}, Counters: counters}
		a, b := open(t, config), open(t, config)
		request := func() *http.Request { return as("client", nil) }
		walk := func(handler http.Handler) (let int) {
			for range 40 {
				let += passed(t, handler, 1, request)
				time.Sleep(50 * time.Millisecond)
			}
			return let
		}
		counters.away.Store(true)
		if one, other := walk(a.Client(ok)), walk(b.Client(ok)); one != 32 || other != 32 {
			t.Errorf("%d and %d passed, want 32 each", one, other)
		}
		if got := a.Stats().Alone; got == 0 {
			t.Error("no exchange has failed")
		}
		counters.away.Store(false)
		time.Sleep(3 * time.Minute)
		if one, other := walk(a.Client(ok)), walk(b.Client(ok)); one != 32 || other > 6 {
			t.Errorf("%d and %d passed after the outage, want 32 together", one, other)
		}
	})
}

// TestCountsOfOthersAreKept checks that a process keeps the counts of the others when the shared counters fail.
func TestCountsOfOthersAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counters := shared()
		config := limit.Config{Rates: limit.Rates{Client: 32}, Counters: counters}
		one, other := open(t, config).Client(ok), open(t, config).Client(ok)
		request := func() *http.Request { return as("client", nil) }
		passed(t, other, 10, request)
		time.Sleep(time.Second)
		passed(t, one, 10, request)
		time.Sleep(time.Second)
		counters.away.Store(true)
		let := 0
		for range 30 {
			let += passed(t, one, 1, request)
			time.Sleep(200 * time.Millisecond)
		}
		if let != 12 {
			t.Errorf("%d more passed, want 12", let)
		}
	})
}

// TestLostCounts checks that a process applies its own counts if the shared counters have lost everything.
func TestLostCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counters := shared()
		handler := open(t, limit.Config{Rates: limit.Rates{Client: 32}, Counters: counters}).Client(ok)
		request := func() *http.Request { return as("client", nil) }
		let := passed(t, handler, 20, request)
		time.Sleep(time.Second)
		counters.forget()
		for range 30 {
			let += passed(t, handler, 1, request)
			time.Sleep(200 * time.Millisecond)
		}
		if let != 32 {
			t.Errorf("%d passed, want 32", let)
		}
	})
}

// TestAttemptsAreExact checks that of simultaneous attempts at several processes, exactly as many pass as the rate
// allows, and that the attempts still count in the next minute.
func TestAttemptsAreExact(t *testing.T) {
	for name, counters := range map[string]cache.Counters{"memory": shared(), "Redis": openRedis(t, testservers.SharedRedis(t))} {
		c := noon()
		var let atomic.Int64
		attempt := func(handlers []http.Handler) {
			var all sync.WaitGroup
			for i := range 60 {
				all.Go(func() {
					if passes(t, handlers[i%len(handlers)], from("192.0.2.1:80")) {
						let.Add(1)
					}
				})
			}
			all.Wait()
		}
		processes := func(n int) (handlers []http.Handler) {
			for range n {
				l := open(t, limit.Config{Counters: patient{counters}, Clock: c.time})
				handlers = append(handlers, l.Address("token", 20, ok))
			}
			return handlers
		}
		first := processes(3)
		attempt(first)
		if got := let.Swap(0); got != 20 {
			t.Errorf("%s: %d passed, want 20", name, got)
		}
		attempt(processes(1)) // a process without counts of its own
		if got := let.Swap(0); got != 0 {
			t.Errorf("%s: %d passed at a new process", name, got)
		}
		c.pass(90 * time.Second)
		attempt(processes(2))
		attempt(first)
		if got := let.Swap(0); got != 10 && got != 11 {
			t.Errorf("%s: %d passed half a minute into the next, want half of 20", name, got)
		}
	}
}

// patient gives shared counters as much time as a busy machine needs.
type patient struct{ cache.Counters }

func (p patient) Add(_ context.Context, key string, n int64, window time.Duration) (int64, time.Duration, error) {
	return p.Counters.Add(context.Background(), key, n, window)
}

// TestAttemptsDoNotWaitLong checks that attempts do not wait long for counters that hang.
func TestAttemptsDoNotWaitLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := open(t, limit.Config{Counters: stuck{}, Rates: limit.Rates{Login: 5}})
		handler := l.Address("token", 5, ok)
		for i := range 10 {
			before := time.Now()
			if got := passes(t, handler, from("192.0.2.1:80")); got != (i < 5) {
				t.Errorf("attempt %d: %v", i, got)
			}
			if got := l.Login(httptest.NewRecorder(), from("192.0.2.1:80"), "demo", "teacher"); got != (i < 5) {
				t.Errorf("login %d: %v", i, got)
			}
			if waited := time.Since(before); waited > 300*time.Millisecond {
				t.Errorf("two attempts waited %s", waited)
			}
		}
	})
}

// TestTwoProcessesAndRedis checks that two processes apply the limits together, and that without Redis each process
// applies them alone and no request fails.
func TestTwoProcessesAndRedis(t *testing.T) {
	server := testservers.Redis(t)
	c := noon() // the clock does not advance, so no minute ends
	config := func() limit.Config {
		return limit.Config{
			Rates: limit.Rates{Client: 64, Unauthorized: 32}, Counters: openRedis(t, server), Clock: c.time,
		}
	}
	a, b := open(t, config()), open(t, config())
	clients, guarded := []http.Handler{a.Client(ok), b.Client(ok)}, []http.Handler{a.Guard(nil, refuseAll)(ok), b.Guard(nil, refuseAll)(ok)}
	let := func(handlers []http.Handler, request func() *http.Request) (n int) {
		for i := range 300 {
			if w := answer(handlers[i%2], request()); w.Code != http.StatusTooManyRequests {
				n++
			}
			time.Sleep(time.Millisecond)
		}
		return n
	}
	// On a busy machine an exchange may be late, so that up to twice the rate passes. The bound here is far lower.
	if got := let(clients, func() *http.Request { return as("one", nil) }); got < 64 || got > 96 {
		t.Errorf("%d requests of a client passed, at a rate of 64", got)
	}
	if got := let(guarded, func() *http.Request { return from("192.0.2.1:80") }); got < 32 || got > 48 {
		t.Errorf("%d bad tokens were looked at, at a rate of 32", got)
	}
	server.Kill()
	if got := let(clients, func() *http.Request { return as("two", nil) }); got != 2*64 {
		t.Errorf("%d requests passed without Redis, want 64 at each process", got)
	}
	token := a.Address("token", 5, ok)
	if got := passed(t, token, 20, func() *http.Request { return from("192.0.2.1:80") }); got != 5 {
		t.Errorf("%d attempts passed without Redis, want 5", got)
	}
	server.Start()
	c.pass(3 * time.Minute)
	until(t, "the processes share again", func() bool {
		c.pass(3 * time.Minute)
		return let(clients, func() *http.Request { return as("three", nil) }) <= 96
	})
}

// TestNothingIsReportedTwice checks that Close has sent every count exactly once.
func TestNothingIsReportedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counters := shared()
		for range 3 {
			l := limit.New(limit.Config{Rates: limit.Rates{Client: 1000}, Counters: counters})
			handler := l.Client(ok)
			for range 100 {
				passed(t, handler, 1, func() *http.Request { return as("client", nil) })
				time.Sleep(10 * time.Millisecond)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		last := open(t, limit.Config{Rates: limit.Rates{Client: 1000}, Counters: counters}).Client(ok)
		passed(t, last, 1, func() *http.Request { return as("client", nil) })
		time.Sleep(time.Second)
		if got := passed(t, last, 1000, func() *http.Request { return as("client", nil) }); got != 1000-301 {
			t.Errorf("%d more passed, want %d", got, 1000-301)
		}
		if counters.calls.Load() > 100 {
			t.Errorf("%d calls for 301 requests", counters.calls.Load())
		}
	})
}
