package searchtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// wantState checks Position and Count.
func (sh filledIndex) wantState(position int64, documents int) {
	sh.t.Helper()
	at, err := sh.index.Position(sh.t.Context())
	if err != nil || at != position {
		sh.t.Errorf("position %d (%v), want %d", at, err, position)
	}
	n, err := sh.index.Count(sh.t.Context())
	if err != nil || n != documents {
		sh.t.Errorf("count %d (%v), want %d", n, err, documents)
	}
}

func versioned(n int, version int64, title string) search.Document {
	return video(n, func(d *search.Document) { d.Version, d.Title = version, title })
}

func (s suite) writes(t *testing.T) {
	t.Run("an empty index", func(t *testing.T) {
		sh := s.fill(t)
		sh.wantState(0, 0)
		sh.wantFound(search.Query{})
		sh.wantFound(words("video"))
	})
	t.Run("documents replace their older versions", func(t *testing.T) {
		sh := s.fill(t)
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 5, "red"), versioned(2, 6, "red")}, Position: 6})
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 7, "blue")}, Position: 7})
		sh.wantState(7, 2)
		sh.wantFound(words("red"), 2)
		sh.wantFound(words("blue"), 1)
		same(t, "the version", sh.search(words("blue")).Refs, []catalogue.Ref{{ID: videoID(1), Version: 7}})
	})
	t.Run("never newer ones", func(t *testing.T) {
		sh := s.fill(t)
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 7, "blue")}, Position: 7})
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 5, "red")}, Position: 8})
		sh.wantFound(words("red"))
		sh.wantFound(words("blue"), 1)
		sh.wantState(8, 1)
	})
	t.Run("the same batch twice", func(t *testing.T) {
		sh := s.fill(t, video(3))
		batch := search.Batch{
			Put: []search.Document{versioned(1, 5, "red"), versioned(2, 6, "red")}, Delete: []catalogue.ID{videoID(3), videoID(4)}, Position: 6,
		}
		for range 2 {
			sh.apply(batch)
			sh.wantState(6, 2)
			sh.wantFound(search.Query{}, 1, 2)
		}
	})
	t.Run("one batch with several versions", func(t *testing.T) {
		sh := s.fill(t)
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 5, "red"), versioned(1, 8, "green"), versioned(1, 6, "blue")}, Position: 8})
		sh.wantState(8, 1)
		sh.wantFound(words("green"), 1)
		sh.wantFound(search.Query{}, 1)
	})
	t.Run("deletes", func(t *testing.T) {
		sh := s.fill(t, video(1), video(2), video(3))
		sh.apply(search.Batch{Delete: []catalogue.ID{videoID(2), videoID(9), "odd\x00id"}, Position: 4})
		sh.wantState(4, 2)
		sh.wantFound(search.Query{}, 1, 3)
		sh.wantFound(words("video"), 1, 3)
		sh.wantFound(search.Query{Filter: search.Filter{IDs: []catalogue.ID{videoID(2)}}})
		sh.apply(search.Batch{Put: []search.Document{versioned(2, 9, "video")}, Position: 9})
		sh.wantFound(words("video"), 1, 2, 3)
	})
	t.Run("a changed video leaves its old buckets", func(t *testing.T) {
		sh := s.fill(t, fullVideo(1))
		sh.apply(search.Batch{Put: []search.Document{versioned(1, 9, "bare")}, Position: 9})
		facets := sh.search(search.Query{Facets: allFacets()}).Facets
		if len(facets.Subjects)+len(facets.Tags)+len(facets.CEFR) != 0 || facets.Languages[0].Key != string(catalogue.Undetermined) || facets.Durations[0] != 1 {
			t.Errorf("got %+v", facets)
		}
	})
	t.Run("only the position", func(t *testing.T) {
		sh := s.fill(t, video(1))
		sh.apply(search.Batch{Position: 77})
		sh.wantState(77, 1)
	})
	t.Run("many small batches", func(t *testing.T) {
		sh := s.fill(t)
		for n := 1; n <= 120; n++ {
			sh.apply(search.Batch{Put: []search.Document{versioned(n%40, int64(n), fmt.Sprint("round", n/40))}, Position: int64(n)})
		}
		sh.wantState(120, 40)
		if got := sh.search(words("round2")).Total; got != 39 {
			t.Errorf("%d of the last round, want 39", got)
		}
	})
	t.Run("odd strings", s.oddStrings)
	t.Run("rebuild", s.rebuild)
}

func (s suite) oddStrings(t *testing.T) {
	var documents []search.Document
	odd := append([]string{"\x01", "\x02x", "a\x00b", "\xed\xa0\x80", strings.Repeat("ab ", 400)}, oddStrings...)
	for i, text := range odd {
		documents = append(documents, video(i+1, func(d *search.Document) {
			d.Title, d.Description, d.Transcript, d.ChannelName = text+" video", text, text, text
			d.Keywords, d.SubjectNames = []string{text, ""}, []string{text, ""}
			d.Topics = []catalogue.ID{catalogue.ID(text), "shared"}
			d.EducationLevels = []string{text}
			d.Categories = []string{text}
		}))
	}
	sh := s.fill(t, documents...)
	if got := sh.search(words("video")).Total; got != len(odd) {
		t.Errorf("%d of %d found", got, len(odd))
	}
	facets := sh.search(search.Query{Facets: allFacets()}).Facets
	if len(facets.Topics) == 0 || facets.Topics[0] != (search.Bucket{Key: "shared", Hits: len(odd)}) {
		t.Errorf("topics %+v", facets.Topics)
	}
	for i, text := range odd {
		if text == "" {
			continue
		}
		sh.wantFound(search.Query{Filter: search.Filter{Topics: []catalogue.ID{catalogue.ID(text)}}}, i+1)
		for _, query := range []search.Query{words(text), words(`"` + text + `"`)} {
			sh.search(query)
		}
	}
	// An ID is opaque: any string is valid.
	sh.apply(search.Batch{Put: []search.Document{
		video(90, func(d *search.Document) { d.ID, d.Title = "not hexadecimal: “\x00”", "strange" }),
	}, Position: 90})
	if refs := sh.search(words("strange")).Refs; len(refs) != 1 || refs[0].ID != "not hexadecimal: “\x00”" {
		t.Errorf("got %+v", refs)
	}
}

func (s suite) rebuild(t *testing.T) {
	t.Run("replaces everything", func(t *testing.T) {
		sh := s.fill(t, video(1), versioned(2, 90, "new"))
		if err := sh.index.Rebuild(t.Context(), 50, sequence([]search.Document{versioned(2, 4, "old"), video(3)})); err != nil {
			t.Fatal(err)
		}
		sh.wantState(50, 2)
		sh.wantFound(search.Query{}, 2, 3)
		sh.wantFound(words("old"), 2)
		sh.wantFound(words("new"))
		sh.apply(search.Batch{Put: []search.Document{versioned(2, 51, "newest")}, Position: 51})
		sh.wantFound(words("newest"), 2)
	})
	t.Run("to nothing", func(t *testing.T) {
		sh := s.fill(t, video(1))
		if err := sh.index.Rebuild(t.Context(), 3, sequence(nil)); err != nil {
			t.Fatal(err)
		}
		sh.wantState(3, 0)
		sh.wantFound(search.Query{})
	})
	t.Run("an error leaves everything", func(t *testing.T) {
		sh := s.fill(t, video(1), video(2))
		fault := errors.New("the store is away")
		err := sh.index.Rebuild(t.Context(), 50, func(yield func(search.Document, error) bool) {
			_ = yield(versioned(7, 7, "half"), nil) && yield(search.Document{}, fault)
		})
		if !errors.Is(err, fault) {
			t.Errorf("got %v, want the sequence's error", err)
		}
		sh.wantState(1, 2)
		sh.wantFound(search.Query{}, 1, 2)
	})
	t.Run("searches go on meanwhile", func(t *testing.T) {
		sh := s.fill(t, video(1), video(2))
		half := false
		err := sh.index.Rebuild(t.Context(), 50, func(yield func(search.Document, error) bool) {
			if !yield(versioned(7, 7, "video"), nil) {
				return
			}
			sh.wantFound(words("video"), 1, 2)
			sh.wantState(1, 2)
			half = true
			yield(versioned(8, 8, "video"), nil)
		})
		if err != nil || !half {
			t.Fatalf("rebuild: %v", err)
		}
		sh.wantState(50, 2)
		sh.wantFound(words("video"), 7, 8)
	})
}

// faults checks that a call fails if its context has ended.
func (s suite) faults(t *testing.T) {
	sh := s.fill(t, video(1))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	calls := map[string]func() error{
		"search": func() error {
			_, err := sh.index.Search(ended, search.Query{Today: today, Size: 10})
			return err
		},
		"search a text": func() error {
			query := words("video")
			query.Today, query.Size = today, 10
			_, err := sh.index.Search(ended, query)
			return err
		},
		"matches": func() error {
			_, err := sh.index.Matches(ended, search.ParseText("video"), search.MatchLevels(1), catalogue.Access{}, today, 10)
			return err
		},
		"finds": func() error {
			_, err := sh.index.Finds(ended, []search.Text{search.ParseText("video")}, catalogue.Access{}, today)
			return err
		},
		"phrases": func() error {
			_, err := sh.index.Phrases(ended, "v", catalogue.Access{}, today, 10)
			return err
		},
		"apply": func() error {
			return sh.index.Apply(ended, search.Batch{Put: []search.Document{video(2)}, Position: 2})
		},
		"rebuild": func() error {
			return sh.index.Rebuild(ended, 3, sequence([]search.Document{video(3)}))
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			if err := call(); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the context's error", err)
			}
		})
	}
	sh.wantState(1, 1)
	sh.wantFound(search.Query{}, 1)
}

// concurrency checks that a search sees a single state of the index while writes run.
func (s suite) concurrency(t *testing.T) {
	const (
		size   = 20
		rounds = 30
	)
	// Each edition contains the same videos with another title.
	edition := func(n int) []search.Document {
		documents := make([]search.Document, size)
		for i := range documents {
			documents[i] = versioned(i+1, int64(n*100+i), fmt.Sprintf("video edition%d", n))
		}
		return documents
	}
	t.Run("batches", func(t *testing.T) {
		sh := s.fill(t, edition(0)...)
		sh.whileSearching(size, s.torn, func() {
			for n := 1; n <= rounds; n++ {
				sh.apply(search.Batch{Put: edition(n), Position: int64(n)})
			}
		})
		sh.wantState(rounds, size)
	})
	t.Run("rebuilds", func(t *testing.T) {
		sh := s.fill(t, edition(0)...)
		sh.whileSearching(size, false, func() {
			for n := 1; n <= rounds; n++ {
				var documents iter.Seq2[search.Document, error] = sequence(edition(n))
				if err := sh.index.Rebuild(t.Context(), int64(n), documents); err != nil {
					t.Errorf("rebuild: %v", err)
				}
			}
		})
		sh.wantState(rounds, size)
	})
	t.Run("many writers", func(t *testing.T) {
		sh := s.fill(t)
		var writers sync.WaitGroup
		for w := range 4 {
			writers.Go(func() {
				for n := range rounds {
					id := w*rounds + n + 1
					if err := sh.index.Apply(t.Context(), search.Batch{Put: []search.Document{video(id)}, Position: int64(id)}); err != nil {
						t.Errorf("apply: %v", err)
					}
				}
			})
		}
		writers.Wait()
		if got := sh.search(words("video")).Total; got != 4*rounds {
			t.Errorf("%d found, want %d", got, 4*rounds)
		}
	})
}

// whileSearching runs searches concurrently with work. The total, the page and the facets of each must come from a
// single edition. An engine that may show partial batches only needs to return results.
func (sh filledIndex) whileSearching(size int, torn bool, work func()) {
	done := make(chan struct{})
	var searchers sync.WaitGroup
	for range 3 {
		searchers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				query := words("video")
				query.Today, query.Size, query.Facets = today, 100, &search.FacetRequest{}
				result, err := sh.index.Search(sh.t.Context(), query)
				if err != nil {
					sh.t.Errorf("search: %v", err)
					return
				}
				if torn {
					continue
				}
				if result.Total != size || len(result.Refs) != size || result.Facets.Types[0].Hits != size {
					sh.t.Errorf("%d of %d, facet %+v, want %d", len(result.Refs), result.Total, result.Facets.Types, size)
					return
				}
				if oldest, newest := editions(result.Refs); oldest != newest {
					sh.t.Errorf("editions %d and %d in one answer", oldest, newest)
					return
				}
			}
		})
	}
	work()
	close(done)
	searchers.Wait()
}

func editions(refs []catalogue.Ref) (oldest, newest int64) {
	oldest = refs[0].Version / 100
	for _, ref := range refs {
		oldest, newest = min(oldest, ref.Version/100), max(newest, ref.Version/100)
	}
	return oldest, newest
}
