package hal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// This file and collections.go are the only code that turns the data of an operation into a HAL page. They rely on the
// order of the fields in operations/, cut the data at the field names and copy the rest, because decoding a page of a
// thousand videos costs more than everything else in its request. Content cannot forge a field name: JSON escapes
// quotation marks within strings.

// Page is a written page. Its body lies in pooled memory that Release returns.
type Page struct {
	Body []byte
	// Exact reports whether the page shows each video in the version that its reference names. A page that is not exact
	// must not be cached.
	Exact  bool
	buffer *[]byte
}

// buffers pools the bodies of pages, which are large.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// largestKeptBuffer is the capacity, in bytes, of the largest buffer that the pool keeps.
const largestKeptBuffer = 8 << 20

func newPage() Page {
	buffer := buffers.Get().(*[]byte)
	return Page{Body: (*buffer)[:0], buffer: buffer}
}

// Release returns the memory of the body to the pool. The body must not be used afterwards. On the zero Page, Release
// does nothing.
func (p *Page) Release() {
	if p.buffer != nil && cap(p.Body) <= largestKeptBuffer {
		*p.buffer = p.Body
		buffers.Put(p.buffer)
	}
}

// Embedded returns {"_embedded":data}.
func Embedded(data []byte) []byte {
	return append(append([]byte(`{"_embedded":`), data...), '}')
}

// List returns {"_embedded":{name:data}}, with a link to the list itself unless self is "".
func List(data []byte, name, self string) []byte {
	b := append(append(append([]byte(`{"_embedded":{"`), name...), `":`...), data...)
	b = append(b, '}')
	if self != "" {
		href, _ := json.Marshal(self) // a string always encodes
		b = append(append(append(b, `,"_links":{"self":{"href":`...), href...), `,"templated":false}}`...)
	}
	return append(b, '}')
}

// Window is a page of a list of known length. It is the data of an operation that selects total and then the member
// itself.
type Window struct {
	Total int64
	list  []byte
	name  string
}

// ParseWindow parses {"total":…,name:[…]}.
func ParseWindow(data []byte, name string) (Window, error) {
	total, list, found := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"total":`)), []byte(`,"`+name+`":`))
	elements, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil || !found {
		return Window{}, fmt.Errorf("%q is not a page of %s", fault.Shorten(string(data)), name)
	}
	return Window{Total: elements, list: bytes.TrimSuffix(list, []byte("}")), name: name}, nil
}

// Write returns the page with the given number, counted from 0, and its links unless links is nil.
func (w Window) Write(size, number int64, links []byte) []byte {
	b := append(append(append([]byte(`{"_embedded":{"`), w.name...), `":`...), w.list...)
	page, _ := json.Marshal(struct { // numbers always encode
		Size          int64 `json:"size"`
		TotalElements int64 `json:"totalElements"`
		TotalPages    int64 `json:"totalPages"`
		Number        int64 `json:"number"`
	}{max(0, min(size, w.Total-number*size)), w.Total, (w.Total + size - 1) / size, number})
	b = append(append(b, `},"page":`...), page...)
	if links != nil {
		b = append(append(b, `,"_links":`...), links...)
	}
	return append(b, '}')
}

// RemovedPage returns a page of the feed of removed videos, with a link to the next page unless this page is the last.
func RemovedPage(view *View, data []byte, size int64) []byte {
	list, rest, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"nodes":`)), []byte(`,"pageInfo":{"endCursor":`))
	b := append(append([]byte(`{"_embedded":{"removedVideos":`), list...), `},"_links":{`...)
	b = appendNext(b, view, "/v1/feed/removed-videos", rest, strconv.AppendInt(nil, size, 10))
	return append(b, `}}`...)
}

// appendNext appends a link to the next page of a feed if rest starts with a cursor rather than null.
func appendNext(b []byte, view *View, feed string, rest, size []byte) []byte {
	cursor, found := bytes.CutPrefix(rest, []byte{'"'})
	if !found {
		return b
	}
	cursor, _, _ = bytes.Cut(cursor, []byte{'"'})
	b = append(append(append(b, `"next":{"href":"`...), view.Base...), feed...)
	b = append(append(append(b, `?cursor_id=`...), cursor...), `&size=`...)
	return append(append(b, size...), `","templated":false}`...)
}

// Video writes the document of the video whose reference is data. found is false if the video is removed or hidden.
func (d *Documents) Video(ctx context.Context, view *View, data []byte) (page Page, found bool, err error) {
	ref, ok := catalogue.ParseRef(string(bytes.Trim(data, `"`)))
	if !ok {
		return Page{}, false, fault.Errorf(fault.Internal, "%q is not a reference", data)
	}
	templates, exact, err := d.Get(ctx, []catalogue.Ref{ref})
	if err != nil || len(templates) == 0 {
		return Page{}, false, err
	}
	page = newPage()
	page.Body, page.Exact = view.Fill(page.Body, templates[0]), exact
	return page, true, nil
}

// SearchPage writes the page of a search at a place, with totals, facets and links.
func (d *Documents) SearchPage(ctx context.Context, view *View, data []byte, place Place) (Page, error) {
	references, rest := cutList(data, `{"references":`)
	totals, facets, _ := bytes.Cut(rest, []byte(`,"facetMap":`))
	facets = facets[:len(facets)-len(`}`)]
	page, shown, err := d.videos(ctx, view, references)
	if err != nil {
		return Page{}, err
	}
	b := append(page.Body, `],"facets":`...)
	b = append(append(append(append(b, facets...), `},"facets":`...), facets...), `,"page":{"size":`...)
	b = strconv.AppendInt(b, int64(shown), 10)
	total, pages, _ := bytes.Cut(bytes.TrimPrefix(totals, []byte(`,"total":`)), []byte(`,"totalPages":`))
	elements, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return Page{}, fault.Errorf(fault.Internal, "%q is not a total", total)
	}
	b = append(append(b, `,"totalElements":`...), total...)
	b = append(append(b, `,"totalPages":`...), pages...)
	b = append(strconv.AppendInt(append(b, `,"number":`...), place.Number, 10), `},"_links":{`...)
	page.Body = append(place.appendLinks(b, view.Base, elements), `}}`...)
	return page, nil
}

// FeedPage writes a page of the feed of videos, with a link to the next page unless this page is the last.
func (d *Documents) FeedPage(ctx context.Context, view *View, data, size []byte) (Page, error) {
	references, rest := cutList(data, `{"references":`)
	page, _, err := d.videos(ctx, view, references)
	if err != nil {
		return Page{}, err
	}
	b := append(page.Body, `]},"_links":{`...)
	b = appendNext(b, view, "/v1/feed/videos", bytes.TrimPrefix(rest, []byte(`,"pageInfo":{"endCursor":`)), size)
	page.Body = append(b, `}}`...)
	return page, nil
}

// videos starts a page with the documents of references, separated by commas, and returns their number.
func (d *Documents) videos(ctx context.Context, view *View, references []byte) (Page, int, error) {
	refs, err := parseReferences(references)
	if err != nil {
		return Page{}, 0, err
	}
	templates, exact, err := d.Get(ctx, refs)
	if err != nil {
		return Page{}, 0, err
	}
	page := newPage()
	b := append(page.Body, `{"_embedded":{"videos":[`...)
	for i, template := range templates {
		if i > 0 {
			b = append(b, ',')
		}
		b = view.Fill(b, template)
	}
	page.Body, page.Exact = b, exact
	return page, len(templates), nil
}

// cutList removes prefix and the list that follows it from the front of data.
func cutList(data []byte, prefix string) (list, rest []byte) {
	data = bytes.TrimPrefix(data, []byte(prefix))
	end := bytes.IndexByte(data, ']') + 1
	return data[:end], data[end:]
}

// parseReferences parses a JSON list of references. References contain nothing that JSON escapes, so the list is cut,
// not decoded.
func parseReferences(list []byte) ([]catalogue.Ref, error) {
	text := string(list)
	refs := make([]catalogue.Ref, 0, strings.Count(text, ":"))
	for rest := strings.TrimPrefix(text, "["); len(rest) > 1; {
		end := strings.IndexByte(rest[1:], '"') + 1
		ref, ok := catalogue.ParseRef(rest[1:max(end, 1)])
		if !ok {
			return nil, fmt.Errorf("%q is not a list of references", list)
		}
		refs = append(refs, ref)
		rest = strings.TrimPrefix(rest[end+1:], ",")
	}
	return refs, nil
}

// Metadata writes the metadata of videos. It replaces hasCaptions with the addresses of the caption files, or with null
// if a video has no captions.
func Metadata(list []byte, base string) []byte {
	const start, member = `{"id":"`, `,"hasCaptions":`
	written := []byte(`{"metadata":`)
	for {
		object, rest, found := bytes.Cut(list, []byte(member))
		if !found {
			return append(append(written, list...), '}')
		}
		id := object[bytes.LastIndex(object, []byte(start))+len(start):][:catalogue.IDLength]
		address := base + Address("captions", string(id))
		href := func(format string) string {
			encoded, _ := json.Marshal(address + "?format=" + format + "&download=true") // a string always encodes
			return string(encoded)
		}
		srt, vtt := "null", "null"
		if bytes.HasPrefix(rest, []byte("true")) {
			srt, vtt = href("srt"), href("vtt")
		}
		written = append(append(written, object...), `,"downloadSrtCaptionUrl":`+srt+`,"downloadVttCaptionUrl":`+vtt...)
		list = rest[bytes.IndexByte(rest, '}'):]
	}
}
