package deprecation

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Reason is why somebody is to be told.
type Reason string

// The reasons.
const (
	Announcement       Reason = "ANNOUNCEMENT"
	ReminderWeekBefore Reason = "REMINDER_WEEK_BEFORE"
)

const (
	// memory is for how many days after its last use a client is told of something.
	memory = 90
	// reminder is how many days before its sunset a client is reminded.
	reminder = 7
)

// Notice says that a client is to be told of an item.
type Notice struct {
	Reason Reason
	// Use is what the client has made of it.
	Use account.DeprecatedUse
	// Sunset is the day that counts for the client; nil: none is set.
	Sunset *catalogue.Date
}

// UsedSince is the moment before which a use is too long ago to be told of anything on a UTC day.
func UsedSince(day catalogue.Date) time.Time { return (day - memory).Start() }

// Notices returns who is to be told of the item on a UTC day, in the order of uses, and of one client the
// announcement first. decided is what the operator decided of it, nil where nothing. A day in the past or to
// come is judged by what is known now: a date that was moved since is the new one.
func (i *Item) Notices(day catalogue.Date, decided *account.Deprecation, uses []account.DeprecatedUse) []Notice {
	var due []Notice
	for _, use := range uses {
		if use.Client == "" || use.Last.Before(UsedSince(day)) || !use.First.Before((day + 1).Start()) {
			continue
		}
		notice := Notice{Use: use}
		announced := i.Since == day
		if decided != nil {
			sunset, setOn := decided.SunsetFor(use.Client)
			notice.Sunset = &sunset
			announced = announced || setOn == day
		}
		if announced {
			notice.Reason = Announcement
			due = append(due, notice)
		}
		if notice.Sunset != nil && *notice.Sunset == day+reminder {
			notice.Reason = ReminderWeekBefore
			due = append(due, notice)
		}
	}
	return due
}
