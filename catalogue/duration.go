package catalogue

import (
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// Duration is a length of time in whole milliseconds. It is never negative.
type Duration int64

// The units of Duration.
const (
	Millisecond Duration = 1
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
	Day                  = 24 * Hour
	Week                 = 7 * Day
)

// MaxDuration is the longest Duration that ParseDuration accepts, a million days.
const MaxDuration = 1_000_000 * Day

// ParseDuration parses an ISO 8601 duration: weeks of seven days, days, hours, minutes and seconds, in that order,
// each at most once. The last component may have a fraction of one to nine digits after a period or comma, which is
// truncated to milliseconds. Designators may be lower case. It rejects years and months, which have no fixed length,
// signs, a "P" or "T" without components, and durations longer than MaxDuration. The error is a *fault.Error with
// code Invalid that quotes the text and states the reason.
func ParseDuration(text string) (Duration, error) {
	total, problem := parseDuration(text)
	if problem != "" {
		return 0, fault.InvalidRequest("%q is not a valid ISO 8601 duration: %s", text, problem)
	}
	return total, nil
}

const (
	notADuration     = "expected a form like PT5M, PT1H30M or P1D"
	negativeDuration = "durations cannot be negative"
	tooLongDuration  = "the longest is a million days"
)

// parseDuration is ParseDuration; problem is the reason for rejecting the text, or "".
func parseDuration(text string) (total Duration, problem string) {
	if unsigned, negative := strings.CutPrefix(text, "-"); negative {
		if _, other := parseDuration(unsigned); other != "" {
			return 0, other
		}
		return 0, negativeDuration
	}
	rest, ok := cutDesignator(text, 'P')
	if !ok || rest == "" {
		return 0, notADuration
	}
	inTime, next := false, 0
	for rest != "" {
		if afterT, isT := cutDesignator(rest, 'T'); isT {
			if inTime || afterT == "" {
				return 0, notADuration
			}
			inTime, rest = true, afterT
			continue
		}
		number, unit, remaining, ok := cutComponent(rest)
		if !ok && rest[0] == '-' && digitsAt(rest[1:]) > 0 {
			return 0, negativeDuration
		}
		if !ok {
			return 0, notADuration
		}
		if !inTime && (unit == 'Y' || unit == 'M') {
			return 0, "years and months have no fixed length; use weeks or days"
		}
		place, length := unitOf(unit, inTime)
		if place < next {
			return 0, notADuration
		}
		if number.fraction != "" && remaining != "" {
			return 0, "only the smallest unit may have a fraction"
		}
		next = place + 1
		if number.whole > int64(MaxDuration/length) {
			return 0, tooLongDuration
		}
		if total += Duration(number.whole)*length + number.of(length); total > MaxDuration {
			return 0, tooLongDuration
		}
		rest = remaining
	}
	return total, ""
}

type decimal struct {
	whole    int64
	fraction string
}

// of returns the fraction of a unit in whole milliseconds, rounded down. A fraction has at most nine digits and a
// unit at most 604,800,000 milliseconds, so the product does not overflow.
func (d decimal) of(unit Duration) Duration {
	n, _ := strconv.ParseInt((d.fraction + "000000000")[:9], 10, 64)
	return Duration(n) * unit / 1_000_000_000
}

func cutDesignator(text string, upper byte) (string, bool) {
	if text == "" || text[0]&^0x20 != upper {
		return text, false
	}
	return text[1:], true
}

// cutComponent splits "90.5SrestOfIt" into its number, its upper-case unit and the rest.
func cutComponent(text string) (number decimal, unit byte, rest string, ok bool) {
	digits := digitsAt(text)
	if digits == 0 {
		return decimal{}, 0, "", false
	}
	whole, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil {
		return decimal{}, 0, "", false
	}
	number.whole, text = whole, text[digits:]
	if text != "" && (text[0] == '.' || text[0] == ',') {
		n := digitsAt(text[1:])
		if n == 0 || n > 9 {
			return decimal{}, 0, "", false
		}
		number.fraction, text = text[1:1+n], text[1+n:]
	}
	if text == "" {
		return decimal{}, 0, "", false
	}
	return number, text[0] &^ 0x20, text[1:], true
}

func digitsAt(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// unitOf returns the position of a unit in the required order, or -1 if it is invalid here, and the length of the
// unit.
func unitOf(unit byte, inTime bool) (place int, length Duration) {
	switch {
	case unit == 'W' && !inTime:
		return 0, Week
	case unit == 'D' && !inTime:
		return 1, Day
	case unit == 'H' && inTime:
		return 2, Hour
	case unit == 'M' && inTime:
		return 3, Minute
	case unit == 'S' && inTime:
		return 4, Second
	}
	return -1, 1
}

// String returns an ISO 8601 duration in hours, minutes and seconds. It does not use days (PT24H), omits zero
// components, and returns PT0S for zero.
func (d Duration) String() string {
	b, _ := d.AppendText(make([]byte, 0, 24))
	return string(b)
}

// AppendText appends the result of String.
func (d Duration) AppendText(b []byte) ([]byte, error) {
	b = append(b, "PT"...)
	if d == 0 {
		return append(b, "0S"...), nil
	}
	if hours := d / Hour; hours > 0 {
		b = append(strconv.AppendInt(b, int64(hours), 10), 'H')
	}
	if minutes := d % Hour / Minute; minutes > 0 {
		b = append(strconv.AppendInt(b, int64(minutes), 10), 'M')
	}
	if rest := d % Minute; rest > 0 {
		b = strconv.AppendInt(b, int64(rest/Second), 10)
		if millis := rest % Second; millis > 0 {
			fraction := strconv.FormatInt(int64(1000+millis), 10)[1:]
			b = append(append(b, '.'), strings.TrimRight(fraction, "0")...)
		}
		b = append(b, 'S')
	}
	return b, nil
}

// MarshalText returns the ISO 8601 form.
func (d Duration) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText parses the ISO 8601 form like ParseDuration.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}

// DurationRange is a range of durations. Filters include both ends; facet buckets exclude the upper end unless it is
// 24 hours.
type DurationRange struct {
	Min Duration
	// Max is the upper end; nil if there is none.
	Max *Duration
}

// Includes reports whether d lies in the range, including both ends.
func (r DurationRange) Includes(d Duration) bool {
	return d >= r.Min && (r.Max == nil || d <= *r.Max)
}

// Buckets reports whether d lies in the range, excluding the upper end unless it is 24 hours, so that the last
// default bucket contains videos of exactly that length.
func (r DurationRange) Buckets(d Duration) bool {
	return d >= r.Min && (r.Max == nil || d <= r.Last())
}

// Last returns the longest duration in the bucket, in whole milliseconds. The range must have an upper end.
func (r DurationRange) Last() Duration {
	if *r.Max == Day {
		return Day
	}
	return *r.Max - Millisecond
}

// ParseDurationRange parses "min" or "min-max", each an ISO 8601 duration. The error is a *fault.Error with code
// Invalid that quotes the text.
func ParseDurationRange(text string) (DurationRange, error) {
	low, high, bounded := strings.Cut(text, "-")
	if !bounded {
		lower, err := ParseDuration(text)
		return DurationRange{Min: lower}, err
	}
	lower, problem := parseDuration(low)
	if low == "" || strings.HasPrefix(high, "-") { // the hyphen is a sign
		problem = negativeDuration
	}
	upper, upperProblem := parseDuration(high)
	if problem == "" {
		problem = upperProblem
	}
	if problem != "" {
		if problem == notADuration {
			problem = "expected a form like PT2M-PT5M"
		}
		return DurationRange{}, fault.InvalidRequest("%q is not a valid range of ISO 8601 durations: %s", text, problem)
	}
	if upper < lower {
		return DurationRange{}, fault.InvalidRequest("%q is not a valid duration range: %s is longer than %s", text, low, high)
	}
	return DurationRange{Min: lower, Max: &upper}, nil
}

// String returns "min-max", or "min" if the range has no upper end.
func (r DurationRange) String() string {
	if r.Max == nil {
		return r.Min.String()
	}
	return r.Min.String() + "-" + r.Max.String()
}

// DurationBucket returns the range of a facet bucket: without an upper end, it ends at 24 hours.
func (r DurationRange) DurationBucket() DurationRange {
	if r.Max != nil {
		return r
	}
	upper := max(Day, r.Min)
	return DurationRange{Min: r.Min, Max: &upper}
}

// DefaultDurationBuckets returns the default buckets of the durations facet: 0–2, 2–5, 5–10 and 10–20 minutes, and 20
// minutes to 24 hours.
func DefaultDurationBuckets() []DurationRange {
	ends := []Duration{0, 2 * Minute, 5 * Minute, 10 * Minute, 20 * Minute, Day}
	buckets := make([]DurationRange, 0, len(ends)-1)
	for i := range len(ends) - 1 {
		buckets = append(buckets, DurationRange{Min: ends[i], Max: &ends[i+1]})
	}
	return buckets
}
