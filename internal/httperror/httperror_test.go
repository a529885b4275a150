package httperror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

var fields = []string{"error", "message", "path", "reasons", "status", "timestamp"}

// answer returns the response that write makes for a request.
func answer(method, path string, write func(w http.ResponseWriter, r *http.Request)) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	write(w, &http.Request{Method: method, URL: &url.URL{Path: path}})
	return w
}

// body decodes the body of an answer, and fails the test if the body names a field twice.
func body(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	object := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(w.Body.String()))
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("%q: %v", w.Body, err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%q: %v", w.Body, err)
		}
		if _, twice := object[name.(string)]; twice {
			t.Fatalf("%s occurs twice in %s", name, w.Body)
		}
		object[name.(string)] = value
	}
	return object
}

func TestBody(t *testing.T) {
	for status := 400; status < 600; status++ {
		if http.StatusText(status) == "" {
			continue
		}
		before := time.Now().UTC().Truncate(time.Microsecond)
		w := answer("GET", "/v1/videos", func(w http.ResponseWriter, r *http.Request) {
			httperror.Write(w, r, status, "", `it is <"broken">`, []string{"a: b", "c: d"})
		})
		if w.Code != status || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%d: got %d with %v", status, w.Code, w.Header())
		}
		got := body(t, w)
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, fields) {
			t.Errorf("%d: the fields are %v", status, names)
		}
		at, err := time.Parse(time.RFC3339Nano, got["timestamp"].(string))
		if err != nil || at.Before(before) || at.After(time.Now()) {
			t.Errorf("%d: the timestamp is %v", status, got["timestamp"])
		}
		delete(got, "timestamp")
		want := fmt.Sprint(map[string]any{
			"error": http.StatusText(status), "message": `it is <"broken">`, "path": "/v1/videos", "reasons": []any{"a: b", "c: d"}, "status": status,
		})
		if fmt.Sprint(got) != want {
			t.Errorf("got %v, want %v", got, want)
		}
		challenged, retry := w.Header().Get("WWW-Authenticate"), w.Header().Get("Retry-After")
		if (challenged == `Bearer realm="filmstrip"`) != (status == http.StatusUnauthorized) || (retry == "1") != (status == http.StatusServiceUnavailable) {
			t.Errorf("%d: WWW-Authenticate %q, Retry-After %q", status, challenged, retry)
		}
	}
}

func TestLabelAndNoReasons(t *testing.T) {
	got := body(t, answer("GET", "/", func(w http.ResponseWriter, r *http.Request) {
		httperror.Write(w, r, http.StatusBadRequest, "Invalid cursor id", "m", nil)
	}))
	if reasons, there := got["reasons"]; got["error"] != "Invalid cursor id" || !there || reasons != nil {
		t.Errorf("got %v", got)
	}
}

// TestHeaders checks that an error removes the headers of the body that failed, and keeps those that concern the error.
func TestHeaders(t *testing.T) {
	w := answer("GET", "/", func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Content-Length", "Content-Encoding", "ETag", "Last-Modified", "Content-Type", "Cache-Control"} {
			w.Header().Set(name, "of the body that did not come")
		}
		w.Header().Set("WWW-Authenticate", "Basic")
		w.Header().Set("Vary", "Origin")
		httperror.Write(w, r, http.StatusUnauthorized, "", "m", nil)
	})
	want := http.Header{
		"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"},
		"Www-Authenticate": {"Basic"}, "Vary": {"Origin"},
	}
	if !maps.EqualFunc(w.Header(), want, slices.Equal[[]string]) {
		t.Errorf("got %v, want %v", w.Header(), want)
	}
	w = answer("GET", "/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "30")
		httperror.Write(w, r, http.StatusServiceUnavailable, "", "m", nil)
	})
	if got := w.Header().Get("Retry-After"); got != "30" {
		t.Errorf("Retry-After is %q", got)
	}
}

// TestHead checks that HEAD gets the same status and headers as GET, and no body.
func TestHead(t *testing.T) {
	write := func(w http.ResponseWriter, r *http.Request) { httperror.Write(w, r, http.StatusNotFound, "", "m", nil) }
	head, get := answer(http.MethodHead, "/", write), answer(http.MethodGet, "/", write)
	if head.Code != get.Code || !maps.EqualFunc(head.Header(), get.Header(), slices.Equal[[]string]) {
		t.Errorf("HEAD has %d %v, GET %d %v", head.Code, head.Header(), get.Code, get.Header())
	}
	if head.Body.Len() != 0 || get.Body.Len() == 0 {
		t.Errorf("HEAD has the body %q, GET %q", head.Body, get.Body)
	}
}

// TestExtraFields checks that extra fields are added to the fields of the error body, and never replace one.
func TestExtraFields(t *testing.T) {
	with := func(extra ...map[string]any) map[string]any {
		return body(t, answer("GET", "/token", func(w http.ResponseWriter, r *http.Request) {
			httperror.Write(w, r, http.StatusBadRequest, "invalid_grant", "m", nil, extra...)
		}))
	}
	got := with(map[string]any{"error_description": "m", "errors": []int{1}}, nil, map[string]any{}, map[string]any{"engines": map[string]string{"store": "up"}})
	for name, want := range map[string]string{
		"error": "invalid_grant", "message": "m", "path": "/token", "status": "400", "error_description": "m", "errors": "[1]", "engines": "map[store:up]",
	} {
		if fmt.Sprint(got[name]) != want {
			t.Errorf("%s is %v, want %s", name, got[name], want)
		}
	}
	if len(got) != len(fields)+3 {
		t.Errorf("the fields are %v", got)
	}
	got = with(map[string]any{"error": "x", "message": "x", "reasons": "x", "path": "x", "status": "down", "timestamp": "x", "more": 1}, map[string]any{"more": 2})
	if got["error"] != "invalid_grant" || got["status"] != 400.0 || got["reasons"] != nil || got["more"] != 1.0 || len(got) != len(fields)+1 {
		t.Errorf("the body's own fields were changed: %v", got)
	}
	if got = with(map[string]any{"x": math.NaN()}); len(got) != len(fields) {
		t.Errorf("with a value that cannot be encoded: %v", got)
	}
}

// TestOAuthCodes checks that errors behind WithOAuthCodes have a code and error_description, unless they bring their own.
func TestOAuthCodes(t *testing.T) {
	for name, c := range map[string]struct {
		label, message string
		extra          []map[string]any
		status         int
		want           string
	}{
		"a limit":  {"Too Many Requests", "wait", nil, 429, "slow_down"},
		"no token": {"", "a token", nil, 401, "invalid_token"},
		"own code": {"invalid_client", "a secret", []map[string]any{{"error_description": "a secret"}}, 401, "invalid_client"},
		"no code":  {"", "teapot", nil, 418, "I'm a teapot"},
	} {
		got := body(t, answer("POST", "/token", func(w http.ResponseWriter, r *http.Request) {
			httperror.WithOAuthCodes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				httperror.Write(w, r, c.status, c.label, c.message, nil, c.extra...)
			})).ServeHTTP(w, r)
		}))
		if description, described := got["error_description"]; got["error"] != c.want || got["message"] != c.message || got["status"] != float64(c.status) ||
			described != (c.status != 418) || described && description != c.message {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestInvalidUTF8(t *testing.T) {
	w := answer("GET", "/v1/\xff\xfe/x\x00", func(w http.ResponseWriter, r *http.Request) {
		httperror.Write(w, r, http.StatusNotFound, "", "there is no \xff", []string{"\xff"})
	})
	if got := body(t, w); got["path"] != "/v1/\uFFFD/x\x00" || got["message"] != "there is no \uFFFD" {
		t.Errorf("got %q", got)
	}
}

func TestWriteError(t *testing.T) {
	secret := errors.New("password of the database")
	for name, c := range map[string]struct {
		err     error
		status  int
		label   string
		message string
	}{
		"invalid":         {fault.InvalidRequest("size %d", 7), 400, "Invalid request", "size 7"},
		"unauthenticated": {fault.Errorf(fault.Unauthenticated, "a token"), 401, "Unauthorized", "a token"},
		"forbidden":       {fault.Errorf(fault.Forbidden, "a right"), 403, "Forbidden", "a right"},
		"not found":       {fault.Errorf(fault.NotFound, "no video"), 404, "Not Found", "no video"},
		"moved":           {fault.Errorf(fault.Moved, "it lives on"), 308, "Permanent Redirect", "it lives on"},
		"conflict":        {fault.Errorf(fault.Conflict, "there is one"), 409, "Conflict", "there is one"},
		"unavailable":     {&fault.Error{Code: fault.Unavailable, Message: "later", Cause: secret}, 503, "Service Unavailable", "later"},
		"wrapped":         {fmt.Errorf("%w: %w", secret, fault.Errorf(fault.NotFound, "no video")), 404, "Not Found", "no video"},
		"internal":        {&fault.Error{Code: fault.Internal, Message: secret.Error(), Label: "oops"}, 500, "Internal Server Error", ""},
		"unknown code":    {fault.Errorf("NEW", "password"), 500, "Internal Server Error", ""},
		"foreign":         {secret, 500, "Internal Server Error", ""},
	} {
		w := answer("GET", "/", func(w http.ResponseWriter, r *http.Request) { httperror.WriteError(w, r, c.err) })
		got := body(t, w)
		if w.Code != c.status || got["status"] != float64(c.status) || got["error"] != c.label {
			t.Errorf("%s: got %d, %v", name, w.Code, got)
		}
		if c.message != "" && got["message"] != c.message || strings.Contains(w.Body.String(), "password") {
			t.Errorf("%s: the message is %v", name, got["message"])
		}
	}
	w := answer("GET", "/", func(w http.ResponseWriter, r *http.Request) {
		httperror.WriteError(w, r, &fault.Error{Code: fault.Invalid, Message: "m", Reasons: []string{"title: is required"}})
	})
	if got := body(t, w); fmt.Sprint(got["reasons"]) != "[title: is required]" {
		t.Errorf("reasons are %v", got["reasons"])
	}
}
