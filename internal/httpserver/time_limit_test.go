package httpserver

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeLimit checks that the context of a request ends at its deadline, when the caller hangs up, and with the
// response, whether or not somebody waits for it, and so do contexts that derive from it.
func TestTimeLimit(t *testing.T) {
	const limit, endless = time.Minute, time.Duration(-1)
	for name, test := range map[string]struct {
		limit time.Duration
		act   func(hangUp func())
		want  error
	}{
		"within the limit": {limit, func(func()) { time.Sleep(limit - 1) }, nil},
		"at the deadline":  {limit, func(func()) { time.Sleep(limit); synctest.Wait() }, context.DeadlineExceeded},
		"the caller left":  {limit, func(hangUp func()) { hangUp() }, context.Canceled},
		"endless":          {endless, func(func()) { time.Sleep(1000 * limit) }, nil},
	} {
		for how, ask := range map[string]func(ctx context.Context) error{
			"unawaited": func(ctx context.Context) error { return ctx.Err() },
			"awaited": func(ctx context.Context) error {
				select {
				case <-ctx.Done():
				default:
				}
				return ctx.Err()
			},
			"derived": func(ctx context.Context) error {
				derived, stop := context.WithCancel(ctx)
				defer stop()
				return derived.Err()
			},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, hangUp := context.WithCancel(t.Context())
					defer hangUp()
					var kept context.Context
					s := &server{Config: Config{Observer: unobserved{}, Base: &Base{}, Timeout: test.limit}}
					mount := &Mount{Endless: func(*http.Request) bool { return test.limit == endless }}
					handler := s.begin(mount)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
						kept = r.Context()
						if err := ask(kept); err != nil {
							t.Errorf("at the start: %v", err)
						}
						test.act(hangUp)
						if err := ask(kept); !errors.Is(err, test.want) {
							t.Errorf("the context ended with %v, want %v", err, test.want)
						}
					}))
					handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
					if err := ask(kept); err == nil {
						t.Error("the context outlives the response")
					}
				})
			})
		}
	}
}
