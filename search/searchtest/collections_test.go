package searchtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

func openCollectionModel(*testing.T) search.CollectionIndex {
	return NewCollectionModel(analysis.New(analysis.Synonyms{}))
}

func TestCollectionModel(t *testing.T) { RunCollections(t, openCollectionModel) }

func TestCollectionModelHasItsOwnProperties(t *testing.T) {
	CollectionProperties(t, openCollectionModel)
}

// TestPlantedCollectionBugsAreCaught checks that CollectionProperties fails for each planted bug.
func TestPlantedCollectionBugsAreCaught(t *testing.T) {
	const scenarios = 800
	analyzer := analysis.New(analysis.Synonyms{})
	draw := rapid.Custom(drawCollectionScenario)
	names := map[string]bool{}
	for _, bug := range PlantedCollectionBugs() {
		if names[bug.Name] {
			t.Errorf("%q is listed twice", bug.Name)
		}
		names[bug.Name] = true
		t.Run(bug.Name, func(t *testing.T) {
			t.Parallel()
			faulty := &buggyCollections{CollectionModel: NewCollectionModel(analyzer)}
			bug.plant(faulty)
			c := collectionComparison{engine: faulty, model: NewCollectionModel(analyzer)}
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

// TestFindAmong checks that FindAmong, which searches short lists, follows the rules of the engines.
func TestFindAmong(t *testing.T) {
	analyzer := analysis.New(analysis.Synonyms{})
	rapid.Check(t, func(rt *rapid.T) {
		s := drawCollectionScenario(rt)
		model := NewCollectionModel(analyzer)
		if err := model.Rebuild(t.Context(), 1, sequence(s.rebuilt)); err != nil {
			rt.Fatal(err)
		}
		for _, query := range s.queries {
			want, err := model.Find(t.Context(), query)
			if err != nil {
				rt.Fatal(err)
			}
			same(t, "found", search.FindAmong(analyzer, &query, s.rebuilt), want)
		}
	})
}
