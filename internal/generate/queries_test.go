package generate_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/search"
)

func TestQueriesAreOneLogForOneSeed(t *testing.T) {
	options := generate.Options{Videos: 200, Seed: 4}
	log := generate.Queries(1, 300, options)
	if len(log) != 300 || !reflect.DeepEqual(log, generate.Queries(1, 300, options)) {
		t.Error("the same arguments made two logs")
	}
	if reflect.DeepEqual(log, generate.Queries(2, 300, options)) {
		t.Error("another seed made the same log")
	}
	options.TranscriptWords = 50
	if !reflect.DeepEqual(log, generate.Queries(1, 300, options)) {
		t.Error("transcripts changed the log")
	}
}

func TestQueriesMixWhatClientsDo(t *testing.T) {
	options := generate.Options{Videos: 500, Seed: 4}
	videos := map[catalogue.ID]*catalogue.Video{}
	for item := range generate.Items(options) {
		if v, ok := item.(*catalogue.Video); ok {
			videos[v.ID] = v
		}
	}
	var blank, phrases, sentences, filtered, exact int
	fields := map[string]bool{}
	const n = 4000
	for _, q := range generate.Queries(9, n, options) {
		text := search.ParseText(q.Text)
		filter := reflect.ValueOf(q.Filter)
		restricted := !filter.IsZero()
		for i := range filter.NumField() {
			if !filter.Field(i).IsZero() {
				fields[filter.Type().Field(i).Name] = true
			}
		}
		count := func(n *int, when bool) {
			if when {
				*n++
			}
		}
		count(&blank, text.Blank())
		count(&phrases, len(text.Phrases) > 0)
		count(&sentences, len(strings.Fields(q.Text)) >= 10)
		count(&filtered, restricted)
		if v := videos[q.Video]; v != nil {
			count(&exact, q.Text == v.Title)
		} else if q.Video != "" {
			t.Fatalf("%q was drawn from %s, which is not in the catalogue", q.Text, q.Video)
		}
	}
	for what, share := range map[string]struct{ n, least, most int }{
		"blank": {blank, 10, 20}, "phrases": {phrases, 5, 15}, "sentences": {sentences, 5, 20},
		"filtered": {filtered, 30, 60}, "whole titles": {exact, 5, 20},
	} {
		if share.n < n*share.least/100 || share.n > n*share.most/100 {
			t.Errorf("%d of %d queries are %s", share.n, n, what)
		}
	}
	for _, field := range []string{
		"Durations", "ReleasedFrom", "ReleasedTo", "Ages", "AgeMin", "AgeMax", "Subjects",
		"SubjectsSetManually", "Channels", "Types", "Tags", "Promoted", "Languages",
		"EducationLevels", "CEFR", "Subtypes", "ResourceTypes", "Categories", "Topics", "YouTube",
	} {
		if !fields[field] {
			t.Errorf("no query filters by %s", field)
		}
	}
}

func TestQueriesOfAnEmptyCatalogueAreBlank(t *testing.T) {
	for _, q := range generate.Queries(1, 20, generate.Options{}) {
		if q.Text != "" || q.Video != "" {
			t.Errorf("%+v asks for a video that does not exist", q)
		}
	}
}

func TestMisspellChangesOneLongWord(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		const text = "the membrane of a cell divides"
		before, after := strings.Fields(text), strings.Fields(generate.Misspell(rng, text))
		changed := 0
		for i := range before {
			if before[i] != after[i] {
				changed++
				if len(before[i]) < 5 || before[i][0] != after[i][0] {
					t.Fatalf("%q became %q", before[i], after[i])
				}
			}
		}
		if changed != 1 || len(before) != len(after) {
			t.Fatalf("%q became %q", before, after)
		}
	}
	if text := "a cell is not"; generate.Misspell(rng, text) != text {
		t.Error("a text without a long word was changed")
	}
}

func TestQuestionKeepsWordsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(strings.Repeat("a b c d e f g h i j ", 6))
	for range 1000 {
		question := strings.Fields(generate.Question(rng, strings.Join(words, " ")))
		if len(question) < 10 || len(question) > 30 {
			t.Fatalf("%d words: %q", len(question), question)
		}
		at := 0
		for _, word := range question {
			for at < len(words) && words[at] != word {
				at++
			}
			if at++; at > len(words) {
				t.Fatalf("%q is not in the order of the text", question)
			}
		}
	}
	if got := generate.Question(rng, "one two three"); got != "one two three" {
		t.Errorf("a short text became %q", got)
	}
}
