package catalogue_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// ages returns a range in which a bound below 0 is unknown.
func ages(low, high int) catalogue.AgeRange {
	var r catalogue.AgeRange
	if low >= 0 {
		r.Min = &low
	}
	if high >= 0 {
		r.Max = &high
	}
	return r
}

func TestAgeRangeLabel(t *testing.T) {
	for want, r := range map[string]catalogue.AgeRange{
		"5-11": ages(5, 11), "5-5": ages(5, 5), "0-150": ages(0, 150), "5+": ages(5, -1), "0+": ages(0, -1),
	} {
		if got := r.Label(); got != want || !r.Known() {
			t.Errorf("got %q, known %v, want %q", got, r.Known(), want)
		}
	}
	if got := ages(-1, 11); got.Label() != "up to 11" || !got.Known() {
		t.Errorf("without a lower bound: label %q, known %v", got.Label(), got.Known())
	}
	if got := ages(-1, -1); got.Label() != "" || got.Known() {
		t.Errorf("without bounds: label %q, known %v", got.Label(), got.Known())
	}
}

func TestParseAgeBracket(t *testing.T) {
	for text, want := range map[string]catalogue.AgeBracket{
		"5-11": {From: 5, To: 11}, "0-150": {From: 0, To: 150}, "7-7": {From: 7, To: 7}, "05-011": {From: 5, To: 11}, "16-99": {From: 16, To: 99},
	} {
		if got, err := catalogue.ParseAgeBracket(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "-", "5", "5-", "-5", "11-5", "5-11-16", "5--11", "-5-11", "+5-11", "5-+11", " 5-11", "5 - 11", "5–11", "5.0-11", "0x5-11",
		"0-151", "151-152", "0-256", "0-99999999999999999999", "five-six", "1_0-20", "٥-11", "5-11\x00", "\xff-5", "5+",
	} {
		if b, err := catalogue.ParseAgeBracket(text); err == nil {
			t.Errorf("%q: accepted as %s", text, b)
		} else {
			refused(t, err, text)
		}
	}
	for text, reason := range map[string]string{
		"11-5": "11 is above 5", "151-150": "at most 150", "0-151": "at most 150", "0-99999999999999999999": "at most 150",
		"5": "a form like 5-11", "5-11-16": "a form like 5-11", "-5-11": "a form like 5-11",
	} {
		if _, err := catalogue.ParseAgeBracket(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v does not say %q", text, err, reason)
		}
	}
}

// TestAgeBracketMatches checks that the age_range filter matches when the bracket and the range share at least two
// ages.
func TestAgeBracketMatches(t *testing.T) {
	for _, c := range []struct {
		bracket string
		r       catalogue.AgeRange
		want    bool
	}{
		{"5-11", ages(5, 11), true},
		{"5-11", ages(0, 6), true},   // 5 and 6
		{"5-11", ages(0, 5), false},  // 5 alone
		{"5-11", ages(10, 20), true}, // 10 and 11
		{"5-11", ages(11, 20), false},
		{"5-11", ages(12, 20), false},
		{"5-11", ages(7, 7), false}, // a video for a single age
		{"7-7", ages(0, 99), false}, // a bracket of a single age
		{"7-8", ages(0, 99), true},
		// An unknown lower bound counts as 3, an unknown upper bound as 99.
		{"0-3", ages(-1, 10), false},
		{"0-4", ages(-1, 10), true},
		{"98-150", ages(50, -1), true},
		{"99-150", ages(50, -1), false},
		{"0-150", ages(-1, -1), false},
		{"0-150", ages(-1, 3), false},
		{"0-150", ages(99, -1), false},
		{"0-150", ages(120, -1), false},
	} {
		bracket, err := catalogue.ParseAgeBracket(c.bracket)
		if err != nil {
			t.Fatal(err)
		}
		if got := bracket.Matches(c.r); got != c.want {
			lowest, highest, known := c.r.Ages()
			t.Errorf("%s against ages %d to %d (known: %v): got %v", c.bracket, lowest, highest, known, got)
		}
	}
}

func TestAgeBracketBuckets(t *testing.T) {
	for _, c := range []struct {
		bracket string
		r       catalogue.AgeRange
		want    bool
	}{
		{"5-9", ages(5, 5), false}, // the lower end is excluded
		{"5-9", ages(6, 6), true},
		{"5-9", ages(8, 8), true},
		{"5-9", ages(9, 9), false}, // the upper end is excluded too
		{"5-9", ages(0, 99), true},
		{"5-9", ages(9, 99), false},
		{"5-6", ages(0, 99), false}, // no age lies strictly between 5 and 6
		{"7-7", ages(0, 99), false},
		{"16-99", ages(17, -1), true},
		{"3-5", ages(-1, 3), false},
		{"3-5", ages(-1, 4), true},
		{"0-150", ages(-1, -1), false},
	} {
		bracket, err := catalogue.ParseAgeBracket(c.bracket)
		if err != nil {
			t.Fatal(err)
		}
		if got := bracket.Buckets(c.r); got != c.want {
			t.Errorf("%s against %q: got %v", c.bracket, c.r.Label(), got)
		}
	}
}

// TestAgeRulesAgainstCounting checks that both rules agree with counting ages one by one.
func TestAgeRulesAgainstCounting(t *testing.T) {
	const oldest = 150
	rapid.Check(t, func(t *rapid.T) {
		r := ages(rapid.IntRange(-1, oldest).Draw(t, "min"), rapid.IntRange(-1, oldest).Draw(t, "max"))
		from := rapid.IntRange(0, oldest).Draw(t, "from")
		bracket := catalogue.AgeBracket{From: from, To: rapid.IntRange(from, oldest).Draw(t, "to")}
		holds := func(age int) bool {
			switch {
			case r.Min == nil && r.Max == nil:
				return false
			case r.Min == nil:
				return age >= 3 && age <= *r.Max
			case r.Max == nil:
				return age >= *r.Min && age <= 99
			}
			return age >= *r.Min && age <= *r.Max
		}
		shared, between := 0, 0
		for age := range oldest + 1 {
			if holds(age) && age >= bracket.From && age <= bracket.To {
				shared++
			}
			if holds(age) && age >= bracket.From+1 && age < bracket.To {
				between++
			}
		}
		if got := bracket.Matches(r); got != (shared >= 2) {
			t.Fatalf("%s matches %q: %v, they share %d ages", bracket, r.Label(), got, shared)
		}
		if got := bracket.Buckets(r); got != (between >= 1) {
			t.Fatalf("%s buckets %q: %v, %d ages lie between", bracket, r.Label(), got, between)
		}
	})
}

func TestDefaultAgeBuckets(t *testing.T) {
	want := []string{"3-5", "5-9", "9-11", "11-14", "14-16", "16-99"}
	buckets := catalogue.DefaultAgeBuckets()
	if len(buckets) != len(want) {
		t.Fatalf("got %v", buckets)
	}
	for i, bucket := range buckets {
		if bucket.String() != want[i] {
			t.Errorf("bucket %d is %s, want %s", i, bucket, want[i])
		}
	}
}

func FuzzAgeBracket(f *testing.F) {
	for _, seed := range []string{"5-11", "0-150", "11-5", "-", "5-5", "999-1000", "05-7", "+1-2", "1-2-3", "\xff-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bracket, err := catalogue.ParseAgeBracket(text)
		if err != nil {
			refused(t, err, text)
			return
		}
		if bracket.From < 0 || bracket.From > bracket.To || bracket.To > 150 {
			t.Fatalf("%q is read as %d to %d", text, bracket.From, bracket.To)
		}
		if again, err := catalogue.ParseAgeBracket(bracket.String()); err != nil || again != bracket {
			t.Fatalf("%q is written %q and read again as %v, %v", text, bracket, again, err)
		}
	})
}
