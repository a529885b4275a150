package typesense

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// TestAtLeast compares conditions with counts, for documents that are sets of tokens.
func TestAtLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		sets := make([][]string, 1+rng.IntN(6))
		for i := range sets {
			for n := range 1 + rng.IntN(4) {
				sets[i] = append(sets[i], fmt.Sprintf("0w%dx%d", i, n))
			}
		}
		need := 1 + rng.IntN(len(sets))
		condition := atLeast(sets, need, 1+rng.IntN(64))
		if n := operands(condition); n > 53 {
			t.Errorf("%d operands and operators: %s", n, condition)
		}
		for range 20 {
			document := map[string]bool{}
			has := 0
			for _, set := range sets {
				if rng.IntN(2) == 0 {
					document[set[rng.IntN(len(set))]] = true
					has++
				}
			}
			if got := meets(t, condition, document); got != (has >= need) {
				t.Fatalf("%d of %v, %v: %t by %s", need, sets, document, got, condition)
			}
		}
	}
}

// meets evaluates a condition on terms.
func meets(t *testing.T, condition string, document map[string]bool) bool {
	t.Helper()
	parts, operator := split(condition)
	switch operator {
	case "||":
		return slices.ContainsFunc(parts, func(part string) bool { return meets(t, part, document) })
	case "&&":
		return !slices.ContainsFunc(parts, func(part string) bool { return !meets(t, part, document) })
	}
	if strings.HasPrefix(condition, "(") {
		return meets(t, condition[1:len(condition)-1], document)
	}
	name, list, _ := strings.Cut(condition, ":")
	if name != fieldTerms {
		t.Fatalf("not on terms: %s", condition)
	}
	list = strings.Trim(strings.TrimPrefix(list, "="), "[]")
	return slices.ContainsFunc(strings.Split(list, ","), func(value string) bool {
		return !slices.ContainsFunc(strings.Fields(value), func(token string) bool { return !document[token] })
	})
}

// split splits a condition at its operator outside parentheses.
func split(condition string) (parts []string, operator string) {
	depth, start := 0, 0
	for i := range condition {
		switch {
		case condition[i] == '(':
			depth++
		case condition[i] == ')':
			depth--
		case depth == 0 && (strings.HasPrefix(condition[i:], "&&") || strings.HasPrefix(condition[i:], "||")):
			operator = condition[i : i+2]
			parts = append(parts, strings.TrimSpace(condition[start:i]))
			start = i + 2
		}
	}
	return append(parts, strings.TrimSpace(condition[start:])), operator
}

// TestNoFilterIsTooLong checks that a query with every filter, every access rule and a text of any length stays within
// the limits of Typesense.
func TestNoFilterIsTooLong(t *testing.T) {
	age, yes, day, instant := 5, true, catalogue.Date(20_000), time.Unix(0, 0)
	filter := search.Filter{
		IDs: []catalogue.ID{"a"}, Durations: []catalogue.DurationRange{{Min: 1}, {Min: 5}},
		ReleasedFrom: &day, ReleasedTo: &day, UpdatedFrom: &instant,
		Ages: manyBrackets(), AgeMin: &age, AgeMax: &age,
		Subjects: []catalogue.ID{"s"}, SubjectsSetManually: &yes, Channels: []catalogue.ID{"c"},
		Types: catalogue.VideoTypes(), Tags: []catalogue.ID{"t", "u", "v"}, Promoted: &yes,
		Languages: []catalogue.Language{"eng"}, EducationLevels: []string{"4CD"}, CEFR: catalogue.CEFRLevels(),
		Subtypes: catalogue.Subtypes(), ResourceTypes: catalogue.AttachmentTypes(), Categories: []string{"J"},
		Curriculum: []search.Place{{Categories: []string{"J", "K"}, EducationLevels: []string{"4C", "4L"}}, {Categories: []string{"K"}}},
		Topics:     []catalogue.ID{"o"}, YouTube: &yes,
	}
	seen := (&Index{}).visible(catalogue.Access{Rules: everyRule()}, 0)
	if strings.Count(seen, fieldTraits) != 8 {
		t.Fatalf("not every rule has a condition: %s", seen)
	}
	someIDs := []catalogue.ID{"a", "b"}
	for _, forms := range []int{1, 2, 4, 30, 300} {
		for _, count := range []int{1, 2, 5, 6, 7, 30, 64} {
			q := &question{phrases: anyOf(fieldTerms, []string{"0p"})}
			for i := range count {
				w := word{Word: analysis.Word{Exact: "w"}, documents: i}
				for n := range forms {
					w.stems = append(w.stems, fmt.Sprintf("0w%dx%d", i, n))
				}
				if i%4 == 3 {
					w.phrased.tokens = []string{"p1 p2"}
				}
				q.words = append(q.words, w)
			}
			for missing := range min(count, 8) {
				query := &search.Query{Filter: filter, Level: search.MatchLevel{Typos: true, OptionalWords: missing}}
				withRules := *query
				withRules.Pin, withRules.Bury = someIDs, someIDs[1:]
				s := &run{query: &withRules, question: q, conditions: conditionsOf(&withRules, seen, q, nil)}
				for _, l := range append(s.segments(), listing{filter: s.conditions.without(durationFacet)}) {
					if n := operands(l.filter); n > maxOperands {
						t.Errorf("%d words of %d forms, %d missing: %d operands and operators for what has search rules", count, forms, missing, n)
					}
				}
				if n := conditionsOf(query, seen, q, nil).longest(); n > maxOperands {
					t.Errorf("%d words of %d forms, %d missing: %d operands and operators", count, forms, missing, n)
				}
				if n := operands(and(seen, q.condition(query.Level, maxOperands-operands(seen)-1))); n > maxOperands {
					t.Errorf("%d words of %d forms, %d missing: %d operands and operators to count", count, forms, missing, n)
				}
			}
		}
	}
}

// everyRule returns rules of every kind, with one value each.
func everyRule() *catalogue.Rules {
	ids, levels := []catalogue.ID{"a"}, []string{"4C"}
	return &catalogue.Rules{
		Videos: ids, Channels: ids, Types: catalogue.VideoTypes()[:1], Subjects: ids, Categories: []string{"J"}, EducationLevels: levels,
		DistributionMethods: catalogue.DistributionMethods()[:1],
		ExcludedVideos:      ids, ExcludedChannels: ids, ExcludedTypes: catalogue.VideoTypes()[1:], ExcludedLanguages: []catalogue.Language{"eng"},
		ExcludedProviders: catalogue.PlaybackProviders()[:1], ExcludedEducationLevels: levels, ExcludedWarnings: ids, OpenChannels: ids,
	}
}

func TestCovering(t *testing.T) {
	for offset := range 600 {
		for _, size := range []int{0, 1, 7, 10, 100, 249, 250, 251, 1000} {
			held := map[int]bool{}
			for _, page := range covering(offset, size) {
				if page.size > maxPerPage {
					t.Fatalf("a page of %d", page.size)
				}
				for place := range page.size {
					held[(page.number-1)*page.size+place] = true
				}
			}
			for place := offset; place < offset+size; place++ {
				if !held[place] {
					t.Fatalf("%d from %d: %d is on no page", size, offset, place)
				}
			}
		}
	}
	if pages := covering(40, 20); len(pages) != 1 || pages[0] != (servedPage{3, 20}) {
		t.Errorf("got %v", pages)
	}
	if pages := covering(0, search.MaxWindow); len(pages) != search.MaxWindow/maxPerPage {
		t.Errorf("%d pages", len(pages))
	}
}

// manyBrackets returns age brackets with a gap after each.
func manyBrackets() (brackets []catalogue.AgeBracket) {
	for from := 0; from < catalogue.MaxAge; from += 2 {
		brackets = append(brackets, catalogue.AgeBracket{From: from, To: from + 1})
	}
	return brackets
}

// TestBrackets compares conditions on ages with the rules for age brackets.
func TestBrackets(t *testing.T) {
	if got := brackets(nil); got != "" {
		t.Errorf("no filter: %s", got)
	}
	if got := brackets([]catalogue.AgeBracket{{From: 4, To: 4}}); got != nothing {
		t.Errorf("one age: %s", got)
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		var wanted []catalogue.AgeBracket
		for range 1 + rng.IntN(4) {
			from := rng.IntN(catalogue.MaxAge + 1)
			wanted = append(wanted, catalogue.AgeBracket{From: from, To: from + rng.IntN(catalogue.MaxAge+1-from)})
		}
		condition := brackets(wanted)
		held := rangesOfAges(t, condition)
		for range 50 {
			ages := catalogue.AgeRange{Min: new(rng.IntN(170) - 5), Max: new(rng.IntN(170) - 5)}
			matches := slices.ContainsFunc(wanted, func(b catalogue.AgeBracket) bool { return b.Matches(ages) })
			if got := held.contain(agesNumber(*ages.Min, *ages.Max)); got != matches {
				t.Fatalf("%v, ages %s: %t by %s", wanted, ages.Label(), got, condition)
			}
		}
		if held.contain(unknownAges) {
			t.Fatalf("unknown ages by %s", condition)
		}
	}
}

// ageRanges contains the ranges of a condition on ages, including both ends.
type ageRanges [][2]int

// rangesOfAges parses a condition on ages.
func rangesOfAges(t *testing.T, condition string) (ranges ageRanges) {
	t.Helper()
	if condition == nothing {
		return nil
	}
	list, ok := strings.CutPrefix(condition, fieldAges+":[")
	if !ok {
		t.Fatalf("not on ages: %s", condition)
	}
	for ends := range strings.SplitSeq(strings.TrimSuffix(list, "]"), ",") {
		var from, to int
		if _, err := fmt.Sscanf(ends, "%d..%d", &from, &to); err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, [2]int{from, to})
	}
	return ranges
}

func (r ageRanges) contain(number int) bool {
	return slices.ContainsFunc(r, func(ends [2]int) bool { return ends[0] <= number && number <= ends[1] })
}
