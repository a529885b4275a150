package searchtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

func openModel(*testing.T) search.Index { return NewModel(analysis.New(analysis.Synonyms{})) }

func TestModel(t *testing.T) { Run(t, openModel) }

func TestModelHasItsOwnProperties(t *testing.T) { Properties(t, openModel) }

// TestPlantedBugsAreCaught checks that Properties fails for each planted bug.
func TestPlantedBugsAreCaught(t *testing.T) {
	const scenarios = 800
	analyzer := analysis.New(analysis.Synonyms{})
	draw := rapid.Custom(drawScenario)
	names := map[string]bool{}
	for _, bug := range PlantedBugs() {
		if names[bug.Name] {
			t.Errorf("%q is listed twice", bug.Name)
		}
		names[bug.Name] = true
		t.Run(bug.Name, func(t *testing.T) {
			t.Parallel()
			faulty := &buggy{Model: NewModel(analyzer)}
			bug.plant(faulty)
			c := comparison{engine: faulty, model: NewModel(analyzer)}
			for seed := range scenarios {
				if err := c.run(t.Context(), draw.Example(seed)); err != nil {
					t.Logf("caught by scenario %d", seed)
					return
				}
			}
			t.Errorf("not caught by %d scenarios", scenarios)
		})
	}
}
