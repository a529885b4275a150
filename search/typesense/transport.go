package typesense

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// transport sends requests to whichever address of a cluster answers. It begins with the one that
// answered last. Reads try each address once. Writes, all of which may be repeated without harm, go
// round until patience has run out, with growing pauses: so long a cluster may be without a leader.
//
// An answer counts once its last byte has come: a server may die in the middle of it.
type transport struct {
	client    *http.Client
	addresses []*url.URL
	key       string
	patience  time.Duration
	preferred atomic.Uint32
}

const (
	// writePatience is how long a write is tried again: a cluster that has lost its leader takes nearly
	// nine seconds for a new one.
	writePatience = 15 * time.Second

	// The pauses between two rounds of a write.
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second

	// dialTimeout bounds how long an address is waited for that swallows what is sent to it, and
	// tryTimeout how long one address may take for an answer while there are others.
	dialTimeout = 2 * time.Second
	tryTimeout  = 20 * time.Second

	// maxAnswer bounds what is read of one answer, in bytes.
	maxAnswer = 256 << 20
)

// keyHeader carries the key: nothing else does.
const keyHeader = "X-Typesense-Api-Key"

// newTransport checks the addresses. Its errors hold no part of an address that could be a password.
func newTransport(options *Options) (*transport, error) {
	if len(options.Addresses) == 0 {
		return nil, errors.New("no address of a Typesense server")
	}
	t := &transport{
		client: &http.Client{
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
				TLSClientConfig:     options.TLS,
				TLSHandshakeTimeout: dialTimeout,
				MaxIdleConnsPerHost: 64,
				IdleConnTimeout:     time.Minute,
			},
			// The key goes to the addresses that were named and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		key:      options.Key,
		patience: writePatience,
	}
	for _, address := range options.Addresses {
		parsed, err := url.Parse(address)
		if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" ||
			parsed.User != nil || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" {
			return nil, errors.New("an address of a Typesense server is not of the form http://HOST:PORT or https://HOST:PORT")
		}
		t.addresses = append(t.addresses, parsed)
	}
	return t, nil
}

// Do implements the Doer of the generated client. The answer's body is in memory. An answer by which
// every node says that it cannot answer now is returned as it is.
func (t *transport) Do(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	ends := time.Now().Add(t.patience)
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		response, err := t.round(request)
		if err == nil && !cannotNow(response) || isRead(request) || time.Now().Add(pause).After(ends) {
			return response, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// round tries each address once.
func (t *transport) round(request *http.Request) (response *http.Response, err error) {
	first, count := t.preferred.Load(), uint32(len(t.addresses))
	for tried := range count {
		if err := request.Context().Err(); err != nil {
			return nil, err
		}
		place := (first + tried) % count
		response, err = t.send(request, t.addresses[place], int(count-tried))
		if err == nil && !cannotNow(response) {
			t.preferred.Store(place)
			return response, nil
		}
	}
	return response, err
}

// send tries one address. While there are others, it leaves them a share of the time that is left.
func (t *transport) send(request *http.Request, address *url.URL, left int) (*http.Response, error) {
	ctx := request.Context()
	if left > 1 {
		limit := tryTimeout
		if deadline, ok := ctx.Deadline(); ok {
			limit = min(limit, time.Until(deadline)/time.Duration(left))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	sent := request.Clone(ctx)
	sent.URL.Scheme, sent.URL.Host, sent.Host = address.Scheme, address.Host, ""
	if request.GetBody != nil {
		body, err := request.GetBody()
		if err != nil {
			return nil, err
		}
		sent.Body = body
	}
	sent.Header.Set(keyHeader, t.key)
	// All may be repeated, so net/http does where a connection that lay idle has gone; the header is not
	// sent when it is empty.
	sent.Header["Idempotency-Key"] = nil
	response, err := t.client.Do(sent)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswer {
		return nil, errors.New("the answer is too long")
	}
	response.Body = answer{bytes.NewReader(body), body}
	return response, nil
}

// answer is a body that was read.
type answer struct {
	*bytes.Reader
	all []byte
}

func (answer) Close() error { return nil }

// isRead reports whether a request changes nothing.
func isRead(request *http.Request) bool {
	return request.Method == http.MethodGet || strings.HasSuffix(request.URL.Path, "/multi_search")
}

// cannotNow reports whether a node says that it cannot answer now: 503, or the 500 of a follower that
// knows no leader. Its third way to say so, status 0, is an error of net/http.
func cannotNow(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusServiceUnavailable:
		return true
	case http.StatusInternalServerError:
		body, ok := response.Body.(answer)
		return ok && bytes.Contains(body.all, []byte("Could not find a leader"))
	}
	return false
}
