package web

import (
	"embed"
	"net/http"
)

//go:embed app/dist/explorer
var explorerFiles embed.FS

// explorerPolicy allows the page's own files and connections to its own service.
const explorerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Explorer serves the page for exploring the HAL API by its links, at /explorer, and its files below. The page loads
// nothing from other origins. It supports GET and HEAD only; the router rejects other methods.
func Explorer() http.Handler {
	return page(explorerFiles, "app/dist/explorer", "explorer", explorerPolicy)
}
