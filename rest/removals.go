package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// removedVideos serves GET /v1/feed/removed-videos.
func removedVideos(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	data, err := f.run(r, "RemovedVideos", values)
	if fault.CodeOf(err) == fault.Invalid { // all else has been checked
		return nil, nameParameter("cursor_id", err)
	}
	if err != nil {
		return nil, err
	}
	view := f.view(r)
	return &reply{body: hal.RemovedPage(&view, data, values["first"].(int64))}, nil
}
