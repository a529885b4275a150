package typesense

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// node is a server that answers as a test specifies, and counts its requests.
type node struct {
	*httptest.Server
	asked atomic.Int32
}

func newNode(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *node {
	n := &node{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(int(n.asked.Add(1)), w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

func status(code int, body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// raw answers with the given bytes, which need not be HTTP, and closes the connection.
func raw(bytes string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(connection, bytes)
			_ = connection.Close()
		}
	}
}

// broken contains the ways in which a node of a cluster can fail to answer.
var broken = map[string]func(int, http.ResponseWriter, *http.Request){
	"status 0":           raw("HTTP/1.1 0 \r\nContent-Length: 0\r\n\r\n"),
	"no leader":          status(500, `{"message": "Could not find a leader."}`),
	"not ready":          status(503, `{"message": "Not Ready or Lagging"}`),
	"hangs up":           raw(""),
	"dies in the answer": raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"half\":"),
}

func transportTo(t *testing.T, addresses ...string) *transport {
	t.Helper()
	made, err := newTransport(&Options{Addresses: addresses, Key: "secret-key"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.client.CloseIdleConnections)
	return made
}

func request(t *testing.T, ctx context.Context, method, path string) *http.Request { //nolint:revive // t comes first in tests
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, nowhere+path, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answered returns the body of a response, or "error".
func answered(response *http.Response, err error) string {
	if err != nil {
		return "error"
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "error"
	}
	return string(body)
}

func TestANodeThatCannotAnswerIsPassedBy(t *testing.T) {
	for name, answer := range broken {
		t.Run(name, func(t *testing.T) {
			bad, good := newNode(t, answer), newNode(t, status(200, "fine"))
			transport := transportTo(t, bad.URL, good.URL)
			for range 3 {
				for _, path := range []string{"/multi_search", "/collections/c/documents/import"} {
					if got := answered(transport.Do(request(t, t.Context(), http.MethodPost, path))); got != "fine" {
						t.Errorf("%s: %s", path, got)
					}
				}
			}
			if asked := bad.asked.Load(); asked > 2 { // net/http retries once if the server hangs up.
				t.Errorf("the broken node was asked %d times, although another had answered", asked)
			}
		})
	}
}

func TestWritesAreTriedUntilThereIsALeader(t *testing.T) {
	t.Parallel() // The test waits most of the time.
	for name, answer := range broken {
		t.Run(name, func(t *testing.T) {
			var body atomic.Value
			recovering := newNode(t, func(n int, w http.ResponseWriter, r *http.Request) {
				if n <= 5 {
					answer(n, w, r)
					return
				}
				sent, _ := io.ReadAll(r.Body)
				body.Store(string(sent))
				status(200, "fine")(n, w, r)
			})
			transport := transportTo(t, recovering.URL)
			if got := answered(transport.Do(request(t, t.Context(), http.MethodPost, "/collections/c/documents/import"))); got != "fine" {
				t.Errorf("a write ends with %s", got)
			}
			if body.Load() != "body" {
				t.Errorf("the last attempt sent %q", body.Load())
			}
		})
	}
}

func TestReadsAreTriedOnce(t *testing.T) {
	bad := newNode(t, status(503, ""))
	other := newNode(t, status(503, ""))
	response, err := transportTo(t, bad.URL, other.URL).Do(request(t, t.Context(), http.MethodPost, "/multi_search"))
	if err != nil || response.StatusCode != 503 || bad.asked.Load() != 1 || other.asked.Load() != 1 {
		t.Errorf("%v, asked %d and %d times", err, bad.asked.Load(), other.asked.Load())
	}
}

func TestPatienceEnds(t *testing.T) {
	bad := newNode(t, status(503, ""))
	transport := transportTo(t, bad.URL)
	transport.patience = 300 * time.Millisecond
	response, err := transport.Do(request(t, t.Context(), http.MethodPost, "/collections"))
	if err != nil || response.StatusCode != 503 || bad.asked.Load() < 2 {
		t.Errorf("%v after %d attempts", err, bad.asked.Load())
	}
	ended, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	transport.patience = time.Hour
	if _, err := transport.Do(request(t, ended, http.MethodPost, "/collections")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller that gives up gets %v", err)
	}
}

// TestAHangingNodeLeavesTimeForTheNext checks that an address that accepts connections and never answers leaves time
// for the next address.
func TestAHangingNodeLeavesTimeForTheNext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	good := newNode(t, status(200, "fine"))
	limited, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	transport := transportTo(t, "http://"+silent.Addr().String(), good.URL)
	if got := answered(transport.Do(request(t, limited, http.MethodPost, "/multi_search"))); got != "fine" {
		t.Errorf("got %s", got)
	}
}

func TestTheKeyGoesNowhereElse(t *testing.T) {
	stranger := newNode(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		if r.Header.Get(keyHeader) != "" {
			t.Error("a redirect was followed with the key")
		}
	})
	server := newNode(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(keyHeader) != "secret-key" || strings.Contains(r.URL.String(), "secret-key") {
			t.Errorf("the key came as %q to %s", r.Header.Get(keyHeader), r.URL)
		}
		http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
	})
	transport := transportTo(t, server.URL)
	response, err := transport.Do(request(t, t.Context(), http.MethodGet, "/aliases"))
	if err != nil || response.StatusCode != http.StatusTemporaryRedirect || stranger.asked.Load() != 0 {
		t.Errorf("%v, the stranger was asked %d times", err, stranger.asked.Load())
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "localhost:8108", "ftp://h:1", "http://", "http://user:secret-key@h:1", "http://h:1/path", "http://h:1?x=1", "http://[::1"} {
		_, err := newTransport(&Options{Addresses: []string{bad}})
		if err == nil || strings.Contains(err.Error(), "secret-key") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := newTransport(&Options{}); err == nil {
		t.Error("no address at all")
	}
	if _, err := newTransport(&Options{Addresses: []string{"http://h:1", "https://h"}}); err != nil {
		t.Error(err)
	}
}

// TestEveryLineOfAnImportIsRead checks that the errors of single documents are found. Typesense answers every import
// with status 200.
func TestEveryLineOfAnImportIsRead(t *testing.T) {
	ids := []string{encodeID("one"), encodeID("two")}
	tests := map[string]struct{ answer, want string }{
		"all taken":       {"{\"success\":true}\n{\"success\":true}\n", ""},
		"the last is not": {"{\"success\":true}\n{\"success\":false,\"code\":400,\"error\":\"Field `v` must be\"}", "Field `v` must be"},
		"half an answer":  {"{\"success\":true}", "did not say"},
		"nothing":         {"", "did not say"},
		"no JSON":         {"{\"success\":true}\n<html>", "did not say"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := readImport([]byte(test.answer), ids)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v", err)
			}
		})
	}
	err := readImport([]byte(tests["the last is not"].answer), ids)
	if !strings.Contains(err.Error(), `"two"`) || !isStatus(err, 400) {
		t.Errorf("%v does not name the document", err)
	}
}

// TestAWriteThatIsNeverAnsweredIsSentAgain checks that a write without an answer is sent once more. A server that has
// just started may accept a request and never answer it.
func TestAWriteThatIsNeverAnsweredIsSentAgain(t *testing.T) {
	ended := make(chan struct{})
	swallowing := newNode(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			select {
			case <-r.Context().Done():
			case <-ended:
			}
			return
		}
		status(200, "fine")(n, w, r)
	})
	defer close(ended)
	transport := transportTo(t, swallowing.URL)
	transport.attempt = 100 * time.Millisecond
	if got := answered(transport.Do(request(t, t.Context(), http.MethodPost, "/collections/c/documents/import"))); got != "fine" {
		t.Errorf("got %s", got)
	}
}
