//go:build system

package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

const (
	// schemathesisProgram is the path at which tools/setup.sh installs schemathesis.
	schemathesisProgram = "../../../.tools/schemathesis-4.32.5/bin/schemathesis"
	// examplesVariable sets the number of generated requests for each operation, besides those for boundary values.
	examplesVariable = "FILMSTRIP_TEST_SCHEMATHESIS_EXAMPLES"
	fewExamples      = 2
)

// findings are the results of a schemathesis run.
type findings struct {
	Complete   bool
	Operations struct{ Total, Tested, Errored int }
	Failures   []failure
	Errors     []any
	text       []byte
	answers    answers
}

// failure is a kind of fault, with the operations that have it.
type failure struct {
	Title      string
	Operations []string
}

// of returns the titles of the faults of an operation.
func (f findings) of(operation string) (titles []string) {
	for _, one := range f.Failures {
		if slices.Contains(one.Operations, operation) {
			titles = append(titles, one.Title)
		}
	}
	return titles
}

// schemathesis tests the server at a base URL against a document, with every check.
func (d describedDemo) schemathesis(t *testing.T, base string, arguments ...string) findings {
	t.Helper()
	if _, err := os.Stat(schemathesisProgram); err != nil {
		testservers.Missing(t, "the contract, by schemathesis", "tools/setup.sh has not installed it")
	}
	report, noted := filepath.Join(t.TempDir(), "report.json"), filepath.Join(t.TempDir(), "answers")
	examples, patience := strconv.Itoa(fewExamples), 5*time.Minute
	if set := os.Getenv(examplesVariable); set != "" {
		examples, patience = set, 20*time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, schemathesisProgram, append([]string{
		"--config-file", "testdata/schemathesis.toml", "run", d.description, "--url", base, "--workers", "1", "--checks", "all",
		"--header", "Authorization: Bearer " + d.Token, "--max-examples", examples, "--generation-deterministic", "--continue-on-failure",
		"--no-color", "--report-json-path", report, "--report-dir", t.TempDir(),
	}, arguments...)...)
	command.Env = append(os.Environ(), "SCHEMATHESIS_HOOKS=testdata/schemathesis_hooks.py",
		"PYTHONDONTWRITEBYTECODE=1", "HYPOTHESIS_STORAGE_DIRECTORY="+t.TempDir(), // nothing is written among the sources
		"FILMSTRIP_TEST_ANSWERS="+noted, "FILMSTRIP_EXPIRED_TOKEN="+d.expired, "FILMSTRIP_USER_TOKEN="+d.user)
	command.WaitDelay = 5 * time.Second
	text, runErr := command.CombinedOutput()
	written, err := os.ReadFile(report)
	if err != nil {
		t.Fatalf("%v: %v\n%s", runErr, err, text)
	}
	found := findings{text: text, answers: readAnswers(t, noted)}
	if err := json.Unmarshal(written, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSchemathesisFindsNothing verifies that all responses of the API match the OpenAPI document, and that each
// operation succeeds at least once: an operation that refuses every request would match as well.
func TestSchemathesisFindsNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the test sends requests for minutes")
	}
	d := startDescribed(t)
	found := d.schemathesis(t, d.Base)
	if len(found.Failures) > 0 || len(found.Errors) > 0 || !found.Complete {
		t.Errorf("%s", found.text)
	}
	if found.Operations.Total < 70 || found.Operations.Tested != found.Operations.Total {
		t.Errorf("%d of %d operations were tested", found.Operations.Tested, found.Operations.Total)
	}
	for _, name := range found.answers.unserved(d.operations) {
		t.Errorf("%s never succeeds: it is answered %v", name, found.answers[name])
	}
}

// plantedBug is a fault that a proxy in front of the service adds to the responses of one operation.
type plantedBug struct {
	operation string
	// title is the title of the finding, or "" if no check finds the fault.
	title string
	plant func(*http.Response)
}

func (b plantedBug) concerns(r *http.Request) bool {
	return b.operation == r.Method+" "+r.URL.Path
}

// plantedBugs contain one fault of each relevant kind.
var plantedBugs = []plantedBug{
	{"GET /v1/disciplines", "Server error", func(r *http.Response) {
		if r.Request.URL.Query().Get("visibility") == "all" {
			answerInstead(r, http.StatusInternalServerError, "application/json", `{"error":"x","message":"x","reasons":null,"path":"/","status":500,"timestamp":"2026-01-01T00:00:00Z"}`)
		}
	}},
	{"GET /v1/tags", "Undocumented status code", func(r *http.Response) {
		if r.StatusCode == http.StatusOK {
			r.StatusCode = http.StatusAccepted
		}
	}},
	{"GET /v1/education-levels", "Undocumented Content-Type", func(r *http.Response) {
		if r.StatusCode == http.StatusOK {
			r.Header.Set("Content-Type", "text/html")
		}
	}},
	{"GET /v1/content-warnings", "Response violates schema", func(r *http.Response) { replaceInBody(r, `"label":"`, `"lable":"`) }},
	{"GET /v1/video-types", "Missing required response headers", func(r *http.Response) { r.Header.Del("X-Service-Trace-Id") }},
	{"GET /v1/subjects", "Schema-violating request accepted", func(r *http.Response) {
		if r.StatusCode == http.StatusBadRequest {
			answerInstead(r, http.StatusOK, "application/hal+json", `{"_embedded":{"subjects":[]},"_links":{"self":{"href":"/","templated":false}}}`)
			r.Header.Set("Etag", `W/"1"`)
		}
	}},
	{"GET /v1/suggestions", "Schema-valid request rejected", func(r *http.Response) {
		if r.StatusCode == http.StatusOK {
			refuse(r)
		}
	}},
	{"GET /v1/schools", "", func(r *http.Response) {
		if r.StatusCode == http.StatusOK {
			refuse(r)
		}
	}},
	{"GET /v1/admin", "API accepts requests without authentication", func(r *http.Response) {
		if r.StatusCode == http.StatusUnauthorized {
			answerInstead(r, http.StatusOK, "application/hal+json", `{"_links":{}}`)
			r.Header.Set("Etag", `W/"1"`)
		}
	}},
}

func refuse(r *http.Response) {
	answerInstead(r, http.StatusBadRequest, "application/json", `{"error":"x","message":"x","reasons":null,"path":"/","status":400,"timestamp":"2026-01-01T00:00:00Z"}`)
}

func answerInstead(r *http.Response, status int, contentType, body string) {
	r.StatusCode = status
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	r.ContentLength = int64(len(body))
	r.Body = io.NopCloser(strings.NewReader(body))
}

func replaceInBody(r *http.Response, from, to string) {
	body, _ := io.ReadAll(r.Body) // a missing body is a fault as well
	answerInstead(r, r.StatusCode, r.Header.Get("Content-Type"), string(bytes.ReplaceAll(body, []byte(from), []byte(to))))
}

// TestSchemathesisFindsBugs verifies that schemathesis finds planted faults, so that a run without findings means
// something.
func TestSchemathesisFindsBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("the test sends requests for minutes")
	}
	d := startDescribed(t, "--compression=false")
	proxy := httputil.NewSingleHostReverseProxy(apptest.Must(url.Parse(d.Base))(t))
	proxy.ModifyResponse = func(r *http.Response) error {
		for _, bug := range plantedBugs {
			if bug.concerns(r.Request) {
				bug.plant(r)
			}
		}
		return nil
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	var operations, arguments []string
	for _, bug := range plantedBugs {
		operations = append(operations, bug.operation)
		arguments = append(arguments, "--include-name", bug.operation)
	}
	found := d.schemathesis(t, front.URL, arguments...)
	for _, bug := range plantedBugs {
		if said := found.of(bug.operation); bug.title == "" && len(said) > 0 || bug.title != "" && !slices.Contains(said, bug.title) {
			t.Errorf("the finding about %s is %q, want %q", bug.operation, said, bug.title)
		}
	}
	if got, want := found.answers.unserved(operations), []string{"GET /v1/schools", "GET /v1/suggestions"}; !slices.Equal(got, want) {
		t.Errorf("the operations that never succeed are %q, want %q", got, want)
	}
	if t.Failed() {
		t.Logf("%+v\n%s", found.Failures, found.text)
	}
}

// TestOpenAPICommand verifies that the command prints the same document that a server publishes.
func TestOpenAPICommand(t *testing.T) {
	s := apptest.Start(t, "--demo")
	_, served := s.Request("GET", s.Base+"/openapi.json", "", "")
	printed := apptest.Succeed(t, "openapi", "--base-url", s.Base)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(printed)); err != nil || !bytes.Equal(compact.Bytes(), served) {
		t.Errorf("the command prints something else (%v)", err)
	}
}
