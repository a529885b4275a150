//go:build system

package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestCollectionsWithoutTypesense verifies an outage of Typesense. Searches of collections are refused with 503, or the
// fallback answers them, including changes made during the outage. Collections can still be read by ID and written.
// /readyz and the metrics report the outage. If Typesense has lost its data, no search returns an empty result.
func TestCollectionsWithoutTypesense(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	alone := admit(t, behind.settings...)
	backed := admit(t, append(behind.settings, "--search-fallback", "--data", t.TempDir())...)
	first := alone.makeCollection(1, "quagmires")
	for _, p := range []*demoServer{alone, backed} {
		p.awaitCollection("quagmires")
		p.awaitReadiness(stateUp, map[string]string{"collections": stateUp, "collectionSearch": stateUp})
	}

	behind.link.Sever()
	apptest.Await(alone, "searches of collections are postponed", func() bool {
		a, n := alone.findsCollections("quagmires")
		if a.Status == http.StatusServiceUnavailable {
			alone.wantPostponed(a)
		} else if n != 1 {
			t.Fatalf("%s: neither found nor postponed", a)
		}
		return a.Status == http.StatusServiceUnavailable
	})
	alone.wantAll(http.StatusOK, "/v1/collections/"+string(first))
	alone.awaitReadiness(stateDegraded, map[string]string{"collections": stateUp, "collectionSearch": stateDegraded, "search": stateDegraded})
	second := alone.makeCollection(2, "wetlands")
	for _, word := range []string{"quagmires", "wetlands"} {
		backed.awaitCollection(word)
	}
	backed.awaitReadiness(stateDegraded, map[string]string{"collections": stateUp, "collectionSearch": stateDegraded})
	alone.wantAll(http.StatusOK, "/v1/collections/"+string(second))

	behind.lose(t, alone.indexes.namespace)
	behind.link.Restore()
	for _, p := range []*demoServer{alone, backed} {
		apptest.Await(p, "searches of collections are answered", func() bool {
			a, n := p.findsCollections("wetlands")
			if a.Status == http.StatusOK && n != 1 {
				t.Fatalf("%s: %d collections are found in an index that was lost", a, n)
			}
			return n == 1
		})
		p.awaitReadiness(stateUp, map[string]string{"collectionSearch": stateUp})
	}
	recorder := httptest.NewRecorder()
	alone.telemetry.Handler().ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	metrics := recorder.Body.String()
	for _, series := range []string{
		`port="collections"`, `port="collection search"`, "filmstrip_collection_outbox_lag_changes 0",
		`,work="collections"} `, `filmstrip_engine_breaker_open{engine="typesense collections"}`,
		`filmstrip_engine_state{engine="collectionSearch",state="up"} 1`,
	} {
		if !strings.Contains(metrics, series) {
			t.Errorf("the metrics do not contain %s", series)
		}
	}
}

// TestCollectionsWithoutPostgreSQL verifies that reads and writes of collections are refused with 503 during an outage
// of PostgreSQL, and that earlier writes are present after it.
func TestCollectionsWithoutPostgreSQL(t *testing.T) {
	t.Parallel()
	server := testservers.SharedPostgreSQL(t)
	link := testservers.NewLink(t, server.Addr)
	p := admit(t, "--store", apptest.URLThrough(t, server, link), "--store-timeout", "1s", "--data", t.TempDir())
	made := p.makeCollection(1, "quagmires")
	p.awaitCollection("quagmires")

	link.Sever()
	p.wantAll(http.StatusServiceUnavailable, "/v1/collections/"+string(made), "/v1/collections?query=quagmires")
	if _, err := p.collectionStore().Create(t.Context(), operatorsCollection(2, "lost things")); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a collection is added without a store: %v", err)
	}
	p.awaitReadiness(stateDown, map[string]string{"collections": stateDegraded, "collectionSearch": stateDegraded})

	link.Restore()
	p.awaitReadiness(stateUp, map[string]string{"collections": stateUp, "collectionSearch": stateUp})
	apptest.Await(p, "the collection is read again", func() bool { return p.get("/v1/collections/"+string(made)).Status == http.StatusOK })
	p.awaitCollection("quagmires")
	if _, n := p.findsCollections("things"); n != 0 {
		t.Errorf("%d rejected collections are stored", n)
	}
}
