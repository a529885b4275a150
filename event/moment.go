package event

import (
	"errors"
	"time"
)

// Ahead is the maximum time by which an event may lie after its receipt, because clients' clocks are wrong.
const Ahead = 24 * Hour

// The reasons why a text is not a valid time of an event.
var (
	errNoMoment = errors.New("is not a date and time with an offset, such as 2026-11-21T19:53:37.25Z")
	errTooOld   = errors.New("does not lie after the first instant of 1970")
	errAhead    = errors.New("is more than a day ahead")
)

// momentOf parses the time of an event that was received at received.
func momentOf(text string, received Instant) (Instant, error) {
	at, err := parseMoment(text)
	switch {
	case err != nil:
		return 0, err
	case at <= 0:
		return 0, errTooOld
	case at > received+Ahead:
		return 0, errAhead
	}
	return at, nil
}

// parseMoment parses a date and time in the extended format of ISO 8601: YYYY-MM-DDThh:mm, optionally seconds with a
// fraction of any length, which is truncated to milliseconds, then Z or an offset of hours, or of hours and minutes with or
// without a colon. The T may be lower case or a space (RFC 3339, section 5.6).
func parseMoment(text string) (Instant, error) {
	s := scanner{rest: text}
	year, month, day := s.number(4), s.after('-').number(2), s.after('-').number(2)
	if !s.skip('T') && !s.skip('t') && !s.skip(' ') {
		return 0, errNoMoment
	}
	hour, minute, second, millisecond := s.number(2), s.after(':').number(2), 0, 0
	if s.skip(':') {
		second = s.number(2)
		if s.skip('.') || s.skip(',') {
			millisecond = s.fraction()
		}
	}
	offset := s.offset()
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if s.failed || s.rest != "" || hour > 23 || minute > 59 || second > 60 || // a leap second is the next one's first
		date.Day() != day || date.Month() != time.Month(month) {
		return 0, errNoMoment
	}
	inDay := (int64(hour)*60+int64(minute)-int64(offset))*60 + int64(second)
	return Instant((date.Unix()+inDay)*1000 + int64(millisecond)), nil
}

// scanner reads a text from its start. Once it has failed, its results are meaningless.
type scanner struct {
	rest   string
	failed bool
}

// skip consumes the next character if it is this one, and reports whether it was.
func (s *scanner) skip(c byte) bool {
	if s.rest == "" || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// after consumes a required character.
func (s *scanner) after(c byte) *scanner {
	s.failed = !s.skip(c) || s.failed
	return s
}

// number reads this many digits.
func (s *scanner) number(digits int) (n int) {
	if len(s.rest) < digits {
		s.failed = true
		return 0
	}
	for _, c := range []byte(s.rest[:digits]) {
		s.failed = s.failed || c < '0' || c > '9'
		n = n*10 + int(c-'0')
	}
	s.rest = s.rest[digits:]
	return n
}

// fraction reads at least one digit and returns milliseconds.
func (s *scanner) fraction() (milliseconds int) {
	digits := 0
	for ; digits < len(s.rest) && s.rest[digits] >= '0' && s.rest[digits] <= '9'; digits++ {
		if digits < 3 {
			milliseconds = milliseconds*10 + int(s.rest[digits]-'0')
		}
	}
	s.failed = s.failed || digits == 0
	s.rest = s.rest[digits:]
	for ; digits < 3; digits++ {
		milliseconds *= 10
	}
	return milliseconds
}

// offset returns the offset from UTC in minutes.
func (s *scanner) offset() int {
	if s.skip('Z') || s.skip('z') {
		return 0
	}
	sign := 1
	if !s.skip('+') {
		s.after('-')
		sign = -1
	}
	hours, minutes := s.number(2), 0
	if s.skip(':') || s.rest != "" {
		minutes = s.number(2)
	}
	s.failed = s.failed || hours > 23 || minutes > 59
	return sign * (hours*60 + minutes)
}
