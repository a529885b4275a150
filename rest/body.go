package rest

import (
	"errors"
	"mime"
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/requestbody"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// readBody reads a JSON body of at most so many bytes.
func readBody(r *http.Request, most int) ([]byte, error) {
	if given := r.Header.Get("Content-Type"); !isJSON(given) {
		return nil, unsupportedMediaType(given)
	}
	body, err := requestbody.Read(r, int64(most))
	var coding *requestbody.UnsupportedCodingError
	switch {
	case errors.As(err, &coding):
		return nil, &statusError{http.StatusUnsupportedMediaType, coding.Error(), coding.SetHeader}
	case errors.Is(err, requestbody.ErrTooLarge):
		return nil, errTooLarge
	case errors.Is(err, requestbody.ErrDamaged):
		return nil, fault.InvalidRequest("%v", requestbody.ErrDamaged)
	case errors.Is(err, requestbody.ErrCutOff):
		return nil, &fault.Error{Code: fault.Invalid, Message: requestbody.ErrCutOff.Error(), Cause: err}
	}
	return body, err
}

func isJSON(contentType string) bool {
	if contentType == openapi.JSONType { // as nearly every client writes it
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == openapi.JSONType || mediaType == openapi.HALType)
}
