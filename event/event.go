// Package event holds what clients tell of use: events, how they are read from what a client sends, and
// what is stored of them. Bills are made of them (package usage).
package event

import (
	"encoding/hex"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Position is a place in the event log: 1, 2, 3, … without gaps, in the order of commits. Whoever sees an
// event sees all with smaller positions. 0 is before the first.
type Position = int64

// Instant is a moment in milliseconds since 1970, UTC. 0 stands for none.
type Instant int64

// InstantOf is the millisecond in which t lies.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time is the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// String is RFC 3339 in UTC with milliseconds.
func (i Instant) String() string { return i.Time().Format("2006-01-02T15:04:05.000Z") }

// ID names an event: a UUID of version 7 (RFC 9562).
type ID [16]byte

// String is the UUID in its usual form.
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

// Kind is what an event tells of. Numbers are stored: they never change their meaning.
type Kind uint8

// The kinds.
const (
	// Playback: a segment of a video was played. The only kind that is billed.
	Playback Kind = iota + 1
	// PlayerInteraction: somebody did something with the player.
	PlayerInteraction
	// PageRender: a page of the client was shown.
	PageRender
	// PlatformInteraction: somebody did something with the client.
	PlatformInteraction
	// SearchCompletions: completions of a query were shown.
	SearchCompletions
	// VideoInteraction: somebody did something with a video outside the player.
	VideoInteraction
	// AccessExpired: somebody came whose account has expired.
	AccessExpired
	// CollectionInteraction: somebody did something with a collection.
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

// Kinds lists all kinds.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(kindNames))
	for k := Playback; int(k) < len(kindNames); k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// String is the kind's name, "" for what is no kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// ParseKind reads a kind's name. The error is of code Invalid and names it.
func ParseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if known == name && name != "" {
			return Kind(kind), nil
		}
	}
	return 0, fault.InvalidRequest("%q is not a kind of event", name)
}

// Event is one event as it is stored. Values are shared once they have been appended, and not changed.
type Event struct {
	ID ID
	// Position is 0 until the event is in the log.
	Position Position
	Kind     Kind
	// At is when it happened: the captureTime that the client gave, else Received. Received is when the
	// request arrived, by the clock of the process that took it.
	At, Received Instant

	// Account, Client and User are those of the token; "": none. User is "" where the client asked not to
	// be told of.
	Account, Client, User string
	// ExternalUser is how the client calls the user: userId of the body, else the Service-User-Id of
	// the request unless the account ignores it; it may be pseudonymised. "": not at all.
	ExternalUser string
	// Sandbox: the account was one for trying out when the event was received. It is counted and not billed.
	Sandbox bool

	// Video is as the client wrote it, in lower case; it need not exist. "": the event is of none.
	Video string
	// Start and End are milliseconds from the video's beginning, of Playback alone. End may be before Start.
	Start, End int64
	// Counted is how many milliseconds of the segment are counted and billed, from Start on: at most Played. Intake
	// fixes it, so that the log gives the same sums whenever it is counted. It is 0 for other kinds.
	Counted int64
	// Hidden: when the event was received, there was no such video, or the caller could not see it. Usage does not
	// tell which of the two, and names neither.
	Hidden bool
	// Subtype is what was done, of interactions.
	Subtype string

	// Trace names the request, Referer is the page that it came from, Address the network address of the
	// caller; "": not known, or not kept.
	Trace, Referer, Address string

	// Details is a JSON object of what the API defines for this kind beside the fields above, by the API's
	// names; Metadata one of what else came along. nil: nothing. Both are compact and valid UTF-8.
	Details, Metadata []byte
}

// Played is how long the segment is as it was reported, in milliseconds: 0 for kinds other than Playback and for
// segments that end before they start.
func (e *Event) Played() int64 {
	if e.Kind != Playback {
		return 0
	}
	return max(0, e.End-e.Start)
}

// UnknownBound is how many milliseconds of a video can count that has no known duration.
const UnknownBound = int64(24 * Hour)

// Rounding is by how many milliseconds a segment may exceed the video: players round.
const Rounding = 1000

// Bound sets Counted to the part of the segment that lies in the first bound milliseconds of the video.
func (e *Event) Bound(bound int64) {
	e.Counted = 0
	if e.Played() > 0 {
		e.Counted = max(0, min(e.End, bound)-max(e.Start, 0))
	}
}

// Excess is how many milliseconds of the segment were reported and are not counted.
func (e *Event) Excess() int64 { return max(0, e.Played()-e.Counted) }

// Reversed reports whether the segment ends before it starts.
func (e *Event) Reversed() bool { return e.Kind == Playback && e.End < e.Start }

// Person is who an event is of, for counting users: the user as the client calls them, else the user of the
// token; "": nobody is known. The first byte tells the two apart, so that they never meet.
func (e *Event) Person() string {
	switch {
	case e.ExternalUser != "":
		return "x" + e.ExternalUser
	case e.User != "":
		return "u" + e.User
	}
	return ""
}
