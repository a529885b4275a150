package sqlite

import "testing"

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
