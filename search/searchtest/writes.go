package searchtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// engine is an index of documents.
type engine[D any] interface {
	search.WriterOf[D]
	io.Closer
}

// filled is an engine that contains documents.
type filled[D any, E engine[D]] struct {
	t     *testing.T
	index E
}

// fill opens an engine and adds documents to it.
func fill[D any, E engine[D]](t *testing.T, open func(t *testing.T) E, documents ...D) filled[D, E] {
	t.Helper()
	index := open(t)
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	f := filled[D, E]{t, index}
	if len(documents) > 0 {
		f.apply(search.BatchOf[D]{Put: documents, Position: 1})
	}
	return f
}

func (f filled[D, E]) apply(batch search.BatchOf[D]) {
	f.t.Helper()
	if err := f.index.Apply(f.t.Context(), batch); err != nil {
		f.t.Fatalf("apply: %v", err)
	}
}

func (f filled[D, E]) rebuild(position int64, documents ...D) {
	f.t.Helper()
	if err := f.index.Rebuild(f.t.Context(), position, sequence(documents)); err != nil {
		f.t.Fatalf("rebuild: %v", err)
	}
}

// wantState checks Position and Count.
func (f filled[D, E]) wantState(position int64, documents int) {
	f.t.Helper()
	at, err := f.index.Position(f.t.Context())
	if err != nil || at != position {
		f.t.Errorf("position %d (%v), want %d", at, err, position)
	}
	n, err := f.index.Count(f.t.Context())
	if err != nil || n != documents {
		f.t.Errorf("count %d (%v), want %d", n, err, documents)
	}
}

// numbers returns the numbers of videos or collections.
func numbers(refs []catalogue.Ref) []int {
	list := make([]int, len(refs))
	for i, ref := range refs {
		n, err := strconv.ParseInt(strings.TrimPrefix(string(ref.ID), "c"), 16, 0)
		if err != nil {
			n = -1
		}
		list[i] = int(n)
	}
	return list
}

// writeSuite tests the writes of an engine.
type writeSuite[D any, E engine[D]] struct {
	open func(t *testing.T) E
	torn bool // skips the tests of OneMoment
	// document returns the document with number n.
	document func(n int, version int64, title string) D
	id       func(n int) catalogue.ID
	// find returns the first hundred documents whose title contains a text, and each total that the engine counts.
	find func(ctx context.Context, index E, text string) (refs []catalogue.Ref, totals []int, err error)
}

// filledWrites is the engine of one test.
type filledWrites[D any, E engine[D]] struct {
	filled[D, E]
	suite writeSuite[D, E]
}

func (s writeSuite[D, E]) fill(t *testing.T, documents ...D) filledWrites[D, E] {
	t.Helper()
	return filledWrites[D, E]{fill(t, s.open, documents...), s}
}

// film returns the document with number n, version n and the title "film".
func (s writeSuite[D, E]) film(n int) D { return s.document(n, int64(n), "film") }

// wantFound checks the documents whose title contains a text, in any order, and their totals.
func (f filledWrites[D, E]) wantFound(text string, want ...int) []catalogue.Ref {
	f.t.Helper()
	refs, totals, err := f.suite.find(f.t.Context(), f.index, text)
	if err != nil {
		f.t.Fatalf("find %q: %v", text, err)
	}
	got := numbers(refs)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		f.t.Errorf("%q finds %v, want %v", text, got, want)
	}
	for _, total := range totals {
		if total != len(want) {
			f.t.Errorf("%q: totals %d, want %d", text, totals, len(want))
		}
	}
	return refs
}

func (s writeSuite[D, E]) run(t *testing.T) {
	type batch = search.BatchOf[D]
	t.Run("an empty index", func(t *testing.T) {
		f := s.fill(t)
		f.wantState(0, 0)
		f.wantFound("")
		f.wantFound("film")
	})
	t.Run("documents replace their older versions, never newer ones", func(t *testing.T) {
		f := s.fill(t)
		f.apply(batch{Put: []D{s.document(1, 5, "red"), s.document(2, 6, "red")}, Position: 6})
		f.apply(batch{Put: []D{s.document(1, 7, "blue")}, Position: 7})
		f.wantState(7, 2)
		f.wantFound("red", 2)
		same(t, "the version", f.wantFound("blue", 1), []catalogue.Ref{{ID: s.id(1), Version: 7}})
		f.apply(batch{Put: []D{s.document(1, 5, "red")}, Position: 8})
		f.wantState(8, 2)
		f.wantFound("red", 2)
		same(t, "the version", f.wantFound("blue", 1), []catalogue.Ref{{ID: s.id(1), Version: 7}})
	})
	t.Run("the same batch twice", func(t *testing.T) {
		f := s.fill(t, s.film(3))
		put := []D{s.document(1, 5, "red"), s.document(2, 6, "red")}
		for range 2 {
			f.apply(batch{Put: put, Delete: []catalogue.ID{s.id(3), s.id(4)}, Position: 6})
			f.wantState(6, 2)
			f.wantFound("", 1, 2)
		}
	})
	t.Run("one batch with several versions", func(t *testing.T) {
		f := s.fill(t)
		f.apply(batch{Put: []D{s.document(1, 5, "red"), s.document(1, 8, "green"), s.document(1, 6, "blue")}, Position: 8})
		f.wantState(8, 1)
		f.wantFound("green", 1)
		f.wantFound("", 1)
	})
	t.Run("deletes", func(t *testing.T) {
		f := s.fill(t, s.film(1), s.film(2), s.film(3))
		f.apply(batch{Delete: []catalogue.ID{s.id(2), s.id(9), "odd\x00id"}, Position: 4})
		f.wantState(4, 2)
		f.wantFound("", 1, 3)
		f.wantFound("film", 1, 3)
		f.apply(batch{Put: []D{s.document(2, 9, "film")}, Position: 9})
		f.wantFound("film", 1, 2, 3)
		f.apply(batch{Put: []D{s.document(2, 10, "film")}, Delete: []catalogue.ID{s.id(2)}, Position: 10})
		f.wantFound("film", 1, 3)
	})
	t.Run("only the position, which never goes back", func(t *testing.T) {
		f := s.fill(t, s.film(1))
		f.apply(batch{Position: 77})
		f.wantState(77, 1)
		f.apply(batch{Position: 70})
		f.wantState(77, 1)
	})
	t.Run("many small batches", func(t *testing.T) {
		f := s.fill(t)
		for n := 1; n <= 120; n++ {
			f.apply(batch{Put: []D{s.document(n%40, int64(n), fmt.Sprint("round", n/40))}, Position: int64(n)})
		}
		f.wantState(120, 40)
		var all []int // but number 0, which is in round 3
		for n := 1; n < 40; n++ {
			all = append(all, n)
		}
		f.wantFound("round2", all...)
	})
	t.Run("rebuild", s.rebuild)
	t.Run("ended contexts", s.ended)
	t.Run("concurrency", s.concurrency)
}

func (s writeSuite[D, E]) rebuild(t *testing.T) {
	t.Run("replaces everything", func(t *testing.T) {
		f := s.fill(t, s.film(1), s.document(2, 90, "new"))
		f.rebuild(50, s.document(2, 4, "old"), s.film(3))
		f.wantState(50, 2)
		f.wantFound("", 2, 3)
		f.wantFound("old", 2)
		f.wantFound("new")
		f.apply(search.BatchOf[D]{Put: []D{s.document(2, 51, "newest")}, Position: 51})
		f.wantFound("newest", 2)
	})
	t.Run("to nothing", func(t *testing.T) {
		f := s.fill(t, s.film(1))
		f.rebuild(3)
		f.wantState(3, 0)
		f.wantFound("")
	})
	t.Run("an error leaves everything", func(t *testing.T) {
		f := s.fill(t, s.film(1), s.film(2))
		fault := errors.New("the store is away")
		err := f.index.Rebuild(t.Context(), 50, func(yield func(D, error) bool) {
			var none D
			_ = yield(s.document(7, 7, "half"), nil) && yield(none, fault)
		})
		if !errors.Is(err, fault) {
			t.Errorf("got %v, want the sequence's error", err)
		}
		f.wantState(1, 2)
		f.wantFound("", 1, 2)
	})
	t.Run("searches continue meanwhile", func(t *testing.T) {
		f := s.fill(t, s.film(1), s.film(2))
		half := false
		err := f.index.Rebuild(t.Context(), 50, func(yield func(D, error) bool) {
			if !yield(s.film(7), nil) {
				return
			}
			f.wantFound("film", 1, 2)
			f.wantState(1, 2)
			half = true
			yield(s.film(8), nil)
		})
		if err != nil || !half {
			t.Fatalf("rebuild: %v", err)
		}
		f.wantState(50, 2)
		f.wantFound("film", 7, 8)
	})
}

// ended checks that a call fails if its context has ended.
func (s writeSuite[D, E]) ended(t *testing.T) {
	f := s.fill(t, s.film(1))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"find": func() error {
			_, _, err := s.find(ended, f.index, "")
			return err
		},
		"find a text": func() error {
			_, _, err := s.find(ended, f.index, "film")
			return err
		},
		"apply":   func() error { return f.index.Apply(ended, search.BatchOf[D]{Put: []D{s.film(2)}, Position: 2}) },
		"rebuild": func() error { return f.index.Rebuild(ended, 3, sequence([]D{s.film(3)})) },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
	f.wantState(1, 1)
	f.wantFound("", 1)
}

// concurrency checks that a search sees a single state of the index while writes run.
func (s writeSuite[D, E]) concurrency(t *testing.T) {
	const (
		size   = 20
		rounds = 30
	)
	// Each edition contains the same documents in other versions.
	edition := func(n int) []D {
		documents := make([]D, size)
		for i := range documents {
			documents[i] = s.document(i+1, int64(n*100+i), fmt.Sprint("film edition", n))
		}
		return documents
	}
	t.Run("batches", func(t *testing.T) {
		f := s.fill(t, edition(0)...)
		f.whileFinding(size, s.torn, func() {
			for n := 1; n <= rounds; n++ {
				f.apply(search.BatchOf[D]{Put: edition(n), Position: int64(n)})
			}
		})
		f.wantState(rounds, size)
	})
	t.Run("rebuilds", func(t *testing.T) {
		f := s.fill(t, edition(0)...)
		f.whileFinding(size, false, func() {
			for n := 1; n <= rounds; n++ {
				f.rebuild(int64(n), edition(n)...)
			}
		})
		f.wantState(rounds, size)
	})
	t.Run("many writers", func(t *testing.T) {
		f := s.fill(t)
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for n := range rounds {
					id := w*rounds + n + 1
					if err := f.index.Apply(t.Context(), search.BatchOf[D]{Put: []D{s.film(id)}, Position: int64(id)}); err != nil {
						t.Errorf("apply: %v", err)
					}
				}
			})
		}
		writers.Wait()
		f.wantState(4*rounds, 4*rounds)
	})
}

// whileFinding searches concurrently with work. Each answer must come from a single edition. An engine that may show
// partial batches only needs to answer.
func (f filledWrites[D, E]) whileFinding(size int, torn bool, work func()) {
	done := make(chan struct{})
	var finders sync.WaitGroup
	for range 3 {
		finders.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				refs, totals, err := f.suite.find(f.t.Context(), f.index, "film")
				if err != nil {
					f.t.Errorf("find: %v", err)
					return
				}
				if torn {
					continue
				}
				if len(refs) != size || slices.Min(totals) != size || slices.Max(totals) != size {
					f.t.Errorf("%d of %d, want %d", len(refs), totals, size)
					return
				}
				if oldest, newest := editions(refs); oldest != newest {
					f.t.Errorf("editions %d and %d in one answer", oldest, newest)
					return
				}
			}
		})
	}
	defer finders.Wait()
	defer close(done)
	work()
}

func editions(refs []catalogue.Ref) (oldest, newest int64) {
	oldest = refs[0].Version / 100
	for _, ref := range refs {
		oldest, newest = min(oldest, ref.Version/100), max(newest, ref.Version/100)
	}
	return oldest, newest
}
