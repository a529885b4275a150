package catalogue

import (
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Date is a UTC day of the proleptic Gregorian calendar, counted in days since 1970-01-01.
type Date int32

const secondsPerDay = 24 * 60 * 60

// DateOf returns the UTC day of a time.
func DateOf(t time.Time) Date {
	seconds := t.Unix()
	days := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		days--
	}
	return Date(days)
}

// ParseDate parses YYYY-MM-DD, an existing day in the years 0001 to 9999. The error is a *fault.Error with code
// Invalid that quotes the text.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || len(text) != len(time.DateOnly) || t.Year() < 1 {
		return 0, fault.InvalidRequest("%q is not a valid date: expected YYYY-MM-DD", text)
	}
	return DateOf(t), nil
}

// Start returns the first instant of the day in UTC.
func (d Date) Start() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.Start().Format(time.DateOnly) }

// AppendText appends the result of String.
func (d Date) AppendText(b []byte) ([]byte, error) {
	return d.Start().AppendFormat(b, time.DateOnly), nil
}

// MarshalText returns YYYY-MM-DD.
func (d Date) MarshalText() ([]byte, error) { return d.AppendText(nil) }

// UnmarshalText parses YYYY-MM-DD like ParseDate.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// TimestampFormat is the format of times: ISO 8601, UTC, microseconds.
const TimestampFormat = "2006-01-02T15:04:05.000000Z"

// Instant returns t in UTC, truncated to microseconds, the catalogue's precision.
func Instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
