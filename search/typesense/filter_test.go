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

// TestAtLeast holds conditions against counting: documents are sets of tokens.
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

// split takes apart what is joined by one operator outside parentheses.
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

// TestNoFilterIsTooLong: every filter at once fits, with a text of any length.
func TestNoFilterIsTooLong(t *testing.T) {
	age, yes, day, instant := 5, true, catalogue.Date(20_000), time.Unix(0, 0)
	filter := search.Filter{
		IDs: []catalogue.ID{"a"}, Durations: []catalogue.DurationRange{{Min: 1}, {Min: 5}},
		ReleasedFrom: &day, ReleasedTo: &day, UpdatedFrom: &instant,
		Ages: []catalogue.AgeBracket{{From: 1, To: 3}, {From: 5, To: 9}, {From: 11, To: 14}}, AgeMin: &age, AgeMax: &age,
		Subjects: []catalogue.ID{"s"}, SubjectsSetManually: &yes, Channels: []catalogue.ID{"c"},
		Types: catalogue.VideoTypes(), Tags: []catalogue.ID{"t", "u", "v"}, Promoted: &yes,
		Languages: []catalogue.Language{"eng"}, EducationLevels: []string{"4CD"}, CEFR: catalogue.CEFRLevels(),
		Subtypes: catalogue.Subtypes(), ResourceTypes: catalogue.AttachmentTypes(), Categories: []string{"J"},
		Topics: []catalogue.ID{"o"}, YouTube: &yes,
	}
	for _, forms := range []int{1, 2, 4} {
		for _, count := range []int{1, 2, 5, 6, 7, 30, 64} {
			q := &question{phrases: []string{oneOf(fieldPairs, []string{"0p"})}}
			for i := range count {
				w := word{Word: analysis.Word{Exact: "w"}, documents: i}
				for n := range forms {
					w.stems = append(w.stems, fmt.Sprintf("0w%dx%d", i, n))
				}
				q.words = append(q.words, w)
			}
			for missing := range min(count, 8) {
				query := &search.Query{Filter: filter, Step: search.Step{Typos: true, Missing: missing}}
				if _, err := conditionsOf(query, q); err != nil {
					t.Errorf("%d words of %d forms, %d missing: %v", count, forms, missing, err)
				}
			}
		}
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
	if pages := covering(search.MaxWindow-search.MaxWindow, search.MaxWindow); len(pages) != search.MaxWindow/maxPerPage {
		t.Errorf("%d pages", len(pages))
	}
}

func TestBrackets(t *testing.T) {
	for wanted, ages := range map[string][]catalogue.AgeBracket{
		"age_span:>=1 && (age_lowest:<11 && age_highest:>5)":                                       {{From: 5, To: 9}, {From: 9, To: 11}},
		"age_span:>=1 && ((age_lowest:<5 && age_highest:>3) || (age_lowest:<9 && age_highest:>7))": {{From: 7, To: 9}, {From: 3, To: 5}},
		nothing: {{From: 4, To: 4}},
		"":      nil,
	} {
		if got := brackets(ages); got != wanted {
			t.Errorf("%v: %s, want %s", ages, got, wanted)
		}
	}
}
