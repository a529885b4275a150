package search

import (
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

func rule(id catalogue.ID, query string, pinned ...catalogue.ID) *catalogue.SearchRule {
	return &catalogue.SearchRule{Meta: catalogue.Meta{ID: id}, Query: query, PinnedIDs: pinned, BuriedIDs: []catalogue.ID{"b" + id}}
}

// TestRulesApplyToWholeTexts proves that a rule applies to a whole text, whatever its case, accents, signs and
// quotation marks.
func TestRulesApplyToWholeTexts(t *testing.T) {
	analyzer := analysis.New(analysis.Synonyms{})
	s := newRules(catalogue.NewDirectory(1, []catalogue.Item{
		rule("1", "Water cycle", "w"), rule("2", `the "Big Bang"`, "b"), rule("3", "water-cycle?", "never"), rule("4", "中国历史", "c"),
	}), analyzer)
	for text, want := range map[string]catalogue.ID{
		"water cycle": "w", "  WÁTER  cycle! ": "w", `"water cycle"`: "w", `water "cycle`: "w", "water-cycle": "w",
		"water": "", "the water cycle": "", "cycle water": "", "water cycles": "",
		"the big bang": "b", `“THE” big bang`: "b", "big bang": "",
		"中国历史": "c", "中国": "", "": "", "?!": "",
	} {
		query := search.Query{Text: search.ParseText(text)}
		s.apply(&query, analyzer)
		got, buried := catalogue.ID(""), len(query.Bury)
		if len(query.Pin) == 1 {
			got = query.Pin[0]
		}
		if got != want || (buried == 1) != (want != "") || query.Text.SynonymGroups != nil {
			t.Errorf("%q: pinned %v, buried %v, want %q", text, query.Pin, query.Bury, want)
		}
	}
}

// TestRulesOfTheDirectory proves that a query applies the rules of its own directory.
func TestRulesOfTheDirectory(t *testing.T) {
	analyzer := analysis.New(analysis.Synonyms{})
	synonym := func(words ...string) catalogue.Item {
		return &catalogue.Synonym{Meta: catalogue.Meta{ID: catalogue.ID(words[0])}, Words: words}
	}
	changed := rule("1", "car", "z")
	changed.Version = 2
	var cache rulesCache
	for _, step := range []struct {
		items         []catalogue.Item
		pinned        []catalogue.ID
		synonymGroups [][]string
	}{
		{nil, nil, nil},
		{[]catalogue.Item{rule("1", "car", "x", "y")}, []catalogue.ID{"x", "y"}, nil},
		{[]catalogue.Item{changed, synonym("Car", "Auto")}, []catalogue.ID{"z"}, [][]string{{"car", "auto"}}},
		{[]catalogue.Item{changed, synonym("Car", "Auto"), &catalogue.Tag{Label: "new"}}, []catalogue.ID{"z"}, [][]string{{"car", "auto"}}},
		{[]catalogue.Item{synonym("bus", "coach")}, nil, nil},
	} {
		directory := catalogue.NewDirectory(1, step.items)
		for range 2 {
			query := search.Query{Text: search.ParseText("car")}
			cache.of(directory, analyzer).apply(&query, analyzer)
			if !slices.Equal(query.Pin, step.pinned) || !slices.EqualFunc(query.Text.SynonymGroups, step.synonymGroups, slices.Equal[[]string]) {
				t.Errorf("pinned %v, alike %v, want %v, %v", query.Pin, query.Text.SynonymGroups, step.pinned, step.synonymGroups)
			}
		}
		if first, second := cache.of(directory, analyzer), cache.of(directory, analyzer); first != second {
			t.Error("made twice of one directory")
		}
	}
}

// TestWithoutRules proves that a query without rules is unchanged, and allocates nothing if there are no rules at all.
func TestWithoutRules(t *testing.T) {
	analyzer := analysis.New(analysis.Synonyms{})
	var cache rulesCache
	directory := catalogue.NewDirectory(1, nil)
	query := search.Query{Text: search.ParseText("the water cycle")}
	cache.of(directory, analyzer)
	if n := testing.AllocsPerRun(100, func() { cache.of(directory, analyzer).apply(&query, analyzer) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
