package hal

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
)

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

// Write returns the page with the given number, counted from 0, and its links.
func (w Window) Write(size, number int64, links []byte) []byte {
	b := append(append(append([]byte(`{"_embedded":{"`), w.name...), `":`...), w.list...)
	page, _ := json.Marshal(struct { // numbers always encode
		Size          int64 `json:"size"`
		TotalElements int64 `json:"totalElements"`
		TotalPages    int64 `json:"totalPages"`
		Number        int64 `json:"number"`
	}{max(0, min(size, w.Total-number*size)), w.Total, (w.Total + size - 1) / size, number})
	b = append(append(b, `},"page":`...), page...)
	b = append(append(b, `,"_links":`...), links...)
	return append(b, '}')
}

// RemovedPage returns a page of the feed of removed videos, with a link to the next page unless this page is the last.
func RemovedPage(view *View, data []byte, size int64) []byte {
	list, cursor := cutFeed(data, "nodes")
	b := append(append([]byte(`{"_embedded":{"removedVideos":`), list...), `},"_links":{`...)
	b = appendNext(b, view, "/v1/feed/removed-videos", cursor, strconv.AppendInt(nil, size, 10))
	return append(b, `}}`...)
}

// appendNext appends a link to the page of a feed behind a cursor; nil: there is none.
func appendNext(b []byte, view *View, feed string, cursor, size []byte) []byte {
	if cursor == nil {
		return b
	}
	b = append(append(append(b, `"next":{"href":"`...), view.Base...), feed...)
	b = append(append(append(b, `?cursor_id=`...), cursor...), `&size=`...)
	return append(append(b, size...), `","templated":false}`...)
}

// Video writes the document of the video whose reference is data. found is false if the video is removed or hidden.
func (d *Documents) Video(ctx context.Context, view *View, data []byte) (page Page, found bool, err error) {
	ref, err := parseReference(data)
	if err != nil {
		return Page{}, false, err
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
	found, err := cutSearch(data)
	if err != nil {
		return Page{}, err
	}
	page, shown, err := d.videos(ctx, view, found.references)
	if err != nil {
		return Page{}, err
	}
	b := append(page.Body, `],"facets":`...)
	b = append(append(append(append(b, found.facets...), `},"facets":`...), found.facets...), `,"page":{"size":`...)
	b = strconv.AppendInt(b, int64(shown), 10)
	b = strconv.AppendInt(append(b, `,"totalElements":`...), found.total, 10)
	b = append(append(b, `,"totalPages":`...), found.pages...)
	b = append(strconv.AppendInt(append(b, `,"number":`...), place.Number, 10), `},"_links":{`...)
	page.Body = append(place.appendLinks(b, view.Base, found.total), `}}`...)
	return page, nil
}

// FeedPage writes a page of the feed of videos, with a link to the next page unless this page is the last.
func (d *Documents) FeedPage(ctx context.Context, view *View, data, size []byte) (Page, error) {
	references, cursor := cutFeed(data, "references")
	page, _, err := d.videos(ctx, view, references)
	if err != nil {
		return Page{}, err
	}
	b := append(page.Body, `]},"_links":{`...)
	b = appendNext(b, view, "/v1/feed/videos", cursor, size)
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

// Metadata writes the metadata of videos. It replaces hasCaptions with the addresses of the caption files, or with null
// if a video has no captions.
func Metadata(list []byte, base string) []byte {
	written := []byte(`{"metadata":`)
	for {
		before, id, captioned, rest := cutCaptioned(list)
		written = append(written, before...)
		if id == "" {
			return append(written, '}')
		}
		srt, vtt := "null", "null"
		if captioned {
			address := base + Address("captions", id)
			srt, vtt = captionsHref(address, "srt"), captionsHref(address, "vtt")
		}
		written = append(written, `,"downloadSrtCaptionUrl":`+srt+`,"downloadVttCaptionUrl":`+vtt...)
		list = rest
	}
}

// captionsHref returns the address of captions in a format as JSON.
func captionsHref(address, format string) string {
	encoded, _ := json.Marshal(address + "?format=" + format + "&download=true") // a string always encodes
	return string(encoded)
}
