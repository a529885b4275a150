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

// transport sends requests to the first address of a cluster that answers. It starts with the address that answered
// last. A read tries each address once. Writes are all idempotent: a write tries all addresses in rounds, with growing
// pauses, until patience runs out, because a cluster can be without a leader for that long.
//
// A response counts once its last byte has arrived: a server may die while it sends a response.
type transport struct {
	client    *http.Client
	addresses []*url.URL
	key       string
	patience  time.Duration
	attempt   time.Duration
	preferred atomic.Uint32
}

const (
	// writePatience is the duration for which transport retries a write. A cluster that loses its leader takes almost
	// nine seconds to elect a new one, and some attempts may time out.
	writePatience = 40 * time.Second

	// The first and the longest pause between two rounds of a write.
	firstPause = 50 * time.Millisecond
	lastPause  = time.Second

	// dialTimeout limits the connection to an address that drops packets.
	dialTimeout = 2 * time.Second
	// writeTimeout limits the first attempt of a write; each round doubles it. A server that has just started may
	// accept a request and never answer it.
	writeTimeout = 5 * time.Second

	// maxAnswer is the maximum size of a response in bytes. The words of ten million videos take about 40 bytes each.
	maxAnswer = 1 << 30
)

// keyHeader is the only part of a request that contains the key.
const keyHeader = "X-Typesense-Api-Key"

// newTransport validates the addresses. Its errors contain no part of an address, which could include a password.
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
				// Between two servers in one data center, compression takes longer than it saves.
				DisableCompression: true,
			},
			// Redirects would send the key to an address that is not configured.
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

// Do implements the Doer of the generated client. The response body is in memory. If every node replies that it cannot
// answer now, Do returns the last of these responses.
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
		// A restarted server needs a new connection: it may never answer a request that it accepts on a connection from
		// its first moments.
		t.client.CloseIdleConnections()
	}
}

// round tries each address once, each for at most limit. If limit is 0, each address gets an equal share of the time
// that remains until the deadline of the request.
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

// send tries one address for at most limit. If limit is 0, only the deadline of the request applies.
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
	// With this key, net/http retries the request if an idle connection has been closed. net/http does not send an
	// empty header.
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

// answer is a response body in memory.
type answer struct {
	*bytes.Reader
	all []byte
}

func (answer) Close() error { return nil }

// isRead reports whether a request changes nothing.
func isRead(request *http.Request) bool {
	return request.Method == http.MethodGet || strings.HasSuffix(request.URL.Path, "/multi_search")
}

// cannotNow reports whether a node replies that it cannot answer now: with 503, or with the 500 of a follower that
// knows no leader. The third such reply, status 0, is an error of net/http.
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
