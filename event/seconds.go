package event

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/filmstrip/filmstrip/fault"
)

// MaxSeconds is the longest time that a client may report, in seconds: 366 days. Sums of 10¹² of them fit into int64
// milliseconds.
const MaxSeconds = 366 * 24 * 60 * 60

// The reasons why a number is not a valid time.
var (
	errNegative = errors.New("is negative")
	errTooLong  = errors.New("is more than " + strconv.Itoa(MaxSeconds))
)

// Milliseconds is a time from the start of a video, in milliseconds. Clients write it as a number of seconds.
type Milliseconds int64

// ParseSeconds parses a JSON number of seconds from 0 to MaxSeconds. Finer digits than milliseconds are truncated. It reads
// the decimal digits, because binary fractions cannot represent numbers such as 0.29. The error, of code Invalid, quotes the
// number.
func ParseSeconds(number []byte) (Milliseconds, error) {
	milliseconds, err := millisecondsOf(number)
	if err != nil {
		return 0, fault.InvalidRequest("%s %v", shortened(number), err)
	}
	return Milliseconds(milliseconds), nil
}

func millisecondsOf(number []byte) (int64, error) {
	negative := number[0] == '-'
	if negative {
		number = number[1:]
	}
	mantissa, exponent := splitExponent(number)
	whole := bytes.IndexByte(mantissa, '.')
	if whole < 0 {
		whole = len(mantissa)
	}
	// point is the number of digits before the decimal point, once the number is in milliseconds without leading zeros.
	point, significant := whole+exponent+3, 0
	var value int64
	for _, c := range mantissa {
		switch {
		case c == '.':
		case c == '0' && significant == 0:
			point--
		default:
			if significant++; significant <= min(point, maxDigits) {
				value = value*10 + int64(c-'0')
			}
		}
	}
	switch {
	case significant == 0: // a zero, with any sign and exponent
		return 0, nil
	case negative:
		return 0, errNegative
	case point > maxDigits:
		return 0, errTooLong
	}
	for ; significant < point; significant++ {
		value *= 10
	}
	if value > MaxSeconds*1000 {
		return 0, errTooLong
	}
	return value, nil
}

// maxDigits is the number of digits of MaxSeconds in milliseconds.
const maxDigits = 11

// splitExponent splits a number at its exponent. It limits exponents that exceed any possible body.
func splitExponent(number []byte) (mantissa []byte, exponent int) {
	for i, c := range number {
		if c != 'e' && c != 'E' {
			continue
		}
		exponent, err := strconv.Atoi(string(number[i+1:]))
		if err != nil || exponent > MaxBatchBody || exponent < -MaxBatchBody {
			exponent = MaxBatchBody
			if number[i+1] == '-' {
				exponent = -MaxBatchBody
			}
		}
		return number[:i], exponent
	}
	return number, 0
}

// AppendSeconds appends milliseconds as a JSON number of seconds without trailing zeros.
func AppendSeconds(b []byte, milliseconds int64) []byte {
	if milliseconds < 0 {
		return AppendSeconds(append(b, '-'), -milliseconds)
	}
	b = strconv.AppendInt(b, milliseconds/1000, 10)
	rest := milliseconds % 1000
	if rest == 0 {
		return b
	}
	b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}
