package media

import (
	"context"
	"errors"
	"net/url"
	"testing"
)

// TestRewritingEndsWithTheRequest checks that a playlist is not rewritten for a client that has gone.
func TestRewritingEndsWithTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base := &url.URL{Scheme: "https", Host: "media.example", Path: "/list.m3u8"}
	sealed := 0
	_, err := rewritePlaylist(ctx, []byte("#EXTM3U\na\nb\nc\n"), base, func(address string) string {
		sealed++
		cancel()
		return address
	})
	if !errors.Is(err, context.Canceled) || sealed != 1 {
		t.Errorf("%d addresses are sealed, and the error is %v", sealed, err)
	}
}
