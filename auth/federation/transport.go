package federation

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/internal/egress"
)

const (
	// maxBody is the longest answer of a provider, in bytes. Key sets and discovery documents have
	// some ten thousand.
	maxBody = 1 << 20
	// maxRedirects is how often a provider may say that a document lies elsewhere.
	maxRedirects = 3
)

var (
	errBodyTooLong = errors.New("the identity provider's answer is longer than 1 MiB")
	errRedirect    = errors.New("the identity provider redirects where it must not")
)

// boundedClient carries requests to providers within a time, and reads bounded answers.
func boundedClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	if transport == nil {
		transport = egress.NewTransport(egress.Options{})
	}
	return &http.Client{Transport: bounded{transport}, Timeout: timeout, CheckRedirect: checkRedirect}
}

// checkRedirect follows documents that have moved, and nothing that carries a code, a token or a secret:
// what was sent to one address is not for another. No document leaves https.
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

// bounded is a transport whose answers end with an error once they are too long.
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
