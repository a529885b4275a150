package searchtest

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Gap is something of the contract that an engine cannot do.
type Gap string

// ForgivingLevels is the gap of an engine that finds, by the levels beyond "all words", something else than
// the Model's rule of typos.
const ForgivingLevels Gap = "forgiving levels"

// LongForgiving is the gap of an engine that counts, where words of a text may be missing, only some of
// them: it is exact up to six words.
const LongForgiving Gap = "words missing in long texts"

// manyWords is the number of words up to which LongForgiving is exact.
const manyWords = 6

// OneMoment is the gap of an engine in which a search may see some documents of a batch and not yet the
// others, while the batch is being applied.
const OneMoment Gap = "one moment"

// Exclusion leaves a gap of an engine out of its tests.
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

// Properties plays random catalogues with random queries on an engine and on the Model: results,
// totals, every facet, counts of matches and suggestions must be the same, after a rebuild and
// after each batch. The engine must analyse with the built-in synonyms only.
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
