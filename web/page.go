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

// page serves the files of a folder: index.html at /name, with the head, after that of the design, and the header of the design, and the other
// files below /name/. Files with a hash in their name are cached indefinitely. It supports GET and HEAD only; the router
// rejects other methods.
func page(files embed.FS, folder, name, policy string, head ...template.HTML) http.Handler {
	assets := builtAssets(files, folder)
	inHead := string(design.Head(""))
	for _, part := range head {
		inHead += "\n" + string(part)
	}
	marks := strings.NewReplacer(headMark, inHead, headerMark, string(design.Header("", name)))
	index := newAsset("index.html", []byte(marks.Replace(string(assets["index.html"].plain))), keepAsking)
	delete(assets, "index.html")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		file, below := strings.CutPrefix(r.URL.Path, "/"+name+"/")
		switch {
		case r.URL.Path == "/"+name:
			index.ServeHTTP(w, r)
		case below && file == "":
			header.Set("Location", "../"+name)
			w.WriteHeader(http.StatusPermanentRedirect)
		case below && assets[file] != nil:
			assets[file].ServeHTTP(w, r)
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
