package typesense_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// After a kill, Typesense answers before its documents are back. Nobody may see that: neither an index
// that was open all the time, nor one that is opened just then.
func TestNothingIsMissingWhileDocumentsLoad(t *testing.T) {
	t.Parallel()
	const documents = 30_000
	server := testservers.Typesense(t)
	before := openOn(t, server, "loading")
	if err := before.Rebuild(t.Context(), 7, sequence(videos(1, documents))); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	if position, err := before.Position(t.Context()); err != nil || position != 7 {
		t.Errorf("while the server is away: position %d (%v), want the last known one", position, err)
	}
	if _, err := search1(t, before); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("while the server is away: %v, want that it is unavailable", err)
	}
	server.Start()
	started := time.Now()
	after := openOn(t, server, "loading")

	refused := 0
	for whole := 0; whole < 20 && time.Since(started) < time.Minute; time.Sleep(5 * time.Millisecond) {
		answered := 0
		for name, index := range map[string]*typesense.Index{"open before": before, "opened after": after} {
			position, err := index.Position(t.Context())
			if err == nil && position != 7 {
				t.Fatalf("%v after the start, %s: position %d", time.Since(started), name, position)
			}
			found, err := search1(t, index)
			switch {
			case err != nil && fault.CodeOf(err) == fault.Unavailable:
				refused++
			case err != nil || found != documents:
				t.Fatalf("%v after the start, %s: %d of %d found (%v)", time.Since(started), name, found, documents, err)
			default:
				answered++
			}
		}
		if answered == 2 {
			whole++
		}
	}
	t.Logf("refused %d searches in %v", refused, time.Since(started))
	if _, err := search1(t, before); err != nil {
		t.Error(err)
	}
	if _, err := search1(t, after); err != nil {
		t.Error(err)
	}
}

// The words of a large catalogue take longer to load than anything else that is looked at.
func TestWordsMayTakeLongToLoad(t *testing.T) {
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-words"
	testIndex{t, openOn(t, server, namespace)}.apply(search.Batch{Put: videos(1, 3), Position: 1})
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/export") {
			select {
			case <-time.After(6 * time.Second):
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	index := openedAt(t, server, namespace, slow.URL)
	if _, err := search1(t, index); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("before the words are there: %v", err)
	}
	limited, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := index.Apply(limited, search.Batch{Position: 2}); fault.CodeOf(err) != fault.Unavailable || limited.Err() == nil {
		t.Errorf("a write meanwhile: %v", err)
	}
	eventually(t, "the words", func() bool {
		found, err := search1(t, index)
		return err == nil && found == 3
	})
}

func search1(t *testing.T, index *typesense.Index) (int, error) {
	t.Helper()
	result, err := index.Search(t.Context(), search.Query{Today: 20_000, Size: 10})
	if err != nil {
		return 0, err
	}
	return result.Total, nil
}
