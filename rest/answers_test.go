package rest_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

var traceForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// checkAnswer checks the invariants of every answer: it names its trace, and has the error body from status 400 up.
func checkAnswer(t testing.TB, a apiRequest, got *answer) {
	t.Helper()
	if trace := got.Header.Get("X-Service-Trace-ID"); !traceForm.MatchString(trace) || trace == strings.Repeat("0", 32) {
		t.Errorf("%s %s: the trace is called %q", a.method, a.path, trace)
	}
	if got.StatusCode >= http.StatusInternalServerError && got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s %s: got %d %s", a.method, a.path, got.StatusCode, got.body)
	}
	if got.StatusCode >= http.StatusBadRequest && a.method != http.MethodHead {
		checkErrorBody(t, a.path, got)
	}
	// Some tests use indexes that report a missing item where a real engine never does.
	if a.method != http.MethodHead && got.StatusCode != http.StatusNotFound {
		inForce().check(t, cmp.Or(a.method, http.MethodGet), a.path, got.StatusCode, got.Header, got.body)
	}
}

// errorBody is the error object of the API.
type errorBody struct {
	Error, Message, Path string
	Reasons              []string
	Status               int
	Timestamp            time.Time
}

// checkErrorBody checks the body of an answer with status 400 or above against the section "Errors" of spec.md.
func checkErrorBody(t testing.TB, path string, got *answer) errorBody {
	t.Helper()
	if contentType := got.Header.Get("Content-Type"); contentType != "application/json" {
		t.Errorf("%s: the error body has the content type %q", path, contentType)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(got.body, &fields); err != nil {
		t.Fatalf("%s: the error body is no JSON object: %s", path, got.body)
	}
	for _, name := range []string{"error", "message", "reasons", "path", "status", "timestamp"} {
		if fields[name] == nil {
			t.Errorf("%s: the error body has no %s: %s", path, name, got.body)
		}
	}
	var body errorBody
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatalf("%s: %v in %s", path, err, got.body)
	}
	wantPath, _, _ := strings.Cut(path, "?")
	switch {
	case body.Error == "" || body.Message == "":
		t.Errorf("%s: the error body says nothing: %s", path, got.body)
	case body.Status != got.StatusCode:
		t.Errorf("%s: the body says %d, the answer %d", path, body.Status, got.StatusCode)
	case body.Path != wantPath && !strings.Contains(wantPath, "%"):
		t.Errorf("%s: the body names the path %q", path, body.Path)
	case body.Timestamp.IsZero():
		t.Errorf("%s: there is no time in %s", path, got.body)
	}
	if cached := got.Header.Get("Cache-Control"); cached != "no-store" {
		t.Errorf("%s: an error may be kept: %q", path, cached)
	}
	if got.StatusCode == http.StatusUnauthorized && !strings.HasPrefix(got.Header.Get("WWW-Authenticate"), "Bearer realm=") {
		t.Errorf("%s: 401 without a challenge", path)
	}
	return body
}

// wantRejection expects an answer with this status whose message contains each of the parts.
func wantRejection(t testing.TB, got *answer, status int, parts ...string) errorBody {
	t.Helper()
	if got.StatusCode != status {
		t.Errorf("%s: got %d %.400s, want %d", got.path, got.StatusCode, got.body, status)
		return errorBody{}
	}
	var body errorBody
	check(json.Unmarshal(got.body, &body))
	for _, part := range parts {
		if !strings.Contains(body.Message, part) {
			t.Errorf("the message %q does not name %q", body.Message, part)
		}
	}
	return body
}

// pathOf returns the path of a video.
func pathOf(reference string) string { return "/v1/videos/" + string(idOf(reference)) }

// referencesOf returns the references of the videos of a page.
func referencesOf(t testing.TB, document map[string]any) []string {
	t.Helper()
	embedded, _ := document["_embedded"].(map[string]any)
	videos, ok := embedded["videos"].([]any)
	if !ok {
		t.Fatalf("there are no videos in %v", document)
	}
	names := make([]string, len(videos))
	for i, video := range videos {
		names[i] = referenceOf(video.(map[string]any)["id"].(string))
	}
	return names
}

var referenceByID = map[catalogue.ID]string{}

func init() {
	for _, item := range append(earlier(), later()...) {
		referenceByID[item.Head().ID] = item.Head().Reference
	}
}

func referenceOf(id string) string {
	if reference, ok := referenceByID[catalogue.ID(id)]; ok {
		return reference
	}
	return id
}
