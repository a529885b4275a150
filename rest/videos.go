package rest

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// video serves GET /v1/videos/{id}. If the document is cached, this costs one small operation, one cache lookup and filling the
// slots.
func video(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["id"] = idIn(r)
	data, err := f.run(r, "VideoReference", values)
	if err != nil {
		return nil, err
	}
	view := f.view(r)
	page, found, err := f.documents.Video(r.Context(), &view, data)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.Errorf(fault.NotFound, "there is no video %q", idIn(r))
	}
	answer := pageReply(page)
	if page.Exact {
		answer.tag = view.Tag(data)
		answer.name = f.pages.Name("video:", &view, answer.tag, data)
	}
	return answer, nil
}

// searchVideos serves GET /v1/videos.
func searchVideos(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	for _, check := range []func(hal.Variables) error{settleDurations, checkReleaseDates, checkAgeBounds} {
		if err := check(values); err != nil {
			return nil, err
		}
	}
	place := hal.PlaceOf(r.URL, values["size"].(int64), values["page"].(int64))
	return f.answered(r, "SearchVideos", values, func(data []byte) (*reply, error) {
		return f.searchPage(r, data, place)
	})
}

// similarVideos serves GET /v1/videos/{id}/similar.
func similarVideos(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["videoId"] = idIn(r)
	place := hal.PlaceOf(r.URL, 0, 0)
	return f.answered(r, "SimilarVideos", values, func(data []byte) (*reply, error) {
		if string(data) == "null" {
			return nil, fault.Errorf(fault.NotFound, "there is no video %q", idIn(r))
		}
		return f.searchPage(r, data, place)
	})
}

// searchPage replies with a page of videos whose links depend on its address.
func (f *facade) searchPage(r *http.Request, data []byte, place hal.Place) (*reply, error) {
	return f.page(r, "search:", [][]byte{data, place.Address()}, func(view hal.View) (hal.Page, error) {
		return f.documents.SearchPage(r.Context(), &view, data, place)
	})
}

// page replies with the cached page of this name, or writes the page. It caches a page that shows exactly the versions in its
// name.
func (f *facade) page(r *http.Request, kind string, parts [][]byte, write func(view hal.View) (hal.Page, error)) (*reply, error) {
	view := f.view(r)
	tag := view.Tag(parts...)
	name := f.pages.Name(kind, &view, tag, parts...)
	if body := f.pages.Get(r.Context(), name); body != nil {
		return &reply{body: body, tag: tag, name: name}, nil
	}
	page, err := write(view)
	if err != nil {
		return nil, err
	}
	answer := pageReply(page)
	if page.Exact {
		f.pages.Put(r.Context(), name, page.Body)
		answer.tag, answer.name = tag, name
	}
	return answer, nil
}

// videoFeed serves GET /v1/feed/videos.
func videoFeed(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	size := strconv.AppendInt(nil, values["first"].(int64), 10)
	answer, err := f.answered(r, "VideoFeed", values, func(data []byte) (*reply, error) {
		return f.page(r, "feed:", [][]byte{data, size}, func(view hal.View) (hal.Page, error) {
			return f.documents.FeedPage(r.Context(), &view, data, size)
		})
	})
	if fault.CodeOf(err) == fault.Invalid { // all else has been checked
		return nil, nameParameter("cursor_id", err)
	}
	return answer, err
}

// metadataFields are the fields of the body of videoMetadata, and maxMetadataBody is its limit in bytes.
var metadataFields = []field{required("ids", aList(aText))}

const maxMetadataBody = 64 << 10

// videoMetadata serves POST /v1/videos/metadata.
func videoMetadata(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readObjectOf(r, maxMetadataBody, metadataFields)
	if err != nil {
		return nil, err
	}
	data, err := f.run(r, "VideoMetadata", input)
	if err != nil {
		return nil, err
	}
	return &reply{body: hal.Metadata(data, f.base(r))}, nil
}

// transcript serves GET /v1/videos/{id}/transcript as a text file.
func transcript(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	id := idIn(r)
	data, err := f.run(r, "Transcript", hal.Variables{"videoId": id})
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
		contentType: openapi.TextType, body: []byte(text.Text),
		disposition: mime.FormatMediaType("attachment", map[string]string{"filename": text.FileName}),
	}, nil
}
