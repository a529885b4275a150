package postgres_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/storetest"
)

// These tests use the sample of storetest.
var (
	idOf      = storetest.SampleID
	directory = storetest.SampleDirectory
	video     = storetest.SampleVideo
	videos    = storetest.SampleVideos
	put       = storetest.PutAll
)

func videoIDs(from, to int) (ids []catalogue.ID) {
	for n := from; n < to; n++ {
		ids = append(ids, idOf(catalogue.KindVideo, n))
	}
	return ids
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// filled returns a catalogue of n videos.
func filled(t testing.TB, url string, n int, options ...postgres.Option) *postgres.Catalogue {
	t.Helper()
	c := open(t, url, options...).Catalogue()
	must(t, put(t.Context(), c, directory()))
	for from := 0; from < n; from += 1000 {
		must(t, put(t.Context(), c, videos(from, min(n, from+1000))))
	}
	return c
}
