//go:build system

package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/web"
)

// TestGraphiQLInABrowser checks that GraphiQL works in a real browser under its own content security policy, and
// requests nothing from other origins.
func TestGraphiQLInABrowser(t *testing.T) {
	node, browser := testservers.Node(t, "web/graphiql", "graphiql", "playwright-core"), testservers.Browser(t, "web/graphiql")
	left := make(chan struct{})
	server := httptest.NewServer(service(left))
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, node, filepath.Join("test", "browser.mjs"),
		server.URL+"/graphiql", clientID, secret, browser, os.Getenv("FILMSTRIP_TEST_SCREENSHOT"))
	command.Dir = "graphiql"
	var errors bytes.Buffer
	command.Stderr = &errors
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	var seen struct {
		Requests, Console, Violations, Watched []string
		Answer                                 string
		Cookies                                int
	}
	if err := json.Unmarshal(output, &seen); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	queries := 0
	for _, request := range seen.Requests {
		method, address, _ := strings.Cut(request, " ")
		if !strings.HasPrefix(address, server.URL+"/") && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page left its origin: %s", request)
		}
		if method == http.MethodPost && address == server.URL+"/graphql" {
			queries++
		}
	}
	if queries < 2 {
		t.Errorf("%d operations in %q, want the schema's and the query's", queries, seen.Requests)
	}
	if len(seen.Console) > 0 || len(seen.Violations) > 0 || seen.Cookies > 0 {
		t.Errorf("console %q, axe-core %q, %d cookies", seen.Console, seen.Violations, seen.Cookies)
	}
	if !strings.Contains(seen.Answer, `"total": 7`) {
		t.Errorf("the query's answer is %s", seen.Answer)
	}
	if len(seen.Watched) != 2 || !strings.Contains(seen.Watched[0], "third") || seen.Watched[1] != seen.Watched[0] {
		t.Errorf("the subscription shows %q", seen.Watched)
	}
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the page goes on watching")
	}
}

// service implements the parts of the service that the page uses. It closes left when a subscriber disconnects.
func service(left chan struct{}) http.Handler {
	router := http.NewServeMux()
	page := web.GraphiQL()
	router.Handle("GET /graphiql", page)
	router.Handle("GET /graphiql/", page)
	router.Handle("GET /design/", web.SiteFiles())
	router.HandleFunc("POST /v1/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != clientID || r.FormValue("client_secret") != secret {
			http.Error(w, `{"message":"wrong credentials"}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": token, "token_type": "bearer", "expires_in": 60})
	})
	caller := &account.Caller{ClientID: clientID, Permissions: account.OperatorPermissions()} // a caller who may subscribe
	operations := endpoint.New(endpoint.Config{
		Schema: schema(left), Introspection: true, Logger: slog.New(slog.DiscardHandler),
		Authenticate: func(*http.Request) (*account.Caller, error) { return caller, nil },
	})
	router.HandleFunc("POST /graphql", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, `{"message":"no token"}`, http.StatusUnauthorized)
			return
		}
		operations.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
	return router
}

// domain answers the page's first query and sends three events. Its other resolvers are nil.
type domain struct {
	graph.ResolverRoot
	graph.VideoSearchResolver
	left chan struct{}
}

type domainQuery struct {
	graph.QueryResolver
}

func (d domain) Query() graph.QueryResolver               { return domainQuery{} }
func (d domain) Subscription() graph.SubscriptionResolver { return d }
func (d domain) VideoSearch() graph.VideoSearchResolver   { return d }

func (domainQuery) SearchVideos(context.Context, *string, *graph.VideoFilter, graph.VideoOrder, int, int, *graph.FacetRequest) (*model.VideoSearch, error) {
	return &model.VideoSearch{Total: 7, Size: 10, Facets: &model.Facets{}}, nil
}

func (domain) Videos(context.Context, *model.VideoSearch) ([]*model.Video, error) {
	return []*model.Video{}, nil
}

func (d domain) Events(ctx context.Context, _ []string, _ []event.Kind, _ []string) (<-chan *graph.Event, error) {
	events := make(chan *graph.Event, 3)
	for _, subtype := range []string{"first", "second", "third"} {
		events <- &graph.Event{Subtype: &subtype}
	}
	context.AfterFunc(ctx, func() { close(d.left) })
	return events, nil
}

func schema(left chan struct{}) graphql.ExecutableSchema {
	return graph.NewExecutableSchema(graph.Config{
		Resolvers: domain{left: left},
		Directives: graph.DirectiveRoot{Requires: func(ctx context.Context, _ any, next graphql.Resolver, _ account.Permission) (any, error) {
			return next(ctx)
		}},
	})
}
