package limit

import (
	"net/http"
	"sync"
)

// Guard puts a limit around authentication: requests of an address that has had too many answers of
// status 401 are refused before their token is verified, so that guessing is slow. Those go on whose token is known,
// that is, has been verified before: one guesser keeps nobody out who was let in already. nil: no token is known.
// authenticate answers 401 itself, or hands the request on with its caller (account.CallerOf) and the
// writer that it was given. What callers may ask is for Client to bound, behind it.
func (l *Limits) Guard(known func(*http.Request) bool, authenticate func(http.Handler) http.Handler) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if l.rates.Unauthorized <= 0 {
			return authenticate(next)
		}
		guarded := authenticate(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if seen, ok := w.(*watched); ok {
				seen.passed = true
				w = seen.ResponseWriter
			}
			next.ServeHTTP(w, r)
		}))
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !counts(r) {
				guarded.ServeHTTP(w, r)
				return
			}
			l.watch(known, guarded, w, r)
		})
	}
}

// watch has a request answered, and counts it under its address if it was not let in.
func (l *Limits) watch(known func(*http.Request) bool, guarded http.Handler, w http.ResponseWriter, r *http.Request) {
	perMinute := l.rates.Unauthorized
	from := subject{address: addressOf(r, l.proxies)}
	wait := l.unauthorized.pending(from, instantOf(l.clock()), perMinute, 1)
	if wait > 0 && (known == nil || !known(r)) {
		l.unauthorized.judged(wait)
		refused := l.unauthorized.refuse(wait, perMinute)
		refused.write(w, r)
		return
	}
	seen := watchers.Get().(*watched)
	seen.ResponseWriter = w
	guarded.ServeHTTP(seen, r)
	if !seen.passed && seen.status == http.StatusUnauthorized {
		l.unauthorized.note(from, instantOf(l.clock()), perMinute)
	}
	*seen = watched{}
	watchers.Put(seen)
}

// watched sees the status of an answer, until the request has passed authentication.
type watched struct {
	http.ResponseWriter
	status int
	passed bool
}

var watchers = sync.Pool{New: func() any { return new(watched) }}

func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the writer.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
