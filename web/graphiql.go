package web

import (
	"embed"
	"net/http"
)

//go:embed graphiql/dist
var graphiqlFiles embed.FS

// graphiqlPolicy lets the page use what comes with it and talk to the service it came from, nothing
// else. Styles may stand in the page because the editor sets the place of its lines that way; images
// because its marks are in its style sheet.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// GraphiQL serves the page on which GraphQL operations are tried out, at /graphiql, and its files below
// that. The page needs nothing from any other address; it asks for a token and sends operations to
// graphql beside it. GET and HEAD only: other methods are the router's business.
func GraphiQL() http.Handler {
	return page(graphiqlFiles, "graphiql/dist", "graphiql", graphiqlPolicy)
}
