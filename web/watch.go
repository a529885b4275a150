package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// WatchPath is what the paths of share pages begin with; WatchCallback is where the sign-in comes back to. It has to
// be among the redirect addresses of the client, below each base address that the pages are opened under.
const (
	WatchPath     = "/watch/"
	WatchCallback = WatchPath + "callback"
)

var watchPage = template.Must(template.ParseFS(watchFiles, "watch/watch.html"))

// watched are the names of videos, by their ids or as older clients know them, and of the way back.
var watchablePath = regexp.MustCompile(`^([0-9a-f]{24}|[0-9]{1,23}|callback)$`)

// Watch serves a page for each video, at /watch/{id}, for users who sign in through the public client of that ID,
// and what the page is made of. authURL is the base address of the endpoints of signing in; "": they are where the
// page is. Without a client there is nothing. GET and HEAD only: other methods are the router's business.
func Watch(client, authURL string) http.Handler {
	if client == "" {
		return http.HandlerFunc(notFound)
	}
	assets := watchAssets("watch.css", "watch.js", "pkce.js")
	policy := playingPolicy + "; connect-src 'self' https: " + originOf(authURL) +
		"; form-action 'self' " + originOf(authURL) + "; frame-ancestors 'none'"
	view := struct{ Client, Auth string }{client, cmp.Or(strings.TrimRight(authURL, "/"), "..")}
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
			notFound(w, r)
		}
	})
}

// originOf is the origin of an address, as policies name it.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "'self'"
	}
	return u.Scheme + "://" + u.Host
}
