package event

import (
	"bytes"
	"errors"
	"strconv"
)

// MaxSeconds is the longest time that a client may tell, in seconds: 366 days. Sums of a million million of
// them still fit into 64 bits of milliseconds.
const MaxSeconds = 366 * 24 * 60 * 60

// Why a number is no time.
var (
	errNegative = errors.New("is negative")
	errTooLong  = errors.New("is more than " + strconv.Itoa(MaxSeconds))
)

// millisecondsOf reads a JSON number of seconds as milliseconds, what is finer cut off. It reads the decimal
// digits and never makes a binary fraction of them, which 0.29 has none for.
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
	// point is how many digits stand before the point once the number is in milliseconds and has no zeros at
	// its beginning.
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
	case significant == 0: // a zero, with whatever sign and exponent
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

// maxDigits is how many digits MaxSeconds has in milliseconds.
const maxDigits = 11

// splitExponent cuts a number at its exponent. One that no body is long enough for is cut short.
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

// AppendSeconds appends milliseconds as a JSON number of seconds, without zeros at its end.
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
