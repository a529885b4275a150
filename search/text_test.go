package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/search"
)

func TestParseText(t *testing.T) {
	for text, want := range map[string]search.Text{
		"":                      {},
		" \t\n ":                {},
		"why ice floats":        {Words: "why ice floats"},
		"  why\n ice  floats ":  {Words: "why ice floats"},
		`"ice floats"`:          {Words: "ice floats", Phrases: []string{"ice floats"}},
		`why "ice  floats" on`:  {Words: "why ice floats on", Phrases: []string{"ice floats"}},
		`"a b" c "d"`:           {Words: "a b c d", Phrases: []string{"a b", "d"}},
		`a"b"c`:                 {Words: "a b c", Phrases: []string{"b"}},
		`""`:                    {},
		`" "`:                   {},
		`a "" b`:                {Words: "a b"},
		`"`:                     {},
		`5" nails`:              {Words: "5 nails"},
		`"a b`:                  {Words: "a b"},
		`a b"`:                  {Words: "a b"},
		`"a" b"`:                {Words: "a b", Phrases: []string{"a"}},
		`"a" "b`:                {Words: "a b", Phrases: []string{"a"}},
		"“ice floats” on":       {Words: "ice floats on", Phrases: []string{"ice floats"}},
		"„Eis schwimmt“":        {Words: "Eis schwimmt", Phrases: []string{"Eis schwimmt"}},
		"«la glace» flotte":     {Words: "la glace flotte", Phrases: []string{"la glace"}},
		`“ice floats" on`:       {Words: "ice floats on", Phrases: []string{"ice floats"}},
		"it's 'not' a ‘phrase’": {Words: "it's 'not' a ‘phrase’"},
		`one two three four five six seven eight nine "ten"`:     {Words: "one two three four five six seven eight nine ten", Phrases: []string{"ten"}},
		`one two "three" four five six seven eight nine ten end`: {Words: "one two three four five six seven eight nine ten end"},
		"\u00a0ice\u3000floats":                                  {Words: "ice floats"},
		`"Same" "Same"`:                                          {Words: "Same Same", Phrases: []string{"Same", "Same"}},
	} {
		got := search.ParseText(text)
		if got.Words != want.Words || !slices.Equal(got.Phrases, want.Phrases) {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
		if got.Blank() != (want.Words == "") {
			t.Errorf("%q is blank: %v", text, got.Blank())
		}
	}
}

func FuzzParseText(f *testing.F) {
	for _, seed := range []string{`why "ice  floats" on`, "„Eis“ «x”", `"`, `""""`, "\xff\"\xff\"", "a\x00\"b", "“"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := search.ParseText(text)
		if strings.ContainsAny(got.Words, `"“”„«»`) {
			t.Fatalf("%q: a quote is left in %q", text, got.Words)
		}
		for _, phrase := range append(got.Phrases, got.Words) {
			if phrase != strings.Join(strings.Fields(phrase), " ") {
				t.Fatalf("%q: %q has spaces too many", text, phrase)
			}
		}
		rest := got.Words
		for _, phrase := range got.Phrases {
			_, after, found := strings.Cut(rest, phrase)
			if phrase == "" || !found {
				t.Fatalf("%q: the phrase %q does not stand, in its order, in %q", text, phrase, got.Words)
			}
			rest = after
		}
	})
}
