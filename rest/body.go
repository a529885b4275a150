package rest

import (
	"mime"
	"net/http"

	"github.com/filmstrip/filmstrip/internal/requestbody"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// readBody reads a JSON body of at most so many bytes.
func readBody(r *http.Request, most int) ([]byte, error) {
	if given := r.Header.Get("Content-Type"); !isJSON(given) {
		return nil, unsupportedMediaType(given)
	}
	return requestbody.Read(r, int64(most))
}

func isJSON(contentType string) bool {
	if contentType == openapi.JSONType { // as nearly every client writes it
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == openapi.JSONType || mediaType == openapi.HALType)
}
