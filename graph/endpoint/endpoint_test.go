package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

const wholeVideo = `query Whole($id: String!) {
  video(id: $id) {
    id title description releasedOn updatedAt createdBy language { code displayName } keywords ageRange { label }
    playback { type duration } subjects { name } badges channel { name } availability { availableUntil } links
  }
  transcript(videoId: $id) { fileName text }
}`

const dashboard = `{
  searchVideos(query: "float", size: 5) {
    total totalPages
    videos { title createdBy }
    facets { videoTypes { key hits } channels { key hits } }
  }
  videoFeed(first: 2) { nodes { title } pageInfo { hasNextPage } }
  subjects { name }
  channels(size: 10) { total channels { name } }
}`

func TestAnswers(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	for _, test := range []struct {
		name   string
		caller *account.Caller
		body   string
	}{
		{"video", resolverstest.Customer, resolverstest.RequestBody(wholeVideo, map[string]any{"id": resolverstest.Floating})},
		{"dashboard", resolverstest.Customer, resolverstest.RequestBody(dashboard, nil)},
		{"dashboard-operator", resolverstest.Operator, resolverstest.RequestBody(dashboard, nil)},
		{"hidden", resolverstest.Customer, resolverstest.RequestBody(`query($v: String!, $w: ID!, $c: String!) { video(id: $v) { title } channel(id: $c) { name } videosById(ids: [$w]) { title } }`,
			map[string]any{"v": resolverstest.Secret, "w": resolverstest.Secret, "c": resolverstest.Private})},
		{"hidden-reference", resolverstest.Customer, resolverstest.RequestBody(`query($v: String!) { videoReference(id: $v) }`, map[string]any{"v": resolverstest.Secret})},
		{"shown-to-operator", resolverstest.Operator, resolverstest.RequestBody(`query($v: String!, $c: String!) { video(id: $v) { title } channel(id: $c) { name private ingestType } }`,
			map[string]any{"v": resolverstest.Secret, "c": resolverstest.Private})},
		{"moved", resolverstest.Customer, resolverstest.RequestBody(`query($v: String!) { videoReference(id: $v) }`, map[string]any{"v": resolverstest.Duplicate})},
		{"partial", resolverstest.Viewer, resolverstest.RequestBody(`{ video(id: "1001") { title } transcript(videoId: "1001") { text } }`, nil)},
		{"forbidden", resolverstest.Viewer, resolverstest.RequestBody(`{ channels { total } }`, nil)},
		{"forbidden-operator-field", resolverstest.Customer, resolverstest.RequestBody(`query($c: String!) { channel(id: $c) { name ingestType } }`, map[string]any{"c": resolverstest.Open})},
		{"unauthenticated", nil, resolverstest.RequestBody(`{ video(id: "1001") { title } }`, nil)},
		{"invalid-size", resolverstest.Customer, resolverstest.RequestBody(`{ searchVideos(size: 501) { total } }`, nil)},
		{"invalid-argument", resolverstest.Customer, resolverstest.RequestBody(`{ a: searchVideos(filter: {durations: [{min: "PT1M"}, {min: "P1Y"}]}) { total } }`, nil)},
		{"invalid-language", resolverstest.Customer, resolverstest.RequestBody(`{ captions(videoId: "1001", language: "x") { webVtt } }`, nil)},
		{"invalid-large-int", resolverstest.Customer, resolverstest.RequestBody(`{ searchVideos(page: 99999999999999999999) { total } }`, nil)},
		{"invalid-cursor", resolverstest.Customer, resolverstest.RequestBody(`{ videoFeed(after: "nonsense") { nodes { id } } }`, nil)},
		{"unknown-field", resolverstest.Customer, resolverstest.RequestBody(`{ video(id: "1") { titel } nothing }`, nil)},
		{"syntax", resolverstest.Customer, resolverstest.RequestBody(`{ video(id: "1") { title `, nil)},
		{"variable-missing", resolverstest.Customer, resolverstest.RequestBody(wholeVideo, nil)},
		{"variable-type", resolverstest.Customer, resolverstest.RequestBody(`query($f: VideoFilter) { searchVideos(filter: $f) { total } }`,
			map[string]any{"f": map[string]any{"ids": []any{"a", true}}})},
		{"variable-unknown", resolverstest.Customer, resolverstest.RequestBody(`query($f: VideoFilter) { searchVideos(filter: $f) { total } }`,
			map[string]any{"f": map[string]any{"id": "a"}})},
		{"variable-enum", resolverstest.Customer, resolverstest.RequestBody(`query($v: Visibility!) { subjects(visibility: $v) { name } }`, map[string]any{"v": "all"})},
		{"mutation", resolverstest.Customer, resolverstest.RequestBody(`mutation { write }`, nil)},
	} {
		t.Run(test.name, func(t *testing.T) {
			resolverstest.Golden(t, test.name, resolverstest.Post(t, handler, test.caller, test.body))
		})
	}
}

func TestOneOfSeveralOperations(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	body := func(name string) string {
		return `{"query":"query A { subjects { name } } query B { channels { total } }","operationName":"` + name + `"}`
	}
	if answer := resolverstest.Read(t, resolverstest.Post(t, handler, resolverstest.Customer, body("B"))); string(answer.Data) != `{"channels":{"total":1}}` {
		t.Errorf("got %s", answer.Data)
	}
	resolverstest.WantRejection(t, resolverstest.Post(t, handler, resolverstest.Customer, body("C")), http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	unnamed := resolverstest.WantRejection(t, resolverstest.Post(t, handler, resolverstest.Customer, body("")), http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	if want := "operationName is required, because the query contains the operations A, B"; unnamed.Message != want {
		t.Errorf("got %q, want %q", unnamed.Message, want)
	}
}

func TestMediaTypes(t *testing.T) {
	handler := resolverstest.NewEndpoint(t)
	const plain, graphQL = "application/json", "application/graphql-response+json"
	for accept, want := range map[string]string{
		"":                               plain,
		"*/*":                            plain,
		"text/html":                      plain,
		"nonsense;;;":                    plain,
		graphQL:                          graphQL,
		plain + ", " + graphQL:           graphQL,
		graphQL + ";q=0.5," + plain:      plain,
		graphQL + ";q=0":                 plain,
		plain + ";q=0.9, " + graphQL:     graphQL,
		graphQL + "; charset=utf-8, */*": graphQL,
	} {
		good := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(`{ subjects { name } }`, nil), "Accept", accept)
		bad := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(`{ nothing }`, nil), "Accept", accept)
		for _, w := range []*httptest.ResponseRecorder{good, bad} {
			if got := w.Header().Get("Content-Type"); got != want {
				t.Errorf("accept %q: got %q with status %d, want %q", accept, got, w.Code, want)
			}
		}
		if good.Code != http.StatusOK || good.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("accept %q: got %d %v", accept, good.Code, good.Header())
		}
	}
}

func TestIntrospection(t *testing.T) {
	const query = `{ __schema { queryType { name } } }`
	open := resolverstest.NewEndpoint(t)
	if answer := resolverstest.Read(t, resolverstest.Post(t, open, resolverstest.Customer, resolverstest.RequestBody(query, nil))); string(answer.Data) != `{"__schema":{"queryType":{"name":"Query"}}}` {
		t.Errorf("got %s %v", answer.Data, answer.Errors)
	}
	closed := resolverstest.NewEndpoint(t, func(c *endpoint.Config) { c.Introspection = false })
	for _, query := range []string{query, `{ __type(name: "Video") { name } }`, `{ ...F } fragment F on Query { __schema { description } }`} {
		resolverstest.WantRejection(t, resolverstest.Post(t, closed, resolverstest.Customer, resolverstest.RequestBody(query, nil)), http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	}
	if answer := resolverstest.Read(t, resolverstest.Post(t, closed, resolverstest.Customer, resolverstest.RequestBody(`{ __typename }`, nil))); string(answer.Data) != `{"__typename":"Query"}` {
		t.Errorf("got %s %v", answer.Data, answer.Errors)
	}
	answer := resolverstest.WantRejection(t, resolverstest.Post(t, closed, resolverstest.Customer, resolverstest.RequestBody(`{ subject(id: "1") { nam } }`, nil)), http.StatusBadRequest, "GRAPHQL_VALIDATION_FAILED")
	if strings.Contains(answer.Message, `"name"`) {
		t.Errorf("a hint mentions the schema: %s", answer.Message)
	}
}

// brokenSchema is a schema whose execution is fn.
type brokenSchema struct {
	graphql.ExecutableSchema
	fn func(ctx context.Context) *graphql.Response
}

func (b brokenSchema) Exec(context.Context) graphql.ResponseHandler { return b.fn }

func TestInternalErrors(t *testing.T) {
	schema := resolverstest.NewSchema(t)
	const query = `{ subjects { name } }`
	for _, test := range []struct {
		name   string
		fn     func(context.Context) *graphql.Response
		status int
		code   string
		logged string
	}{
		{"panic", func(context.Context) *graphql.Response { panic("planned") }, 500, "INTERNAL", "planned"},
		{"nothing", func(context.Context) *graphql.Response { return nil }, 503, "UNAVAILABLE", ""},
		{"time is up", func(ctx context.Context) *graphql.Response {
			<-ctx.Done()
			return &graphql.Response{Data: json.RawMessage(`{"sub`)}
		}, 503, "UNAVAILABLE", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log strings.Builder
			handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
				c.Schema, c.Logger = brokenSchema{schema, test.fn}, slog.New(slog.NewTextHandler(&log, nil))
			})
			r := resolverstest.NewRequest(resolverstest.RequestBody(query, nil), resolverstest.Customer)
			ctx, cancel := context.WithTimeout(r.Context(), 50*time.Millisecond)
			defer cancel()
			w := resolverstest.Serve(handler, r.WithContext(ctx))
			answer := resolverstest.WantRejection(t, w, test.status, test.code)
			if strings.Contains(answer.Message, "planned") || !strings.Contains(log.String(), test.logged) {
				t.Errorf("got %q, logged %q", answer.Message, log.String())
			}
		})
	}
}

// failingResolver is a root resolver whose tags fail. The tests select nothing else.
type failingResolver struct {
	graph.ResolverRoot
	fail func() error
}

func (f failingResolver) Query() graph.QueryResolver { return failingTags{fail: f.fail} }

type failingTags struct {
	graph.QueryResolver
	fail func() error
}

func (f failingTags) Tags(context.Context) ([]*model.Tag, error) { return nil, f.fail() }

func failingSchema(fail func() error) graphql.ExecutableSchema {
	return graph.NewExecutableSchema(graph.Config{
		Resolvers: failingResolver{fail: fail},
		Directives: graph.DirectiveRoot{Requires: func(ctx context.Context, _ any, next graphql.Resolver, _ account.Permission) (any, error) {
			return next(ctx)
		}},
	})
}

// TestFaultsOfResolvers proves that the answer reveals nothing about a resolver's error or panic, and that it is logged
// once.
func TestFaultsOfResolvers(t *testing.T) {
	for name, fail := range map[string]func() error{
		"error": func() error { return errors.New("planned") },
		"panic": func() error { panic("planned") },
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			handler := resolverstest.NewEndpoint(t, func(c *endpoint.Config) {
				c.Schema, c.Logger = failingSchema(fail), slog.New(slog.NewTextHandler(&log, nil))
			})
			w := resolverstest.Post(t, handler, resolverstest.Customer, resolverstest.RequestBody(`{ tags { label } __typename }`, nil))
			answer := resolverstest.Read(t, w)
			if w.Code != http.StatusOK || len(answer.Errors) != 1 || answer.Errors[0].Extensions["code"] != "INTERNAL" ||
				strings.Contains(w.Body.String(), "planned") {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if strings.Count(log.String(), "level=ERROR") != 1 || !strings.Contains(log.String(), "planned") {
				t.Errorf("logged %q", log.String())
			}
		})
	}
}
