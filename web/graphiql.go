package web

import (
	"embed"
	"net/http"
)

//go:embed graphiql/dist
var graphiqlFiles embed.FS

// graphiqlPolicy allows the page's own files and connections to its own service. The editor needs inline styles to
// position its lines, and images in its style sheet.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// GraphiQL serves the page for trying GraphQL operations, at /graphiql, and its files below. The page loads nothing
// from other origins; it requests a token and sends operations to graphql beside it. It supports GET and HEAD only;
// the router rejects other methods.
func GraphiQL() http.Handler {
	return page(graphiqlFiles, "graphiql/dist", "graphiql", graphiqlPolicy)
}
