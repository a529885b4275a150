package httpserver

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// discarded is a response that nobody reads. Each request gets an empty header again.
type discarded struct{ header http.Header }

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(b []byte) (int, error) { return len(b), nil }
func (d *discarded) WriteHeader(int)             {}

// BenchmarkMiddleware measures what each middleware adds to a GET request with a token, in the order of serve.
func BenchmarkMiddleware(b *testing.B) {
	pass := func(next http.Handler) http.Handler { return next }
	config := Config{
		Base: &Base{Fixed: "https://films.example"}, Timeout: time.Minute, Logger: slog.New(slog.DiscardHandler),
		Authenticate: pass, Hosts: &LocalHosts{},
	}
	s, mount := newServer(config), &Mount{Path: "/v1/videos/{id}", Methods: []string{"GET"}, ForEmbeds: true}
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/hal+json"}
		_, _ = w.Write(make([]byte, 0, 1))
	})
	for _, one := range []struct {
		name string
		wrap func(http.Handler) http.Handler
	}{
		{"nothing", pass},
		{"router and all of them", func(next http.Handler) http.Handler {
			routed := config
			for _, path := range []string{"/v1/videos", "/v1/videos/{id}"} {
				routed.Mounts = append(routed.Mounts, Mount{Path: path, Methods: []string{"GET"}, Handler: next})
			}
			return New(routed)
		}},
		{"trace, time limit, panics", s.begin(mount)},
		{"hosts", s.allowHosts(mount)},
		{"CORS", s.allowOrigins(mount)},
		{"sizes", boundSizes},
		{"compression", s.compress},
		{"Service-User-Id", checkUserID(mount)},
		{"authentication", s.authenticate(mount)},
		{"origin of the account", s.keepOrigin},
		{"client for the log", noteClient},
		{"tokens for one video", confine(mount)},
	} {
		b.Run(one.name, func(b *testing.B) {
			handler := one.wrap(answer)
			request := httptest.NewRequest("GET", "http://127.0.0.1/v1/videos/5c54cfa2d8eafeecae2d2d5a", nil)
			request.Header.Set("Authorization", "Bearer e30.e30.e30")
			request.Header.Set("Accept", "application/hal+json")
			request.Header.Set("User-Agent", "floor")
			request = request.WithContext(account.WithCaller(request.Context(), &account.Caller{Account: &account.Account{}}))
			w := &discarded{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				handler.ServeHTTP(w, request)
			}
		})
	}
}
