package deprecation

import (
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Reason is the reason for a notice.
type Reason string

// The reasons.
const (
	Announcement       Reason = "ANNOUNCEMENT"
	ReminderWeekBefore Reason = "REMINDER_WEEK_BEFORE"
)

const (
	// memory is the number of days after its last use of an item in which a client gets notices of it.
	memory = 90
	// reminder is the number of days before the sunset at which a client is reminded.
	reminder = 7
)

// Notice is a message about an item that a client should get.
type Notice struct {
	Reason Reason
	// Use is the client's use of the item.
	Use account.DeprecatedUse
	// Sunset is the client's last day with the item; nil: none is set.
	Sunset *catalogue.Date
}

// UsedSince returns the moment from which on a use leads to notices on a UTC day.
func UsedSince(day catalogue.Date) time.Time { return (day - memory).Start() }

// Notices returns the notices of an item for a UTC day, in the order of uses; of one client's notices, the announcement
// comes first. decided is the operator's decision on the item, nil if there is none. Other days than today are computed
// from the present decision.
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
