package demo_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// paraphrase is a question about what a video explains, in other words than the video's.
type paraphrase struct {
	video    catalogue.ID
	question string
}

// paraphrases reads the questions. Each line is the reference of the right video, a tab, and the question.
func paraphrases(t *testing.T) []paraphrase {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "paraphrases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []paraphrase
	for line := range strings.Lines(string(text)) {
		reference, question, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			t.Fatalf("%q has no tab", line)
		}
		list = append(list, paraphrase{catalogue.DeriveID(catalogue.KindVideo, "demo", reference), question})
	}
	return list
}

// filled returns a store with the demo's catalogue.
func filled(t *testing.T) store.Catalogue {
	t.Helper()
	videos, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = videos.Close() })
	if err := demo.FillCatalogue(t.Context(), videos); err != nil {
		t.Fatal(err)
	}
	return videos
}

// indexed returns an index of a catalogue with vectors of a model; "": without vectors.
func indexed(t *testing.T, videos store.Catalogue, model string) *embedded.Index {
	t.Helper()
	index, err := embedded.Open(embedded.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	if err := projection.New(projection.Options{Store: videos, Index: index, Model: model}).Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	return index
}

// find returns the first ten videos for a text, as the domain searches for it.
func find(ctx context.Context, t *testing.T, index *embedded.Index, text string, meaning *search.Meaning) []catalogue.ID {
	t.Helper()
	const enough = 10
	query := search.Query{Text: search.ParseText(text), Meaning: meaning, Size: 10}
	levels := search.MatchLevels(len(analysis.New(analysis.Synonyms{}).Query(query.Text.Words)))
	counts, err := index.Matches(ctx, query.Text, levels, query.Access, query.Today, enough)
	if err != nil {
		t.Fatal(err)
	}
	query.Level = levels[search.Choose(counts, enough)]
	result, err := index.Search(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]catalogue.ID, len(result.Refs))
	for i, ref := range result.Refs {
		ids[i] = ref.ID
	}
	return ids
}

// TestParaphrasesShareNoWord checks that the questions by which search by meaning is judged have no word that carries
// meaning in common with the texts of the right video, in any inflection.
func TestParaphrasesShareNoWord(t *testing.T) {
	index := indexed(t, filled(t), "")
	list := paraphrases(t)
	if len(list) < 100 {
		t.Errorf("there are %d questions, want 100", len(list))
	}
	for _, p := range list {
		count := func(text string) int {
			result, err := index.Search(t.Context(), search.Query{
				Text: search.ParseText(text), Level: search.MatchLevel{OptionalWords: 99}, Filter: search.Filter{IDs: []catalogue.ID{p.video}}, Size: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			return result.Total
		}
		if count("") != 1 {
			t.Errorf("%q: the catalogue has no video %s", p.question, p.video)
		}
		if count(p.question) == 0 {
			continue
		}
		shared := slices.DeleteFunc(strings.Fields(p.question), func(word string) bool { return count(word) == 0 })
		t.Errorf("%q has words of its video: %q", p.question, shared)
	}
}
