package web

import (
	"embed"
	"net/http"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/docs"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/web/design"
	"github.com/filmstrip/filmstrip/web/guides"
)

//go:embed docs/dist
var docsFiles embed.FS

const (
	// guidesPolicy allows the style sheets, images and scripts of this server, and the search form.
	guidesPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	// referencePolicy also allows requests to this server, and the style sheets that the viewer writes into the page.
	referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// ReferencePath is the path of the API reference.
const ReferencePath = "/docs/reference"

// Docs serves the documentation: the guides at /docs and /docs/NAME, a search of the guides at /docs?q=WORDS, and the API
// reference at /docs/reference, whose files are below /docs/. The pages load nothing from other origins. It supports GET and HEAD
// only; the router rejects other methods.
func Docs() http.Handler {
	reference, err := assetsOf(docsFiles, "docs/dist", keepAsking)
	if err != nil { // the files are in the binary
		panic(err)
	}
	for file, asset := range reference {
		if hashed(file) {
			asset.cacheControl = keepForever
		}
	}
	marks := strings.NewReplacer(headerMark, string(design.Header("../", "docs")))
	index := newAsset("index.html", []byte(marks.Replace(string(reference["index.html"].plain))), keepAsking)
	delete(reference, "index.html")
	site := sync.OnceValues(func() (*guides.Site, error) { return guides.Load(docs.Files) }) // most servers show no guide
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Content-Security-Policy", guidesPolicy)
		name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/docs"), "/")
		switch {
		case r.URL.Path == "/docs/":
			header.Set("Location", "../docs")
			w.WriteHeader(http.StatusPermanentRedirect)
		case r.URL.Path == ReferencePath:
			header.Set("Content-Security-Policy", referencePolicy)
			index.ServeHTTP(w, r)
		case reference[name] != nil:
			reference[name].ServeHTTP(w, r)
		default:
			serveGuide(w, r, site, name)
		}
	})
}

// serveGuide serves a guide or, at the start page, the results of a search.
func serveGuide(w http.ResponseWriter, r *http.Request, load func() (*guides.Site, error), name string) {
	site, err := load()
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	page := site.Page(name)
	if page == nil {
		NotFound(w, r)
		return
	}
	view := guides.View{Page: page, Groups: site.Groups}
	if name != guides.Home {
		view.Root = "../"
	} else if query := strings.TrimSpace(r.URL.Query().Get("q")); query != "" {
		view.Query, view.Results = query, site.Search(query)
		view.Page = &guides.Page{Title: "Search"}
	}
	var b strings.Builder
	if err := view.Write(&b); err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	newAsset("page.html", []byte(b.String()), keepAsking).ServeHTTP(w, r)
}
