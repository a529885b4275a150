package web

import (
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"strings"
)

//go:embed app/dist/console
var consoleFiles embed.FS

// ConsolePath is the path of the operator's console. It is also the page's redirect URI and its redirect after sign-outs,
// which must be registered for the client, for each base URL under which the page is opened.
const ConsolePath = "/console"

// consoleHead passes the settings of the page to its script.
var consoleHead = template.Must(template.New("").Parse(
	"\n" + `<meta name="filmstrip-client" content="{{.Client}}"><meta name="filmstrip-auth" content="{{.Auth}}">`))

// Console serves the page on which the operator's staff work, at /console, and its files below. Staff sign in through the
// public client with that ID; while exists returns false, the page says how to begin. authURL is the base URL of the sign-in
// endpoints; "" means the page's own origin. It supports GET and HEAD only; the router rejects other methods.
func Console(client, authURL string, exists func() bool) http.Handler {
	policy := playingPolicy + "; connect-src 'self' https: " + originOf(authURL) + "; form-action 'self' " + originOf(authURL) + "; frame-ancestors 'none'"
	built := build(consoleFiles, "app/dist/console", "console")
	with := func(client string) *asset {
		var head strings.Builder
		view := struct{ Client, Auth string }{client, cmp.Or(strings.TrimRight(authURL, "/"), ".")}
		if err := consoleHead.Execute(&head, view); err != nil { // the template is in the binary
			panic(err)
		}
		return built.index(template.HTML(head.String()))
	}
	ready, unready := with(client), with("")
	return built.handler(policy, func() *asset {
		if exists() {
			return ready
		}
		return unready
	})
}
