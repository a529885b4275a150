package analysis_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search/analysis"
)

func parse(t *testing.T, file string) *analysis.Analyzer {
	t.Helper()
	synonyms, err := analysis.ParseSynonyms(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return analysis.New(synonyms)
}

func TestSynonymsOfTheOperator(t *testing.T) {
	a := parse(t, "\ufeff# health\n\nCovid-19, coronavirus, SARS-CoV-2\r\n  heart attack ,myocardial infarction\nUK, U.K., united kingdom\n"+
		"arithmetic, maths\n水, water\ncoronavirus, corona\n")
	tests := []struct {
		text, query string
		want        bool
	}{
		{"the coronavirus", "covid 19", true},
		{"SARS-CoV-2 explained", "coronavirus", true},
		{"after a heart attack", "myocardial infarction", true},
		{"an attack of the heart", "myocardial infarction", false},
		{"a heart", "myocardial infarction", false},
		{"united kingdom", "uk", true},
		{"arithmetic", "mathematics", true}, // The group is merged with a built-in one.
		{"about 水", "water", true},
		{"水星", "water", true},
		{"corona", "covid-19", true}, // Groups that share a variant are merged.
		{"USA", "United States", true},
	}
	for _, test := range tests {
		if got := find(a, test.text, "eng", test.query); got != test.want {
			t.Errorf("%q finds %q: %t, want %t", test.query, test.text, got, test.want)
		}
	}
}

func TestFingerprintFollowsTheSynonyms(t *testing.T) {
	first, again, other := parse(t, "a b, c"), parse(t, "# again\na b,c"), parse(t, "a, b c")
	if first.Fingerprint() != again.Fingerprint() {
		t.Error("the same groups have two fingerprints")
	}
	if first.Fingerprint() == other.Fingerprint() || first.Fingerprint() == plain.Fingerprint() {
		t.Error("different groups share a fingerprint")
	}
}

func TestSynonymErrorsNameLineAndValue(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"one variant", "a, b\nlonely\n", `synonyms, line 2: "lonely" names one variant only`},
		{"the same twice", "Dog, dog", `synonyms, line 1: "Dog, dog" names one variant only`},
		{"an empty variant", "a, b\n\n# c\na,, b", `synonyms, line 4: "" has no letter or digit`},
		{"signs only", "a, ?!", `synonyms, line 1: "?!" has no letter or digit`},
		{"too many words", "a, one two three four five six seven eight nine", `"one two three four five six seven eight nine" has more than 8 words`},
		{"not UTF-8", "a, b\xff", `line 1: "a, b` + "\ufffd" + `" is not UTF-8`},
		{"a long line", "a, b\na, " + strings.Repeat("x", 70_000), "line 2: the line is longer than 64 KiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := analysis.ParseSynonyms(strings.NewReader(test.file))
			if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want …%s…", err, test.want)
			}
		})
	}
	problem := errors.New("the disk is gone")
	if _, err := analysis.ParseSynonyms(iotest.ErrReader(problem)); !errors.Is(err, problem) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

func FuzzParseSynonyms(f *testing.F) {
	for _, file := range []string{"a, b", "ww2, great war\n# x\n\nmath, sums", "水, water, US", "x-ray, röntgen", ",", "\xff"} {
		f.Add(file, "the great war of 水 X-rays")
	}
	f.Fuzz(func(t *testing.T, file, text string) {
		synonyms, err := analysis.ParseSynonyms(strings.NewReader(file))
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%q: %v", file, err)
			}
			return
		}
		a := analysis.New(synonyms)
		checkText(t, a, text, "eng")
		for line := range strings.Lines(file) {
			variants := strings.Split(strings.TrimSpace(line), ",")
			if line[0] == '#' || len(variants) < 2 {
				continue
			}
			// All variants of a line make the same query.
			first := a.Query(variants[0])
			if i := slices.IndexFunc(variants, func(v string) bool { return len(a.Query(v)) != len(first) }); i >= 0 {
				t.Errorf("%q: %q and %q differ", file, variants[0], variants[i])
			}
		}
	})
}
