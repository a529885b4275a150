package web

import (
	"embed"
	"net/http"
)

//go:embed docs/dist
var docsFiles embed.FS

// docsPolicy allows the page's own files, connections to its own service, and images in its style sheet.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Docs serves the page that renders openapi.json, at /docs, and its files below. The page loads nothing from other
// origins. It supports GET and HEAD only; the router rejects other methods.
func Docs() http.Handler {
	return page(docsFiles, "docs/dist", "docs", docsPolicy)
}
