// Package event defines the events that clients report, decodes them, and defines what the log stores of them. Bills are
// computed from them (package usage).
package event

import (
	"encoding/hex"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Position is the number of an event in the log: 1, 2, 3, … without gaps, in the order of commits. A reader that sees an
// event sees all events with smaller positions. 0 precedes the first.
type Position = int64

// Instant is a time in milliseconds since 1970, UTC; 0 means none.
type Instant int64

// InstantOf returns the millisecond that contains t.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time returns the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// String formats the instant as RFC 3339 in UTC with milliseconds.
func (i Instant) String() string { return i.Time().Format("2006-01-02T15:04:05.000Z") }

// ID identifies an event: a UUID of version 7 (RFC 9562).
type ID [16]byte

// String returns the UUID in its canonical form.
func (id ID) String() string {
	var text [36]byte
	hex.Encode(text[0:8], id[0:4])
	hex.Encode(text[9:13], id[4:6])
	hex.Encode(text[14:18], id[6:8])
	hex.Encode(text[19:23], id[8:10])
	hex.Encode(text[24:], id[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// Kind is the kind of an event. The log stores these numbers: they never change their meaning.
type Kind uint8

// The kinds of events.
const (
	// Playback: a user played a segment of a video. Only this kind is billed.
	Playback Kind = iota + 1
	// PlayerInteraction: a user operated the player.
	PlayerInteraction
	// PageRender: the client showed a page.
	PageRender
	// PlatformInteraction: a user operated the client.
	PlatformInteraction
	// SearchCompletions: the client showed completions of a query.
	SearchCompletions
	// VideoInteraction: a user did something with a video outside the player.
	VideoInteraction
	// AccessExpired: a user of an expired account tried to sign in.
	AccessExpired
	// CollectionInteraction: a user did something with a collection.
	CollectionInteraction
)

var kindNames = [...]string{
	Playback:            "PLAYBACK",
	PlayerInteraction:   "PLAYER_INTERACTION",
	PageRender:          "PAGE_RENDER",
	PlatformInteraction: "PLATFORM_INTERACTION",
	SearchCompletions:   "SEARCH_COMPLETIONS",
	VideoInteraction:    "VIDEO_INTERACTION",
	AccessExpired:       "ACCESS_EXPIRED",

	CollectionInteraction: "COLLECTION_INTERACTION",
}

// Kinds returns all kinds.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(kindNames))
	for k := Playback; int(k) < len(kindNames); k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String returns the kind's name, or "" for an unknown number.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// ParseKind parses a kind's name. The error has the code Invalid and quotes the name.
func ParseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if known == name && name != "" {
			return Kind(kind), nil
		}
	}
	return 0, fault.InvalidRequest("%s", fault.NotOneOf(name, kindNames[1:]))
}

// Event is one event as the log stores it. It must not change after it has been appended, because readers share it.
type Event struct {
	ID ID
	// Position is 0 until the event is in the log.
	Position Position
	Kind     Kind
	// At is the time of the event: the client's captureTime, else Received. Received is the time at which the request
	// arrived, by the clock of the process that received it.
	At, Received Instant

	// Account, Client and User are those of the token, or "". User is also "" if the client asked to leave it out.
	Account, Client, User string
	// ExternalUser is the client's own ID of the user: userId of the body, else the Service-User-Id header unless the
	// account ignores it. It may be a pseudonym; "" means none.
	ExternalUser string
	// Sandbox: the account was a sandbox when the event was received. The event is counted but not billed.
	Sandbox bool

	// Video is the ID as the client wrote it, in lower case. The video need not exist; "" means none.
	Video string
	// Start and End of a Playback are milliseconds from the start of the video. End may precede Start.
	Start, End int64
	// Counted is the length of the segment that is counted and billed, in milliseconds from Start, at most Played. Intake
	// sets it, so that counting the log again gives the same sums. It is 0 for other kinds.
	Counted int64
	// Hidden: when the event was received, the video did not exist or the caller could not see it. Usage reports do not
	// distinguish the two and do not name such a video.
	Hidden bool
	// Continues: the event adds time to a play that an earlier event of the log began, and is no play itself. The log sets
	// it when it stores the event (see Submission.PlayKey).
	Continues bool
	// Subtype says what the user did, for interactions.
	Subtype string

	// Trace is the trace ID of the request, Referer the page that sent it, Address the network address of the caller; each
	// is "" if it is unknown or not stored.
	Trace, Referer, Address string

	// Details is a JSON object with the API's other fields for this kind, Metadata one with fields that the API does not
	// define; nil means none. Both are compact and valid UTF-8.
	Details, Metadata []byte
}

// Played returns the reported length of the segment in milliseconds: 0 for other kinds and for segments that end before
// they start.
func (e *Event) Played() int64 {
	if e.Kind != Playback {
		return 0
	}
	return max(0, e.End-e.Start)
}

// UnknownBound is the longest playback that counts for a video of unknown duration, in milliseconds.
const UnknownBound = int64(24 * Hour)

// Rounding is the tolerance by which a segment may exceed the video, in milliseconds, because players round.
const Rounding = 1000

// Bound sets Counted to the part of the segment within the first bound milliseconds of the video.
func (e *Event) Bound(bound int64) {
	e.Counted = 0
	if e.Played() > 0 {
		e.Counted = max(0, min(e.End, bound)-max(e.Start, 0))
	}
}

// Excess returns the reported milliseconds that do not count.
func (e *Event) Excess() int64 { return max(0, e.Played()-e.Counted) }

// Reversed reports whether the segment ends before it starts.
func (e *Event) Reversed() bool { return e.Kind == Playback && e.End < e.Start }

// Person identifies the user for counting users: the client's own ID, else the user of the token, else "". The first byte
// keeps the two apart.
func (e *Event) Person() string {
	switch {
	case e.ExternalUser != "":
		return "x" + e.ExternalUser
	case e.User != "":
		return "u" + e.User
	}
	return ""
}
