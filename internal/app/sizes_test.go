package app

import (
	"context"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/resolvers/system"
	"github.com/filmstrip/filmstrip/store"
)

// unsized is a catalogue that does not report its size.
type unsized struct{ store.Catalogue }

func (unsized) Size(context.Context) (store.Size, error) {
	return store.Size{Bytes: 1}, fault.Errorf(fault.Unavailable, "away")
}

// TestSizes verifies that every engine reports its size, and that one that fails leaves the others alone.
func TestSizes(t *testing.T) {
	s := openWith(t, "--demo")
	if err := s.fillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the index is complete", func() bool { return s.caughtUp(t.Context()) })
	sizeOf := func(name string) system.Size {
		sizes := s.sizes(t.Context())
		i := slices.IndexFunc(sizes, func(size system.Size) bool { return size.Name == name })
		if i < 0 {
			t.Fatalf("%s is not among %+v", name, sizes)
		}
		return sizes[i]
	}
	for _, name := range []string{"store", "accounts", "events", "usage", "collections", "searchLog", "jobs", "process"} {
		if size := sizeOf(name); size.Bytes == nil || *size.Bytes <= 0 {
			t.Errorf("%+v", size)
		}
	}
	for _, name := range []string{"search", "collectionSearch", "answers", "documents", "pages"} {
		if size := sizeOf(name); len(size.Tables) != 1 || size.Tables[0].Rows == nil {
			t.Errorf("%+v", size)
		}
	}
	videos, err := s.catalogue.CountVideos(t.Context())
	if err != nil || videos == 0 || *sizeOf("search").Tables[0].Rows != int64(videos) {
		t.Errorf("the index has %d of %d videos (%v)", *sizeOf("search").Tables[0].Rows, videos, err)
	}
	s.stores.Catalogue = unsized{s.stores.Catalogue}
	if size := sizeOf("store"); size.Bytes != nil || size.Tables != nil || size.Engine != engineSQLite {
		t.Errorf("an engine that fails has the size %+v", size)
	}
	if size := sizeOf("events"); size.Bytes == nil {
		t.Errorf("while another engine fails: %+v", size)
	}
}
