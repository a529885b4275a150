package rest

import (
	"bytes"
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// ofVideo replies with the result of an operation for the {videoId} of the path. none is the result for a video without such
// data; "" means that every video has some.
func ofVideo(operation, what, none string) endpoint {
	return func(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
		id := httpserver.Variable(r, "videoId")
		data, err := f.run(r, operation, hal.Variables{"videoId": id})
		if err != nil {
			return nil, err
		}
		if bytes.Equal(data, []byte("null")) || string(data) == none {
			return nil, fault.Errorf(fault.NotFound, "there is no %s of a video %q", what, id)
		}
		return &reply{body: data}, nil
	}
}
