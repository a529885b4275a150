// Package resolverstest runs the schema over embedded engines for tests of the domain, behind the endpoint of GraphQL.
package resolverstest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
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

// ManyAliases selects id under n aliases.
func ManyAliases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "f%d: id ", i)
	}
	return b.String()
}

// Aliases selects a field under n aliases.
func Aliases(n int, field string) (fields string) {
	for i := range n {
		fields += fmt.Sprintf(" a%d: %s", i, field)
	}
	return fields
}

var update = flag.Bool("update", false, "write the golden files anew")

// Now is the clock of every test.
func Now() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// Items of the catalogue.
var (
	Floating  = IDOf(catalogue.KindVideo, "floating")  // with all fields
	Secret    = IDOf(catalogue.KindVideo, "secret")    // in a private channel
	Duplicate = IDOf(catalogue.KindVideo, "duplicate") // retired into floating
	Open      = IDOf(catalogue.KindChannel, "open")
	Private   = IDOf(catalogue.KindChannel, "private")
	Physics   = IDOf(catalogue.KindSubject, "physics")
)

// IDOf returns the ID of an item by its name.
func IDOf(kind catalogue.Kind, name string) catalogue.ID {
	return catalogue.DeriveID(kind, "test", name)
}

func metaOf(kind catalogue.Kind, name string) catalogue.Meta {
	return catalogue.Meta{ID: IDOf(kind, name), Source: "test", Reference: name}
}

// VideoOf makes a video with a stream.
func VideoOf(name, title string, channel catalogue.ID) *catalogue.Video {
	return &catalogue.Video{
		Meta: metaOf(catalogue.KindVideo, name), Title: title, Type: catalogue.Instructional, ChannelID: channel,
		ReleasedOn: 20_000,
		Playback: catalogue.Playback{
			ID: name, Provider: catalogue.ProviderHLS, Duration: 74 * catalogue.Second, Stream: "demo:colours",
		},
	}
}

// SampleItems returns the items of the catalogue.
func SampleItems() []catalogue.Item {
	whole := VideoOf("floating", "Why things float", Open)
	whole.Description = "Ships, ice and balloons: <b>\"buoyancy\"</b> & more"
	whole.SubjectIDs, whole.SubjectsSetManually = []catalogue.ID{Physics}, true
	whole.AgeRange = catalogue.AgeRange{Min: new(5), Max: new(11)}
	whole.Language = new(catalogue.Language("eng"))
	whole.Keywords = []string{"buoyancy", "Σ"}
	whole.LegacyID = "1001"
	whole.Transcript = new("Things float. Others sink.")
	whole.HasTranscript = true
	retired := VideoOf("duplicate", "Why things float, again", Open)
	retired.Retired, retired.RetiredInto = true, &Floating
	return []catalogue.Item{
		&catalogue.Channel{Meta: metaOf(catalogue.KindChannel, "open"), Name: "Open Lab", IngestType: "MANUAL"},
		&catalogue.Channel{Meta: metaOf(catalogue.KindChannel, "private"), Name: "Private Lab", IngestType: "CUSTOM", Private: true},
		&catalogue.Subject{Meta: metaOf(catalogue.KindSubject, "physics"), Name: "Physics"},
		whole,
		VideoOf("sinking", "Why things sink", Open),
		VideoOf("secret", "Why secrets float", Private),
		retired,
	}
}

// NewSchema makes a schema over embedded engines that contain Everything; change may change its ports.
func NewSchema(t testing.TB, change ...func(*resolvers.Config)) graphql.ExecutableSchema {
	t.Helper()
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"), sqlite.WithClock(Now))
	Must(t, err)
	t.Cleanup(func() { Must(t, c.Close()) })
	Must(t, c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, SampleItems())
		for _, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				t.Fatal(outcome.Faults)
			}
		}
		return err
	}))
	analyzer := analysis.New(analysis.Synonyms{})
	index, err := embedded.Open(embedded.Options{Analyzer: analyzer})
	Must(t, err)
	t.Cleanup(func() { Must(t, index.Close()) })
	Must(t, projection.New(projection.Options{Store: c, Index: index}).Rebuild(t.Context()))
	config := resolvers.Config{
		Catalogue: c, Index: index, Analyzer: analyzer, CursorKeys: [][]byte{bytes.Repeat([]byte{7}, 32)}, Now: Now,
	}
	for _, change := range change {
		change(&config)
	}
	return resolvers.NewSchema(config)
}

// Must fails on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Callers.
var (
	Customer = &account.Caller{ClientID: "customer", Permissions: account.CustomerPermissions()}
	Viewer   = &account.Caller{ClientID: "viewer", Permissions: account.PermissionsOf(account.Browse, account.ViewVideos)}
	Operator = &account.Caller{
		ClientID: "operator", Permissions: account.OperatorPermissions(), Access: catalogue.Access{PrivateChannels: true},
	}
)

// NewEndpoint makes an endpoint; change may change its settings.
func NewEndpoint(t testing.TB, change ...func(*endpoint.Config)) http.Handler {
	t.Helper()
	config := endpoint.Config{
		Queries: memory.New(memory.Options{}), Introspection: true, Logger: slog.New(slog.DiscardHandler),
	}
	for _, change := range change {
		change(&config)
	}
	if config.Schema == nil {
		config.Schema = NewSchema(t)
	}
	return endpoint.New(config)
}

// NewRequest makes a request of a caller, or of nobody for nil.
func NewRequest(body string, caller *account.Caller) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if caller != nil {
		r = r.WithContext(account.WithCaller(r.Context(), caller))
	}
	return r
}

// Serve returns the answer to a request.
func Serve(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// Post sends a body as a caller; header contains pairs of name and value.
func Post(t testing.TB, handler http.Handler, caller *account.Caller, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := NewRequest(body, caller)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return Serve(handler, r)
}

// RequestBody makes the body of a request; variables may be nil.
func RequestBody(query string, variables map[string]any) string {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// ParsedAnswer is the body of an answer.
type ParsedAnswer struct {
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

// testingT is the common part of a test and of a check of a property.
type testingT interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Read decodes an answer.
func Read(t testingT, w *httptest.ResponseRecorder) (answer ParsedAnswer) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%v in %.300s", err, w.Body)
	}
	return answer
}

// WantRejection fails unless an answer has a status and its first error a code, and its body has the API's error fields beside
// those of GraphQL.
func WantRejection(t testing.TB, w *httptest.ResponseRecorder, status int, code string) ParsedAnswer {
	t.Helper()
	answer := Read(t, w)
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

// Golden fails unless an answer is equal to testdata/NAME.golden.
func Golden(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	Must(t, err)
	body = timestamps.ReplaceAll(body, []byte(`"timestamp":"-"`))
	var indented bytes.Buffer
	Must(t, json.Indent(&indented, body, "", "  "))
	GoldenText(t, name+".golden", http.StatusText(w.Code)+"\n"+w.Header().Get("Content-Type")+"\n\n"+indented.String()+"\n")
}

// GoldenText fails unless a text is equal to the file testdata/NAME.
func GoldenText(t *testing.T, name, text string) {
	t.Helper()
	got, file := []byte(text), filepath.Join("testdata", name)
	if *update {
		Must(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	Must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}
