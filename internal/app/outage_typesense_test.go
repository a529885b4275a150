//go:build system

package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// searching contains the engines of a test of Typesense, and the settings that select them.
type searching struct {
	server   *testservers.Server
	link     *testservers.Link
	store    []string // settings
	settings []string
}

// searchingIn puts a link in front of a Typesense server, and creates a store for the test.
func searchingIn(t *testing.T, server *testservers.Server) *searching {
	t.Helper()
	s := &searching{
		server: server, link: testservers.NewLink(t, server.Addr),
		store: []string{"--store", testservers.SharedPostgreSQL(t).URL},
	}
	s.settings = append([]string{
		"--search", "typesense+http://" + s.link.Addr, "--search-key", server.Key, "--search-timeout", "1s",
	}, s.store...)
	return s
}

// write imports a value into a register with the command, which reports when the value is stored.
func (s *searching) write(t testing.TB, register, value int) {
	t.Helper()
	importRegisters(t, s.store, apptest.RegisterLine(register, value))
}

func importRegisters(t testing.TB, store []string, lines string) {
	t.Helper()
	got := apptest.Run(t, nil, apptest.RegistersChannel+lines, append(append([]string{"import"}, store...), "-")...)
	if got.Status != 0 {
		t.Fatalf("import: status %d: %s%s", got.Status, got.Out, got.Err)
	}
}

func registerTitle(register, value int) string {
	return fmt.Sprintf("Register %d stands at %d", register, value)
}

// needNoSearch are paths that need no index, besides single videos and the feed. Without visibility=ALL, subjects and
// disciplines list only those with videos, which requires a search; so do suggestions.
var needNoSearch = []string{
	"/v1/", "/v1/subjects?visibility=ALL", "/v1/disciplines?visibility=ALL", "/v1/channels", "/v1/education-levels",
	"/v1/tags", "/v1/content-warnings", "/v1/video-types", "/.well-known/jwks.json", "/healthz",
}

// TestTypesenseAway verifies outages of Typesense: killed, hanging, paused or cut off. Searches are refused with 503,
// or the fallback answers them; all other requests succeed. Writes continue, and searches find their final state after
// the outage. As soon as Typesense answers again, searches return complete results or none.
func TestTypesenseAway(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.Typesense(t))
	alone := admit(t, behind.settings...)
	backed := admit(t, append(behind.settings, "--search-fallback", "--data", t.TempDir())...)
	for i, o := range outagesOf(behind.server, behind.link) {
		t.Run(o.name, func(t *testing.T) {
			alone, backed := alone.in(t), backed.in(t)
			before := len(alone.feed())
			alone.want(http.StatusOK, alone.get("/v1/videos?size=3&query=water"))
			o.away()
			alone.awaitSearchAway(before)
			alone.wantAll(http.StatusOK, needNoSearch...)
			alone.wantAll(http.StatusOK, "/v1/videos/"+alone.ids[100*i], "/v1/videos?size=3&query=water") // the server has cached these responses
			alone.wantAll(http.StatusServiceUnavailable, alone.newQuestion(), "/v1/suggestions?query=wat")
			alone.feed()
			alone.logIn()
			alone.awaitReadiness(stateDegraded, map[string]string{"search": stateDegraded, "store": stateUp, "accounts": stateUp, "cache": stateUp})

			for value := range 3 {
				behind.write(t, i, value)
				behind.write(t, everyOutage, 10*i+value)
			}
			written := []string{registerTitle(i, 2), registerTitle(everyOutage, 10*i+2)}
			for _, p := range []*demoServer{alone, backed} {
				apptest.Await(p, "a video shows the written title", func() bool { return p.shows(apptest.RegisterID(i), written[0]) })
			}
			apptest.Await(backed, "the fallback finds the written title", func() bool { return backed.finds(written[0]) })
			backed.want(http.StatusOK, backed.get(backed.newQuestion()))
			backed.awaitReadiness(stateDegraded, map[string]string{"search": stateDegraded})

			o.back()
			alone.awaitSearch(before)
			for _, p := range []*demoServer{alone, backed} {
				apptest.Await(p, "searches show the written titles", func() bool { return p.finds(written[0]) && p.finds(written[1]) })
				if p.finds(registerTitle(i, 1)) {
					t.Errorf("searches show an overwritten title")
				}
				p.awaitReadiness(stateUp, nil)
			}
			if _, total := found(alone.get("/v1/videos?size=4")); total != len(alone.feed()) || total != before+1+max(0, 1-i) {
				t.Errorf("a search finds %d videos of %d", total, len(alone.feed()))
			}
		})
	}
}

// everyOutage is the register whose value every outage increases.
const everyOutage = 99

// TestStartWithoutTypesense verifies that a process that starts while Typesense is unavailable serves all requests
// without a search, and answers searches when Typesense is available.
func TestStartWithoutTypesense(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	before := admit(t, behind.settings...)
	for _, o := range []outage{{"cut off", behind.link.Sever, behind.link.Restore}, {"hanging", behind.link.Hang, behind.link.Restore}} {
		t.Run(o.name, func(t *testing.T) {
			o.away()
			p := admitAsItIs(t, behind.settings...)
			p.logIn()
			p.wantAll(http.StatusOK, "/v1/videos/"+before.ids[0])
			p.wantAll(http.StatusOK, needNoSearch...)
			p.feed()
			p.wantAll(http.StatusServiceUnavailable, "/v1/videos?query=water")
			p.awaitReadiness(stateDegraded, map[string]string{"search": stateDegraded})
			o.back()
			p.awaitSearch(len(before.ids))
			p.awaitReadiness(stateUp, nil)
		})
	}
}

// TestTypesenseComesBackEmpty verifies that after Typesense lost its data, searches are refused with 503, or the
// fallback answers them, until the index is rebuilt. No search returns an empty result.
func TestTypesenseComesBackEmpty(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	alone := admit(t, behind.settings...)
	backed := admit(t, append(behind.settings, "--search-fallback", "--data", t.TempDir())...)
	behind.link.Sever()
	alone.awaitSearchAway(len(alone.ids))
	behind.lose(t, apptest.Must(alone.stores.namespace(t.Context()))(t))
	behind.link.Restore()
	for healed := 0; healed < 20; { // consecutive responses, because a cache may answer some
		if status := alone.searchWhole(len(alone.ids)); status == http.StatusOK {
			healed++
		} else {
			healed = 0
		}
		backed.want(http.StatusOK, backed.get(backed.newQuestion()))
		backed.searchWhole(len(alone.ids))
	}
	alone.awaitReadiness(stateUp, nil)
	behind.write(t, 1, 1)
	apptest.Await(alone, "searches show the written titles", func() bool { return alone.finds(registerTitle(1, 1)) })
}

// lose deletes the collections and the aliases of a namespace.
func (s *searching) lose(t testing.TB, namespace string) {
	t.Helper()
	type named struct{ Name string }
	var collections []named
	s.ask(t, "GET", "/collections", &collections)
	var aliases struct{ Aliases []named }
	s.ask(t, "GET", "/aliases", &aliases)
	lost := 0
	for path, things := range map[string][]named{"/collections/": collections, "/aliases/": aliases.Aliases} {
		for _, thing := range things {
			if strings.HasPrefix(thing.Name, namespace+"-") {
				s.ask(t, "DELETE", path+thing.Name, nil)
				lost++
			}
		}
	}
	if lost < 3 {
		t.Fatalf("there are %d collections and aliases of %s", lost, namespace)
	}
}

func (s *searching) ask(t testing.TB, method, path string, into any) {
	t.Helper()
	request := apptest.Must(http.NewRequestWithContext(t.Context(), method, s.server.URL+path, nil))(t)
	request.Header.Set("X-TYPESENSE-API-KEY", s.server.Key)
	response := apptest.Must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	body := apptest.Must(io.ReadAll(response.Body))(t)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, body)
	}
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			t.Fatal(err)
		}
	}
}
