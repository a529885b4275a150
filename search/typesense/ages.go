package typesense

import (
	"fmt"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The minimum and the maximum age of a video are one number: the minimum times agesRow plus the maximum. Any number of
// brackets is then one operand of a filter, which lists the least maximum age for each minimum age.

const (
	agesRow     = 1000
	beyondAges  = catalogue.MaxAge + 1 // above all brackets; ages from here on are equal
	unknownAges = -1
)

// agesNumber returns the number of an age range.
func agesNumber(lowest, highest int) int {
	within := func(age int) int { return min(max(age, 0), beyondAges) }
	return within(lowest)*agesRow + within(highest)
}

// agesReaching returns the condition that the maximum age is at least reach(minimum age). If reach returns beyondAges,
// no maximum age suffices.
func agesReaching(reach func(lowest int) int) string {
	var written []string
	for lowest := range beyondAges {
		if least := reach(lowest); least < beyondAges {
			written = append(written, fmt.Sprintf("%d..%d", lowest*agesRow+least, lowest*agesRow+beyondAges))
		}
	}
	return anyOf(fieldAges, written)
}

// brackets returns the condition of AgeBracket.Matches for any of the brackets: from the minimum age, or from the start
// of the bracket, both contain a second age.
func brackets(wanted []catalogue.AgeBracket) string {
	if wanted == nil {
		return ""
	}
	return agesReaching(func(lowest int) int {
		least := beyondAges
		for _, b := range wanted {
			if second := max(lowest, b.From) + 1; second <= b.To {
				least = min(least, second)
			}
		}
		return least
	})
}
