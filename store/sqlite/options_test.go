package sqlite

import (
	"path/filepath"
	"testing"
	"time"
)

// TestPageCachesShareABudget checks that the caches of all connections together stay within WithPageCache.
func TestPageCachesShareABudget(t *testing.T) {
	for _, c := range []struct {
		pages          int64
		writer, reader string
	}{
		{1 << 40, "cache_size(-32768)", "cache_size(-8192)"},
		{16 << 20, "cache_size(-8192)", "cache_size(-2048)"},
		{1, "cache_size(-256)", "cache_size(-256)"},
	} {
		s := settingsOf([]Option{WithPageCache(c.pages)})
		s.readers = 4
		if writer, reader := s.cacheSize(writerPages), s.cacheSize(readerPages); writer != c.writer || reader != c.reader {
			t.Errorf("%d bytes: %s, %s, want %s, %s", c.pages, writer, reader, c.writer, c.reader)
		}
	}
}

// TestOpenBesideAWriter checks that a file of this schema can be opened while another process writes, however long that
// takes: looking for the schema of an earlier release must not wait for it.
func TestOpenBesideAWriter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalogue.db")
	first, err := OpenCatalogue(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	err = first.write(t.Context(), func(*session) error {
		second, err := OpenCatalogue(t.Context(), file, WithPatience(100*time.Millisecond))
		if err != nil {
			return err
		}
		return second.Close()
	})
	if err != nil {
		t.Error(err)
	}
}
