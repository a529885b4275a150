package typesense_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// A node that does not show yet that documents bear a pass is not asked by it.
func TestAPassIsNotSeenBeforeItsBearers(t *testing.T) {
	server := testservers.SharedTypesense(t)
	namespace := server.Prefix + "-bearers"
	writer := shelf{t, openOn(t, server, namespace)}
	writer.apply(search.Batch{Put: videos(1, 3), Position: 3})
	node := newLagging(t, server, writer.index.Generation())
	reader := shelf{t, openedAt(t, server, namespace, node.URL)}
	reader.stands(3, 3)
	access := careful(t, 1)
	node.fallBehind()
	writer.index.Prepare([]catalogue.Access{access})
	writer.arrange()
	writer.goesByPass(access, true)
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		reader.shows(access, 1, 2, 3)
		reader.goesByPass(access, false)
	}
	node.behind.Store(false)
	eventually(t, "the pass", func() bool { return reader.index.GoesByPass(access) })
	reader.shows(access, 1, 2, 3)
}

// flicker is a catalogue whose videos are hidden from careful in every other version.
type flicker struct {
	position int64
	applied  atomic.Int64 // up to where the index has it

	mu     sync.Mutex
	latest map[int]int64 // as it was last sent to the index
}

// isLatest reports whether nothing newer was sent to the index.
func (f *flicker) isLatest(ref catalogue.Ref) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for n, version := range f.latest {
		if id(n) == ref.ID {
			return version == ref.Version
		}
	}
	return false
}

func (f *flicker) apply(t *testing.T, index *typesense.Index) {
	t.Helper()
	batch := f.next()
	if err := index.Apply(t.Context(), batch); err != nil {
		t.Error(err)
	}
	f.applied.Store(batch.Position)
}

const flickering = 40

func (f *flicker) next() search.Batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	var batch search.Batch
	for range 5 {
		n := 1 + rand.IntN(flickering)
		f.position++
		f.latest[n] = f.position
		d := video(n, f.position)
		if isHidden(f.position) {
			d = warned(n, f.position)
		}
		batch.Put = append(batch.Put, d)
	}
	batch.Position = f.position
	return batch
}

func isHidden(version int64) bool { return version%2 == 0 }

// Packages change while videos are hidden and shown again: whatever passes come and go meanwhile, no search of
// any process finds what its package hides. (That a search reads a document after it was found and replaced
// is another gap; the next one does not find it.)
func TestPackagesThatChangeUnderLoad(t *testing.T) {
	server := testservers.SharedTypesense(t)
	writer, reader := openOn(t, server, server.Prefix), openOn(t, server, server.Prefix)
	f := flicker{latest: map[int]int64{}}
	for range 40 {
		f.apply(t, writer)
	}
	var current, asked, byPass atomic.Int64
	var searching sync.WaitGroup
	done := make(chan struct{})
	for _, index := range []*typesense.Index{writer, reader, reader} {
		searching.Go(func() {
			for !isClosed(done) {
				access := careful(t, int(current.Load()))
				if index.GoesByPass(access) {
					byPass.Add(1)
				}
				asked.Add(1)
				if hidden := shownButHidden(t, index, access, &f); hidden != nil {
					t.Errorf("finds %v, which are hidden: %s", hidden, index.Passes())
					return
				}
			}
		})
	}
	for end, round := time.Now().Add(4*time.Second), 0; time.Now().Before(end); round++ {
		if round%8 == 0 {
			writer.Prepare([]catalogue.Access{careful(t, round), careful(t, round-8)})
			current.Store(int64(round))
		}
		if _, err := writer.Arrange(t.Context()); err != nil {
			t.Error(err)
		}
		f.apply(t, writer)
	}
	close(done)
	searching.Wait()
	if asked.Load() == byPass.Load() || byPass.Load() == 0 {
		t.Errorf("of %d searches, %d went by a pass", asked.Load(), byPass.Load())
	}
	access := careful(t, int(current.Load()))
	want := map[int]bool{}
	for n, version := range f.latest {
		want[n] = !isHidden(version)
	}
	last := shelf{t, writer}
	last.arrange()
	last.goesByPass(access, true)
	last.counts(access, want)
	eventually(t, "the pass", func() bool { return reader.GoesByPass(access) })
	shelf{t, reader}.counts(access, want)
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// shownButHidden are versions that careful hides and that three searches in a row find, which begin when these
// versions have been applied and end before others are sent: while Typesense replaces a document it may show what it
// was by what it is, or the other way round.
func shownButHidden(t *testing.T, index *typesense.Index, access catalogue.Access, f *flicker) (hidden []catalogue.Ref) {
	for range 3 {
		applied := f.applied.Load()
		result, err := index.Search(t.Context(), search.Query{Access: access, Today: 20_000, Size: flickering})
		if err != nil {
			t.Error(err)
			return nil
		}
		found := slices.DeleteFunc(result.Refs, func(ref catalogue.Ref) bool {
			return !isHidden(ref.Version) || ref.Version > applied || !f.isLatest(ref)
		})
		if hidden != nil {
			found = slices.DeleteFunc(found, func(ref catalogue.Ref) bool { return !slices.Contains(hidden, ref) })
		}
		if hidden = found; len(hidden) == 0 {
			return nil
		}
	}
	return hidden
}
