package embedded

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestNearFindsWhatATableFinds holds the filter by letters and the bit-parallel distance against the
// textbook's table, over alphabets small enough for words to be near each other.
func TestNearFindsWhatATableFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abcéж日")), 3, 12, -1)
		words := rapid.SliceOfNDistinct(word, 1, 40, rapid.ID[string]).Draw(t, "words")
		slices.Sort(words)
		table := newStringTable(words)
		typos := newTypoTable(&table)
		wanted := word.Draw(t, "word")
		edits := rapid.IntRange(0, 2).Draw(t, "edits")

		got := map[string]int{}
		typos.near(&table, wanted, edits, func(typo typo) { got[string(table.at(int(typo.term)))] = int(typo.edits) })
		for _, other := range words {
			distance := tableDistance([]rune(wanted), []rune(other))
			edited, found := got[other]
			if near := distance > 0 && distance <= edits; near != found || found && edited != distance {
				t.Fatalf("%q and %q: found %v with %d edits, the distance is %d", wanted, other, found, edited, distance)
			}
		}
	})
}

// tableDistance is the optimal string alignment distance.
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

func TestLongestRun(t *testing.T) {
	places := titleWords{1: 1 << 0, 2: 1<<1 | 1<<3, 3: 1 << 2, 4: 1 << 4}
	tests := []struct {
		name  string
		title []uint32
		want  int
	}{
		{"none", []uint32{9, 8}, 0},
		{"empty", nil, 0},
		{"one", []uint32{9, 3}, 1},
		{"two apart", []uint32{1, 9, 2}, 1},
		{"in another order", []uint32{3, 1}, 1},
		{"the beginning", []uint32{9, 1, 2, 9}, 2},
		{"a word of two places", []uint32{3, 2, 4}, 3},
		{"everything", []uint32{1, 2, 3, 2, 4}, 5},
		{"the longer of two", []uint32{1, 2, 9, 3, 2, 4, 9}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := longestRun(test.title, places); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}
