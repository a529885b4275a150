package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache/memory"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var update = flag.Bool("update", false, "write the golden files anew")

// now is the clock of every test.
func now() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// The things of the catalogue.
var (
	floating  = idOf(catalogue.KindVideo, "floating")  // everything is known of it
	secret    = idOf(catalogue.KindVideo, "secret")    // in a private channel
	duplicate = idOf(catalogue.KindVideo, "duplicate") // retired into floating
	open      = idOf(catalogue.KindChannel, "open")
	private   = idOf(catalogue.KindChannel, "private")
	physics   = idOf(catalogue.KindSubject, "physics")
)

func idOf(kind catalogue.Kind, name string) catalogue.ID {
	return catalogue.DeriveID(kind, "test", name)
}

func metaOf(kind catalogue.Kind, name string) catalogue.Meta {
	return catalogue.Meta{ID: idOf(kind, name), Source: "test", Reference: name}
}

func pointer[T any](value T) *T { return &value }

func videoOf(name, title string, channel catalogue.ID) *catalogue.Video {
	return &catalogue.Video{
		Meta: metaOf(catalogue.KindVideo, name), Title: title, Type: catalogue.Instructional, ChannelID: channel,
		ReleasedOn: 20_000,
		Playback: catalogue.Playback{
			ID: name, Provider: catalogue.ProviderHLS, Duration: 74 * catalogue.Second, Stream: "demo:colours",
		},
	}
}

func everything() []catalogue.Item {
	whole := videoOf("floating", "Why things float", open)
	whole.Description = "Ships, ice and balloons: <b>\"buoyancy\"</b> & more"
	whole.SubjectIDs, whole.SubjectsSetManually = []catalogue.ID{physics}, true
	whole.AgeRange = catalogue.AgeRange{Min: pointer(5), Max: pointer(11)}
	whole.Language = pointer(catalogue.Language("eng"))
	whole.Keywords = []string{"buoyancy", "Σ"}
	whole.LegacyID = "1001"
	whole.Transcript = pointer("Things float. Others sink.")
	whole.HasTranscript = true
	retired := videoOf("duplicate", "Why things float, again", open)
	retired.Retired, retired.RetiredInto = true, &floating
	return []catalogue.Item{
		&catalogue.Channel{Meta: metaOf(catalogue.KindChannel, "open"), Name: "Open Lab", IngestType: "MANUAL"},
		&catalogue.Channel{Meta: metaOf(catalogue.KindChannel, "private"), Name: "Private Lab", IngestType: "CUSTOM", Private: true},
		&catalogue.Subject{Meta: metaOf(catalogue.KindSubject, "physics"), Name: "Physics"},
		whole,
		videoOf("sinking", "Why things sink", open),
		videoOf("secret", "Why secrets float", private),
		retired,
	}
}

// newSchema is the domain over embedded engines that hold everything(); change may add to what it stands on.
func newSchema(t testing.TB, change ...func(*resolvers.Config)) graphql.ExecutableSchema {
	t.Helper()
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"), sqlite.WithClock(now))
	must(t, err)
	t.Cleanup(func() { must(t, c.Close()) })
	must(t, c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, everything())
		for _, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				t.Fatal(outcome.Faults)
			}
		}
		return err
	}))
	analyzer := analysis.New(analysis.Synonyms{})
	index, err := embedded.Open(embedded.Options{Analyzer: analyzer})
	must(t, err)
	t.Cleanup(func() { must(t, index.Close()) })
	must(t, projection.New(projection.Options{Store: c, Index: index}).Rebuild(t.Context()))
	config := resolvers.Config{
		Catalogue: c, Index: index, Analyzer: analyzer, CursorKeys: [][]byte{bytes.Repeat([]byte{7}, 32)}, Now: now,
	}
	for _, change := range change {
		change(&config)
	}
	return resolvers.NewSchema(config)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The callers.
var (
	customer = &account.Caller{ClientID: "customer", Permissions: account.CustomerPermissions()}
	viewer   = &account.Caller{ClientID: "viewer", Permissions: account.PermissionsOf(account.Browse, account.ViewVideos)}
	operator = &account.Caller{
		ClientID: "operator", Permissions: account.OperatorPermissions(), Access: catalogue.Access{PrivateChannels: true},
	}
)

// newEndpoint is a whole endpoint; change may change its settings.
func newEndpoint(t testing.TB, change ...func(*endpoint.Config)) http.Handler {
	t.Helper()
	config := endpoint.Config{
		Queries: memory.New(memory.Options{}), Introspection: true, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range change {
		change(&config)
	}
	if config.Schema == nil {
		config.Schema = newSchema(t)
	}
	return endpoint.New(config)
}

// newRequest is a request of a caller; nil: of nobody.
func newRequest(body string, caller *account.Caller) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if caller != nil {
		r = r.WithContext(account.WithCaller(r.Context(), caller))
	}
	return r
}

func answerOf(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// post sends a body as a caller; header holds pairs of name and value.
func post(t testing.TB, handler http.Handler, caller *account.Caller, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := newRequest(body, caller)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return answerOf(handler, r)
}

// ask is the body of a request; variables may be nil.
func ask(query string, variables map[string]any) string {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// parsedAnswer is an answer as a client reads it.
type parsedAnswer struct {
	Data   json.RawMessage `json:"data"`
	Errors []struct {
		Message    string         `json:"message"`
		Path       []any          `json:"path"`
		Extensions map[string]any `json:"extensions"`
	} `json:"errors"`
	Error     string   `json:"error"`
	Message   string   `json:"message"`
	Reasons   []string `json:"reasons"`
	Path      string   `json:"path"`
	Status    int      `json:"status"`
	Timestamp string   `json:"timestamp"`
}

// judge is what a test and one check of a property have in common.
type judge interface {
	Helper()
	Fatalf(format string, args ...any)
}

func read(t judge, w *httptest.ResponseRecorder) (answer parsedAnswer) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %.300s", err, w.Body)
	}
	return answer
}

// refused wants an answer of this status whose first fault has this code, with the API's own error
// body beside GraphQL's.
func refused(t testing.TB, w *httptest.ResponseRecorder, status int, code string) parsedAnswer {
	t.Helper()
	answer := read(t, w)
	if w.Code != status || len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != code {
		t.Fatalf("got %d %.300s, want %d with the code %s", w.Code, w.Body, status, code)
	}
	if answer.Status != status || answer.Error == "" || answer.Message != answer.Errors[0].Message ||
		answer.Path != "/graphql" || answer.Timestamp == "" {
		t.Errorf("the error body lacks fields: %s", w.Body)
	}
	if answer.Data != nil {
		t.Errorf("data stands in an answer without execution: %s", w.Body)
	}
	return answer
}

var timestamps = regexp.MustCompile(`"timestamp":"[^"]*"`)

// golden compares an answer with testdata/NAME.golden.
func golden(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	must(t, err)
	body = timestamps.ReplaceAll(body, []byte(`"timestamp":"-"`))
	var indented bytes.Buffer
	must(t, json.Indent(&indented, body, "", "  "))
	got := append([]byte(http.StatusText(w.Code)+"\n"+w.Header().Get("Content-Type")+"\n\n"), append(indented.Bytes(), '\n')...)
	file := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}
