package rest_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestCompressedBodies proves that every endpoint with a body accepts a compressed one within the same limits, and
// refuses other encodings with an error of its own format.
func TestCompressedBodies(t *testing.T) {
	w := newWorld(t, options{})
	made := w.create(t, learner, `{"title":"Rivers","videos":[]}`)
	form := formType["Content-Type"]
	for _, test := range []struct {
		as, method, path, contentType, body string
		want                                int
	}{
		{learner, "POST", "/v1/collections", halJSON, `{"title":"Seas"}`, http.StatusCreated},
		{learner, "PATCH", made, halJSON, `{"title":"Lakes"}`, http.StatusNoContent},
		{learner, "POST", made + "/comments", halJSON, `{"comment":{"text":"Nice"}}`, 0},
		{learner, "PUT", "/v1/users/" + learnerID, halJSON, `{"firstName":"Ada"}`, http.StatusOK},
		{customer, "POST", "/v1/videos/metadata", halJSON, `{"ids":["` + string(idOf("floating")) + `"]}`, http.StatusOK},
		{customer, "POST", "/v1/events/playback", halJSON, `{"videoId":"1","segmentStartSeconds":0,"segmentEndSeconds":1}`, 0},
		{customer, "POST", "/graphql", "application/json", `{"query":"{ countries { id } }"}`, http.StatusOK},
		{nobody, "POST", "/v1/token", form, "grant_type=client_credentials&client_id=customer&client_secret=open+sesame", http.StatusOK},
	} {
		send := func(body, coding string) *answer {
			return w.send(t, apiRequest{as: test.as, method: test.method, path: test.path, body: body, header: map[string]string{"Content-Type": test.contentType, "Content-Encoding": coding}})
		}
		plain, got := send(test.body, ""), send(zipped(test.body), "gzip")
		if got.StatusCode != plain.StatusCode || test.want != 0 && got.StatusCode != test.want {
			t.Errorf("%s %s: compressed %d %s, plain %d %.100s", test.method, test.path, got.StatusCode, got.body, plain.StatusCode, plain.body)
		}
		got = send(zipped(test.body), "br")
		if got.StatusCode != http.StatusUnsupportedMediaType || got.Header.Get("Accept-Encoding") != "gzip" || !strings.Contains(string(got.body), `\"br\"`) {
			t.Errorf("%s %s: got %d %v %s to brotli", test.method, test.path, got.StatusCode, got.Header, got.body)
		}
		got = send(zipped(test.body)[:15], "gzip")
		if got.StatusCode != http.StatusBadRequest || !strings.Contains(string(got.body), "not valid gzip") {
			t.Errorf("%s %s: got %d %s to damaged gzip", test.method, test.path, got.StatusCode, got.body)
		}
		got = send(zipped(strings.Repeat(" ", 8<<20)), "gzip")
		if got.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s %s: got %d %s to 8 MiB compressed", test.method, test.path, got.StatusCode, got.body)
		}
	}
}

const halJSON = "application/hal+json"

// TestBodyBudgetCountsDecompressedBytes proves that the body budget counts the memory of decompressed bodies, not the
// bytes received.
func TestBodyBudgetCountsDecompressedBytes(t *testing.T) {
	w := newWorld(t, options{config: func(c *wiring) { c.BodyMemory = 256 << 10 }})
	for body, want := range map[string]int{
		`{"query":"{ countries { id } }"}`:                                   http.StatusOK,
		`{"query":"{ countries { id } }"` + strings.Repeat(" ", 1<<20) + `}`: http.StatusServiceUnavailable,
	} {
		compressed := zipped(body)
		got := w.send(t, apiRequest{as: customer, method: "POST", path: "/graphql", body: compressed, header: map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}})
		if got.StatusCode != want {
			t.Errorf("%d bytes compressed to %d: got %d %.300s, want %d", len(body), len(compressed), got.StatusCode, got.body, want)
		}
	}
}
