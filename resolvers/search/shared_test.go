package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
)

const publicChannel, hiddenChannel = "000000000000000000000001", "000000000000000000000002"

// recorder returns shared texts.
type recorder struct{ shared []store.SharedSearch }

func (*recorder) Searched(*account.Account, string, bool, int) {}
func (r *recorder) Shared() []store.SharedSearch               { return r.shared }

// newSuggester returns a resolver with an index of videos, given their titles by channel.
func newSuggester(t testing.TB, shared []store.SharedSearch, titles map[catalogue.ID][]string) *Resolver {
	t.Helper()
	index, err := embedded.Open(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	batch := search.Batch{Position: 1}
	for channel, list := range titles {
		for _, title := range list {
			var d search.Document
			d.ID, d.Version, d.Channel, d.Title = catalogue.ID(fmt.Sprintf("%024x", len(batch.Put)+16)), 1, channel, title
			batch.Put = append(batch.Put, d)
		}
	}
	if err := index.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	return New(Config{Index: index, Recorder: &recorder{shared: shared}, Analyzer: analysis.New(analysis.Synonyms{}), Now: time.Now})
}

func (r *Resolver) mustSuggest(t *testing.T, text string, directory *catalogue.Directory, access catalogue.Access) []string {
	t.Helper()
	if directory == nil {
		directory = &catalogue.Directory{}
	}
	phrases, err := r.suggestPhrases(t.Context(), text, directory, access)
	if err != nil {
		t.Fatal(err)
	}
	return phrases
}

// phrase returns a shared text.
func phrase(spelling string) store.SharedSearch {
	return store.SharedSearch{Text: catalogue.FoldName(spelling), Spelling: spelling, Accounts: 3, Searches: 9}
}

func TestSharedPhrasesStandBetween(t *testing.T) {
	q := newSuggester(t, []store.SharedSearch{phrase("how water boils"), phrase("Water"), phrase("Underwater")}, map[catalogue.ID][]string{
		publicChannel: {"How water boils", "Waterfalls", "WATER", "Underwater life"},
	})
	listed := &catalogue.Directory{Phrases: []*catalogue.Phrase{{Text: "deep water"}, {Text: "water!"}}}
	want := []string{"water!", "deep water", "how water boils", "Underwater", "Waterfalls", "Underwater life"}
	if got := q.mustSuggest(t, "WATER", listed, catalogue.Access{}); !slices.Equal(got, want) {
		t.Errorf("with the operator's list: %q, want %q", got, want)
	}
	want = []string{"Water", "how water boils", "Underwater", "Waterfalls", "Underwater life"}
	if got := q.mustSuggest(t, "water", nil, catalogue.Access{}); !slices.Equal(got, want) {
		t.Errorf("without: %q, want %q", got, want)
	}
	for _, typed := range []string{"zzz", "?", ""} {
		if got := q.mustSuggest(t, typed, nil, catalogue.Access{}); len(got) > 0 {
			t.Errorf("%q: %q", typed, got)
		}
	}
	if got := q.mustSuggest(t, "oil", nil, catalogue.Access{}); got[0] != "how water boils" {
		t.Errorf("inside a word: %q", got)
	}
}

func TestAtMostFivePhrasesAreShared(t *testing.T) {
	var shared []store.SharedSearch
	var titles []string
	for n := range 9 {
		shared = append(shared, phrase(fmt.Sprint("ocean ", n)))
		titles = append(titles, fmt.Sprint("An ocean ", n))
	}
	q := newSuggester(t, shared, map[catalogue.ID][]string{publicChannel: titles})
	got := q.mustSuggest(t, "ocean", nil, catalogue.Access{})
	want := []string{"ocean 0", "ocean 1", "ocean 2", "ocean 3", "ocean 4", "An ocean 0", "An ocean 1", "An ocean 2", "An ocean 3", "An ocean 4"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSharedPhrasesOfWhatIsHidden proves that a text about hidden videos is suggested only to callers who see them.
func TestSharedPhrasesOfWhatIsHidden(t *testing.T) {
	q := newSuggester(t, []store.SharedSearch{phrase("merger of Acme"), phrase("merger of cells"), phrase("merger of nobody")}, map[catalogue.ID][]string{
		publicChannel: {"Merger of cells", "Acme anvils"}, hiddenChannel: {"Merger of Acme explained"},
	})
	without, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.ExcludedChannels, Values: []string{hiddenChannel}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := q.mustSuggest(t, "merger", nil, catalogue.Access{}); !slices.Equal(got, []string{"merger of Acme", "merger of cells", "Merger of Acme explained"}) {
		t.Errorf("with all channels: %q", got)
	}
	if got := q.mustSuggest(t, "merger", nil, without); !slices.Equal(got, []string{"merger of cells"}) {
		t.Errorf("without the channel: %q", got)
	}
}

// failingFinder is an index whose Finds fails.
type failingFinder struct {
	search.Reader
	fault error
}

func (x failingFinder) Finds(context.Context, []search.Text, catalogue.Access, catalogue.Date) ([]bool, error) {
	return nil, x.fault
}

func TestSharedPhrasesWhereTheIndexFails(t *testing.T) {
	q := newSuggester(t, []store.SharedSearch{phrase("water"), phrase("waterfall")}, nil)
	away := errors.New("away")
	q.Index = failingFinder{q.Index, away}
	if phrases, err := q.suggestPhrases(t.Context(), "water", &catalogue.Directory{}, catalogue.Access{}); !errors.Is(err, away) {
		t.Errorf("%q, %v", phrases, err)
	}
	if phrases, err := q.suggestPhrases(t.Context(), "ice", &catalogue.Directory{}, catalogue.Access{}); err != nil {
		t.Errorf("nobody asks for %q, %v", phrases, err)
	}
}

// TestNoSharedPhrases proves that no phrases are shared without a recorder.
func TestNoSharedPhrases(t *testing.T) {
	q := newSuggester(t, nil, map[catalogue.ID][]string{publicChannel: {"Water"}})
	q.Recorder = nil
	if got := q.mustSuggest(t, "water", nil, catalogue.Access{}); !slices.Equal(got, []string{"Water"}) {
		t.Errorf("%q", got)
	}
}

// BenchmarkSharedPhrases looks for a text among the maximum number of phrases that can be shared.
func BenchmarkSharedPhrases(b *testing.B) {
	var shared []store.SharedSearch
	for n := range 10_000 {
		shared = append(shared, phrase(fmt.Sprint("the motion of planet ", n)))
	}
	for _, typed := range []string{"tion", "zzz"} {
		b.Run(typed, func(b *testing.B) {
			for b.Loop() {
				bestShared(shared, typed, nil)
			}
		})
	}
}
