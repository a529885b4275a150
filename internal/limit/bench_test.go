package limit_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// BenchmarkRequest measures the cost of limits for a request that passes: with its client's rate, also with the
// account's quota, and with the guard around an authentication that costs nothing.
func BenchmarkRequest(b *testing.B) {
	config := limit.Config{Rates: limit.Rates{Client: 1 << 40, Unauthorized: 100}, Counters: shared(), Usage: &ledger{}}
	through := func(next http.Handler) http.Handler { return next }
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for name, handler := range map[string]func(*limit.Limits) http.Handler{
		"client": func(l *limit.Limits) http.Handler { return l.Client(nothing) },
		"guard":  func(l *limit.Limits) http.Handler { return l.Guard(nil, through)(l.Client(nothing)) },
	} {
		for quota, perMonth := range map[string]int64{"": 0, " and quota": 1 << 60} {
			b.Run(name+quota, func(b *testing.B) {
				h := handler(open(b, config))
				r, w := as("client", &account.Account{ID: "a", RequestsPerMonth: perMonth}), httptest.NewRecorder()
				b.ReportAllocs()
				for b.Loop() {
					h.ServeHTTP(w, r)
				}
			})
		}
	}
}

// TestAllocations checks that a request that passes causes no allocation.
func TestAllocations(t *testing.T) {
	l := open(t, limit.Config{Rates: limit.Rates{Client: 1 << 40, Unauthorized: 100}, Usage: &ledger{}})
	handler := l.Guard(nil, func(next http.Handler) http.Handler { return next })(l.Client(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	r, w := as("client", &account.Account{ID: "a", RequestsPerMonth: 1 << 60}), httptest.NewRecorder()
	if got := testing.AllocsPerRun(1000, func() { handler.ServeHTTP(w, r) }); got >= 1 {
		t.Errorf("%v allocations", got)
	}
}
