package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/usage"
)

// The limits on published digests.
const (
	maxPublished     = 64 << 20 // bytes
	publishedTimeout = time.Minute
	maxRedirects     = 3
)

// readDigests reads published digests from a file, a URL, or, for -, standard input.
func readDigests(ctx context.Context, from string, console console) (_ []usage.PublishedDigest, err error) {
	var in io.ReadCloser
	switch {
	case strings.HasPrefix(from, "http://"), strings.HasPrefix(from, "https://"):
		ctx, cancel := context.WithTimeout(ctx, publishedTimeout)
		defer cancel()
		in, err = fetchDigests(ctx, from)
	case strings.Contains(from, "://"):
		return nil, fmt.Errorf("%s is neither a file nor an address that starts with http:// or https://", from)
	case from == "-":
		in = io.NopCloser(console.in)
	default:
		in, err = os.Open(from)
	}
	if err != nil {
		return nil, fmt.Errorf("published digests cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	text, err := io.ReadAll(io.LimitReader(in, maxPublished+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("published digests cannot be read: %w", err)
	case len(text) > maxPublished:
		return nil, fmt.Errorf("%s is larger than %d MiB, the maximum for published digests", from, maxPublished>>20)
	}
	if from == "-" {
		from = "standard input"
	}
	published, err := usage.ParseDigests(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", from, err)
	case len(published) == 0:
		return nil, fmt.Errorf("%s contains no digest", from)
	}
	return published, nil
}

// fetchDigests fetches a URL. It follows a few redirects, but never from https to http.
func fetchDigests(ctx context.Context, address string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{CheckRedirect: func(to *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		case via[0].URL.Scheme == "https" && to.URL.Scheme != "https":
			return fmt.Errorf("redirect from https to %s", to.URL.Scheme)
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("%s answers %s", response.Request.URL, response.Status), response.Body.Close())
	}
	return response.Body, nil
}
