package web

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/docs"
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

// Docs serves the documentation: the guides at /docs and /docs/NAME, their pictures, a search of the guides at /docs?q=WORDS, and the API
// reference at /docs/reference, whose files are below /docs/. The pages load nothing from other origins. It supports GET and HEAD
// only; the router rejects other methods.
func Docs() http.Handler {
	reference := builtAssets(docsFiles, "docs/dist")
	marks := strings.NewReplacer(headerMark, string(design.Header("../", "docs")))
	index := newAsset("index.html", []byte(marks.Replace(string(reference["index.html"].plain))), keepAsking)
	delete(reference, "index.html")
	load := sync.OnceValue(loadGuides) // when the first guide is read
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
			load().serve(w, r, name)
		}
	})
}

// guidePages are the guides as files, by name, and what the search needs.
type guidePages struct {
	site  *guides.Site
	files map[string]*asset
}

func loadGuides() guidePages {
	site, err := guides.Load(docs.Files)
	if err != nil { // the files are in the binary
		panic(err)
	}
	pages := guidePages{site, map[string]*asset{}}
	pictures, err := fs.Glob(docs.Files, "pictures/*")
	for _, name := range pictures {
		picture, errRead := docs.Files.ReadFile(name)
		err = errors.Join(err, errRead)
		pages.files[name] = newAsset(name, picture, keepAsking)
	}
	if err != nil {
		panic(err)
	}
	for _, page := range site.Pages() {
		view := guides.View{Page: page, Groups: site.Groups}
		if page.Name != guides.Home {
			view.Root = "../"
		}
		pages.files[page.Name] = fileOf(view)
	}
	return pages
}

// serve serves a guide or, at the start page, the results of a search.
func (g guidePages) serve(w http.ResponseWriter, r *http.Request, name string) {
	file := g.files[name]
	if file == nil {
		NotFound(w, r)
		return
	}
	if query := strings.TrimSpace(r.URL.Query().Get("q")); query != "" && name == guides.Home {
		file = fileOf(guides.View{
			Page: &guides.Page{Title: "Search"}, Groups: g.site.Groups, Query: query, Results: g.site.Search(query),
		})
	}
	file.ServeHTTP(w, r)
}

func fileOf(view guides.View) *asset {
	var b bytes.Buffer
	if err := view.Write(&b); err != nil { // the template is in the binary
		panic(err)
	}
	return newAsset("page.html", b.Bytes(), keepAsking)
}
