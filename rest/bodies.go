package rest

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
)

// DefaultBodyMemory is for about sixty of the largest batches of events at once.
const DefaultBodyMemory = 256 << 20

// freeBody is what a request may read of its body without asking: no more than its connection takes anyway, so that
// single events come through while large bodies are refused.
const freeBody = 8 << 10

// bodies is the memory for bodies that requests are reading, or have read and are not done with, in bytes.
type bodies struct {
	most int64
	held atomic.Int64
}

// take reports whether so many more bytes may be held; where they may, they are.
func (b *bodies) take(n int64) bool {
	if b.held.Add(n) <= b.most {
		return true
	}
	b.held.Add(-n)
	return false
}

// countedBody is a body that pays for the room into which it is read, not for the length that was announced.
type countedBody struct {
	io.ReadCloser
	of         *bodies
	header     http.Header // of the answer
	read, held int64
}

// Read implements io.Reader. Once there is no room it fails with code Unavailable and reads no more: the rest of a body
// that nobody waits for ends with its connection.
func (c *countedBody) Read(into []byte) (int, error) {
	if more := c.read + int64(len(into)) - freeBody - c.held; more > 0 {
		if !c.of.take(more) {
			c.header.Set("Connection", "close")
			return 0, errNoRoom
		}
		c.held += more
	}
	n, err := c.ReadCloser.Read(into)
	c.read += int64(n)
	return n, err
}

var errNoRoom = catalogue.Errorf(catalogue.Unavailable, "too many large requests are being read")

// count has the body of a request counted until the request is done with.
func (p *passage) count(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	p.body = countedBody{ReadCloser: r.Body, of: &p.façade.bodies, header: p.Header()}
	r.Body = &p.body
}

// release gives back what the body took.
func (p *passage) release() {
	if p.body.held > 0 {
		p.body.of.held.Add(-p.body.held)
	}
}
