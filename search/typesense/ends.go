package typesense

import (
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
)

// A comparison with the last day of a video would be one more operand, which costs a search more than all other access
// rules (access.go). Days are therefore tokens: each day has one for each number of low bits cut off. All days before
// another have one of a dozen tokens, one for each bit that is set in its number.

const (
	// endBits is the number of bits of a day, counted from firstEnd. Days reach from the year -9513 to 13453; days
	// beyond are taken for the first and the last.
	endBits  = 23
	firstEnd = -1 << (endBits - 1)
)

// endTraits returns the tokens of a last day.
func endTraits(day catalogue.Date) []string {
	tokens := make([]string, endBits)
	for bits := range tokens {
		tokens[bits] = endTrait(endNumber(day)>>bits, bits)
	}
	return tokens
}

// endedBefore returns tokens of which each day before this one has exactly one, and no other day has any.
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

// endTrait is the token of the days that are equal without their last bits.
func endTrait(prefix int64, bits int) string {
	return "e" + strconv.FormatInt(int64(bits), 10) + "x" + strconv.FormatInt(prefix, 16)
}
