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
	attempt   time.Duration
	preferred atomic.Uint32
}

const (
	// writePatience is how long a write is tried again: a cluster that has lost its leader takes nearly
	// nine seconds for a new one, and some attempts may wait for nothing.
	writePatience = 40 * time.Second

	// The pauses between two rounds of a write.
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second

	// dialTimeout bounds how long an address is waited for that swallows what is sent to it.
	dialTimeout = 2 * time.Second
	// writeTimeout bounds the first attempt of a write; each round doubles it. A server that has just
	// started may take a request and never answer it.
	writeTimeout = 5 * time.Second

	// maxAnswer bounds what is read of one answer, in bytes: the words of ten million videos are some 40 bytes
	// each.
	maxAnswer = 1 << 30
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
				// Between two servers of one house, packing and unpacking takes longer than sending.
				DisableCompression: true,
			},
			// The key goes to the addresses that were named and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		key:      options.Key,
		patience: writePatience,
		attempt:  writeTimeout,
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
	limit := t.attempt
	if isRead(request) {
		limit = 0
	}
	for pause := firstPause; ; pause, limit = min(2*pause, lastPause), 2*limit {
		response, err := t.round(request, limit)
		if err == nil && !cannotNow(response) || isRead(request) || time.Now().Add(pause).After(ends) {
			return response, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		// A server that was started again is spoken to anew: what it takes on a connection of its first
		// moments it may never answer.
		t.client.CloseIdleConnections()
	}
}

// round tries each address once, each for so long; 0: for an equal share of the time that the request
// has.
func (t *transport) round(request *http.Request, limit time.Duration) (response *http.Response, err error) {
	first, count := t.preferred.Load(), uint32(len(t.addresses))
	for tried := range count {
		if err := request.Context().Err(); err != nil {
			return nil, err
		}
		share := limit
		if deadline, ok := request.Context().Deadline(); ok && share == 0 {
			share = time.Until(deadline) / time.Duration(count-tried)
		}
		place := (first + tried) % count
		response, err = t.send(request, t.addresses[place], share)
		if err == nil && !cannotNow(response) {
			t.preferred.Store(place)
			return response, nil
		}
	}
	return response, err
}

// send tries one address for so long; 0: for as long as the request has time.
func (t *transport) send(request *http.Request, address *url.URL, limit time.Duration) (*http.Response, error) {
	ctx := request.Context()
	if limit > 0 {
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
	// net/http then sends the request again where a connection that lay idle has gone; the empty header is not
	// sent.
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
