//go:build system

package app

import (
	"net/http"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestTypesenseSlow verifies that searches that take too long are refused with 503, that later ones are refused at
// once, and that no other request waits for them. Callers that hang up do not count as failures of Typesense.
func TestTypesenseSlow(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	p := admit(t, behind.settings...)
	p.tire(behind.link, engineTypesense, 2*time.Second, p.newQuestion)
	p.awaitSearch(len(p.ids))
}

// TestPostgreSQLSlow verifies the same for the store. A call may take the time of a connection and --store-timeout.
func TestPostgreSQLSlow(t *testing.T) {
	t.Parallel()
	server := testservers.SharedPostgreSQL(t)
	link := testservers.NewLink(t, server.Addr)
	p := admit(t, "--store", apptest.URLThrough(t, server, link), "--store-timeout", "1s", "--data", t.TempDir())
	unread := p.ids[500:]
	p.tire(link, enginePostgreSQL, 3*time.Second, func() string {
		next := unread[0]
		unread = unread[1:]
		return "/v1/videos/" + next
	})
	apptest.Await(p, "the store answers", func() bool { return p.get("/v1/feed/videos?size=9").Status == http.StatusOK })
	p.logIn()
}

// engines are all engines on other servers, each behind a link.
type engines struct {
	links    []*testservers.Link // to store, index and cache
	store    []string            // settings of the store without the link
	settings []string
}

func everyEngine(t *testing.T) *engines {
	t.Helper()
	store, index, cache := testservers.SharedPostgreSQL(t), testservers.SharedTypesense(t), testservers.SharedRedis(t)
	toStore, toIndex, toCache := testservers.NewLink(t, store.Addr), testservers.NewLink(t, index.Addr), testservers.NewLink(t, cache.Addr)
	return &engines{
		links: []*testservers.Link{toStore, toIndex, toCache}, store: []string{"--store", store.URL},
		settings: []string{
			"--store", apptest.URLThrough(t, store, toStore),
			"--search", "typesense+http://" + toIndex.Addr, "--search-key", index.Key,
			"--cache", apptest.URLThrough(t, cache, toCache),
		},
	}
}

// TestStopWhileEnginesHang verifies that a process ends before its supervisor kills it, within 25 s, although no
// engine answers.
func TestStopWhileEnginesHang(t *testing.T) {
	t.Parallel()
	all := everyEngine(t)
	p := admit(t, append(all.settings, "--search-fallback", "--data", t.TempDir())...)
	importRegisters(t, all.store, apptest.RegisterLine(everyOutage, 1)) // gives the projection work
	for _, link := range all.links {
		link.Hang()
	}
	p.get(p.newQuestion())
	began := time.Now()
	if err := p.close(); err != nil {
		t.Log(err) // the error reports that an engine is unavailable
	}
	took := time.Since(began)
	t.Logf("it stops in %s", took.Round(time.Millisecond))
	if took > 25*time.Second {
		t.Errorf("it stops in %s", took)
	}
}

// TestEveryEngineAway verifies that the process answers from its own cache while all engines are unavailable. They may
// return in any order.
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
			importRegisters(t, all.store, apptest.RegisterLine(everyOutage, value))

			for _, link := range order {
				link.Restore()
				time.Sleep(300 * time.Millisecond) // so that some of the engines are available for a while
			}
			p.awaitReadiness(stateUp, nil)
			p.awaitHits()
			apptest.Await(p, "searches show the written title", func() bool { return p.finds(registerTitle(everyOutage, value)) })
			p.logIn()
		})
	}
}
