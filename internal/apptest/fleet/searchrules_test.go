//go:build system

package fleet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestSearchRulesReachEveryProcess verifies that search rules set at one process soon apply at another, although both
// have answered the same search before, and that they keep applying, with both search engines and a shared cache.
func TestSearchRulesReachEveryProcess(t *testing.T) {
	for name, engines := range map[string]apptest.Engines{
		"embedded":  {PostgreSQL: true, Redis: true},
		"typesense": {PostgreSQL: true, Redis: true, Typesense: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := ruledFleet{startFleet(t, 2, engines.Settings(t)...)}
			const water = "/v1/videos?query=water&size=5"
			s.awaitIndex(water)
			before := s.ask(s.members[1], water, "")
			if len(before.ids) < 5 {
				t.Fatalf("water finds %v", before.ids)
			}
			far := s.ask(s.members[1], "/v1/videos?query=art&size=1", "").ids[0]

			rule := s.write(`createSearchRule(input: {query: "Wáter!", pinned: ["%s"], buried: ["%s"]})`, far, before.ids[0])
			changed := s.await("pinned", water, before.tag, func(p foundPage) bool {
				return p.ids[0] == far && !slices.Contains(p.ids, before.ids[0]) && p.ids[1] == before.ids[1]
			})
			if changed.total != before.total+1 {
				t.Errorf("water finds %d, and %d with an unrelated video pinned", before.total, changed.total)
			}
			s.write(`updateSearchRule(id: "%s", input: {pinned: ["%s"], buried: []})`, rule, before.ids[2])
			s.await("changed", water, changed.tag, func(p foundPage) bool {
				return p.ids[0] == before.ids[2] && p.ids[1] == before.ids[0] && p.total == before.total
			})
			s.remove(`deleteSearchRule(id: "%s")`, rule)
			s.await("deleted", water, changed.tag, func(p foundPage) bool { return p.tag == before.tag })

			const nonsense = "/v1/videos?query=zqxjkw+vvqz&size=5"
			nothing := s.ask(s.members[1], nonsense, "")
			if nothing.total != 0 {
				t.Fatalf("nonsense finds %v", nothing.ids)
			}
			synonym := s.write(`createSynonym(input: {words: ["water", "Zqxjkw vvqz", "H2O"]})`)
			s.await("known", nonsense, nothing.tag, func(p foundPage) bool { return p.total >= before.total })
			s.write(`updateSynonym(id: "%s", input: {words: ["water", "H2O"]})`, synonym)
			s.await("unknown", nonsense, "", func(p foundPage) bool { return p.total == 0 })
		})
	}
}

// ruledFleet is a fleet whose operator sets search rules at its first process.
type ruledFleet struct{ *fleet }

// awaitIndex waits until the index of every process contains the whole demo, and all processes return the same results.
func (s ruledFleet) awaitIndex(path string) {
	s.Helper()
	apptest.Await(s, "every process has the whole index", func() bool {
		tags := map[string]bool{}
		for _, m := range s.members {
			if !s.hasFullIndex(m) {
				return false
			}
			tags[s.ask(m, path, "").tag] = true
		}
		return len(tags) == 1
	})
}

// hasFullIndex reports whether the index of a process contains every change of the catalogue.
func (s ruledFleet) hasFullIndex(m *member) bool {
	s.Helper()
	response := apptest.Must(s.client.Get(m.base + "/readyz"))(s)
	defer response.Body.Close()
	var ready struct {
		Engines map[string]struct {
			Status string
			Lag    *int64
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&ready); err != nil {
		s.Fatal(err)
	}
	search := ready.Engines["search"]
	return search.Status == "up" && search.Lag != nil && *search.Lag == 0
}

// foundPage is a page of search results.
type foundPage struct {
	status int
	tag    string
	ids    []string
	total  int
}

// ask searches at one process. tag is the ETag of the client's previous response.
func (s ruledFleet) ask(m *member, path, tag string) (p foundPage) {
	s.Helper()
	request := apptest.Must(http.NewRequestWithContext(s.Context(), "GET", m.base+path, nil))(s)
	request.Header.Set("Authorization", "Bearer "+s.token)
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	response := apptest.Must(s.client.Do(request))(s)
	defer response.Body.Close()
	p.status, p.tag = response.StatusCode, response.Header.Get("ETag")
	if p.status == http.StatusNotModified {
		return p
	}
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
		Page     struct{ TotalElements int }
	}
	if err := json.NewDecoder(response.Body).Decode(&page); err != nil || p.status != http.StatusOK {
		s.Fatalf("%s answers %s with %d: %v", m.name, path, p.status, err)
	}
	for _, video := range page.Embedded.Videos {
		p.ids = append(p.ids, video.ID)
	}
	p.total = page.Page.TotalElements
	return p
}

// await waits until both processes return the expected results to clients with a previous response, and then repeats
// the search several times.
func (s ruledFleet) await(what, path, tag string, isSo func(foundPage) bool) (last foundPage) {
	s.Helper()
	began := time.Now()
	for _, m := range s.members {
		come := apptest.Within(10*time.Second, func() bool {
			last = s.ask(m, path, tag)
			return last.status == http.StatusOK && isSo(last)
		})
		if !come {
			s.Fatalf("%s: %s keeps answering %s with %+v", what, m.name, path, last)
		}
		s.Logf("%s: %s knows after %v", what, m.name, time.Since(began).Round(time.Millisecond))
	}
	for range 10 {
		for _, m := range s.members {
			if again := s.ask(m, path, ""); !isSo(again) || again.tag != last.tag {
				s.Fatalf("%s: %s has forgotten it: %+v", what, m.name, again)
			}
		}
	}
	return last
}

// write runs a mutation at the first process, and returns the ID of the result.
func (s ruledFleet) write(mutation string, arguments ...any) string {
	s.Helper()
	var it struct{ ID string }
	if err := json.Unmarshal(s.mutate(fmt.Sprintf(mutation, arguments...)+" { id }"), &it); err != nil {
		s.Fatal(err)
	}
	return it.ID
}

func (s ruledFleet) remove(mutation string, id string) { s.mutate(fmt.Sprintf(mutation, id)) }

func (s ruledFleet) mutate(mutation string) json.RawMessage {
	s.Helper()
	body := apptest.Must(json.Marshal(map[string]string{"query": "mutation { it: " + mutation + " }"}))(s)
	request := apptest.Must(http.NewRequestWithContext(s.Context(), "POST", s.members[0].base+"/graphql", bytes.NewReader(body)))(s)
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response := apptest.Must(s.client.Do(request))(s)
	defer response.Body.Close()
	var answer struct {
		Data   struct{ It json.RawMessage }
		Errors json.RawMessage
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Errors != nil {
		s.Fatalf("%s: %d %s %v", mutation, response.StatusCode, answer.Errors, err)
	}
	return answer.Data.It
}
