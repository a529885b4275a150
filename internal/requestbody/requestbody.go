// Package requestbody reads the bodies of requests, compressed with gzip or not, within bounds.
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

// What is wrong with a body that Read does not return. Each is a fault of the client.
var (
	ErrTooLarge = errors.New("the body is larger than this endpoint takes")
	ErrDamaged  = errors.New("the body is not valid gzip")
	ErrCutOff   = errors.New("the body ended early")
)

// UnsupportedCodingError is a Content-Encoding other than gzip and identity (RFC 9110, section 15.5.16). Its answer
// has status 415 and names the coding that is supported.
type UnsupportedCodingError struct {
	// Coding is the header as the client sent it.
	Coding string
}

// Error implements error.
func (e *UnsupportedCodingError) Error() string {
	return fmt.Sprintf("the content encoding %q is not supported: send the body with gzip, or as it is", e.Coding)
}

// SetHeader tells the client what is supported (RFC 9110, section 12.5.3).
func (*UnsupportedCodingError) SetHeader(header http.Header) { header.Set("Accept-Encoding", "gzip") }

// trustedLength is up to which announced length room is made for a body before it comes.
const trustedLength = 64 << 10

// Read returns the body of a request, decompressed, of at most so many bytes. Its error is one of this package, or the
// error of code Unavailable that the body itself returned.
func Read(r *http.Request, most int64) ([]byte, error) {
	Decode(r)
	if coding := codingOf(r.Header); coding != "" && !isEmpty(r) {
		return nil, &UnsupportedCodingError{Coding: coding}
	}
	if r.ContentLength > most {
		return nil, ErrTooLarge
	}
	room := min(max(r.ContentLength, 0), trustedLength) + bytes.MinRead // with which ReadFrom asks for no more
	body := bytes.NewBuffer(make([]byte, 0, room))
	switch _, err := body.ReadFrom(io.LimitReader(r.Body, most+1)); {
	case fault.CodeOf(err) == fault.Unavailable, errors.Is(err, ErrTooLarge), errors.Is(err, ErrDamaged):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrCutOff, err)
	case int64(body.Len()) > most:
		return nil, ErrTooLarge
	}
	return body.Bytes(), nil
}

// Decode has the body of a request read decompressed where it is compressed with gzip, and reports whether it is. The
// request is then one without Content-Encoding, of unknown length. Other requests stay as they are.
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

// codingOf is the coding of a body in lower case; "": there is none.
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

// decoder decompresses a body while it is read. It holds no more than its window.
type decoder struct {
	body          io.ReadCloser
	gzip          *gzip.Reader
	read, written int64 // compressed and decompressed bytes
	err           error // what the body itself returned
	ended         error // what Read returned last; nil: it goes on
}

// slack is by how much the compressed form of a body may be larger than the body: compressed data without content has
// no end otherwise. It is more than the decoder reads for one window.
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

// fault is the error of this package for one of decompressing.
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

// compressed is the body as a decoder reads it.
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
