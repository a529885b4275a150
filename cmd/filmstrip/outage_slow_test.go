package main

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestTypesenseSlow: searches that take too long are postponed, then without being tried, and nothing
// else waits for them. Callers who hang up say nothing of Typesense.
func TestTypesenseSlow(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	p := admit(t, behind.settings...)
	p.tire(behind.link, engineTypesense, 2*time.Second, p.newQuestion)
	p.awaitSearch(len(p.ids))
}

// TestPostgreSQLSlow: the same for the store. A call may take as long as it takes to connect, and
// --store-timeout.
func TestPostgreSQLSlow(t *testing.T) {
	t.Parallel()
	server := testservers.SharedPostgreSQL(t)
	link := testservers.Cut(t, server.Addr)
	p := admit(t, "--store", through(t, server, link), "--store-timeout", "300ms", "--data", t.TempDir())
	unread := p.ids[500:]
	p.tire(link, enginePostgreSQL, 3*time.Second, func() string {
		next := unread[0]
		unread = unread[1:]
		return "/v1/videos/" + next
	})
	awaitFor(p, "the store answers", func() bool { return p.get("/v1/feed/videos?size=9").status == http.StatusOK })
	p.logIn()
}

// tire lets clients hang up, then makes an engine slow, and mends it. Each address that ask makes needs
// the engine.
func (p *patient) tire(link *testservers.Link, engine string, delay time.Duration, ask func() string) {
	p.Helper()
	const metric = "filmstrip_engine_breaker_open"
	warm := addresses(p.ids[:20])
	p.wantAll(http.StatusOK, warm...)
	p.wantAll(http.StatusOK, ask())

	began := time.Now()
	told := func(what string) { p.Logf("%6s %s", time.Since(began).Round(time.Millisecond), what) }
	link.Slow(100 * time.Millisecond)
	for i := range 50 {
		p.hangUp(ask(), 20*time.Millisecond)
		if i%10 > 0 {
			continue
		}
		if open := p.gauge(metric, engine); open != "0" {
			p.Fatalf("callers hang up: %s is %q", metric, open)
		}
	}
	told("50 callers have hung up")
	awaitFor(p, "a caller who waits is answered", func() bool { return p.get(ask()).status == http.StatusOK })

	told("a caller who waits is answered")
	link.Slow(delay)
	var asking sync.WaitGroup
	for range 10 {
		path := ask()
		asking.Go(func() { p.want(http.StatusServiceUnavailable, p.get(path)) })
	}
	for _, path := range warm {
		if a := p.want(http.StatusOK, p.get(path)); a.took > delay {
			p.Errorf("%s: it waits for %s", a, engine)
		}
	}
	asking.Wait()
	told("ten questions are postponed")
	awaitFor(p, "the breaker opens", func() bool {
		p.want(http.StatusServiceUnavailable, p.get(ask()))
		return p.gauge(metric, engine) == "1"
	})
	if a := p.want(http.StatusServiceUnavailable, p.get(ask())); a.took > delay {
		p.Errorf("%s: %s is tried still", a, engine)
	}
	told("the breaker is open")
	link.Mend()
	awaitFor(p, "the breaker closes", func() bool { return p.get(ask()).status == http.StatusOK && p.gauge(metric, engine) == "0" })
	told("the breaker is closed")
	p.awaitReadiness(stateUp, nil)
	told("all is well")
}

// engines are all engines across a wire, each behind a link.
type engines struct {
	links    []*testservers.Link // to store, index and cache
	store    []string            // settings of the store, past the link
	settings []string
}

func everyEngine(t *testing.T) *engines {
	t.Helper()
	store, index, cache := testservers.SharedPostgreSQL(t), testservers.SharedTypesense(t), testservers.SharedRedis(t)
	toStore, toIndex, toCache := testservers.Cut(t, store.Addr), testservers.Cut(t, index.Addr), testservers.Cut(t, cache.Addr)
	return &engines{
		links: []*testservers.Link{toStore, toIndex, toCache}, store: []string{"--store", store.URL},
		settings: []string{
			"--store", through(t, store, toStore),
			"--search", "typesense+http://" + toIndex.Addr, "--search-key", index.Key,
			"--cache", through(t, cache, toCache),
		},
	}
}

// TestStopWhileEnginesHang: a process ends within the time that those who stop it give it, though no
// engine answers it any more.
func TestStopWhileEnginesHang(t *testing.T) {
	t.Parallel()
	all := everyEngine(t)
	p := admit(t, append(all.settings, "--search-fallback", "--data", t.TempDir())...)
	importRegisters(t, all.store, registerLine(everyOutage, 1)) // there is something to do
	for _, link := range all.links {
		link.Hang()
	}
	p.get(p.newQuestion())
	began := time.Now()
	if err := p.close(); err != nil {
		t.Log(err) // that an engine is away is said
	}
	took := time.Since(began)
	t.Logf("it stops in %s", took.Round(time.Millisecond))
	if took > 25*time.Second {
		t.Errorf("it stops in %s", took)
	}
}

// TestEveryEngineAway: with all engines away at once, what the process remembers is answered; they may
// come back in any order.
func TestEveryEngineAway(t *testing.T) {
	t.Parallel()
	all := everyEngine(t)
	p := admit(t, append(all.settings, "--store-timeout=1s", "--search-timeout=1s",
		"--cache-memory=1", "--page-memory=1", "--answer-memory=1")...)
	toStore, toIndex, toCache := all.links[0], all.links[1], all.links[2]
	orders := map[string][]*testservers.Link{
		"the store first": {toStore, toIndex, toCache},
		"the store last":  {toCache, toIndex, toStore},
		"the index first": {toIndex, toStore, toCache},
	}
	if testing.Short() {
		delete(orders, "the store first")
		delete(orders, "the index first")
	}
	value := 0
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			p := p.in(t)
			value++
			warm := append(addresses(p.ids[:20]), "/v1/videos?size=5&query=water", "/v1/", "/v1/channels")
			p.awaitInMemory(warm...)
			for _, link := range order {
				link.Sever()
			}
			p.awaitReadiness(stateDown, map[string]string{
				"store": stateDown, "accounts": stateDegraded, "search": stateDegraded, "cache": stateDegraded,
			})
			p.wantAll(http.StatusOK, warm...)
			p.wantAll(http.StatusServiceUnavailable, p.newQuestion(), "/v1/feed/videos?size=3")
			p.want(http.StatusServiceUnavailable, p.askToken())
			importRegisters(t, all.store, registerLine(everyOutage, value))

			for _, link := range order {
				link.Mend()
				time.Sleep(300 * time.Millisecond) // that there is a time with some of them
			}
			p.awaitReadiness(stateUp, nil)
			p.awaitHits()
			awaitFor(p, "searches show what was written", func() bool { return p.finds(registerTitle(everyOutage, value)) })
			p.logIn()
		})
	}
}

// awaitInMemory asks until the process answers by itself: memory as small as it is here keeps what is asked for
// often.
func (p *patient) awaitInMemory(paths ...string) {
	p.Helper()
	asked := func() int64 {
		s := p.derived.far.Stats()
		return s.Hits + s.Misses
	}
	awaitFor(p, "the process remembers", func() bool {
		before := asked()
		p.wantAll(http.StatusOK, paths...)
		return asked() == before
	})
}
