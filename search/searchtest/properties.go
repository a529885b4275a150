package searchtest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Gap is a part of the contract that an engine does not support.
type Gap string

// ForgivingLevels is the gap of an engine whose levels beyond "all words" do not follow the Model's rule for typos.
const ForgivingLevels Gap = "forgiving levels"

// LongForgiving is the gap of an engine that, on levels with optional words, considers only some words of a long text.
// Such an engine is exact for texts of up to six words.
const LongForgiving Gap = "words missing in long texts"

// manyWords is the number of words up to which LongForgiving is exact.
const manyWords = 6

// OneMoment is the gap of an engine in which a search may see part of a batch while the engine applies it.
const OneMoment Gap = "one moment"

// Exclusion excludes a gap of an engine from its tests.
type Exclusion struct {
	Gap    Gap
	Reason string
}

func excludes(t *testing.T, exclusions []Exclusion, gap Gap) bool {
	t.Helper()
	i := slices.IndexFunc(exclusions, func(e Exclusion) bool { return e.Gap == gap })
	if i >= 0 {
		t.Logf("without %s: %s", gap, exclusions[i].Reason)
	}
	return i >= 0
}

// Properties runs random queries over random catalogues on an engine and on the Model. Results, totals, every facet,
// counts of matches and suggestions must be equal after a rebuild and after each batch. The engine must analyze text
// with the built-in synonyms only.
func Properties(t *testing.T, open func(t *testing.T) search.Index, exclusions ...Exclusion) {
	c := comparison{
		engine: open(t),
		model:  NewModel(analysis.New(analysis.Synonyms{})),
		strict: excludes(t, exclusions, ForgivingLevels),
		short:  excludes(t, exclusions, LongForgiving),
	}
	rapid.Check(t, func(rt *rapid.T) {
		if err := c.run(t.Context(), drawScenario(rt)); err != nil {
			rt.Fatal(err)
		}
	})
}
