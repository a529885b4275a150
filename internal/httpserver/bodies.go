package httpserver

import (
	"io"
	"net/http"
	"sync"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

// DefaultBodyMemory is for about sixty of the largest batches of events at once.
const DefaultBodyMemory = 256 << 20

// freeBody is what a request may read of its body without asking: no more than its connection takes anyway, so that
// single events come through while large bodies are refused.
const freeBody = 8 << 10

// minShare is the least that one client may hold: the largest batch in a buffer that grows by doubling.
const minShare = 8 << 20

// bodies is the memory for bodies that requests are reading, or have read and are not done with, in bytes. One client
// may hold a quarter of it, or minShare where that is more.
type bodies struct {
	most, share int64

	mutex sync.Mutex
	held  int64
	of    map[string]int64 // by holder
}

func newBodies(most int64) *bodies {
	return &bodies{most: most, share: max(most/4, minShare), of: map[string]int64{}}
}

// take has a holder hold so many more bytes, or none of them with an error of code Unavailable.
func (b *bodies) take(holder string, n int64) error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case b.held+n > b.most:
		return errNoRoom
	case b.of[holder]+n > b.share:
		return errNoShare
	}
	b.held += n
	b.of[holder] += n
	return nil
}

// give gives back what a holder held.
func (b *bodies) give(holder string, n int64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.held -= n
	if b.of[holder] -= n; b.of[holder] == 0 {
		delete(b.of, holder)
	}
}

// countedBody is a body that pays for the room into which it is read, not for the length that was announced.
type countedBody struct {
	io.ReadCloser
	of     *requestState
	holder string // "": nothing is held
	// read counts the bytes of the body, decompressed, and with them those of what decompresses it.
	read, held int64
}

// decoderRoom is what decompressing a body takes while it lasts.
const decoderRoom = 48 << 10

// Read implements io.Reader. Once there is no room it fails with code Unavailable and reads no more: the rest of a body
// that nobody waits for ends with its connection.
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
	errNoRoom  = fault.Errorf(fault.Unavailable, "too many large requests are being read")
	errNoShare = fault.Errorf(fault.Unavailable, "too many large requests of this client are being read")
)

// bodyHolder is whose share a body takes from: the client's, or where nobody vouches for the caller the address's.
func (p *requestState) bodyHolder() string {
	if p.client != "" {
		return "client " + p.client
	}
	return "address " + p.server.AddressOf(p.request).String()
}

// noteClient has the bodies of a client's requests counted as the client's.
func noteClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := account.CallerOf(r.Context())
		if p, ok := r.Context().Value(requestStateKey{}).(*requestState); ok && caller != nil && !caller.Stranger() {
			p.client = caller.ClientID
		}
		next.ServeHTTP(w, r)
	})
}

// count has the body of a request decompressed, and counted until the request is done with.
func (p *requestState) count(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	var room int64
	if requestbody.Decode(r) {
		room = decoderRoom
	}
	p.body = countedBody{ReadCloser: r.Body, of: p, read: room}
	r.Body = &p.body
}

// release gives back what the body took.
func (p *requestState) release() {
	if p.body.held > 0 {
		p.server.bodies.give(p.body.holder, p.body.held)
	}
}
