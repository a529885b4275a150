// Package web contains the pages that the binary serves. Each page is a folder with its sources, and dist/ with the
// build result; only dist/ is embedded in the binary.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// asset is a served file.
type asset struct {
	contentType string
	plain       []byte
	// compressed returns the compressed file, computed at first use; it is nil if compression does not help.
	compressed func() []byte
	etag       string
	// cacheControl is the Cache-Control header.
	cacheControl string
}

// Cache-Control headers: files with a hash in their name are cached for a year, pages are revalidated on every use.
const (
	keepForever = "public, max-age=31536000, immutable"
	keepAsking  = "no-cache"
)

// minCompressed is the minimum size in bytes of a file worth compressing.
const minCompressed = 1024

func newAsset(name string, content []byte, cacheControl string) *asset {
	sum := sha256.Sum256(content)
	a := &asset{
		contentType:  typeOf(name),
		plain:        content,
		etag:         `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`,
		cacheControl: cacheControl,
	}
	if len(content) >= minCompressed {
		a.compressed = sync.OnceValue(func() []byte { return compress(content) })
	}
	return a
}

// typeOf returns the media type of a file. It does not use the operating system's table, which may be wrong.
func typeOf(name string) string {
	switch extension := path.Ext(name); extension {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".ico":
		return "image/vnd.microsoft.icon"
	case ".html":
		return "text/html; charset=utf-8"
	case ".txt", "":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(extension)
	}
}

func compress(content []byte) []byte {
	var buffer bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&buffer, gzip.BestCompression) // the level is valid
	_, _ = writer.Write(content)                                    // a buffer takes everything
	_ = writer.Close()
	return buffer.Bytes()
}

func (a *asset) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", a.cacheControl)
	header.Set("Etag", a.etag)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Add("Vary", "Accept-Encoding")
	if r.Header.Get("If-None-Match") == a.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if a.compressed != nil && acceptsGzip(r) {
		header.Set("Content-Encoding", "gzip")
		body = a.compressed()
	}
	header.Set("Content-Type", a.contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, parameters, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" {
			quality := strings.TrimPrefix(strings.TrimSpace(parameters), "q=")
			return strings.Trim(quality, "0.") != "" || quality == ""
		}
	}
	return false
}

// assetsOf returns the files of a folder by name.
func assetsOf(files embed.FS, folder, cacheControl string) (map[string]*asset, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, err
	}
	assets := make(map[string]*asset, len(entries))
	for _, entry := range entries {
		content, err := fs.ReadFile(files, path.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		assets[entry.Name()] = newAsset(entry.Name(), content, cacheControl)
	}
	return assets, nil
}
