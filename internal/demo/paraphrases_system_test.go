//go:build system

package demo_test

import (
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/semantic"
)

// TestParaphrasesAreFound checks with a real embedding model that search by meaning finds videos by other words, which
// words alone do not.
func TestParaphrasesAreFound(t *testing.T) {
	const model = "all-MiniLM-L6-v2"
	service := semantic.NewService(semantic.Options{URL: testservers.MiniLM(t).URL, Model: model})
	videos := filled(t)
	embedder, stats := projection.NewEmbedder(service, projection.Options{Store: videos})
	start := time.Now()
	if err := embedder.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d videos with %d passages are embedded in %s", stats.Videos.Load(), stats.Passages.Load(), time.Since(start))
	index := indexed(t, videos, model)
	questions := semantic.NewQuestions(semantic.QuestionOptions{Embedder: service, Least: 0.25, Patience: time.Minute})
	byMeaning, byWords := 0, 0
	list := paraphrases(t)
	for _, p := range list {
		find := func(meaning *search.Meaning) bool {
			return slices.Contains(find(t.Context(), t, index, p.question, meaning), p.video)
		}
		if find(nil) {
			byWords++
		}
		if find(questions.Meaning(t.Context(), p.question)) {
			byMeaning++
		} else {
			t.Logf("%q is not found", p.question)
		}
	}
	t.Logf("of %d questions, meaning and words find %d in the first ten results, words alone %d", len(list), byMeaning, byWords)
	if byMeaning*100 < len(list)*85 || byWords*100 > len(list)*10 {
		t.Error("meaning has to find 85 % of the questions, words alone at most 10 %")
	}
}
