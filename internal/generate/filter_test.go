package generate

import (
	"math/rand/v2"
	"testing"
)

// TestReleasesAreInOrder verifies that no filter asks for releases that end before they begin, which the service
// refuses. Queries have so few restrictions that only one of 30,000 has both dates.
func TestReleasesAreInOrder(t *testing.T) {
	g, rng := newGenerator(Options{Videos: 20, Seed: 4}), rand.New(rand.NewPCG(1, 2))
	both := 0
	for range 1000 {
		f := g.filter(rng, 20)
		if f.ReleasedFrom == nil || f.ReleasedTo == nil {
			continue
		}
		both++
		if *f.ReleasedFrom > *f.ReleasedTo {
			t.Errorf("a filter asks for releases from %s to %s", *f.ReleasedFrom, *f.ReleasedTo)
		}
	}
	if both < 10 {
		t.Errorf("only %d filters have both dates", both)
	}
}
