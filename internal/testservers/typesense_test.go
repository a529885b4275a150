package testservers_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

func typesense(ctx context.Context, s *testservers.Server, method, path, body string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("X-TYPESENSE-API-KEY", s.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", response.Status, text)
	}
	return string(text), err
}

func wantTypesense(t *testing.T, s *testservers.Server, method, path, body string) string {
	t.Helper()
	text, err := typesense(t.Context(), s, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return text
}

func TestTypesensePauses(t *testing.T) {
	t.Parallel()
	s := testservers.Typesense(t)
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := typesense(ctx, s, "GET", "/health", ""); ctx.Err() == nil {
		t.Errorf("a paused Typesense: %v", err)
	}
	s.Resume()
	wantTypesense(t, s, "GET", "/health", "")
	s.Pause() // cleanup also ends a paused server
}

func TestSharedTypesenseIsOne(t *testing.T) {
	a, b := testservers.SharedTypesense(t), testservers.SharedTypesense(t)
	if a.URL != b.URL || a.Prefix == b.Prefix || a.Prefix == "" {
		t.Errorf("two parts: %s %q, %s %q", a.URL, a.Prefix, b.URL, b.Prefix)
	}
	wantTypesense(t, a, "GET", "/collections", "")
}
