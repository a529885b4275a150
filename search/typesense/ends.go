package typesense

import (
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
)

// A comparison with the last day of a video would be one more operand, which costs a search more than
// anything else that decides who sees it (access.go). So these days are tokens as well: of each the number
// without its last bits, for every count of bits. All days before another are then those of a few tokens,
// one for each bit that is set in its number: a dozen.

const (
	// endBits are those of a day's number, which counts from firstEnd. The days reach from the year -9513
	// to 13453: those beyond are taken for the first and the last.
	endBits  = 23
	firstEnd = -1 << (endBits - 1)
)

// endTraits are the tokens of a last day.
func endTraits(day catalogue.Date) []string {
	tokens := make([]string, endBits)
	for bits := range tokens {
		tokens[bits] = endTrait(endNumber(day)>>bits, bits)
	}
	return tokens
}

// endedBefore are tokens of which each day before this one has exactly one, and no other has any.
func endedBefore(today catalogue.Date) []string {
	var tokens []string
	for bits := range endBits {
		if prefix := endNumber(today) >> bits; prefix&1 == 1 {
			tokens = append(tokens, endTrait(prefix-1, bits))
		}
	}
	return tokens
}

func endNumber(day catalogue.Date) int64 {
	return min(max(int64(day), firstEnd), -firstEnd-1) - firstEnd
}

// endTrait names the days whose numbers begin alike, when so many last bits are cut off.
func endTrait(prefix int64, bits int) string {
	return "e" + strconv.FormatInt(int64(bits), 10) + "x" + strconv.FormatInt(prefix, 16)
}
