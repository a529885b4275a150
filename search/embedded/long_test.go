package embedded_test

import (
	"fmt"
	"iter"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// TestLongTexts verifies the order of videos for questions: a rare word counts more than many frequent ones, a word that
// the question repeats counts more than others, and a video with all words still comes first.
func TestLongTexts(t *testing.T) {
	titles := map[string]string{"rare": "Where the thermocline lies", "frequent": "Good books for a class of students", "all": "Good books for a class of students: the thermocline"}
	var documents []search.Document
	add := func(name, title, description string) {
		d := search.Document{Title: title, Description: description}
		d.ID, d.Version, d.Sequence = catalogue.DeriveID(catalogue.KindVideo, "test", name), 1, int64(len(documents)+1)
		documents = append(documents, d)
	}
	for i := range 40 { // words that are frequent, together and apart
		add(fmt.Sprint("filler-", i), fmt.Sprint("Good books ", i), "a class of students reads good books")
	}
	for _, name := range []string{"rare", "frequent"} {
		add(name, titles[name], "")
	}
	add("volcano", "A volcano", "")
	add("glacier", "A glacier", "")
	index := openIndex(t, embedded.Options{})
	defer index.Close()
	rebuild := func() {
		var all iter.Seq2[search.Document, error] = func(yield func(search.Document, error) bool) {
			for _, d := range documents {
				if !yield(d, nil) {
					return
				}
			}
		}
		if err := index.Rebuild(t.Context(), int64(len(documents)), all); err != nil {
			t.Fatal(err)
		}
	}
	want := func(text, name string) {
		t.Helper()
		const enough = 10 // as in the domain
		query := search.Query{Text: search.ParseText(text), Today: 20000, Size: 1}
		levels := search.MatchLevels(len(analysis.New(analysis.Synonyms{}).Query(text)))
		counts, err := index.Matches(t.Context(), query.Text, levels, query.Access, query.Today, enough)
		if err != nil {
			t.Fatal(err)
		}
		query.Level = levels[search.Choose(counts, enough)]
		result, err := index.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if result.Refs[0].ID != catalogue.DeriveID(catalogue.KindVideo, "test", name) || result.Total < enough {
			t.Errorf("%q finds %d videos, not %s first", text, result.Total, name)
		}
	}
	rebuild()
	const question = "Which good books for a class of students explain the thermocline?"
	want(question, "rare")
	want("Good students in class read books about a volcano or a glacier, and the volcano is the subject", "volcano")
	want("Good students in class read books about a volcano or a glacier, and the glacier is the subject", "glacier")
	add("all", titles["all"], "")
	rebuild()
	want(question, "all")
}
