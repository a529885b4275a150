package limit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/limit"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// clock is a clock that advances only when a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

// noon returns a clock at the start of a window.
func noon() *clock { return &clock{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// open starts Limits and closes them when the test ends.
func open(t testing.TB, config limit.Config) *limit.Limits {
	t.Helper()
	l := limit.New(config)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func openRedis(t testing.TB, server *testservers.Server) *redis.Cache {
	t.Helper()
	c, err := redis.Open(context.Background(), redis.Options{URL: server.URL, Namespace: server.Prefix + t.Name(), Pause: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// ok is the handler behind the limits.
var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })

// as returns a GET request of a caller.
func as(client string, customer *account.Account) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
	return r.WithContext(account.WithCaller(r.Context(), &account.Caller{ClientID: client, Account: customer}))
}

// from returns a request from an address, with the given X-Forwarded-For lines.
func from(remote string, forwarded ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/v1/token", nil)
	r.RemoteAddr = remote
	if len(forwarded) > 0 {
		r.Header["X-Forwarded-For"] = forwarded
	}
	return r
}

func answer(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// passes reports whether a request passed.
func passes(t testing.TB, handler http.Handler, r *http.Request) bool {
	t.Helper()
	w := answer(handler, r)
	switch w.Code {
	case http.StatusNoContent:
		return true
	case http.StatusTooManyRequests:
		return false
	}
	t.Fatalf("status %d: %s", w.Code, w.Body)
	return false
}

// passed returns how many of n requests passed.
func passed(t testing.TB, handler http.Handler, n int, request func() *http.Request) (count int) {
	t.Helper()
	for range n {
		if passes(t, handler, request()) {
			count++
		}
	}
	return count
}

func retryAfter(t rapid.TB, w *httptest.ResponseRecorder) time.Duration {
	t.Helper()
	seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
	if err != nil || seconds < 1 {
		t.Fatalf("Retry-After is %q", w.Header().Get("Retry-After"))
	}
	return time.Duration(seconds) * time.Second
}

// until waits until done reports true.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timeout waiting for: %s", what)
		}
	}
}
