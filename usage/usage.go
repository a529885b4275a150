// Package usage defines usage: plays, seconds, users, and the statements that are billed. docs/billing.md defines
// each of them precisely; it is the contract of this package.
package usage

import (
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// Play is a playback event as it is counted. Events with an empty segment are not plays.
type Play struct {
	Position event.Position
	At       event.Instant
	Account  string
	Client   string
	// Person is Event.Person; "" is not counted as a user.
	Person string
	Video  string
	// Channel and Subjects are those of the video when the play was counted; "" and nil if the video did not exist.
	Channel  string
	Subjects []string
	// Start and End are the reported milliseconds from the beginning of the video. Start is before End.
	Start, End int64
	// Excess is the number of milliseconds at the end of the segment that are not counted: 0 to End - Start.
	Excess  int64
	Sandbox bool
	// Continues: the segment adds its time to a play that an earlier event began (event.Event.Continues). It counts as no
	// play, user or video.
	Continues bool
}

// Plays returns how many plays the segment counts as: 1, or 0 if it continues one.
func (p *Play) Plays() int64 {
	if p.Continues {
		return 0
	}
	return 1
}

// Milliseconds returns the counted and billed length of the play.
func (p *Play) Milliseconds() int64 { return p.End - p.Start - p.Excess }

// Month is a calendar month in UTC.
type Month struct {
	Year  int
	Month time.Month
}

// MonthOf returns the month that contains an instant.
func MonthOf(i event.Instant) Month {
	year, month, _ := i.Time().Date()
	return Month{year, month}
}

// ParseMonth parses YYYY-MM. The error has code Invalid and quotes the text.
func ParseMonth(text string) (Month, error) {
	t, err := time.Parse("2006-01", text)
	if err != nil || t.Year() < 1970 {
		return Month{}, fault.InvalidRequest("%q is not a month such as 2026-10", text)
	}
	return Month{t.Year(), t.Month()}, nil
}

// String returns YYYY-MM.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, m.Month) }

// MarshalText returns YYYY-MM.
func (m Month) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText parses YYYY-MM.
func (m *Month) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMonth(string(text))
	return err
}

// Number returns the number of months since January 1970.
func (m Month) Number() int { return (m.Year-1970)*12 + int(m.Month) - 1 }

// MonthNumber returns the month with the given Number.
func MonthNumber(n int) Month { return Month{1970 + n/12, time.Month(n%12 + 1)} }

// Start returns the first instant of the month.
func (m Month) Start() event.Instant {
	return event.InstantOf(time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, time.UTC))
}

// End returns the first instant after the month.
func (m Month) End() event.Instant { return m.Next().Start() }

// Grace is how long a month remains open after its end, for devices that were offline.
const Grace = 7 * 24 * time.Hour

// Due returns the time from which the month is sealed without force.
func (m Month) Due() time.Time { return m.End().Time().Add(Grace) }

// Next returns the following month.
func (m Month) Next() Month { return MonthNumber(m.Number() + 1) }

// Before reports whether m is earlier than other.
func (m Month) Before(other Month) bool { return m.Number() < other.Number() }

// Progress is the state of counting the log.
type Progress struct {
	// Position is the position of the last counted event. All events up to it are counted, and none after it.
	Position event.Position
	// AsOf is when that event was received; 0 if there is none.
	AsOf event.Instant
}

// FirstMonth is earlier than every month with plays.
var FirstMonth = Month{1, time.January}

// Recount is a second set of counts that will replace the first (store.Usage.BeginRecount).
type Recount struct {
	// ID is unique.
	ID string
	// From is the first month that it counts.
	From Month
	// Progress is its state of counting.
	Progress Progress
	Stage    RecountStage
}

// RecountStage is what a Recount does next. Stores persist its values.
type RecountStage uint8

// The stages, in their order.
const (
	// Collecting means that ApplyRecount only stores plays.
	Collecting RecountStage = iota
	// Gathering means that GatherRecount adds the stored plays to the counts. Nothing else is possible.
	Gathering
	// Following means that the counts contain all plays up to Progress, and ApplyRecount adds to them.
	Following
)

// Measures are the counted quantities of plays.
type Measures struct {
	Plays        int64
	Milliseconds int64
	// Excess is the number of reported milliseconds that are neither counted nor billed.
	Excess int64
	// Users is the number of distinct persons, and Videos the number of distinct videos.
	Users, Videos int64
}

// Seconds rounds milliseconds to seconds, half a second away from zero. It is applied once per statement line, never
// before adding.
func Seconds(milliseconds int64) int64 {
	if milliseconds < 0 {
		return -Seconds(-milliseconds)
	}
	return (milliseconds + 500) / 1000
}
