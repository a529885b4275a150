// Package requestbody reads request bodies of limited size, optionally compressed with gzip.
package requestbody

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// Error is an error that the client caused. Read returns one with status 415 for a Content-Encoding other than gzip and
// identity (RFC 9110, section 15.5.16).
type Error struct {
	Status  int // of the response
	Message string
	coding  bool // the content encoding is not supported
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Is makes each error of a body that is too large an ErrTooLarge, whatever limit it names.
func (e *Error) Is(target error) bool {
	return target == ErrTooLarge && e.Status == ErrTooLarge.Status
}

// SetHeader sets the header that names the supported coding (RFC 9110, section 12.5.3) if the body has another.
func (e *Error) SetHeader(header http.Header) {
	if e.coding {
		header.Set("Accept-Encoding", "gzip")
	}
}

// The errors of Read, beside unsupported codings. The message of a body that is too large names the limit, too.
var (
	ErrTooLarge = &Error{Status: http.StatusRequestEntityTooLarge, Message: "the body is too large"}
	ErrDamaged  = &Error{Status: http.StatusBadRequest, Message: "the body is not valid gzip"}
	ErrCutOff   = &Error{Status: http.StatusBadRequest, Message: "the body ended early"}
)

// trustedLength is the maximum announced length for which memory is allocated in advance.
const trustedLength = 64 << 10

// Read returns the decompressed body of a request, which may have at most most bytes. The error wraps an *Error, or is
// one with code Unavailable that the body itself returned.
func Read(r *http.Request, most int64) ([]byte, error) {
	Decode(r)
	if coding := codingOf(r.Header); coding != "" && !isEmpty(r) {
		message := fmt.Sprintf("the content encoding %q is not supported: send the body compressed with gzip or uncompressed", coding)
		return nil, &Error{http.StatusUnsupportedMediaType, message, true}
	}
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	capacity := min(max(r.ContentLength, 0), trustedLength) + bytes.MinRead // with which ReadFrom asks for no more
	body := bytes.NewBuffer(make([]byte, 0, capacity))
	switch _, err := body.ReadFrom(io.LimitReader(r.Body, most+1)); {
	case fault.CodeOf(err) == fault.Unavailable, errors.Is(err, ErrDamaged):
		return nil, err
	case errors.Is(err, ErrTooLarge):
		return nil, tooLarge(most)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCutOff, err)
	case int64(body.Len()) > most:
		return nil, tooLarge(most)
	}
	return body.Bytes(), nil
}

// tooLarge returns the ErrTooLarge that names the limit.
func tooLarge(most int64) *Error {
	limit := fmt.Sprintf("%d bytes", most)
	switch {
	case most%(1<<20) == 0:
		limit = fmt.Sprintf("%d MiB", most>>20)
	case most%(1<<10) == 0:
		limit = fmt.Sprintf("%d KiB", most>>10)
	}
	return &Error{Status: ErrTooLarge.Status, Message: "the body is longer than " + limit + ", after any decompression"}
}

// Decode replaces a gzip body of a request by its decompressed content and reports whether it did. The request then
// has no Content-Encoding and an unknown length. Other requests stay unchanged.
func Decode(r *http.Request) bool {
	if coding := codingOf(r.Header); coding != "gzip" && coding != "x-gzip" || isEmpty(r) {
		return false
	}
	r.Header.Del("Content-Encoding")
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	r.Body = &decoder{body: r.Body}
	return true
}

func isEmpty(r *http.Request) bool {
	return r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0
}

// codingOf returns the content coding in lower case, or "" if there is none.
func codingOf(header http.Header) string {
	given := header["Content-Encoding"]
	if len(given) == 0 {
		return ""
	}
	var codings []string
	for coding := range strings.SplitSeq(strings.Join(given, ","), ",") {
		if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "" && coding != "identity" {
			codings = append(codings, coding)
		}
	}
	return strings.Join(codings, ", ")
}

// decoder decompresses a body while it is read. It stores no more than its window.
type decoder struct {
	body          io.ReadCloser
	gzip          *gzip.Reader
	read, written int64 // compressed and decompressed bytes
	err           error // the error of the body itself
	ended         error // the error that Read returned; nil if it can continue
}

// slack is how much larger than the content the compressed body may be, because compressed data without content can
// be endless. It is more than the decoder reads for one window.
const slack = 128 << 10

// Read implements io.Reader.
func (d *decoder) Read(into []byte) (int, error) {
	if d.ended != nil {
		return 0, d.ended
	}
	if d.gzip == nil {
		unpacked, err := gzip.NewReader((*compressed)(d))
		if err != nil {
			d.ended = d.fault(err)
			return 0, d.ended
		}
		d.gzip = unpacked
	}
	n, err := d.gzip.Read(into)
	d.written += int64(n)
	d.ended = d.fault(err)
	return n, d.ended
}

// fault converts an error of the decompressor to an error of this package.
func (d *decoder) fault(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == nil, errors.Is(err, io.EOF) && d.err == io.EOF: //nolint:errorlint // it is this very value
		return err
	case d.err != nil && d.err != io.EOF: //nolint:errorlint // it is this very value
		return d.err
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &corrupt):
		return ErrDamaged
	}
	return err
}

// Close implements io.Closer.
func (d *decoder) Close() error { return d.body.Close() }

// compressed is the compressed body as the decoder reads it.
type compressed decoder

// Read implements io.Reader.
func (c *compressed) Read(into []byte) (int, error) {
	if c.read > c.written+slack {
		c.err = ErrTooLarge
		return 0, c.err
	}
	n, err := c.body.Read(into)
	c.read += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}
