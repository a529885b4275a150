package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/filmstrip/filmstrip/web/design"
)

// WatchPath is the prefix of the paths of share pages. WatchCallback is their redirect URI, which must be registered
// for the client, for each base URL under which the pages are opened.
const (
	WatchPath     = "/watch/"
	WatchCallback = WatchPath + "callback"
)

var watchPage = template.Must(template.ParseFS(watchFiles, "watch/watch.html"))

// watchablePath matches IDs and legacy IDs of videos, and the callback.
var watchablePath = regexp.MustCompile(`^([0-9a-f]{24}|[0-9]{1,23}|callback)$`)

// Watch serves a page for each video, at /watch/{id}, for users who sign in through the public client with that ID,
// and the page's files. authURL is the base URL of the sign-in endpoints; "" means the page's own origin. Without a
// client nothing is served. It supports GET and HEAD only; the router rejects other methods.
func Watch(client, authURL string) http.Handler {
	if client == "" {
		return http.HandlerFunc(NotFound)
	}
	assets := watchAssets("watch.css", "watch.js", "pkce.js")
	policy := playingPolicy + "; connect-src 'self' https: " + originOf(authURL) +
		"; form-action 'self' " + originOf(authURL) + "; frame-ancestors 'none'"
	view := struct {
		Head, Header template.HTML
		Client, Auth string
	}{design.Head("../"), design.Header("../", ""), client, cmp.Or(strings.TrimRight(authURL, "/"), "..")}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would hide the Origin of the form that signs out
		name := strings.TrimPrefix(r.URL.Path, WatchPath)
		switch {
		case assets[name] != nil:
			assets[name].ServeHTTP(w, r)
		case watchablePath.MatchString(name):
			header.Set("Cache-Control", keepAsking)
			header.Set("X-Content-Type-Options", "nosniff")
			writePage(w, r, http.StatusOK, watchPage, view)
		default:
			NotFound(w, r)
		}
	})
}

// originOf returns the origin of a URL for use in a policy.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "'self'"
	}
	return u.Scheme + "://" + u.Host
}
