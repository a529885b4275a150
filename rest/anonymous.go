package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/account"
)

// anonymousCallers are who asks without a token where Config.Anonymous allows it, by the path of the
// route. They see what an account without a content package does.
var anonymousCallers = map[string]*account.Caller{
	"/v1/events/playback":                     anonymousCaller,
	"/v1/events/player-interaction":           anonymousCaller,
	"/v1/events/page-render":                  anonymousCaller,
	"/v1/events/platform-interaction":         anonymousCaller,
	"/v1/events/suggested-search-completions": anonymousCaller,

	"/v1/":                       anonymousCaller,
	"/v1":                        anonymousCaller,
	"/v1/subjects":               anonymousCaller,
	"/v1/subjects/{id}":          anonymousCaller,
	"/v1/users/{id}/active":      anonymousCaller,
	"/v1/collections/{id}":       anonymousCaller,
	"/v1/videos/{id}":            anonymousReader,
	"/v1/videos/{id}/transcript": anonymousReader,
	"/v1/videos/{id}/captions":   anonymousReader,
}

var (
	anonymousCaller = &account.Caller{Rights: account.RightsOf(account.Browse)}
	anonymousReader = &account.Caller{Rights: account.RightsOf(account.Browse, account.DownloadTranscript)}
)

// changes reports whether a method is one that nobody may ask for without a token, whatever else the path takes.
func changes(method string) bool {
	return method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
}

// opened lets requests without a token through to a path that is open to anybody, and all others to what
// is guarded.
func (c *Config) opened(path string, next, guarded http.Handler) http.Handler {
	caller := anonymousCallers[path]
	if c.Anonymous == nil || caller == nil {
		return guarded
	}
	open := c.Anonymous(checkUserID(next))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header["Authorization"]) > 0 || changes(r.Method) {
			guarded.ServeHTTP(w, r)
			return
		}
		open.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
}
