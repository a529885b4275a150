package billing

import (
	"fmt"
	"regexp"

	"github.com/shopspring/decimal"

	"github.com/filmstrip/filmstrip/fault"
)

// Decimal is an exact decimal number. Its text keeps the digits after the point, so an amount of money reads 12.00.
type Decimal struct{ value decimal.Decimal }

// There are no exponents: a short text such as 1e1000000 would stand for a huge number.
var (
	// inputText bounds inputs, because the cost of arithmetic grows with their digits.
	inputText = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,10})?$`)
	// storedText has no bound, because amounts have more digits than the prices from which they follow.
	storedText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
)

// ParseDecimal parses an input such as -12.50. The error has the code Invalid and quotes the text.
func ParseDecimal(text string) (Decimal, error) {
	if len(text) > 27 || !inputText.MatchString(text) {
		return Decimal{}, fault.InvalidRequest("%q is not a decimal number such as 12.50, of at most 15 digits before the point and 10 after it", fault.Shorten(text))
	}
	return parse(text)
}

func parse(text string) (Decimal, error) {
	value, err := decimal.NewFromString(text)
	if err != nil {
		return Decimal{}, fault.InvalidRequest("%q is not a decimal number", fault.Shorten(text))
	}
	return Decimal{value}, nil
}

// String returns the number with all its digits after the point.
func (d Decimal) String() string { return d.value.StringFixed(max(0, -d.value.Exponent())) }

// MarshalText returns String.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the output of MarshalText, which may have more digits than ParseDecimal accepts.
func (d *Decimal) UnmarshalText(text []byte) (err error) {
	if !storedText.Match(text) {
		return fmt.Errorf("%q is not a decimal number", fault.Shorten(string(text)))
	}
	*d, err = parse(string(text))
	return err
}

// Plus returns the exact sum.
func (d Decimal) Plus(other Decimal) Decimal { return Decimal{d.value.Add(other.value)} }

// Minus returns the exact difference.
func (d Decimal) Minus(other Decimal) Decimal { return Decimal{d.value.Sub(other.value)} }

// Sign returns -1, 0 or 1.
func (d Decimal) Sign() int { return d.value.Sign() }

// Compare returns -1, 0 or 1 if d is less than, equal to, or greater than the other.
func (d Decimal) Compare(other Decimal) int { return d.value.Cmp(other.value) }

// Equal reports whether the numbers are equal, however many digits they have.
func (d Decimal) Equal(other Decimal) bool { return d.value.Equal(other.value) }

// FarFrom reports whether d differs by more than half from an earlier amount.
func (d Decimal) FarFrom(earlier Decimal) bool {
	return d.Minus(earlier).value.Abs().Mul(decimal.NewFromInt(2)).GreaterThan(earlier.value.Abs())
}

// places returns the number of digits after the point that the value needs.
func (d Decimal) places() int32 {
	places := max(0, -d.value.Exponent())
	for places > 0 && d.value.Equal(d.value.Truncate(places-1)) {
		places--
	}
	return places
}

// portion returns d x numerator / denominator, rounded once to a number of digits after the point, half up: away from
// zero, so that the negative of an amount is rounded to the negative. The denominator is above 0.
func (d Decimal) portion(numerator, denominator int64, places int32) Decimal {
	return Decimal{d.value.Mul(decimal.NewFromInt(numerator)).DivRound(decimal.NewFromInt(denominator), places)}
}
