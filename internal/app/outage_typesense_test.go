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

// searching are what lies behind a test of Typesense, and the settings that lead there.
type searching struct {
	server   *testservers.Server
	link     *testservers.Link
	store    []string // settings
	settings []string
}

// searchingIn puts a link before a Typesense, and a store of the test's own beside it.
func searchingIn(t *testing.T, server *testservers.Server) *searching {
	t.Helper()
	s := &searching{
		server: server, link: testservers.Cut(t, server.Addr),
		store: []string{"--store", testservers.SharedPostgreSQL(t).URL},
	}
	s.settings = append([]string{
		"--search", "typesense+http://" + s.link.Addr, "--search-key", server.Key, "--search-timeout", "1s",
	}, s.store...)
	return s
}

// write brings a value into a register by the command, which says when it is kept.
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

// needNoSearch are addresses that are answered without the index, beside single videos and the feed.
// Without visibility=ALL, subjects and disciplines are those that have videos, which is a search; so are
// suggestions.
var needNoSearch = []string{
	"/v1/", "/v1/subjects?visibility=ALL", "/v1/disciplines?visibility=ALL", "/v1/channels", "/v1/education-levels",
	"/v1/tags", "/v1/content-warnings", "/v1/video-types", "/.well-known/jwks.json", "/healthz",
}

// TestTypesenseAway: while Typesense is killed, hangs, stands still or is cut off, searches are answered
// 503, or by the fallback where there is one, and all else as before; writes go on, and are found in the
// end as they stand last. From the moment it answers again, searches show all or nothing.
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
			alone.wantAll(http.StatusOK, "/v1/videos/"+alone.ids[100*i], "/v1/videos?size=3&query=water") // which is remembered
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
				apptest.Await(p, "a video shows what was written", func() bool { return p.shows(apptest.RegisterID(i), written[0]) })
			}
			apptest.Await(backed, "the fallback finds what was written", func() bool { return backed.finds(written[0]) })
			backed.want(http.StatusOK, backed.get(backed.newQuestion()))
			backed.awaitReadiness(stateDegraded, map[string]string{"search": stateDegraded})

			o.back()
			alone.awaitSearch(before)
			for _, p := range []*demoServer{alone, backed} {
				apptest.Await(p, "searches show what was written", func() bool { return p.finds(written[0]) && p.finds(written[1]) })
				if p.finds(registerTitle(i, 1)) {
					t.Errorf("searches show what was written over")
				}
				p.awaitReadiness(stateUp, nil)
			}
			if _, total := found(alone.get("/v1/videos?size=4")); total != len(alone.feed()) || total != before+1+max(0, 1-i) {
				t.Errorf("a search finds %d videos of %d", total, len(alone.feed()))
			}
		})
	}
}

// everyOutage is the register that every outage raises.
const everyOutage = 99

// TestStartWithoutTypesense: a process that is started while Typesense is away serves what needs no
// search; when it comes, searches are answered too.
func TestStartWithoutTypesense(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	before := admit(t, behind.settings...)
	for _, o := range []outage{{"cut off", behind.link.Sever, behind.link.Mend}, {"hanging", behind.link.Hang, behind.link.Mend}} {
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

// TestTypesenseComesBackEmpty: where Typesense has lost everything, searches are postponed, or answered
// by the fallback, until the index has been built anew; that nothing is found is never said.
func TestTypesenseComesBackEmpty(t *testing.T) {
	t.Parallel()
	behind := searchingIn(t, testservers.SharedTypesense(t))
	alone := admit(t, behind.settings...)
	backed := admit(t, append(behind.settings, "--search-fallback", "--data", t.TempDir())...)
	behind.link.Sever()
	alone.awaitSearchAway(len(alone.ids))
	behind.lose(t, apptest.Must(alone.stores.namespace(t.Context()))(t))
	behind.link.Mend()
	for healed := 0; healed < 20; { // in a row: it may be answered from before, too
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
	apptest.Await(alone, "searches show what was written", func() bool { return alone.finds(registerTitle(1, 1)) })
}

// lose removes the collections and the aliases of a namespace.
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
