package web

import (
	"embed"
	"net/http"
	"strings"
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
	assets, err := assetsOf(graphiqlFiles, "graphiql/dist", keepForever)
	if err != nil { // the files are in the binary
		panic(err)
	}
	// These two keep their names when their content changes.
	page, licences := assets["index.html"], assets["LICENSES"]
	page.cacheControl, licences.cacheControl = keepAsking, keepAsking
	delete(assets, "index.html")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", graphiqlPolicy)
		header.Set("Referrer-Policy", "no-referrer")
		name, below := strings.CutPrefix(r.URL.Path, "/graphiql/")
		switch {
		case r.URL.Path == "/graphiql":
			page.ServeHTTP(w, r)
		case below && name == "":
			// The page names its files from the address without the slash.
			header.Set("Location", "../graphiql")
			w.WriteHeader(http.StatusPermanentRedirect)
		case below && assets[name] != nil:
			assets[name].ServeHTTP(w, r)
		default:
			notFound(w, r)
		}
	})
}
