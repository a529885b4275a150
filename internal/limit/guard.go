package limit

import (
	"net/http"
	"sync"
)

// Guard limits authentication: it refuses requests of an address that has received too many responses with status 401,
// before their token is verified, so that guessing is slow. Requests whose token is known, that is, has been verified
// before, pass, so a guesser locks out nobody who is already signed in. With nil, no token is known. authenticate
// either writes 401 itself, or passes the request on with its caller (account.CallerOf) and the writer that it was
// given. Client limits the requests behind it.
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

// watch serves a request, and counts it for its address if authentication refused it.
func (l *Limits) watch(known func(*http.Request) bool, guarded http.Handler, w http.ResponseWriter, r *http.Request) {
	perMinute := l.rates.Unauthorized
	from := subject{address: l.AddressOf(r)}
	wait := l.unauthorized.pending(from, instantOf(l.clock()), perMinute, 1)
	if wait > 0 && (known == nil || !known(r)) {
		l.refused(r)
		l.unauthorized.reject(wait, perMinute).write(w, r)
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

// watched records the status of a response, until the request has passed authentication.
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

// Unwrap gives http.ResponseController access to the writer.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
