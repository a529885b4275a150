package hal

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"log/slog"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/filmstrip/filmstrip/cache"
)

// Pages caches complete answers as they were sent, plain and compressed. The name of a page covers everything that the
// page shows: the references with their versions, the totals and facets from the domain, and the view that filled its
// slots. Nothing needs to be invalidated after a change, because the changed page has another name.
type Pages struct {
	cache  cache.Cache
	seed   maphash.Seed
	logger *slog.Logger

	compressors sync.Pool
}

// NewPages returns Pages that use a cache of this process only and compress with gzip at the given level.
func NewPages(store cache.Cache, level int, logger *slog.Logger) *Pages {
	p := &Pages{cache: store, seed: maphash.MakeSeed(), logger: logger}
	p.compressors.New = func() any {
		writer, err := gzip.NewWriterLevel(nil, level)
		if err != nil { // the level is a constant in the caller
			panic(err)
		}
		return writer
	}
	return p
}

// PageName identifies a page: its tag, and a keyed hash of the same parts. Only this process knows the key, so nobody
// can construct two pages with the same name. The answer with the name "" is not cached.
type PageName string

// Name returns the name of a page of a kind from its tag and its parts. Each part is hashed with its length.
func (p *Pages) Name(kind string, view *View, tag string, parts ...[]byte) PageName {
	var hash maphash.Hash
	hash.SetSeed(p.seed)
	writePart(&hash, []byte(view.Base))
	maphash.WriteComparable(&hash, [2]int64{int64(view.Permissions), view.hour()})
	for _, part := range parts {
		writePart(&hash, part)
	}
	name := make([]byte, 0, len(kind)+8+1+len(tag))
	name = binary.BigEndian.AppendUint64(append(name, kind...), hash.Sum64())
	return PageName(append(append(name, ':'), tag...))
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

// Get returns a page, or nil if the page is not cached. The bytes are shared and must not be modified.
func (p *Pages) Get(ctx context.Context, name PageName) []byte { return p.get(ctx, plainForm, name) }

// Put caches a copy of a page.
func (p *Pages) Put(ctx context.Context, name PageName, body []byte) {
	p.put(ctx, plainForm, name, bytes.Clone(body))
}

// get returns a page in a form, or nil if the page is not cached. The bytes are shared.
func (p *Pages) get(ctx context.Context, form string, name PageName) []byte {
	var entry [1]cache.Entry
	if err := p.cache.Get(ctx, []cache.Ask{{Key: form + string(name), AtLeast: 1}}, entry[:]); err != nil {
		p.logger.WarnContext(ctx, "the cache does not answer, pages are made anew", "error", err)
		return nil
	}
	return entry[0].Value
}

// put caches a page. It takes ownership of body.
func (p *Pages) put(ctx context.Context, form string, name PageName, body []byte) {
	item := cache.Item{Key: form + string(name), Entry: cache.Entry{Version: 1, Value: body}}
	if err := p.cache.Put(ctx, []cache.Item{item}); err != nil {
		p.logger.WarnContext(ctx, "the cache does not take pages", "error", err)
	}
}

// Compressed returns the compressed body of the page. It reads the body from the cache, or compresses and caches it.
func (p *Pages) Compressed(ctx context.Context, name PageName, body []byte) []byte {
	if kept := p.get(ctx, compressedForm, name); kept != nil {
		return kept
	}
	var buffer bytes.Buffer
	buffer.Grow(len(body) / 4)
	writer := p.compressors.Get().(*gzip.Writer)
	writer.Reset(&buffer)
	_, _ = writer.Write(body) // a buffer accepts every write
	_ = writer.Close()
	p.compressors.Put(writer)
	p.put(ctx, compressedForm, name, buffer.Bytes())
	return buffer.Bytes()
}
