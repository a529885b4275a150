package web

import (
	"embed"
	"html/template"
	"net/http"
	"path"
	"strings"

	"github.com/filmstrip/filmstrip/web/design"
)

// The places in an index.html at which page inserts the parts of the design.
const (
	headMark   = "<!--design.Head-->"
	headerMark = "<!--design.Header-->"
)

// page serves the files of a folder: index.html at /name, with the head and the header of the design, and the other
// files below /name/. Files with a hash in their name are cached indefinitely. It supports GET and HEAD only; the router
// rejects other methods.
func page(files embed.FS, folder, name, policy string) http.Handler {
	built := build(files, folder, name)
	index := built.index("")
	return built.handler(policy, func() *asset { return index })
}

// builtPage is a page that has a build.
type builtPage struct {
	name string
	// document is index.html with marks for the parts of the design; assets are the other files.
	document string
	assets   map[string]*asset
}

func build(files embed.FS, folder, name string) *builtPage {
	assets := builtAssets(files, folder)
	document := string(assets["index.html"].plain)
	delete(assets, "index.html")
	return &builtPage{name, document, assets}
}

// index returns the document with the parts of the design, and with more elements in its head.
func (p *builtPage) index(more template.HTML) *asset {
	marks := strings.NewReplacer(headMark, string(design.Head("")+more), headerMark, string(design.Header("", p.name)))
	return newAsset("index.html", []byte(marks.Replace(p.document)), keepAsking)
}

// handler serves the document that index returns, and the assets.
func (p *builtPage) handler(policy string, index func() *asset) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		file, below := strings.CutPrefix(r.URL.Path, "/"+p.name+"/")
		switch {
		case r.URL.Path == "/"+p.name:
			index().ServeHTTP(w, r)
		case below && file == "":
			header.Set("Location", "../"+p.name)
			w.WriteHeader(http.StatusPermanentRedirect)
		case below && p.assets[file] != nil:
			p.assets[file].ServeHTTP(w, r)
		default:
			NotFound(w, r)
		}
	})
}

// builtAssets returns the files of a folder. Files with a hash in their name are cached indefinitely.
func builtAssets(files embed.FS, folder string) map[string]*asset {
	assets, err := assetsOf(files, folder, keepAsking)
	if err != nil { // the files are in the binary
		panic(err)
	}
	for file, asset := range assets {
		if hashed(file) {
			asset.cacheControl = keepForever
		}
	}
	return assets
}

// hashed reports whether a file's name contains a hash of its content: name-HASH.js.
func hashed(file string) bool {
	_, hash, found := strings.Cut(strings.TrimSuffix(file, path.Ext(file)), "-")
	return found && len(hash) == 8
}
