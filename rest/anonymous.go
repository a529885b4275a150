package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/account"
)

// anonymousCallers holds the callers of requests without a token by the path of the route, for servers that admit them. They
// see what an account without a content package sees.
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
	anonymousCaller = &account.Caller{Permissions: account.PermissionsOf(account.Browse)}
	anonymousReader = &account.Caller{Permissions: account.PermissionsOf(account.Browse, account.DownloadTranscript)}
)

// anonymous returns the caller of a request without a token to the route, or nil if the route always needs one.
func (r *route) anonymous() *account.Caller {
	if r.method != http.MethodGet && r.method != http.MethodPost {
		return nil
	}
	return anonymousCallers[r.path]
}
