package auth_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// volatile matches the parts of an answer that differ from run to run.
var volatile = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`"timestamp": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"`), `"timestamp": "<now>"`},
	{regexp.MustCompile(`"access_token": "[\w-]+\.[\w-]+\.[\w-]+"`), `"access_token": "<token>"`},
	{regexp.MustCompile(`"id_token": "[\w-]+\.[\w-]+\.[\w-]+"`), `"id_token": "<token>"`},
	{regexp.MustCompile(`"refresh_token": "[\w-]{43}"`), `"refresh_token": "<256 bits>"`},
	{regexp.MustCompile(`"kid": "an-identity-key[\w-]+"`), `"kid": "<thumbprint>"`},
	{regexp.MustCompile(`"kid": "[\w-]{43}"`), `"kid": "<thumbprint>"`},
	{regexp.MustCompile(`"x": "[\w-]{43}"`), `"x": "<public key>"`},
	{regexp.MustCompile(`"n": "[\w-]{342}"`), `"n": "<public key>"`},
	{regexp.MustCompile(`"at_hash": "[\w-]{22}"`), `"at_hash": "<128 bits>"`},
	{regexp.MustCompile(`"family": "[A-Z2-7]{26}"`), `"family": "<130 bits>"`},
	{regexp.MustCompile(`"(sub|service_user_id)": "[0-9a-f]{24}"`), `"$1": "<user>"`},
	{regexp.MustCompile(`"updated_at": \d+`), `"updated_at": "<now>"`},
	{regexp.MustCompile(`"jti": "[A-Z2-7]{26}"`), `"jti": "<130 bits>"`},
}

// golden compares head and the indented JSON of body with testdata/NAME.golden.
func golden(t *testing.T, name, head string, body []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, body, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	got := head + indented.String() + "\n"
	for _, v := range volatile {
		got = v.pattern.ReplaceAllString(got, v.text)
	}
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// goldenAnswer compares the status, headers and body of an answer with testdata/NAME.golden.
func goldenAnswer(t *testing.T, name string, w *httptest.ResponseRecorder) {
	t.Helper()
	var head strings.Builder
	head.WriteString(http.StatusText(w.Code) + "\n")
	if err := w.Header().WriteSubset(&head, nil); err != nil {
		t.Fatal(err)
	}
	golden(t, name, strings.ReplaceAll(head.String(), "\r\n", "\n")+"\n", w.Body.Bytes())
}
