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

// ParseDuration reads an ISO 8601 duration: weeks of seven days, days, hours, minutes and seconds, in that order, each
// at most once. The last of them may have a fraction of one to nine digits after a full stop or a comma; what is less
// than a millisecond is dropped. Designators may be lower case. Years and months have no fixed length and are refused,
// as are signs, a "P" or "T" with nothing behind it, and anything longer than MaxDuration. The error is an *Error of
// code Invalid that names the text and, for years, months and signs, the reason.
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

// parseDuration is ParseDuration; problem says what is wrong with the text, "": nothing.
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
		if !ok && rest[0] == '-' {
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

// of is the fraction of a unit in whole milliseconds, rounded down. A fraction has at most nine digits and a unit at
// most 604,800,000 milliseconds, so that the product fits.
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

// unitOf gives a unit its place in the required order and its length; place -1: no such unit here.
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

// String writes d as an ISO 8601 duration in hours, minutes and seconds; hours never roll into days
// (PT24H), a part of zero is left out, zero is PT0S.
func (d Duration) String() string {
	b, _ := d.AppendText(make([]byte, 0, 24))
	return string(b)
}

// AppendText appends what String returns.
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

// MarshalText writes the ISO 8601 form.
func (d Duration) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText reads the ISO 8601 form as ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDuration(string(text))
	return err
}

// DurationRange is a range of durations. Whether its upper end belongs to it is said where it is
// used: filters include both ends, facet buckets only the lower one and an upper end of 24 hours.
type DurationRange struct {
	Min Duration
	// Max is the upper end; nil: there is none.
	Max *Duration
}

// Includes reports whether d lies in the range, both ends included.
func (r DurationRange) Includes(d Duration) bool {
	return d >= r.Min && (r.Max == nil || d <= *r.Max)
}

// Buckets reports whether d lies in the range, its upper end excluded unless that is 24 hours: the last of the
// default buckets holds what is exactly as long.
func (r DurationRange) Buckets(d Duration) bool {
	return d >= r.Min && (r.Max == nil || d <= r.Last())
}

// Last is the longest duration of the bucket that the range is, in whole milliseconds. The range has an upper end.
func (r DurationRange) Last() Duration {
	if *r.Max == Day {
		return Day
	}
	return *r.Max - Millisecond
}

// ParseDurationRange reads "min" or "min-max", each an ISO 8601 duration. The error is an *Error of
// code Invalid that names the text.
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

// String writes the range as "min-max", or "min" where it has no upper end.
func (r DurationRange) String() string {
	if r.Max == nil {
		return r.Min.String()
	}
	return r.Min.String() + "-" + r.Max.String()
}

// DurationBucket is the range of a facet bucket as it is keyed: a range without an upper end is
// bounded by 24 hours.
func (r DurationRange) DurationBucket() DurationRange {
	if r.Max != nil {
		return r
	}
	upper := max(Day, r.Min)
	return DurationRange{Min: r.Min, Max: &upper}
}

// DefaultDurationBuckets are the buckets of the durations facet: 0–2, 2–5, 5–10, 10–20 minutes and
// 20 minutes to 24 hours.
func DefaultDurationBuckets() []DurationRange {
	ends := []Duration{0, 2 * Minute, 5 * Minute, 10 * Minute, 20 * Minute, Day}
	buckets := make([]DurationRange, 0, len(ends)-1)
	for i := range len(ends) - 1 {
		buckets = append(buckets, DurationRange{Min: ends[i], Max: &ends[i+1]})
	}
	return buckets
}
