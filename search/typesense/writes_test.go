package typesense_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

func video(n int, version int64) search.Document {
	return search.Document{
		State: catalogue.State{Ref: catalogue.Ref{ID: id(n), Version: version}, Sequence: int64(n), Traits: catalogue.Traits{Type: catalogue.Instructional}},
		Title: fmt.Sprintf("Video number%d", n),
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

func sequence(documents []search.Document) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// testIndex is an index under test.
type testIndex struct {
	t     *testing.T
	index *typesense.Index
}

func (s testIndex) apply(batch search.Batch) {
	s.t.Helper()
	if err := s.index.Apply(s.t.Context(), batch); err != nil {
		s.t.Fatalf("apply: %v", err)
	}
}

func (s testIndex) rebuild(position int64, documents []search.Document) {
	s.t.Helper()
	if err := s.index.Rebuild(s.t.Context(), position, sequence(documents)); err != nil {
		s.t.Fatalf("rebuild: %v", err)
	}
}

// stands checks the position and the number of documents.
func (s testIndex) stands(position int64, count int) {
	s.t.Helper()
	at, err := s.index.Position(s.t.Context())
	n, errOfCount := s.index.Count(s.t.Context())
	if err != nil || errOfCount != nil || at != position || n != count {
		s.t.Errorf("position %d (%v), count %d (%v), want %d and %d", at, err, n, errOfCount, position, count)
	}
}

// total returns the number of videos that contain all words of a text, or -1 with an error.
func (s testIndex) total(text string) (int, error) {
	s.t.Helper()
	result, err := s.index.Search(s.t.Context(), search.Query{Text: search.ParseText(text), Today: 20_000, Size: 10})
	if err != nil {
		return -1, err
	}
	return result.Total, nil
}

func (s testIndex) finds(text string, want int) {
	s.t.Helper()
	if got, err := s.total(text); err != nil || got != want {
		s.t.Errorf("%q finds %d (%v), want %d", text, got, err, want)
	}
}

// eventually waits until is reports true. It is for effects of other processes and of background work.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not seen: %s", what)
		}
	}
}

// TestDeletesTakeExactlyThose checks that deletes by a list of IDs delete exactly these documents, whatever the IDs are
// and however many.
func TestDeletesTakeExactlyThose(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	odd := []catalogue.ID{"a,b", "a", "b", "a]", "[a", "`a`", "*", "", "id:=1", "ä", "\x00", catalogue.ID(strings.Repeat("long ", 2000))}
	put := videos(1, 1500)
	for _, id := range odd {
		d := video(0, 1)
		d.ID = id
		put = append(put, d)
	}
	s.apply(search.Batch{Put: put, Position: 1})
	s.stands(1, 1500+len(odd))

	var deleted []catalogue.ID
	kept := map[catalogue.ID]bool{}
	for i, d := range put {
		if i%2 == 0 {
			deleted = append(deleted, d.ID)
		} else {
			kept[d.ID] = true
		}
	}
	s.apply(search.Batch{Delete: slices.Concat(deleted, []catalogue.ID{"never there", id(9999)}), Position: 2})
	s.stands(2, len(kept))
	found := map[catalogue.ID]bool{}
	for offset := 0; offset < len(kept); offset += 250 {
		result, err := s.index.Search(t.Context(), search.Query{Today: 20_000, Offset: offset, Size: 250})
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range result.Refs {
			found[ref.ID] = true
		}
	}
	for id := range kept {
		if !found[id] {
			t.Errorf("%.30q is gone", id)
		}
	}
	if len(found) != len(kept) {
		t.Errorf("%d are left, want %d", len(found), len(kept))
	}
}

// TestLargeBatches applies a batch larger than a request, with documents larger than a request.
func TestLargeBatches(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	put := videos(1, 1200)
	for i := range 3 {
		var text strings.Builder
		for n := range 60_000 {
			fmt.Fprintf(&text, "w%d ", n%700+i)
		}
		put[i].Transcript = text.String()
	}
	s.apply(search.Batch{Put: put, Position: 1})
	s.stands(1, 1200)
	s.finds("w1", 2)
	s.finds("number1200", 1)
}

// TestADocumentThatIsRefusedFailsTheBatch checks that a document that Typesense refuses fails the whole batch, even
// while other documents are still being encoded, and that the position stays.
func TestADocumentThatIsRefusedFailsTheBatch(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	s.apply(search.Batch{Position: 1})
	raw := rawServer{t, server.URL, server.Key}
	if status := raw.ask(http.MethodPatch, "/collections/"+s.index.Generation(), `{"fields": [{"name": "demanded", "type": "string"}]}`, nil); status != 200 {
		t.Fatalf("status %d", status)
	}
	err := s.index.Apply(t.Context(), search.Batch{Put: videos(4, 700), Position: 2})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), string(id(4))) || !strings.Contains(err.Error(), "demanded") {
		t.Errorf("got %v, want the document and what Typesense says", err)
	}
	if at, _ := s.index.Position(t.Context()); at != 1 {
		t.Errorf("position %d, want 1", at)
	}
}

func TestNumbersThatDoNotFitAreRefused(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	far := 1 << 40
	for name, change := range map[string]func(*search.Document){
		"sequence": func(d *search.Document) { d.Sequence = 1 << 41 },
		"negative": func(d *search.Document) { d.Sequence = -1 },
		"date":     func(d *search.Document) { d.ReleasedOn = 1 << 22 },
		"age":      func(d *search.Document) { d.Ages.Max = &far },
	} {
		d := video(1, 1)
		change(&d)
		if err := s.index.Apply(t.Context(), search.Batch{Put: []search.Document{d}, Position: 1}); fault.CodeOf(err) != fault.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.stands(0, 0)
}

// TestAnotherProcessIsFollowed checks that an index soon sees the writes of another process, including new words and
// values.
func TestAnotherProcessIsFollowed(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	writer := testIndex{t, openOn(t, server, server.Prefix)}
	reader := testIndex{t, openOn(t, server, server.Prefix)}
	seen := func(position int64) {
		t.Helper()
		eventually(t, fmt.Sprint("position ", position), func() bool {
			at, err := reader.index.Position(t.Context())
			return err == nil && at == position
		})
		if reader.index.Generation() != writer.index.Generation() {
			t.Errorf("generations %q and %q", reader.index.Generation(), writer.index.Generation())
		}
	}
	reader.stands(0, 0)
	writer.apply(search.Batch{Put: videos(1, 5), Position: 1})
	seen(1)
	reader.finds("number3", 1)
	topic := catalogue.ID(strings.Repeat("5f", catalogue.IDLength/2))
	d := video(6, 6)
	d.Title, d.Topics = "Photosynthesis", []catalogue.ID{topic}
	writer.apply(search.Batch{Put: []search.Document{d}, Position: 2})
	seen(2)
	reader.finds("photosynthesis", 1)
	result, err := reader.index.Search(t.Context(), search.Query{Today: 20_000, Facets: &search.FacetRequest{Topics: true}})
	if err != nil || !slices.Equal(result.Facets.Topics, []search.Bucket{{Key: string(topic), Hits: 1}}) {
		t.Errorf("topics %+v (%v)", result, err)
	}
	writer.rebuild(3, videos(7, 9))
	seen(3)
	reader.finds("", 3)
	reader.finds("number8", 1)
	reader.apply(search.Batch{Put: videos(10, 10), Position: 4}) // The holder of the lease writes, whichever process it is.
	reader.stands(4, 4)
	writer.apply(search.Batch{Put: videos(11, 11), Position: 5})
	writer.stands(5, 5)
	writer.finds("number10", 1)
}

func TestClosedAndInterrupted(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	index := openOn(t, server, server.Prefix)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := index.Apply(ended, search.Batch{Position: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(index.Close(), index.Close()); err != nil {
		t.Error(err)
	}
	if err := index.Apply(t.Context(), search.Batch{Position: 1}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a closed index: %v", err)
	}
	if err := index.Rebuild(t.Context(), 1, sequence(nil)); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a closed index: %v", err)
	}
}
