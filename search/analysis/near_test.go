package analysis_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// TestNearFindsWhatATableFinds compares the letter filter and the bit-parallel distance with the textbook table. The
// alphabets are small enough for words to be near each other.
func TestNearFindsWhatATableFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abcéж日")), 3, 12, -1)
		words := rapid.SliceOfNDistinct(word, 1, 40, rapid.ID[string]).Draw(t, "words")
		slices.Sort(words)
		near := analysis.NewNear(len(words), func(place int) []byte { return []byte(words[place]) })
		wanted := word.Draw(t, "word")
		edits := rapid.IntRange(0, 2).Draw(t, "edits")

		got := map[string]int{}
		near.Find(wanted, edits, func(place uint32, edits uint8) { got[words[place]] = int(edits) })
		for _, other := range words {
			distance := tableDistance([]rune(wanted), []rune(other))
			edited, found := got[other]
			if within := distance > 0 && distance <= edits; within != found || found && edited != distance {
				t.Fatalf("%q and %q: found %v with %d edits, the distance is %d", wanted, other, found, edited, distance)
			}
		}
	})
}

// tableDistance returns the optimal string alignment distance.
func tableDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				rows[i][j] = i
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
