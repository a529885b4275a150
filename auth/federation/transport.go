package federation

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/internal/egress"
)

const (
	// maxBody is the maximum size of a provider's response in bytes. Key sets and discovery documents have about ten
	// thousand.
	maxBody = 1 << 20
	// maxRedirects is the maximum number of redirects to a document.
	maxRedirects = 3
)

var (
	errBodyTooLong = errors.New("the identity provider's response is longer than 1 MiB")
	errRedirect    = errors.New("the identity provider sent a redirect that is not allowed")
)

// boundedClient returns an HTTP client with a timeout and a limit on response sizes.
func boundedClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	if transport == nil {
		transport = egress.NewTransport(egress.Options{})
	}
	return &http.Client{Transport: bounded{transport}, Timeout: timeout, CheckRedirect: checkRedirect}
}

// checkRedirect follows redirects of documents, but not of requests that carry a code, token or secret, because those
// are for one address only. It does not follow redirects from https to http.
func checkRedirect(next *http.Request, before []*http.Request) error {
	first := before[0]
	if first.Method != http.MethodGet || first.Header.Get("Authorization") != "" || len(before) > maxRedirects {
		return errRedirect
	}
	if next.URL.Scheme != "https" && (first.URL.Scheme == "https" || next.URL.Host != first.URL.Host) {
		return errRedirect
	}
	return nil
}

// bounded is a transport whose response bodies return an error when they become too long.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = &boundedBody{ReadCloser: answer.Body, left: maxBody}
	return answer, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBodyTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
