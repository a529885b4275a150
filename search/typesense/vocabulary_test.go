package typesense

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// TestVocabularyIsASet compares a growing vocabulary with plain maps, both in memory and after it is read from the
// documents that store it.
func TestVocabularyIsASet(t *testing.T) {
	word := rapid.OneOf(rapid.StringMatching(`[abc]{1,6}`), rapid.StringMatching(`[aéж日]{1,20}`), rapid.StringN(40, 80, -1))
	rapid.Check(t, func(t *rapid.T) {
		stems, exacts := map[string]bool{}, map[string]bool{}
		grown, export := &vocabulary{}, []byte(nil)
		for serial := range rapid.IntRange(1, 8).Draw(t, "steps") {
			added := newWords(grown)
			for _, w := range rapid.SliceOfN(word, 0, 30).Draw(t, "words") {
				if rapid.Bool().Draw(t, "stem") {
					added.addStem(w)
					stems[w] = true
				} else {
					added.addExact(w)
					exacts[w] = true
				}
			}
			for document := range added.documents(int64(serial)) {
				line, err := json.Marshal(document)
				if err != nil {
					t.Fatal(err)
				}
				export = append(append(export, line...), '\n')
			}
			grown = grown.with(added)
		}
		read, err := (&vocabulary{}).readWords(export)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]*vocabulary{"grown": grown, "read": (&vocabulary{}).with(read)} {
			for w := range maps.Keys(stems) {
				if !v.hasStem(w) {
					t.Fatalf("%s: no stem %q", name, w)
				}
			}
			for w := range exacts {
				if !v.hasWord(w) {
					t.Fatalf("%s: no word %q", name, w)
				}
			}
			if v.stems.len() != len(stems) || v.exacts.len() != len(exacts) {
				t.Fatalf("%s: %d stems and %d words, want %d and %d", name, v.stems.len(), v.exacts.len(), len(stems), len(exacts))
			}
			if other := word.Draw(t, "other"); v.hasStem(other) != stems[other] || v.hasWord(other) != exacts[other] {
				t.Fatalf("%s: %q", name, other)
			}
			checkNear(t, v, exacts, rapid.StringMatching(`[abc]{3,6}`).Draw(t, "near"))
		}
	})
}

func checkNear(t *rapid.T, v *vocabulary, exacts map[string]bool, word string) {
	all := slices.Sorted(maps.Keys(exacts))
	want := map[string]int{}
	near := analysis.NewNear(len(all), func(place int) []byte { return []byte(all[place]) })
	near.Find(word, 1, func(place uint32, edits uint8) { want[all[place]] = int(edits) })
	got := map[string]int{}
	v.near(word, 1, func(near string, edits int) { got[near] = edits })
	if !maps.Equal(got, want) {
		t.Fatalf("near %q: %v, want %v", word, got, want)
	}
}
