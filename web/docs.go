package web

import (
	"embed"
	"net/http"
)

//go:embed docs/dist
var docsFiles embed.FS

// docsPolicy lets the page use what comes with it and talk to the service it came from, nothing else.
// Images may stand in its style sheet.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Docs serves the page that shows openapi.json beside it, at /docs, and its files below that. The page needs
// nothing from any other address. GET and HEAD only: other methods are the router's business.
func Docs() http.Handler {
	return page(docsFiles, "docs/dist", "docs", docsPolicy)
}
