package web

import (
	"embed"
	"net/http"
)

//go:embed explorer/index.html explorer/*.css explorer/*.js
var explorerFiles embed.FS

// explorerPolicy lets the page use what comes with it and talk to the service it came from, nothing else.
const explorerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Explorer serves the page on which the documents of the facade are walked through by their links, at /explorer,
// and its files below that. The page needs nothing from any other address. GET and HEAD only: other methods are
// the router's business.
func Explorer() http.Handler {
	return page(explorerFiles, "explorer", "explorer", explorerPolicy)
}
