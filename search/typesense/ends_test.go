package typesense

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestEnds checks that the traits of an end day and the tokens for "ended before today" share exactly one token if the
// end is before today, and none otherwise.
func TestEnds(t *testing.T) {
	near := rapid.Int32Range(-3, 3)
	day := rapid.OneOf(rapid.Int32Range(-719_162, 2_932_896), rapid.Int32Range(20_000, 20_100), near)
	rapid.Check(t, func(t *rapid.T) {
		end, today := catalogue.Date(day.Draw(t, "end")), catalogue.Date(day.Draw(t, "today"))
		if rapid.Bool().Draw(t, "close") {
			today = end + catalogue.Date(near.Draw(t, "distance"))
		}
		tokens, common := endTraits(end), 0
		for _, token := range endedBefore(today) {
			if slices.Contains(tokens, token) {
				common++
			}
		}
		if (common == 1) != (end < today) || common > 1 {
			t.Fatalf("a video until %d has %d of the tokens of %d", end, common, today)
		}
	})
}

// TestEndsBeyondAllDays checks the limits: an end after the last day never counts as ended, and an end before the first
// day always does.
func TestEndsBeyondAllDays(t *testing.T) {
	hidden := endedBefore(20_000)
	for end, ended := range map[catalogue.Date]bool{math.MinInt32: true, math.MaxInt32: false} {
		got := slices.ContainsFunc(endTraits(end), func(token string) bool { return slices.Contains(hidden, token) })
		if got != ended {
			t.Errorf("until %d: ended is %t", end, got)
		}
	}
	if tokens := endedBefore(math.MinInt32); len(tokens) > 0 {
		t.Errorf("before the first day have ended %v", tokens)
	}
}
