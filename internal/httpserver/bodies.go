package httpserver

import (
	"io"
	"net/http"
	"sync"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

// DefaultBodyMemory has room for about 60 of the largest batches of events at once, in bytes.
const DefaultBodyMemory = 256 << 20

// freeBody is the part of a body, in bytes, that does not count: the connection takes as much anyway. Single events
// therefore pass while large bodies are refused.
const freeBody = 8 << 10

// minShare is the minimum share of one client, in bytes: the largest batch in a buffer that grows by doubling.
const minShare = 8 << 20

// bodies accounts for the memory of request bodies until their requests end, in bytes. One client may hold a quarter of
// it, or minShare if that is more.
type bodies struct {
	most, share int64

	mutex sync.Mutex
	held  int64
	of    map[string]int64 // by holder
}

func newBodies(most int64) *bodies {
	return &bodies{most: most, share: max(most/4, minShare), of: map[string]int64{}}
}

// take adds bytes to those of a holder. If they do not fit, it adds none and returns an error of code Unavailable.
func (b *bodies) take(holder string, n int64) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case b.held+n > b.most:
		return errNoBodyMemory
	case b.of[holder]+n > b.share:
		return errNoShare
	}
	b.held += n
	b.of[holder] += n
	return nil
}

// give releases bytes of a holder.
func (b *bodies) give(holder string, n int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.held -= n
	if b.of[holder] -= n; b.of[holder] == 0 {
		delete(b.of, holder)
	}
}

// countedBody counts the memory into which a body is read, not its announced length.
type countedBody struct {
	io.ReadCloser
	of     *requestState
	holder string // "": the body holds nothing
	// read counts the decompressed bytes of the body and the memory of the decoder.
	read, held int64
}

// decoderMemory is the memory of a decoder, in bytes.
const decoderMemory = 48 << 10

// Read implements io.Reader. Without room it fails with code Unavailable and closes the connection, with the rest of the
// body unread.
func (c *countedBody) Read(into []byte) (int, error) {
	if more := c.read + int64(len(into)) - freeBody - c.held; more > 0 {
		if c.holder == "" {
			c.holder = c.of.bodyHolder()
		}
		if err := c.of.server.bodies.take(c.holder, more); err != nil {
			c.of.Header().Set("Connection", "close")
			return 0, err
		}
		c.held += more
	}
	n, err := c.ReadCloser.Read(into)
	c.read += int64(n)
	return n, err
}

var (
	errNoBodyMemory = fault.Errorf(fault.Unavailable, "too many large requests are being read")
	errNoShare      = fault.Errorf(fault.Unavailable, "too many large requests of this client are being read")
)

// bodyHolder returns the holder of a body: the client, or the address of a caller without one.
func (p *requestState) bodyHolder() string {
	if p.client != "" {
		return "client " + p.client
	}
	return "address " + p.server.AddressOf(p.request).String()
}

// noteClient makes the client of the caller the holder of the body.
func noteClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := account.CallerOf(r.Context())
		if p, ok := r.Context().Value(requestStateKey{}).(*requestState); ok && caller != nil && !caller.Stranger() {
			p.client = caller.ClientID
			if caller.Account != nil {
				p.account = caller.Account.ID
			}
		}
		next.ServeHTTP(w, r)
	})
}

// count decompresses the body of a request, and counts it until the request ends.
func (p *requestState) count(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	var memory int64
	if requestbody.Decode(r) {
		memory = decoderMemory
	}
	p.body = countedBody{ReadCloser: r.Body, of: p, read: memory}
	r.Body = &p.body
}

// release releases the memory of the body.
func (p *requestState) release() {
	if p.body.held > 0 {
		p.server.bodies.give(p.body.holder, p.body.held)
	}
}
