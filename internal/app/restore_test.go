package app

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// serveOnce opens a service on the data until it is ready. It returns the position of the search index and the titles
// that searches find, and writes the log to log.
func serveOnce(t *testing.T, data string, log io.Writer) (position int64, titles []string) {
	t.Helper()
	settings := apptest.Must(parseSettings(t, "--data", data))(t)
	s := apptest.Must(Open(t.Context(), settings, settings.logger(log)))(t)
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	for deadline := time.Now().Add(30 * time.Second); send(s, "GET", "/readyz", "").Code != 200; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not ready")
		}
	}
	for _, phrase := range apptest.Must(s.indexes.searches.Phrases(t.Context(), "title", catalogue.Access{}, 0, 100))(t) {
		titles = append(titles, phrase.Text)
	}
	slices.Sort(titles)
	return apptest.Must(s.indexes.index.Position(t.Context()))(t), titles
}

// TestAnotherCatalogueInPlace verifies that an index is never used with another catalogue, even if both catalogues are
// at the same position. An index that belongs to its catalogue is not rebuilt.
func TestAnotherCatalogueInPlace(t *testing.T) {
	data, other := apptest.ThreeVideos(t, "Old title"), apptest.ThreeVideos(t, "New title")
	first, old := serveOnce(t, data, io.Discard)
	second, want := serveOnce(t, other, io.Discard)
	if first != second || len(old) != 3 || len(want) != 3 || slices.Equal(old, want) {
		t.Fatalf("one catalogue is at %d with %q, the other at %d with %q", first, old, second, want)
	}
	if err := os.Rename(filepath.Join(other, CatalogueFile), filepath.Join(data, CatalogueFile)); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if _, found := serveOnce(t, data, &log); !slices.Equal(found, want) {
		t.Errorf("search knows %q, want %q", found, want)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings, want one that says why:\n%s", n, &log)
	}
	log.Reset()
	if _, found := serveOnce(t, data, &log); !slices.Equal(found, want) || strings.Contains(log.String(), "built anew") {
		t.Errorf("started again, search knows %q, want %q, from the snapshot:\n%s", found, want, &log)
	}
}

// TestReindexedOffline verifies that a server starts with the index that the command built.
func TestReindexedOffline(t *testing.T) {
	data := apptest.ThreeVideos(t, "Title")
	apptest.Succeed(t, "reindex", "--data", data)
	var log strings.Builder
	if _, found := serveOnce(t, data, &log); len(found) != 3 || strings.Contains(log.String(), "built anew") {
		t.Errorf("search knows %q, by an index that should not be built again:\n%s", found, &log)
	}
}
