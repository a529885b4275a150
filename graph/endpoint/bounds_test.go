package endpoint_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

func TestBodies(t *testing.T) {
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.MaxBody = 2000 })
	const good = `{"query":"{ subjects { name } }"}`
	for _, test := range []struct {
		name, contentType, body string
		status                  int
		message                 string // a part of it; "" for status 200
	}{
		{"plain", "application/json", good, 200, ""},
		{"with charset", "application/json; charset=UTF-8", good, 200, ""},
		{"unknown members", "application/json", `{"query":"{ subjects { name } }","more":[1]}`, 200, ""},
		{"nulls", "application/json", `{"query":"{ subjects { name } }","variables":null,"operationName":null,"extensions":null}`, 200, ""},
		{"no content type", "", good, 415, "content type"},
		{"form", "application/x-www-form-urlencoded", good, 415, "x-www-form-urlencoded"},
		{"GraphQL text", "application/graphql", `{ subjects { name } }`, 415, "application/graphql"},
		{"other charset", "application/json; charset=latin1", good, 415, "latin1"},
		{"empty", "application/json", ``, 400, "JSON"},
		{"truncated", "application/json", good[:20], 400, "JSON"},
		{"two values", "application/json", good + good, 400, "JSON"},
		{"twice", "application/json", `{"query":"{ a }","query":"{ b }"}`, 400, "duplicate"},
		{"twice within", "application/json", `{"query":"{ a }","variables":{"v":1,"v":2}}`, 400, "JSON"},
		{"not UTF-8", "application/json", "{\"query\":\"{ a }\xff\"}", 400, "UTF-8"},
		{"half a surrogate", "application/json", `{"query":"{ a }","variables":{"v":"\ud800"}}`, 400, "JSON"},
		{"deep", "application/json", `{"query":"{ a }","variables":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`, 400, "variables"},
		{"batch", "application/json", "[" + good + "]", 400, "batches"},
		{"null", "application/json", "null", 400, "null"},
		{"a string", "application/json", `"{ a }"`, 400, "not an object"},
		{"no query", "application/json", `{}`, 400, "query"},
		{"blank query", "application/json", `{"query":" \n"}`, 400, "query"},
		{"query of another type", "application/json", `{"query":7}`, 400, "query must not be a number"},
		{"name of another type", "application/json", `{"query":"{ a }","operationName":[]}`, 400, "operationName"},
		{"variables as text", "application/json", `{"query":"{ a }","variables":"{}"}`, 400, "variables must not be a string"},
		{"extensions as list", "application/json", `{"query":"{ a }","extensions":[]}`, 400, "extensions"},
		{"extension of another type", "application/json", `{"query":"{ a }","extensions":{"persistedQuery":{"version":"1"}}}`, 400, "persistedQuery.version"},
		{"comment only", "application/json", `{"query":"# nothing"}`, 400, "no operation"},
		{"large", "application/json", good + strings.Repeat(" ", 2000), 413, "2000 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := resolverstest.Post(t, handler, resolverstest.Customer, test.body, "Content-Type", test.contentType)
			if test.status == 200 {
				if w.Code != 200 || resolverstest.Read(t, w).Errors != nil {
					t.Errorf("got %d %s", w.Code, w.Body)
				}
				return
			}
			code := "INVALID"
			if test.name == "comment only" {
				code = "GRAPHQL_VALIDATION_FAILED"
			}
			if answer := resolverstest.WantRejection(t, w, test.status, code); !strings.Contains(answer.Message, test.message) {
				t.Errorf("%q does not name %q", answer.Message, test.message)
			}
		})
	}
}

func TestBodyThatBreaksOff(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/graphql", iotest.ErrReader(errors.New("planned")))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	resolverstest.NewEndpoint(t).ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), resolverstest.Customer)))
	resolverstest.WantRejection(t, w, http.StatusBadRequest, "INVALID")
}

// nested returns an introspection query with a given depth.
func nested(depth int) string {
	return `{ __type(name: "Video") { ` + strings.Repeat("ofType { ", depth-2) + "name" + strings.Repeat(" }", depth)
}

func TestDepth(t *testing.T) {
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.MaxDepth = 4 })
	for query, allowed := range map[string]bool{
		`{ searchVideos { videos { channel { name } } } }`: true,
		`{ ` + levels + ` }`: false,
		`{ ...A } fragment A on Query { searchVideos { ...B } } fragment B on VideoSearch { videos { ... on Video { channel { name } } } }`:                               true,
		`{ ...A } fragment A on Query { searchVideos { ...B } } fragment B on VideoSearch { videos { ... on Video { channel { educationLevels { code } } } } }`:           false,
		`{ ...A b: searchVideos { ...B } } fragment A on Query { searchVideos { total } } fragment B on VideoSearch { videos { channel { contentCategories { key } } } }`: false,
		// Introspection has its own limit, whatever the setting.
		nested(15): true,
		nested(16): false,
		`{ ...A } fragment A on Query { __type(name: "Video") { ...B } } fragment B on __Type { ofType ` + strings.Repeat("{ ofType ", 13) + "{ name }" + strings.Repeat(" }", 14): false,
	} {
		w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, nil))
		if !allowed {
			resolverstest.WantRejection(t, w, http.StatusBadRequest, "DEPTH_LIMIT")
		} else if w.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", query, w.Code, w.Body)
		}
	}
}

// TestIntrospectionOfGraphiQL proves that the introspection query which GraphiQL sends at its start is allowed, however
// low the depth limit.
func TestIntrospectionOfGraphiQL(t *testing.T) {
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.MaxDepth = 3 })
	const question = `query { __schema { types { ...T } directives { name args { ...I } } } }
		fragment T on __Type { kind name fields(includeDeprecated: true) { name args { ...I } type { ...R } } }
		fragment I on __InputValue { name type { ...R } defaultValue }
		fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
			kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`
	if w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(question, nil)); w.Code != http.StatusOK || resolverstest.Read(t, w).Errors != nil {
		t.Errorf("got %d %.300s", w.Code, w.Body)
	}
}

func TestComplexity(t *testing.T) {
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.MaxComplexity = 12_000 })
	phrases := func(n int) map[string]any {
		return map[string]any{"text": strings.Repeat(`"solar system" `, n)}
	}
	for _, test := range []struct {
		query     string
		variables map[string]any
		allowed   bool
	}{
		// A search costs 3,500. A page costs 25 for each possible video, plus the video's fields and their parents.
		{`{ searchVideos(size: 303) { videos { id title } } }`, nil, true},
		{`{ searchVideos(size: 304) { videos { id title } } }`, nil, false},
		{`query($n: Int!) { searchVideos(size: $n) { videos { id title } } }`, map[string]any{"n": 303}, true},
		{`query($n: Int!) { searchVideos(size: $n) { videos { id title } } }`, map[string]any{"n": 304}, false},
		{`{ a: searchVideos(size: 1) { total } b: searchVideos(size: 1) { total } c: searchVideos(size: 1) { total } }`, nil, true},
		{`{ a: searchVideos(size: 1) { total } b: searchVideos(size: 1) { total } c: searchVideos(size: 1) { total } ...F }
			fragment F on Query { d: searchVideos(size: 1) { total } }`, nil, false},
		// Phrases, words, values and buckets have a cost too.
		{`query($text: String!) { searchVideos(query: $text, size: 1) { total } }`, phrases(1), true},
		{`query($text: String!) { searchVideos(query: $text, size: 1) { total } }`, phrases(2), false},
		{`query($text: String!) { searchVideos(query: $text, size: 1) { total } }`, map[string]any{"text": strings.Repeat("solar ", 42)}, true},
		{`query($text: String!) { searchVideos(query: $text, size: 1) { total } }`, map[string]any{"text": strings.Repeat("solar ", 43)}, false},
		{`query($ids: [String!]) { searchVideos(filter: { ids: $ids, subjects: $ids }, size: 1) { total } }`, map[string]any{"ids": slices.Repeat([]string{"a"}, 840)}, true},
		{`query($ids: [String!]) { searchVideos(filter: { ids: $ids, subjects: $ids }, size: 1) { total } }`, map[string]any{"ids": slices.Repeat([]string{"a"}, 850)}, false},
		{`{ a: searchVideos(size: 1, facets: { channels: true, topics: true }) { facetMap } b: searchVideos(size: 1) { total } c: searchVideos(size: 1) { total } }`, nil, true},
		{`{ a: searchVideos(size: 100, facets: { channels: true, topics: true }) { facetMap } b: searchVideos(size: 1) { total } c: searchVideos(size: 1) { total } }`, nil, false},
		// An explanation costs 10,500, and twice as much for its words as a search.
		{`query($text: String!) { explainSearch(query: $text) { total } }`, map[string]any{"text": `"big bang" "dark matter"`}, false},
		{`query($text: String!) { explainSearch(query: $text) { total } }`, map[string]any{"text": `"big bang"`}, true},
		{`{ a: explainSearch(query: "sun") { total } b: explainSearch(query: "sun") { total } }`, nil, false},
		// The schema is large, whatever the query selects of it.
		{`{ __schema { queryType { name } } }`, nil, false},
	} {
		w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(test.query, test.variables))
		if !test.allowed {
			resolverstest.WantRejection(t, w, http.StatusBadRequest, "COMPLEXITY_LIMIT")
		} else if w.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", test.query, w.Code, w.Body)
		}
	}
}

// TestLongestText proves that GraphQL answers a page of a hundred videos for the longest text that a search accepts.
func TestLongestText(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	phrases := strings.Repeat(`"`+strings.Repeat("solar ", catalogue.MaxPhraseWords/catalogue.MaxPhrases)+`" `, catalogue.MaxPhrases)
	for _, text := range []string{phrases, phrases + strings.Repeat("system ", 64)} {
		w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(`query($text: String!) { searchVideos(query: $text, size: 100) { videos { id title } } }`, map[string]any{"text": text}))
		if w.Code != http.StatusOK || resolverstest.Read(t, w).Errors != nil {
			t.Errorf("%s: got %d %s", text, w.Code, w.Body)
		}
	}
}

// TestListsWithoutPages proves that a list weighs as much as it is usually long, although no argument bounds it.
func TestListsWithoutPages(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	post := func(times int, field, kind string) *httptest.ResponseRecorder {
		query := "{" + resolverstest.Aliases(times, field+" { ...F }") + " } fragment F on " + kind + " { " + resolverstest.ManyAliases(60) + "}"
		return resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, nil))
	}
	for field, kind := range map[string]string{
		"subjects(visibility: ALL)": "Subject", "subjects": "Subject", "disciplines(visibility: ALL)": "Discipline",
		"tags": "Tag", "contentWarnings": "ContentWarning", "countries": "Country", "providers": "Provider",
		`schools(country: "USA")`: "School", "themes": "Theme", namedThemes(50): "Theme",
	} {
		if w := post(1, field, kind); w.Code != http.StatusOK {
			t.Errorf("%s: got %d %s", field, w.Code, w.Body)
		}
		resolverstest.WantRejection(t, post(30, field, kind), http.StatusBadRequest, "COMPLEXITY_LIMIT")
	}
	// Only the themes that a request names count.
	if w := post(30, namedThemes(2), "Theme"); w.Code != http.StatusOK {
		t.Errorf("few themes: got %d %s", w.Code, w.Body)
	}
}

// namedThemes is the field of n themes by their ids.
func namedThemes(n int) string { return "themes(ids: [" + strings.Repeat(`"a" `, n) + "])" }

// levels is a query as deep as the catalogue.
const levels = "searchVideos { videos { channel { educationLevels { code } } } }"

// TestCostlyQueries proves that small queries that would be expensive are refused cheaply.
func TestCostlyQueries(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	doubling := "{ subjects { ...F0 } }"
	for i := range 100 {
		doubling += fmt.Sprintf(" fragment F%d on Subject { ...F%d ...F%d }", i, i+1, i+1)
	}
	doubling += " fragment F100 on Subject { name }"
	for name, test := range map[string]struct{ query, code string }{
		"doubling fragments": {doubling, "COMPLEXITY_LIMIT"},
		"fragment cycle":     {`{ subjects { ...F } } fragment F on Subject { ...F }`, "GRAPHQL_VALIDATION_FAILED"},
		"cycle of the schema": {`{ __schema { types { fields { type { fields { type { fields { type { name } } } } } } } } }`,
			"GRAPHQL_VALIDATION_FAILED"},
		"schema over and over": {"{" + resolverstest.Aliases(20, "__schema { types { name } }") + "}", "COMPLEXITY_LIMIT"},
		"tokens":               {"{ subjects {" + strings.Repeat(" name", 10_000) + "} }", "GRAPHQL_PARSE_FAILED"},
		"one field often":      {"{ subjects {" + strings.Repeat(" nothing", 3_900) + "} }", "COMPLEXITY_LIMIT"},
		"inline fragments":     {"{" + strings.Repeat("... on Query {", 400) + strings.Repeat(levels, 100) + strings.Repeat("}", 401), "COMPLEXITY_LIMIT"},
		"one fragment often":   {"{ subjects {" + strings.Repeat(" ...A", 101) + "} } fragment A on Subject { name }", "COMPLEXITY_LIMIT"},
		"one alias often":      {"{ subjects {" + strings.Repeat(" a: name", 101) + "} }", "COMPLEXITY_LIMIT"},
		"one field in fragments": {`{ subjects { ...A } } fragment A on Subject {` + strings.Repeat(" name", 51) + ` ...B } fragment B on Subject {` +
			strings.Repeat(" name", 50) + `}`, "COMPLEXITY_LIMIT"},
		"braces":      {strings.Repeat("{ a ", 1_300), "GRAPHQL_PARSE_FAILED"},
		"a long name": {"{ subjects { " + strings.Repeat("n", 60_000) + " } }", "GRAPHQL_VALIDATION_FAILED"},
		"a long text": {`{ subject(id: "` + strings.Repeat("n", 70_000) + `") { name } }`, "GRAPHQL_VALIDATION_FAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(test.query, nil))
			resolverstest.WantRejection(t, w, http.StatusBadRequest, test.code)
			// The limit is far above the measured time, and far below the time without a bound.
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestCostlyQueriesWithinBounds proves that the most expensive queries that the bounds permit are validated in time.
func TestCostlyQueriesWithinBounds(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	var crowd, web strings.Builder
	for i := range 19 {
		crowd.WriteString(strings.Repeat(fmt.Sprintf(" a%d: name", i), 65))
	}
	for i := range 60 {
		fmt.Fprintf(&web, " fragment F%d on Subject { name", i)
		for j := i + 1; j < 60; j++ {
			fmt.Fprintf(&web, " ...F%d", j)
		}
		web.WriteString(" }")
	}
	pair := " fragment A on Query {" + strings.Repeat(levels, 50) + "} fragment B on Query {" + strings.Repeat(levels, 50) + "}"
	for name, query := range map[string]string{
		"crowd":  "{ subjects {" + crowd.String() + "} }",
		"levels": "{" + strings.Repeat(levels, 100) + "}",
		"inline": "{" + strings.Repeat("... on Query {", 9) + strings.Repeat(levels, 10) + strings.Repeat("}", 10),
		"pair":   "{" + strings.Repeat("... on Query {", 99) + "...A ...B" + strings.Repeat("}", 100) + pair,
		"web":    "{ subjects { ...F0 } }" + web.String(),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(query, nil))
			if took := time.Since(start); w.Code >= 500 || took > 5*time.Second {
				t.Errorf("got %d after %v", w.Code, took)
			}
		})
	}
}

const persistedText = `{ subjects { name } }`

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// persisted returns the body of a request that names its query by hash. If query is "", the body contains the hash
// only.
func persisted(query, hash string, version int) string {
	body := map[string]any{"extensions": map[string]any{"persistedQuery": map[string]any{"version": version, "sha256Hash": hash}}}
	if query != "" {
		body["query"] = query
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func TestPersistedQueries(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	hash := hashOf(persistedText)
	const want = `{"subjects":[{"name":"Physics"}]}`

	notFound := resolverstest.Post(t, handler, resolverstest.Customer, persisted("", hash, 1))
	resolverstest.Golden(t, "persisted-not-found", notFound)
	resolverstest.WantRejection(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted("", hash, 1), "Accept", "application/graphql-response+json"),
		http.StatusBadRequest, "PERSISTED_QUERY_NOT_FOUND")

	for _, body := range []string{persisted(persistedText, hash, 1), persisted("", hash, 1), persisted("", strings.ToUpper(hash), 1)} {
		if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, body)); string(answer.Data) != want {
			t.Errorf("%s: got %s %v", body, answer.Data, answer.Errors)
		}
	}
	for name, body := range map[string]string{
		"mismatch":  persisted(persistedText+" ", hash, 1),
		"version":   persisted("", hash, 2),
		"not a hex": persisted("", "no hash", 1),
		"short":     persisted("", hash[:62], 1),
		"nothing":   persisted("", "", 1),
	} {
		t.Run(name, func(t *testing.T) {
			resolverstest.WantRejection(t, resolverstest.Post(t, handler, resolverstest.Customer, body), http.StatusBadRequest, "INVALID")
		})
	}
}

// TestPersistedQueriesAreValid proves that the endpoint stores neither an invalid query nor one without a hash.
func TestPersistedQueriesAreValid(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	const invalid = `{ nothing }`
	resolverstest.Post(t, handler, resolverstest.Customer, persisted(invalid, hashOf(invalid), 1))
	resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(persistedText, nil))
	for _, text := range []string{invalid, persistedText} {
		if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted("", hashOf(text), 1))); answer.Errors[0].Extensions["code"] != "PERSISTED_QUERY_NOT_FOUND" {
			t.Errorf("%s was kept: %v", text, answer.Errors)
		}
	}
}

func TestPersistedQueriesOff(t *testing.T) {
	handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.Queries = nil })
	hash := hashOf(persistedText)
	if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted("", hash, 1))); answer.Errors[0].Extensions["code"] != "PERSISTED_QUERY_NOT_SUPPORTED" {
		t.Errorf("got %v", answer.Errors)
	}
	if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted(persistedText, hash, 1))); answer.Errors != nil {
		t.Errorf("got %v", answer.Errors)
	}
}

// unreachableCache is a cache that cannot be reached.
type unreachableCache struct{ cache.Cache }

func (unreachableCache) Get(context.Context, []cache.Ask, []cache.Entry) error {
	return errors.New("planned")
}

func (unreachableCache) Put(context.Context, []cache.Item) error { return errors.New("planned") }

// wrongQueryCache is a cache that answers with another query.
type wrongQueryCache struct{ cache.Cache }

func (wrongQueryCache) Get(_ context.Context, _ []cache.Ask, into []cache.Entry) error {
	into[0] = cache.Entry{Version: 1, Value: []byte("{ channels { total } }")}
	return nil
}

func TestPersistedQueriesOfBadCaches(t *testing.T) {
	hash := hashOf(persistedText)
	for name, queries := range map[string]cache.Cache{"away": unreachableCache{}, "lying": wrongQueryCache{memory.New(memory.Options{})}} {
		t.Run(name, func(t *testing.T) {
			handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.Queries = queries })
			if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted("", hash, 1))); answer.Errors[0].Extensions["code"] != "PERSISTED_QUERY_NOT_FOUND" {
				t.Errorf("got %v", answer.Errors)
			}
			if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, persisted(persistedText, hash, 1))); answer.Errors != nil {
				t.Errorf("got %v", answer.Errors)
			}
		})
	}
}

// FuzzBody proves that no body causes a server error and that every answer has data or errors.
func FuzzBody(f *testing.F) {
	handler := resolverstest.NewEndpoint(f)
	for _, body := range []string{
		resolverstest.RequestBody(dashboard, nil),
		resolverstest.RequestBody(wholeVideo, map[string]any{"id": resolverstest.Floating}),
		resolverstest.RequestBody(`query($f: VideoFilter, $n: Int!, $r: FacetRequest) { searchVideos(filter: $f, size: $n, facets: $r) { total facetMap } }`, map[string]any{
			"n": 3, "f": map[string]any{"ids": []any{resolverstest.Floating}, "durations": []any{map[string]any{"min": "PT1S", "max": nil}}, "types": "NEWS", "promoted": true, "ageMin": 5},
			"r": map[string]any{"ages": map[string]any{"from": 1, "to": 9}, "channels": true},
		}),
		resolverstest.RequestBody(`query($f: [DurationRange!]) { searchVideos(filter: {durations: $f}) { total } }`, map[string]any{"f": []any{}}),
		resolverstest.RequestBody(`query($c: ChannelOrder! = NAME_ASC, $t: [IngestType!]) { channels(sortBy: $c, filter: {ingestTypes: $t}) { total } }`, map[string]any{"t": []any{"CUSTOM"}}),
		persisted(persistedText, hashOf(persistedText), 1),
		resolverstest.RequestBody(`{ usage(from: 1e400, to: -9223372036854775809) { count } }`, nil),
		resolverstest.RequestBody(`mutation($v: String) { recordPlayback(event: {videoId: $v, segmentEndSeconds: 1e400, x: [{y: 99999999999999999999}]}) }`, nil),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		w := resolverstest.Post(t, handler, resolverstest.Customer, string(body))
		answer := resolverstest.Read(t, w)
		if w.Code >= 500 || answer.Data == nil && len(answer.Errors) == 0 {
			t.Errorf("got %d %.500s", w.Code, w.Body)
		}
		for _, problem := range answer.Errors {
			if code, _ := problem.Extensions["code"].(string); code == "" || code == "INTERNAL" {
				t.Errorf("got %d %.500s", w.Code, w.Body)
			}
		}
	})
}
