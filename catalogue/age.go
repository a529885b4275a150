package catalogue

import (
	"errors"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// The ages used for an unknown bound.
const (
	LowestAge  = 3
	HighestAge = 99
)

// AgeRange is a range of ages in years. A nil bound is unknown.
type AgeRange struct {
	Min *int `json:"min"`
	Max *int `json:"max"`
}

// Known reports whether at least one bound is known.
func (r AgeRange) Known() bool { return r.Min != nil || r.Max != nil }

// Equal reports whether both ranges have the same bounds.
func (r AgeRange) Equal(other AgeRange) bool {
	return sameBound(r.Min, other.Min) && sameBound(r.Max, other.Max)
}

func sameBound(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

// Label returns "min-max", "min+" without an upper bound, "up to max" without a lower one, or "" without bounds.
func (r AgeRange) Label() string {
	switch {
	case !r.Known():
		return ""
	case r.Min == nil:
		return "up to " + strconv.Itoa(*r.Max)
	case r.Max == nil:
		return strconv.Itoa(*r.Min) + "+"
	}
	return strconv.Itoa(*r.Min) + "-" + strconv.Itoa(*r.Max)
}

// Ages returns the lowest and highest age of the range. An unknown bound is replaced by LowestAge or HighestAge; ok
// is false if both are unknown.
func (r AgeRange) Ages() (lowest, highest int, ok bool) {
	lowest, highest = LowestAge, HighestAge
	if r.Min != nil {
		lowest = *r.Min
	}
	if r.Max != nil {
		highest = *r.Max
	}
	return lowest, highest, r.Known()
}

// AgeBracket is a pair of ages, "a-b", in a filter or facet.
type AgeBracket struct{ From, To int }

// ParseAgeBracket parses "a-b" with whole ages from 0 to MaxAge and a <= b. The error is a *fault.Error with code
// Invalid that quotes the text.
func ParseAgeBracket(text string) (AgeBracket, error) {
	low, high, found := strings.Cut(text, "-")
	from, errFrom := strconv.ParseUint(low, 10, 64)
	to, errTo := strconv.ParseUint(high, 10, 64)
	var problem string
	switch {
	case !found || errors.Is(errFrom, strconv.ErrSyntax) || errors.Is(errTo, strconv.ErrSyntax):
		problem = "expected a form like 5-11"
	case from > MaxAge || to > MaxAge: // a number that overflows is read as the largest one
		problem = "ages are at most " + strconv.Itoa(MaxAge)
	case from > to:
		problem = low + " is above " + high
	default:
		return AgeBracket{From: int(from), To: int(to)}, nil
	}
	return AgeBracket{}, &fault.Error{
		Code: fault.Invalid, Label: "Invalid age range format",
		Message: strconv.Quote(text) + " is not a valid age range: " + problem,
	}
}

// String returns "a-b".
func (b AgeBracket) String() string { return strconv.Itoa(b.From) + "-" + strconv.Itoa(b.To) }

// Matches implements the age_range filter: range and bracket share at least two whole ages. A range without bounds,
// or of a single age, never matches.
func (b AgeBracket) Matches(r AgeRange) bool {
	lowest, highest, ok := r.Ages()
	return ok && min(highest, b.To)-max(lowest, b.From) >= 1
}

// Buckets implements the ageRanges facet: the range contains a whole age x with a+1 <= x < b.
func (b AgeBracket) Buckets(r AgeRange) bool {
	lowest, highest, ok := r.Ages()
	return ok && max(lowest, b.From+1) <= min(highest, b.To-1)
}

// DefaultAgeBuckets returns the default buckets of the ageRanges facet.
func DefaultAgeBuckets() []AgeBracket {
	return []AgeBracket{{3, 5}, {5, 9}, {9, 11}, {11, 14}, {14, 16}, {16, 99}}
}
