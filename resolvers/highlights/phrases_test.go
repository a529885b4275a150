package highlights

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
)

// TestPhrasesAreLimited proves that searches and highlights refuse too many phrases, with an error that names the
// limit.
func TestPhrasesAreLimited(t *testing.T) {
	l := openLibrary(t, 50)
	for name, test := range map[string]struct{ text, problem string }{
		"five phrases":           {strings.Repeat(`"solar system" `, 5), ""},
		"a lone quote":           {strings.Repeat(`"solar system" `, 5) + `"moon`, ""},
		"six phrases":            {strings.Repeat(`"solar system" `, 6), "query has 6 quoted phrases, at most 5 are allowed"},
		"typographic quotes":     {strings.Repeat(`“s” `, 275), "query has 275 quoted phrases, at most 5 are allowed"},
		"empty ones":             {strings.Repeat(`"" `, 300) + "moon", ""},
		"long phrases":           {strings.Repeat(`"a b c d e f g h" `, 5), ""},
		"longer phrases":         {strings.Repeat(`"a b c d e f g h" `, 4) + `"a b c d e f g h i"`, "the quoted phrases of query have 41 words, at most 40 are allowed"},
		"a phrase of characters": {`"` + strings.Repeat("水", 41) + `"`, "the quoted phrases of query have 41 words, at most 40 are allowed"},
	} {
		_, searched := l.searches.ParseText(test.text)
		_, highlights := l.Highlights(l.ctx, test.text, 0, 10, nil, nil, nil, nil, false)
		for field, err := range map[string]error{"search": searched, "highlights": highlights} {
			var problem *fault.Error
			switch {
			case test.problem == "" && err != nil:
				t.Errorf("%s: %s: %v", name, field, err)
			case test.problem != "" && (!errors.As(err, &problem) || problem.Code != fault.Invalid || problem.Message != test.problem):
				t.Errorf("%s: %s: got %v, want %s", name, field, err, test.problem)
			}
		}
	}
}

// TestHighlightsEndWithTheirCaller proves that nothing is read or scored after the context has ended.
func TestHighlightsEndWithTheirCaller(t *testing.T) {
	l := openLibrary(t, 50)
	ended, cancel := context.WithCancel(l.ctx)
	cancel()
	if _, err := l.Highlights(ended, "water", 0, 10, nil, nil, nil, nil, false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
