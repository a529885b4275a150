package wire_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/tools/internal/searches"
)

// question is one page that a client requests.
type question struct {
	path    string // of GET /v1/videos, with all facets
	hasText bool
	// oneLevel reports that the strictest match level found enough: the search that the service sends while it counts that level
	// is the answer.
	oneLevel bool
	// asked are the requests to Typesense for this question, and search is the one that found the page and its facets. The others
	// find the match level.
	asked  [][]byte
	search []byte
	// found are the videos of its page.
	found []string
}

const (
	catalogueSeed = 1
	questionSeed  = 2
	pageSize      = 100
	// warmingQuestions are sent before the measured ones: enough for a process to open its connections and to know the
	// frequencies of common words.
	warmingQuestions = 60
)

// drawQuestions draws different questions of the catalogue: the measured ones, and those that warm up a new process.
func drawQuestions(b *testing.B, n int) (measured, warming []*question) {
	b.Helper()
	var all []*question
	known := map[string]bool{}
	for _, query := range generate.Queries(questionSeed, 2*(n+warmingQuestions), generate.Options{Videos: *videos, Seed: catalogueSeed}) {
		path := searches.Path(&query, pageSize)
		// Clients filter tags by label, which the log does not contain.
		if len(query.Filter.Tags) == 0 && !known[path] {
			known[path] = true
			all = append(all, &question{path: path, hasText: query.Text != ""})
		}
	}
	if len(all) < n+warmingQuestions {
		b.Fatalf("only %d questions differ", len(all))
	}
	return all[warmingQuestions : warmingQuestions+n], all[:warmingQuestions]
}

// idsPath requests the page of a question by its videos, which caches their documents but no response for the question
// itself.
func (q *question) idsPath() string {
	return searches.OfIDs(q.found)
}

// join replaces the two requests that the service sends beside each other, for hits and for facets, by one that asks for both. It sets
// search and oneLevel.
func (q *question) join() error {
	type search = map[string]any
	type request struct {
		Searches []search `json:"searches"`
	}
	hits, facets, counted := -1, -1, 0
	all := make([]request, len(q.asked))
	for i, body := range q.asked {
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber()
		if err := decoder.Decode(&all[i]); err != nil {
			return err
		}
		if bytes.Contains(body, []byte(`"include_fields":"id,version`)) {
			hits = i
		}
		if bytes.Contains(body, []byte(`"facet_by"`)) {
			facets = i
			counted++
		}
	}
	if hits < 0 || facets < 0 {
		return nil
	}
	joined := request{slices.Clone(all[hits].Searches)}
	first := joined.Searches[0]
	for _, one := range all[facets].Searches {
		if one["filter_by"] == first["filter_by"] && first["facet_by"] == nil && one["facet_by"] != nil {
			first["facet_by"], first["max_facet_values"] = one["facet_by"], one["max_facet_values"]
		} else {
			joined.Searches = append(joined.Searches, one)
		}
	}
	var err error
	q.search, err = json.Marshal(joined)
	var others [][]byte
	for i, body := range q.asked {
		if i != hits && i != facets {
			others = append(others, body)
		}
	}
	q.asked = append(others, q.search)
	q.oneLevel = q.hasText && counted == 1
	return err
}
