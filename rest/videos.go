package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// video answers GET /v1/videos/{id}. A warm answer is one small operation, one look into the cache
// and the filling of its slots.
func video(f *facade, r *http.Request, values variables) (*reply, error) {
	values["id"] = idIn(r)
	data, err := f.run(r, "VideoReference", values)
	if err != nil {
		return nil, err
	}
	ref, ok := catalogue.ParseRef(string(bytes.Trim(data, `"`)))
	if !ok {
		return nil, fault.Errorf(fault.Internal, "%q is no reference", data)
	}
	templates, exact, err := f.documents.get(r.Context(), []catalogue.Ref{ref})
	if err != nil {
		return nil, err
	}
	if len(templates) == 0 {
		return nil, fault.Errorf(fault.NotFound, "there is no video %q", idIn(r))
	}
	view := f.view(r)
	answer := newPage()
	answer.body = view.fill(answer.body, templates[0])
	if exact {
		answer.tag = view.tag(data)
		answer.name = f.pages.name("video:", &view, answer.tag, data)
	}
	return answer, nil
}

// tag identifies a page by what it shows and by all that fills its slots: rights, base address and
// the hour of the signatures.
func (v *view) tag(content ...[]byte) string {
	var hash xxhash.Digest
	hash.Reset()
	var space [48]byte
	about := strconv.AppendUint(space[:0], uint64(v.rights), 36)
	about = strconv.AppendInt(append(about, '@'), v.hour(), 10)
	for _, part := range content {
		_, _ = hash.Write(part)
	}
	_, _ = hash.Write(about)
	_, _ = hash.WriteString(v.base)
	return strconv.FormatUint(hash.Sum64(), 36)
}

// searchVideos answers GET /v1/videos.
func searchVideos(f *facade, r *http.Request, values variables) (*reply, error) {
	for _, check := range []func(variables) error{settleDurations, checkReleaseDates, checkAgeBounds, checkWindow} {
		if err := check(values); err != nil {
			return nil, err
		}
	}
	data, err := f.run(r, "SearchVideos", values)
	if err != nil {
		return nil, err
	}
	number := strconv.AppendInt(nil, values["page"].(int64), 10)
	return f.page(r, "search:", [][]byte{data, number}, func() (*reply, error) {
		return f.searchPage(r, data, number)
	})
}

// searchPage makes the page of an answer of the domain.
func (f *facade) searchPage(r *http.Request, data, number []byte) (*reply, error) {
	references, rest := cutList(data, `{"references":`)
	totals, facets, _ := bytes.Cut(rest, []byte(`,"facetMap":`))
	facets = facets[:len(facets)-len(`}`)]
	answer, shown, err := f.withDocuments(r, references, `{"_embedded":{"videos":[`)
	if err != nil {
		return nil, err
	}
	b := append(answer.body, `],"facets":`...)
	b = append(append(append(append(b, facets...), `},"facets":`...), facets...), `,"page":{"size":`...)
	b = strconv.AppendInt(b, int64(shown), 10)
	b = append(append(renameTotals(b, totals), `,"number":`...), number...)
	answer.body = append(b, `}}`...)
	return answer, nil
}

// page answers with the page of this name as it is kept, or as it is made: for keeping, if it shows
// what its name says.
func (f *facade) page(r *http.Request, kind string, parts [][]byte, makePage func() (*reply, error)) (*reply, error) {
	view := f.view(r)
	tag := view.tag(parts...)
	name := f.pages.name(kind, &view, tag, parts...)
	if body := f.pages.get(r.Context(), plainForm, name); body != nil {
		return &reply{body: body, tag: tag, name: name}, nil
	}
	answer, err := makePage()
	if err != nil {
		return nil, err
	}
	if answer.exact {
		f.pages.put(r.Context(), plainForm, name, bytes.Clone(answer.body))
		answer.tag, answer.name = tag, name
	}
	return answer, nil
}

// renameTotals appends `,"total":1,"totalPages":2` as the page's members.
func renameTotals(b, totals []byte) []byte {
	total, pages, _ := bytes.Cut(bytes.TrimPrefix(totals, []byte(`,"total":`)), []byte(`,"totalPages":`))
	b = append(append(b, `,"totalElements":`...), total...)
	return append(append(b, `,"totalPages":`...), pages...)
}

// videoFeed answers GET /v1/feed/videos.
func videoFeed(f *facade, r *http.Request, values variables) (*reply, error) {
	data, err := f.run(r, "VideoFeed", values)
	if fault.CodeOf(err) == fault.Invalid { // all else has been checked
		return nil, nameParameter("cursor_id", err)
	}
	if err != nil {
		return nil, err
	}
	size := strconv.AppendInt(nil, values["first"].(int64), 10)
	return f.page(r, "feed:", [][]byte{data, size}, func() (*reply, error) {
		return f.feedPage(r, data, size)
	})
}

// feedPage makes the page of an answer of the domain.
func (f *facade) feedPage(r *http.Request, data, size []byte) (*reply, error) {
	references, rest := cutList(data, `{"references":`)
	answer, _, err := f.withDocuments(r, references, `{"_embedded":{"videos":[`)
	if err != nil {
		return nil, err
	}
	b := append(answer.body, `]},"_links":{`...)
	if cursor, ok := bytes.CutPrefix(rest, []byte(`,"pageInfo":{"endCursor":"`)); ok {
		cursor, _, _ = bytes.Cut(cursor, []byte{'"'})
		b = append(append(b, `"next":{"href":"`...), f.base(r)...)
		b = append(append(append(b, `/v1/feed/videos?cursor_id=`...), cursor...), `&size=`...)
		b = append(append(b, size...), `","templated":false}`...)
	}
	answer.body = append(b, `}}`...)
	return answer, nil
}

// withDocuments begins a body with the documents of references, separated by commas, behind a prefix, and
// says how many there are.
func (f *facade) withDocuments(r *http.Request, references []byte, prefix string) (*reply, int, error) {
	refs, err := parseReferences(references)
	if err != nil {
		return nil, 0, err
	}
	templates, exact, err := f.documents.get(r.Context(), refs)
	if err != nil {
		return nil, 0, err
	}
	view := f.view(r)
	answer := newPage()
	b := append(answer.body, prefix...)
	for i, template := range templates {
		if i > 0 {
			b = append(b, ',')
		}
		b = view.fill(b, template)
	}
	answer.body, answer.exact = b, exact
	return answer, len(templates), nil
}

// cutList takes the list behind a prefix off the front of data.
func cutList(data []byte, prefix string) (list, rest []byte) {
	data = bytes.TrimPrefix(data, []byte(prefix))
	end := bytes.IndexByte(data, ']') + 1
	return data[:end], data[end:]
}

// parseReferences reads a JSON list of references. They hold nothing that JSON escapes, so the list
// is cut, not decoded.
func parseReferences(list []byte) ([]catalogue.Ref, error) {
	text := string(list)
	refs := make([]catalogue.Ref, 0, strings.Count(text, ":"))
	for rest := strings.TrimPrefix(text, "["); len(rest) > 1; {
		end := strings.IndexByte(rest[1:], '"') + 1
		ref, ok := catalogue.ParseRef(rest[1:max(end, 1)])
		if !ok {
			return nil, fmt.Errorf("%q is no list of references", list)
		}
		refs = append(refs, ref)
		rest = strings.TrimPrefix(rest[end+1:], ",")
	}
	return refs, nil
}

// videoTypes answers GET /v1/video-types and GET /v1/videos/metadata.
func videoTypes(f *facade, r *http.Request, _ variables) (*reply, error) {
	return f.list(r, "VideoTypes", nil, "videoTypes", withoutSelf)
}

const maxMetadataBody = 64 << 10

// videoMetadata answers POST /v1/videos/metadata.
func videoMetadata(f *facade, r *http.Request, _ variables) (*reply, error) {
	ids, err := readIDs(r)
	if err != nil {
		return nil, err
	}
	data, err := f.run(r, "VideoMetadata", variables{"ids": ids})
	if err != nil {
		return nil, err
	}
	return &reply{body: append(append([]byte(`{"metadata":`), f.captionAddresses(r, data)...), '}')}, nil
}

// readIDs reads the body {"ids": [string]}; other members are ignored.
func readIDs(r *http.Request) ([]any, error) {
	text, err := readBody(r, maxMetadataBody)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fault.InvalidRequest("the body is not valid UTF-8")
	}
	var body struct {
		IDs *[]*string `json:"ids"`
	}
	if err := json.Unmarshal(text, &body); err != nil {
		return nil, fault.InvalidRequest("the body is not a JSON object with a list of strings \"ids\": %s", jsonFault(err))
	}
	switch {
	case body.IDs == nil:
		return nil, fault.InvalidRequest("ids is required")
	case len(*body.IDs) > catalogue.MaxVideosAtOnce:
		return nil, fault.InvalidRequest("ids has %d elements, at most %d are allowed", len(*body.IDs), catalogue.MaxVideosAtOnce)
	}
	ids := make([]any, len(*body.IDs))
	for i, id := range *body.IDs {
		if id == nil {
			return nil, fault.InvalidRequest("ids[%d] is null, not a string", i)
		}
		ids[i] = *id
	}
	return ids, nil
}

// jsonFault says what is wrong with a JSON text, without the names of our own types.
func jsonFault(err error) string {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return fmt.Sprintf("byte %d ends a %s where there should be none", wrongType.Offset, wrongType.Value)
	}
	return err.Error()
}

// transcript answers GET /v1/videos/{id}/transcript with a text to be saved.
func transcript(f *facade, r *http.Request, _ variables) (*reply, error) {
	id := idIn(r)
	data, err := f.run(r, "Transcript", variables{"videoId": id})
	if err != nil {
		return nil, err
	}
	var text *struct{ FileName, Text string }
	if err := json.Unmarshal(data, &text); err != nil {
		return nil, err
	}
	if text == nil {
		return nil, fault.Errorf(fault.NotFound, "there is no transcript of a video %q", id)
	}
	return &reply{
		contentType: textType, body: []byte(text.Text),
		disposition: mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName}),
	}, nil
}
