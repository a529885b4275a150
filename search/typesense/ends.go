package typesense

import (
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
)

// A comparison with the last day of a video would take one more operand, which costs a search more than all other
// access rules (access.go). Days are therefore tokens: each day has one token for each number of low bits that are cut
// off. All days before another day have exactly one of a dozen tokens, one for each bit set in the number of that day.

const (
	// endBits is the number of bits of a day, counted from firstEnd. Days range from the year -9513 to 13453; days
	// outside this range count as the first or the last one.
	endBits  = 23
	firstEnd = -1 << (endBits - 1)
)

// endTraits returns the tokens of the last day of a video.
func endTraits(day catalogue.Date) []string {
	tokens := make([]string, endBits)
	for bits := range tokens {
		tokens[bits] = endTrait(endNumber(day)>>bits, bits)
	}
	return tokens
}

// endedBefore returns a list of tokens. Each day before the given one has exactly one of them, and no other day has
// any.
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

// endTrait returns the token of the days that are equal without their lowest bits.
func endTrait(prefix int64, bits int) string {
	return "e" + strconv.FormatInt(int64(bits), 10) + "x" + strconv.FormatInt(prefix, 16)
}
