package limit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// stuck is a set of shared counters that never respond.
type stuck struct{}

func (stuck) Add(ctx context.Context, _ string, _ int64, _ time.Duration) (int64, time.Duration, error) {
	<-ctx.Done()
	return 0, 0, ctx.Err()
}

func refuseAll(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
}

// asked returns an authentication that accepts the Authorization header "good". It counts in n the requests that it
// checks.
func asked(n *int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			*n++
			switch r.Header.Get("Authorization") {
			case "good":
				next.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), &account.Caller{ClientID: "client"})))
			case "undecided":
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				w.WriteHeader(http.StatusUnauthorized)
			}
		})
	}
}

func with(authorization, remote string) *http.Request {
	r := from(remote)
	r.Header.Set("Authorization", authorization)
	return r
}

// TestGuard checks that after bad tokens, their address must wait before another token is checked, and that other
// addresses' good tokens pass.
func TestGuard(t *testing.T) {
	c, looked := noon(), 0
	l := open(t, limit.Config{Rates: limit.Rates{Unauthorized: 5, Client: 20}, Clock: c.time})
	handler := l.Guard(nil, asked(&looked))(l.Client(ok))
	expect := func(what string, status int, r *http.Request) {
		t.Helper()
		if w := answer(handler, r); w.Code != status {
			t.Errorf("%s: status %d, want %d", what, w.Code, status)
		}
	}
	for range 10 {
		expect("good", http.StatusNoContent, with("good", "192.0.2.1:80"))
		expect("undecided", http.StatusServiceUnavailable, with("undecided", "192.0.2.1:80"))
	}
	for range 5 {
		expect("bad", http.StatusUnauthorized, with("bad", "192.0.2.1:80"))
	}
	before := looked
	expect("bad", http.StatusTooManyRequests, with("bad", "192.0.2.1:80"))
	expect("good among bad", http.StatusTooManyRequests, with("good", "192.0.2.1:80"))
	if looked != before {
		t.Errorf("%d tokens were looked at", looked-before)
	}
	question := with("bad", "192.0.2.1:80")
	question.Method = http.MethodOptions
	expect("a question of browsers", http.StatusUnauthorized, question)
	expect("elsewhere", http.StatusNoContent, with("good", "192.0.2.2:80"))
	c.pass(2 * time.Minute)
	expect("later", http.StatusNoContent, with("good", "192.0.2.1:80"))
	if got := l.Stats().Refused; got["address"] != 2 || got["client"] != 0 {
		t.Errorf("the refused requests are %v", got)
	}
	for range 30 {
		answer(handler, with("good", "192.0.2.3:80"))
	}
	if w := answer(handler, with("good", "192.0.2.4:80")); w.Header().Get("RateLimit-Policy") != `"client";q=20;w=60` {
		t.Errorf("the client's limit: status %d, %v", w.Code, w.Header())
	}
}

// TestGuardLeavesTheAnswerAlone checks that handlers behind authentication get the original writer, and that a 401 of
// an endpoint does not count as a refused token.
func TestGuardLeavesTheAnswerAlone(t *testing.T) {
	looked := 0
	l := open(t, limit.Config{Rates: limit.Rates{Unauthorized: 2}, Clock: noon().time})
	var came http.ResponseWriter
	handler := l.Guard(nil, asked(&looked))(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		came = w
		w.WriteHeader(http.StatusUnauthorized)
	}))
	for range 5 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, with("good", "192.0.2.1:80"))
		if came != http.ResponseWriter(w) || w.Code != http.StatusUnauthorized {
			t.Fatalf("status %d by %T", w.Code, came)
		}
	}
}

// TestGuardBehindAnotherWriter checks that an authentication that wraps the writer, which is a mistake, locks
// out no address.
func TestGuardBehindAnotherWriter(t *testing.T) {
	l := open(t, limit.Config{Rates: limit.Rates{Unauthorized: 2}, Clock: noon().time})
	wrapping := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(struct{ http.ResponseWriter }{w}, r) })
	}
	if got := passed(t, l.Guard(nil, wrapping)(ok), 20, func() *http.Request { return from("192.0.2.1:80") }); got != 20 {
		t.Errorf("%d of 20 passed", got)
	}
}

func TestGuardWithoutLimits(t *testing.T) {
	handler := open(t, limit.Config{}).Guard(nil, refuseAll)(ok)
	for range 50 {
		if w := answer(handler, from("192.0.2.1:80")); w.Code != http.StatusUnauthorized {
			t.Fatalf("status %d", w.Code)
		}
	}
}

// TestAnonymousConnections checks that requests without a token and requests of embeds are limited by address, independently of
// refused tokens, and that they do not use the rates of the embed's client or account.
func TestAnonymousConnections(t *testing.T) {
	c := noon()
	nobody := &account.Caller{}
	customer := &account.Account{ID: "school", RequestsPerMonth: 2, RequestsPerMinute: 2}
	visitor := &account.Caller{ClientID: "lms", Account: customer}
	visitor.Confine(&account.Embed{Video: "0123456789abcdef01234567", Address: "an embed"})
	at := func(address string, caller *account.Caller) func() *http.Request {
		return func() *http.Request {
			r := from(address)
			return r.WithContext(account.WithCaller(r.Context(), caller))
		}
	}
	l := open(t, limit.Config{Rates: limit.Rates{Anonymous: 3, Unauthorized: 1, Client: 5}, Clock: c.time})
	handler := l.Client(ok)
	if got := passed(t, handler, 2, at("192.0.2.1:80", nobody)) + passed(t, handler, 8, at("192.0.2.1:80", visitor)); got != 3 {
		t.Errorf("%d passed, want 3", got)
	}
	if w := answer(handler, at("192.0.2.1:80", visitor)()); w.Header().Get("RateLimit-Policy") != `"anonymous";q=3;w=60` {
		t.Errorf("the policy is %s", w.Header().Get("RateLimit-Policy"))
	}
	if got := passed(t, handler, 5, at("192.0.2.2:80", visitor)); got != 3 {
		t.Errorf("another address: %d passed, want 3", got)
	}
	if got := passed(t, handler, 5, func() *http.Request { return as("lms", customer) }); got != 2 {
		t.Errorf("the client has %d of its 2 requests left", got)
	}
	if got := l.Stats().Refused; got["anonymous"] != 10 || got["address"] != 0 {
		t.Errorf("refused: %v", got)
	}
	if got := passed(t, open(t, limit.Config{Clock: c.time}).Client(ok), 50, at("192.0.2.1:80", nobody)); got != 50 {
		t.Errorf("without a rate %d of 50 passed", got)
	}
}

// TestKnownTokensPass checks that guesses from an address do not block tokens that were verified before.
func TestKnownTokensPass(t *testing.T) {
	c, looked := noon(), 0
	l := open(t, limit.Config{Rates: limit.Rates{Unauthorized: 5}, Clock: c.time})
	known := func(r *http.Request) bool { return r.Header.Get("Authorization") == "good" }
	handler := l.Guard(known, asked(&looked))(ok)
	for range 20 {
		answer(handler, with("bad", "192.0.2.1:80"))
	}
	before := looked
	if w := answer(handler, with("bad", "192.0.2.1:80")); w.Code != http.StatusTooManyRequests || looked != before {
		t.Errorf("a bad token: status %d, %d looked at", w.Code, looked-before)
	}
	if w := answer(handler, with("good", "192.0.2.1:80")); w.Code != http.StatusNoContent {
		t.Errorf("a token that was verified before: status %d", w.Code)
	}
	if got := l.Stats().Refused["address"]; got != 16 {
		t.Errorf("%d are refused, want 16", got)
	}
}
