package rest

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// trustedLength is up to which length a body that is announced is made room for before it comes.
const trustedLength = 64 << 10

// readBody reads a body of JSON, of at most so many bytes.
func readBody(r *http.Request, most int) ([]byte, error) {
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, unsupportedEncoding(encoding)
	}
	if given := r.Header.Get("Content-Type"); !isJSON(given) {
		return nil, unsupportedMediaType(given)
	}
	if r.ContentLength > int64(most) {
		return nil, errTooLarge
	}
	room := min(max(r.ContentLength, 0), trustedLength) + bytes.MinRead // with which ReadFrom asks for no more
	body := bytes.NewBuffer(make([]byte, 0, room))
	switch _, err := body.ReadFrom(io.LimitReader(r.Body, int64(most)+1)); {
	case catalogue.CodeOf(err) == catalogue.Unavailable:
		return nil, err
	case err != nil:
		return nil, &catalogue.Error{Code: catalogue.Invalid, Message: "the body ended early", Cause: err}
	}
	if body.Len() > most {
		return nil, errTooLarge
	}
	return body.Bytes(), nil
}

func isJSON(contentType string) bool {
	if contentType == jsonType { // as nearly every client writes it
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && (mediaType == jsonType || mediaType == halType)
}
