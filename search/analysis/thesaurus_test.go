package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSynonymGroups(t *testing.T) {
	a := New(Synonyms{})
	for _, test := range []struct {
		name   string
		groups [][]string
		query  string
		want   [][]string
	}{
		{"none", nil, "car", nil},
		{"not met", [][]string{{"car", "automobile"}}, "cart", nil},
		{"met, folded", [][]string{{"Cár!", "Motor-Car"}}, "the CAR", [][]string{{"car", "motor car"}}},
		{"in the order of the query, each once", [][]string{{"a1", "b1"}, {"c1", "d1"}}, "d1 x b1 a1", [][]string{{"c1", "d1"}, {"a1", "b1"}}},
		{"the longest", [][]string{{"motor", "engine"}, {"motor car", "automobile"}}, "motor car", [][]string{{"motor car", "automobile"}}},
		{"joined by a variant", [][]string{{"a1", "b1"}, {"c1", "d1"}, {"D1", "A1"}}, "b1", [][]string{{"a1", "b1", "c1", "d1"}}},
		{"joined by a built-in group", [][]string{{"wwii", "x1"}, {"y1", "Second World War"}}, "x1", [][]string{{"wwii", "x1", "y1", "second world war"}}},
		{"met by the built-in group alone", [][]string{{"wwii", "x1"}}, "world war 2", [][]string{{"wwii", "x1"}}},
		{"the country", [][]string{{"US", "x1"}}, "united states", [][]string{{"US", "x1"}}},
		{"in capitals", [][]string{{"US", "x1"}}, "US", [][]string{{"US", "x1"}}},
		{"not the pronoun", [][]string{{"US", "x1"}}, "us", nil},
		{"no letter", [][]string{{"?!", "x1"}}, "x1", [][]string{{"x1"}}},
	} {
		got := a.Thesaurus(test.groups).SynonymGroups(test.query)
		if !slices.EqualFunc(got, test.want, slices.Equal[[]string]) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestQueryWithSynonyms(t *testing.T) {
	a := New(Synonyms{})
	groups := [][]string{{"car", "automobile", "motor car"}, {"wwii", "the great conflict"}, {"ray", "beam"}}
	for query, want := range map[string]string{
		"car":                    "[car automobil]+[[motor car]]",
		"motor car repair":       "[car automobil]+[[motor car]] repair",
		"automobile car":         "[car automobil]+[[motor car]]",
		"second world war":       "[\x01ww2]+[[the great conflict]]",
		"the great conflict 1":   "[\x01ww2]+[[the great conflict]] 1",
		"the great white":        "great white",
		"mathematics of the car": "[\x01math] [car automobil]+[[motor car]]",
	} {
		var words []string
		for _, w := range a.QueryWithSynonyms(query, a.Thesaurus(groups).SynonymGroups(query)) {
			switch {
			case w.Exact != "":
				words = append(words, w.Exact)
			case w.Phrases == nil:
				words = append(words, fmt.Sprint(w.Stems))
			default:
				words = append(words, fmt.Sprintf("%v+%v", stemsOfCars(w), w.Phrases))
			}
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	// A part of a compound remains a part of it.
	for _, w := range a.QueryWithSynonyms("x-ray", a.Thesaurus(groups).SynonymGroups("x-ray")) {
		if !slices.Contains(w.Stems, "xray") {
			t.Errorf("of x-ray: %v", w.Stems)
		}
	}
}

// stemsOfCars returns the group tokens among the stems of a word, and the English stems of two variants.
func stemsOfCars(w Word) []string {
	return slices.DeleteFunc(slices.Clone(w.Stems), func(stem string) bool {
		return !strings.HasPrefix(stem, canonicalMark) && stem != "car" && stem != "automobil"
	})
}

// TestOnlyWhatIsMetCounts checks that a query with only the groups of its words equals the query with all groups.
func TestOnlyWhatIsMetCounts(t *testing.T) {
	a := New(Synonyms{})
	words := []string{"ww2", "world", "war", "two", "US", "x-ray", "car", "日本", "the", "of", "cars", "2"}
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4), func(list []string) string { return strings.Join(list, " ") })
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.SliceOfN(text, 2, 4), 0, 5).Draw(t, "groups")
		query := rapid.Map(rapid.SliceOfN(text, 1, 3), func(list []string) string { return strings.Join(list, " ") }).Draw(t, "query")
		all := a.Thesaurus(groups)
		met := all.SynonymGroups(query)
		got := a.QueryWithSynonyms(query, met)
		if again := a.thesaurus(met).SynonymGroups(query); !slices.EqualFunc(again, met, slices.Equal[[]string]) {
			t.Fatalf("met of what is met: %q, want %q", again, met)
		}
		whole := querySet{analyzer: a, seen: map[string]int{}, thesaurus: all}
		whole.addAll(a.units(query), false)
		if len(whole.words) == 0 {
			whole.addAll(a.units(query), true)
		}
		if fmt.Sprint(got) != fmt.Sprint(whole.words) {
			t.Fatalf("%q with %q: got %v, want %v", query, groups, got, whole.words)
		}
		if len(met) == 0 && fmt.Sprint(got) != fmt.Sprint(a.Query(query)) {
			t.Fatalf("%q meets nothing, and is %v instead of %v", query, got, a.Query(query))
		}
		for i, group := range met {
			for _, other := range met[i+1:] {
				if slices.ContainsFunc(group, func(v string) bool { return slices.Contains(other, v) }) {
					t.Fatalf("%q and %q are two groups", group, other)
				}
			}
		}
	})
}
