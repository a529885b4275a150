package typesense

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// transport sends requests to whichever address of a cluster answers. It begins with the one that
// answered last. Reads try each address once. Writes, all of which may be repeated without harm, go
// round until patience has run out, with growing pauses: so long a cluster may be without a leader.
type transport struct {
	client    *http.Client
	addresses []*url.URL
	key       string
	patience  time.Duration
	preferred atomic.Uint32
}

// The pauses between two rounds of a write.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second
)

// keyHeader carries the key: nothing else does.
const keyHeader = "X-Typesense-Api-Key"

// Do implements the Doer of the generated client. A response that says that its node cannot answer now
// is tried elsewhere, and returned if there is nothing else.
func (t *transport) Do(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	ends := time.Now().Add(t.patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		response, err := t.round(request)
		final := err == nil && !awaitsLeader(response)
		if final || isRead(request) || ctx.Err() != nil || time.Now().Add(pause).After(ends) {
			return response, err
		}
		if response != nil {
			drop(response)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// round tries each address once.
func (t *transport) round(request *http.Request) (*http.Response, error) {
	first := t.preferred.Load()
	for tried := range uint32(len(t.addresses)) {
		place := (first + tried) % uint32(len(t.addresses))
		response, err := t.send(request, t.addresses[place])
		last := int(tried) == len(t.addresses)-1
		switch {
		case err == nil && !awaitsLeader(response):
			t.preferred.Store(place)
			return response, nil
		case last || request.Context().Err() != nil:
			return response, err
		case err == nil:
			drop(response)
		}
	}
	return nil, errors.New("no address")
}

func (t *transport) send(request *http.Request, address *url.URL) (*http.Response, error) {
	sent := request.Clone(request.Context())
	sent.URL.Scheme, sent.URL.Host, sent.Host = address.Scheme, address.Host, ""
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		sent.Body = body
	}
	sent.Header.Set(keyHeader, t.key)
	return t.client.Do(sent)
}

// isRead reports whether a request changes nothing.
func isRead(request *http.Request) bool {
	return request.Method == http.MethodGet || strings.HasSuffix(request.URL.Path, "/multi_search")
}

// awaitsLeader reports whether a node says that it cannot answer now: 503, or the 500 of a follower
// that knows no leader. Its other way to say so, status 0, is an error of net/http. The body can still
// be read.
func awaitsLeader(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusServiceUnavailable:
		return true
	case http.StatusInternalServerError:
		start, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
		response.Body = rejoined{io.MultiReader(strings.NewReader(string(start)), response.Body), response.Body}
		return err == nil && strings.Contains(string(start), "Could not find a leader")
	}
	return false
}

// rejoined is a body of which the start was read already.
type rejoined struct {
	io.Reader
	io.Closer
}

// drop reads a short rest, so that the connection can be used again, and closes.
func drop(response *http.Response) {
	_, _ = io.CopyN(io.Discard, response.Body, 1<<16)
	_ = response.Body.Close()
}

// within ends a call of a write after so long.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, limit)
}
