// Package usage says what use is: plays, seconds, users, and the statements that are billed. docs/billing.md
// defines each to the last case; it is the contract of this package.
package usage

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Play is a playback event as it is counted. Events whose segment has no length are none.
type Play struct {
	Position event.Position
	At       event.Instant
	Account  string
	Client   string
	// Person is Event.Person: "" is counted as no user.
	Person string
	Video  string
	// Channel and Subjects are those that the video had when it was counted; "" and nil where there was no
	// such video.
	Channel  string
	Subjects []string
	// Start is before End, both in milliseconds from the video's beginning, as they were reported.
	Start, End int64
	// Excess is how many milliseconds at the end of the segment are not counted: 0 to End - Start.
	Excess  int64
	Sandbox bool
}

// Milliseconds is how much of the play is counted and billed.
func (p *Play) Milliseconds() int64 { return p.End - p.Start - p.Excess }

// Month is a calendar month of UTC.
type Month struct {
	Year  int
	Month time.Month
}

// MonthOf is the month in which an instant lies.
func MonthOf(i event.Instant) Month {
	year, month, _ := i.Time().Date()
	return Month{year, month}
}

// ParseMonth reads YYYY-MM. The error is of code Invalid and names the text.
func ParseMonth(text string) (Month, error) {
	t, err := time.Parse("2006-01", text)
	if err != nil || t.Year() < 1970 {
		return Month{}, fault.InvalidRequest("%q is not a month such as 2026-10", text)
	}
	return Month{t.Year(), t.Month()}, nil
}

// String is YYYY-MM.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, m.Month) }

// MarshalText and UnmarshalText write and read YYYY-MM.
func (m Month) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Month) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMonth(string(text))
	return err
}

// Number counts months since January 1970, which is 0.
func (m Month) Number() int { return (m.Year-1970)*12 + int(m.Month) - 1 }

// MonthNumber is the month with a Number.
func MonthNumber(n int) Month { return Month{1970 + n/12, time.Month(n%12 + 1)} }

// Start is the first instant of the month, End the first one after it.
func (m Month) Start() event.Instant {
	return event.InstantOf(time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, time.UTC))
}

// End is the first instant after the month.
func (m Month) End() event.Instant { return m.Next().Start() }

// Next is the month after.
func (m Month) Next() Month { return MonthNumber(m.Number() + 1) }

// Before reports whether m is earlier than other.
func (m Month) Before(other Month) bool { return m.Number() < other.Number() }

// Progress is how far the log has been rolled up.
type Progress struct {
	// Position: all events up to it are counted, and none behind it.
	Position event.Position
	// AsOf is when the last of them was received; 0 before the first.
	AsOf event.Instant
}

// FirstMonth is before all months in which anything was played.
var FirstMonth = Month{1, time.January}

// Recount is a second set of counts, which is to take the place of the first (store.Usage.BeginRecount).
type Recount struct {
	// ID tells it from all others.
	ID string
	// From is the first month whose plays it counts.
	From Month
	// Progress says how far it counts the log.
	Progress Progress
}

// Measures are what is counted of plays.
type Measures struct {
	Plays        int64
	Milliseconds int64
	// Excess is how many milliseconds were reported beside these and are neither counted nor billed.
	Excess int64
	// Users are the distinct persons, Videos the distinct videos.
	Users, Videos int64
}

// Seconds rounds milliseconds to seconds, half a second up, and negative ones like positive ones. It is done once per
// line of a statement, and never before sums are made.
func Seconds(milliseconds int64) int64 {
	if milliseconds < 0 {
		return -Seconds(-milliseconds)
	}
	return (milliseconds + 500) / 1000
}
