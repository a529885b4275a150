package typesense_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// TestWordsMayTakeLongToLoad checks that the index waits for a slow export of its words. The words of a large catalogue
// take longer to load than anything else that the index reads.
func TestWordsMayTakeLongToLoad(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-words"
	testIndex{t, openOn(t, server, namespace)}.apply(search.Batch{Put: videos(1, 3), Position: 1})
	slow := proxyOf(t, server, func(_ http.ResponseWriter, r *http.Request, body []byte) []byte {
		if strings.HasSuffix(r.URL.Path, "/export") {
			select {
			case <-time.After(6 * time.Second):
			case <-r.Context().Done():
				return nil
			}
		}
		return body
	})
	index := openedAt(t, server, namespace, slow)
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
