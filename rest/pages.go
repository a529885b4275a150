package rest

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// pages are whole answers as they went out, plain and compressed. A page is named by all that it
// shows: the references with their versions, totals and facets that the domain answered, and the
// view that filled its slots. So nothing has to be taken back when something changes: the page has
// another name then.
type pages struct {
	cache  cache.Cache
	seed   maphash.Seed
	logger *slog.Logger
}

func newPages(store cache.Cache, logger *slog.Logger) *pages {
	return &pages{cache: store, seed: maphash.MakeSeed(), logger: logger}
}

// pageName is the name of a page: its tag, and a keyed hash of the same parts, whose key this process
// alone knows, so that nobody can make two pages of one name. "": the answer is not kept.
type pageName string

// name makes the name of a page of a kind from its tag and its parts. Each part is hashed with its
// length.
func (p *pages) name(kind string, view *view, tag string, parts ...[]byte) pageName {
	var hash maphash.Hash
	hash.SetSeed(p.seed)
	writePart(&hash, []byte(view.base))
	maphash.WriteComparable(&hash, [2]int64{int64(view.rights), view.hour()})
	for _, part := range parts {
		writePart(&hash, part)
	}
	name := make([]byte, 0, len(kind)+8+1+len(tag))
	name = binary.BigEndian.AppendUint64(append(name, kind...), hash.Sum64())
	return pageName(append(append(name, ':'), tag...))
}

func writePart(hash *maphash.Hash, part []byte) {
	maphash.WriteComparable(hash, len(part))
	_, _ = hash.Write(part)
}

// The forms of a page.
const (
	plainForm      = "page:"
	compressedForm = "gzip:"
)

// get returns a page in a form, nil where it is not kept. The bytes are shared.
func (p *pages) get(ctx context.Context, form string, name pageName) []byte {
	var entry [1]cache.Entry
	if err := p.cache.Get(ctx, []cache.Ask{{Key: form + string(name), AtLeast: 1}}, entry[:]); err != nil {
		p.logger.WarnContext(ctx, "the cache does not answer, pages are made anew", "error", err)
		return nil
	}
	return entry[0].Value
}

// put keeps a page; the bytes are no longer the caller's.
func (p *pages) put(ctx context.Context, form string, name pageName, body []byte) {
	item := cache.Item{Key: form + string(name), Entry: cache.Entry{Version: 1, Value: body}}
	if err := p.cache.Put(ctx, []cache.Item{item}); err != nil {
		p.logger.WarnContext(ctx, "the cache does not take pages", "error", err)
	}
}

// compressed returns the page's body compressed, from the cache or for it.
func (p *pages) compressed(ctx context.Context, name pageName, body []byte) []byte {
	if kept := p.get(ctx, compressedForm, name); kept != nil {
		return kept
	}
	var buffer bytes.Buffer
	buffer.Grow(len(body) / 4)
	writer := compressors.Get().(*gzip.Writer)
	writer.Reset(&buffer)
	_, _ = writer.Write(body) // a buffer takes everything
	_ = writer.Close()
	compressors.Put(writer)
	p.put(ctx, compressedForm, name, buffer.Bytes())
	return buffer.Bytes()
}

var compressors = sync.Pool{New: func() any {
	writer, _ := gzip.NewWriterLevel(nil, httpserver.CompressionLevel) // the level is one of gzip's
	return writer
}}

// takesGzip reports whether a client accepts gzip (RFC 9110, section 12.5.3).
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			return !strings.HasPrefix(weight, "q=0") || strings.Trim(weight, "q=0.") != ""
		}
	}
	return false
}
