package typesense_test

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
)

func video(n int, version int64) search.Document {
	return search.Document{
		State: catalogue.State{Ref: catalogue.Ref{ID: id(n), Version: version}, Sequence: int64(n)},
		Title: fmt.Sprintf("Video number%d", n),
		Type:  catalogue.Instructional,
	}
}

func id(n int) catalogue.ID { return catalogue.ID(fmt.Sprintf("%024x", n)) }

func videos(from, to int) []search.Document {
	var all []search.Document
	for n := from; n <= to; n++ {
		all = append(all, video(n, int64(n)))
	}
	return all
}

func sequence(documents []search.Document, last error) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
		if last != nil {
			yield(search.Document{}, last)
		}
	}
}

func TestBasics(t *testing.T) {
	server := testservers.SharedTypesense(t)
	index := openOn(t, server, server.Prefix)
	stands := func(position int64, count int) {
		t.Helper()
		p, err := index.Position(t.Context())
		n, err2 := index.Count(t.Context())
		if err != nil || err2 != nil || p != position || n != count {
			t.Errorf("position %d (%v), count %d (%v), want %d and %d", p, err, n, err2, position, count)
		}
	}
	stands(0, 0)
	if err := index.Apply(t.Context(), search.Batch{Put: videos(1, 2000), Position: 5}); err != nil {
		t.Fatal(err)
	}
	stands(5, 2000)
	if err := index.Apply(t.Context(), search.Batch{Put: videos(1990, 2010), Delete: []catalogue.ID{id(1), id(5000)}, Position: 6}); err != nil {
		t.Fatal(err)
	}
	stands(6, 2009)
	if err := index.Rebuild(t.Context(), 9, sequence(videos(1, 10), nil)); err != nil {
		t.Fatal(err)
	}
	stands(9, 10)
	fault := errors.New("x")
	if err := index.Rebuild(t.Context(), 9, sequence(videos(1, 1000), fault)); !errors.Is(err, fault) {
		t.Fatal(err)
	}
	stands(9, 10)
}
