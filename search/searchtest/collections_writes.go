package searchtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func (s collectionSuite) writes(t *testing.T) {
	t.Run("an empty engine", func(t *testing.T) {
		st := s.fill(t)
		st.wantState(0, 0)
		st.wantList(everything())
		st.wantList(phrase("collection"))
	})
	t.Run("documents replace their older versions, never newer ones", func(t *testing.T) {
		st := s.fill(t)
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(1, 5, "red"), dated(2, 6, "red")}, Position: 6})
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(1, 7, "blue")}, Position: 7})
		st.wantState(7, 2)
		st.wantList(phrase("red"), 2)
		st.wantList(phrase("blue"), 1)
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(1, 5, "red")}, Position: 8})
		st.wantState(8, 2)
		st.wantList(phrase("red"), 2)
		result, err := st.index.Find(t.Context(), phrase("blue"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the version", result.Refs, []catalogue.Ref{{ID: collectionID(1), Version: 7}})
	})
	t.Run("the same batch twice", func(t *testing.T) {
		st := s.fill(t, newCollection(3))
		batch := search.CollectionBatch{
			Put:    []search.CollectionDocument{dated(1, 5, "red"), dated(2, 6, "red")},
			Delete: []catalogue.ID{collectionID(3), collectionID(4)}, Position: 6,
		}
		for range 2 {
			st.apply(batch)
			st.wantState(6, 2)
			st.wantList(everything(), 1, 2)
		}
	})
	t.Run("one batch with several versions", func(t *testing.T) {
		st := s.fill(t)
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(1, 5, "red"), dated(1, 8, "green"), dated(1, 6, "blue")}, Position: 8})
		st.wantState(8, 1)
		st.wantList(phrase("green"), 1)
		st.wantList(everything(), 1)
	})
	t.Run("deletes", func(t *testing.T) {
		st := s.fill(t, newCollection(1), newCollection(2), newCollection(3))
		st.apply(search.CollectionBatch{Delete: []catalogue.ID{collectionID(2), collectionID(9), "odd\x00id"}, Position: 4})
		st.wantState(4, 2)
		st.wantList(phrase("collection"), 1, 3)
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(2, 9, "collection")}, Position: 9})
		st.wantList(phrase("collection"), 1, 2, 3)
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(2, 10, "collection")}, Delete: []catalogue.ID{collectionID(2)}, Position: 10})
		st.wantList(phrase("collection"), 1, 3)
	})
	t.Run("only the position, which never goes back", func(t *testing.T) {
		st := s.fill(t, newCollection(1))
		st.apply(search.CollectionBatch{Position: 77})
		st.wantState(77, 1)
		st.apply(search.CollectionBatch{Position: 70})
		st.wantState(77, 1)
	})
	t.Run("many small batches", func(t *testing.T) {
		st := s.fill(t)
		for n := 1; n <= 120; n++ {
			st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(n%40, int64(n), fmt.Sprint("round", n/40))}, Position: int64(n)})
		}
		st.wantState(120, 40)
		result, err := st.index.Find(t.Context(), phrase("round2"))
		if err != nil || result.Total != 39 {
			t.Errorf("%+v (%v) of the last round, want 39", result, err)
		}
	})
	t.Run("odd strings", s.oddStrings)
}

func (s collectionSuite) oddStrings(t *testing.T) {
	var documents []search.CollectionDocument
	odd := append([]string{"\x01", "\x02x", "a\x00b", "\xed\xa0\x80", "`ab` && x:=[y]"}, oddStrings...)
	for i, text := range odd {
		documents = append(documents, newCollection(i+1, func(d *search.CollectionDocument) {
			d.Title, d.Description = text+" collection", text
			d.Account, d.Owner = text, text
			d.Subjects = []catalogue.ID{catalogue.ID(text), "shared"}
		}))
	}
	st := s.fill(t, documents...)
	result, err := st.index.Find(t.Context(), phrase("collection"))
	if err != nil || result.Total != len(odd) {
		t.Errorf("%+v (%v), want %d", result, err, len(odd))
	}
	for i, text := range odd {
		if text != "" {
			st.wantList(everything(func(q *search.CollectionQuery) { q.Subjects = []catalogue.ID{catalogue.ID(text)} }), i+1)
		}
		st.wantList(everything(func(q *search.CollectionQuery) { q.Owner = &text }), i+1)
		st.wantList(everything(func(q *search.CollectionQuery) { q.Audience = search.CollectionAudience{Account: text} }), i+1)
		for _, partial := range []bool{false, true} {
			if _, err := st.index.Find(t.Context(), everything(func(q *search.CollectionQuery) { q.Text, q.PartialTitle = text, partial })); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

func (s collectionSuite) rebuild(t *testing.T) {
	t.Run("replaces everything", func(t *testing.T) {
		st := s.fill(t, newCollection(1), dated(2, 90, "new"))
		if err := st.index.Rebuild(t.Context(), 50, eachCollection([]search.CollectionDocument{dated(2, 4, "old"), newCollection(3)})); err != nil {
			t.Fatal(err)
		}
		st.wantState(50, 2)
		st.wantList(everything(), 2, 3)
		st.wantList(phrase("new"))
		st.apply(search.CollectionBatch{Put: []search.CollectionDocument{dated(2, 51, "newest")}, Position: 51})
		st.wantList(phrase("newest"), 2)
	})
	t.Run("to nothing", func(t *testing.T) {
		st := s.fill(t, newCollection(1))
		if err := st.index.Rebuild(t.Context(), 3, eachCollection(nil)); err != nil {
			t.Fatal(err)
		}
		st.wantState(3, 0)
		st.wantList(everything())
	})
	t.Run("an error leaves everything", func(t *testing.T) {
		st := s.fill(t, newCollection(1), newCollection(2))
		fault := errors.New("the store is away")
		err := st.index.Rebuild(t.Context(), 50, func(yield func(search.CollectionDocument, error) bool) {
			_ = yield(dated(7, 7, "half"), nil) && yield(search.CollectionDocument{}, fault)
		})
		if !errors.Is(err, fault) {
			t.Errorf("got %v, want the sequence's error", err)
		}
		st.wantState(1, 2)
		st.wantList(everything(), 1, 2)
	})
	t.Run("searches continue meanwhile", func(t *testing.T) {
		st := s.fill(t, newCollection(1), newCollection(2))
		err := st.index.Rebuild(t.Context(), 50, func(yield func(search.CollectionDocument, error) bool) {
			if !yield(newCollection(7), nil) {
				return
			}
			st.wantList(phrase("collection"), 1, 2)
			st.wantState(1, 2)
			yield(newCollection(8), nil)
		})
		if err != nil {
			t.Fatalf("rebuild: %v", err)
		}
		st.wantState(50, 2)
		st.wantList(phrase("collection"), 7, 8)
	})
}

// faults checks that a call fails if its context has ended.
func (s collectionSuite) faults(t *testing.T) {
	st := s.fill(t, newCollection(1))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"find": func() error {
			_, err := st.index.Find(ended, everything())
			return err
		},
		"apply": func() error {
			return st.index.Apply(ended, search.CollectionBatch{Put: []search.CollectionDocument{newCollection(2)}, Position: 2})
		},
		"rebuild": func() error {
			return st.index.Rebuild(ended, 3, eachCollection([]search.CollectionDocument{newCollection(3)}))
		},
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
	st.wantState(1, 1)
	st.wantList(everything(), 1)
}

// concurrency checks that Find sees a single state of the index while writes run.
func (s collectionSuite) concurrency(t *testing.T) {
	const (
		size   = 20
		rounds = 30
	)
	// Each edition contains the same collections in other versions.
	edition := func(n int) []search.CollectionDocument {
		documents := make([]search.CollectionDocument, size)
		for i := range documents {
			documents[i] = dated(i+1, int64(n*100+i), fmt.Sprint("collection edition", n))
		}
		return documents
	}
	for name, write := range map[string]func(st filledCollections, n int) error{
		"batches": func(st filledCollections, n int) error {
			return st.index.Apply(t.Context(), search.CollectionBatch{Put: edition(n), Position: int64(n)})
		},
		"rebuilds": func(st filledCollections, n int) error {
			return st.index.Rebuild(t.Context(), int64(n), eachCollection(edition(n)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := s.fill(t, edition(0)...)
			done := make(chan struct{})
			var finders sync.WaitGroup
			for range 3 {
				finders.Go(func() { st.findUntil(done, size, s.torn && name == "batches") })
			}
			for n := 1; n <= rounds; n++ {
				if err := write(st, n); err != nil {
					t.Error(err)
				}
			}
			close(done)
			finders.Wait()
			st.wantState(rounds, size)
		})
	}
}

// findUntil runs Find until done is closed and checks that each result comes from a single edition. An engine that may
// show partial batches only needs to return results.
func (st filledCollections) findUntil(done <-chan struct{}, size int, torn bool) {
	for {
		select {
		case <-done:
			return
		default:
		}
		result, err := st.index.Find(st.t.Context(), phrase("collection"))
		if err != nil {
			st.t.Errorf("find: %v", err)
			return
		}
		if torn {
			continue
		}
		if result.Total != size || len(result.Refs) != size {
			st.t.Errorf("%d of %d, want %d", len(result.Refs), result.Total, size)
			return
		}
		if oldest, newest := editions(result.Refs); oldest != newest {
			st.t.Errorf("editions %d and %d in one answer", oldest, newest)
			return
		}
	}
}
