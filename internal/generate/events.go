package generate

import (
	"bufio"
	"cmp"
	"io"
	"iter"
	"math/rand/v2"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
)

// EventOptions select generated events. Equal options yield the same events.
type EventOptions struct {
	// Count is the number of events, at least 0.
	Count int
	// Accounts are the accounts of the events, at least one; the first ones have the most.
	Accounts []string
	// Videos is the size of the catalogue (Options.Videos) whose videos are played, at least 1; the first ones are
	// played the most. Watched, if not empty, replaces these videos.
	Videos  int
	Watched []Watched
	// Clients and Users return the clients of an account, at least one, and its users' IDs. If they are nil, the clients
	// and users are generated.
	Clients, Users func(account string) []string
	// Persons is the number of generated users of each account; 0: 2000.
	Persons int
	// Interactions adds interactions with the player: about one for every seven plays.
	Interactions bool
	// Events are received from From until before To, which must be at least an hour later.
	From, To event.Instant
	Seed     uint64
}

// Watched is a video that is played.
type Watched struct {
	ID     string
	Length int64 // in milliseconds; 0: generated
}

// Events yields playback events, and interactions if the options include them, in the order of receipt, as a log would
// contain them except for positions: sessions as long as lessons, of users of several clients, with more in school hours
// and less in the holidays. A few events were kept by a device for days, and a few segments are empty or reversed.
func Events(options EventOptions) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		a := newAudience(options)
		for number := range options.Count {
			if !yield(a.event(number)) {
				return
			}
		}
	}
}

// WriteEvents writes the events as JSON lines, each the body of a request that reports a batch (docs/events.md).
// Account and client are then those of the caller's token; the events have no users. The error is w's.
func WriteEvents(w io.Writer, options EventOptions) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	number := 0
	for e := range Events(options) {
		line = appendBatched(line, &e)
		if number++; number%event.MaxBatch == 0 || number == options.Count {
			line = append(line, "]\n"...)
			if _, err := buffered.Write(line); err != nil {
				return err
			}
			line = line[:0]
		}
	}
	return buffered.Flush()
}

// appendBatched appends an element of a batch.
func appendBatched(b []byte, e *event.Event) []byte {
	before := byte(',')
	if len(b) == 0 {
		before = '['
	}
	b = append(append(b, before), `{"videoId":"`...)
	b = append(append(b, e.Video...), `","segmentStartSeconds":`...)
	b = event.AppendSeconds(b, e.Start)
	b = append(b, `,"segmentEndSeconds":`...)
	b = event.AppendSeconds(b, e.End)
	b = append(b, `,"captureTime":"`...)
	b = append(append(b, e.At.String()...), '"')
	if e.ExternalUser != "" {
		b = append(append(append(b, `,"userId":"`...), e.ExternalUser...), '"')
	}
	return append(b, '}')
}

const (
	// sessionsAtOnce is how many people watch at a time.
	sessionsAtOnce = 256
	// usersOfAccount is the default of EventOptions.Persons.
	usersOfAccount = 2000
)

// audience generates events.
type audience struct {
	options  EventOptions
	rng      *rand.Rand
	calendar *calendar
	clients  [][]string // by account
	videos   []Watched
	sessions [sessionsAtOnce]session
}

// session is a user who watches videos, one after the other.
type session struct {
	account, client, user, externalUser string
	video                               string
	at, length                          int64 // milliseconds
	left                                int   // the number of remaining events
}

func newAudience(options EventOptions) *audience {
	options.Persons = cmp.Or(options.Persons, usersOfAccount)
	a := &audience{
		options: options, rng: rand.New(rand.NewPCG(options.Seed, 1<<61)), calendar: newCalendar(options),
		clients: make([][]string, len(options.Accounts)), videos: options.Watched,
	}
	for i, account := range options.Accounts {
		if options.Clients != nil {
			a.clients[i] = options.Clients(account)
		} else {
			a.clients[i] = []string{account + "-lms", account + "-web", account + "-app"}
		}
	}
	if len(a.videos) == 0 {
		a.videos = make([]Watched, options.Videos)
		for i := range a.videos {
			a.videos[i].ID = string(catalogue.DeriveID(catalogue.KindVideo, Source, videoReference(i)))
		}
	}
	return a
}

// among draws a number below n by approximately Zipf's law: each doubling of the rank is equally likely.
func among(rng *rand.Rand, n int) int {
	doublings := 1
	for 1<<doublings <= n {
		doublings++
	}
	for {
		from := 1 << rng.IntN(doublings)
		if drawn := from + rng.IntN(from) - 1; drawn < n {
			return drawn
		}
	}
}

// event generates the event with a number, from 0 on.
func (a *audience) event(number int) event.Event {
	received := a.calendar.moment(number)
	s := &a.sessions[a.rng.IntN(sessionsAtOnce)]
	if s.left == 0 {
		a.begin(s)
	}
	s.left--
	if s.at >= s.length {
		a.open(s)
	}
	e := event.Event{
		ID: eventID(received, a.rng), Kind: event.Playback, Received: received, At: received - a.delay(),
		Account: s.account, Client: s.client, User: s.user, ExternalUser: s.externalUser, Video: s.video,
	}
	if a.options.Interactions && a.rng.IntN(8) == 0 {
		e.Kind, e.Subtype = event.PlayerInteraction, interactions[a.rng.IntN(len(interactions))]
		e.Details = append(event.AppendSeconds([]byte(`{"currentTime":`), s.at), `,"payload":{}}`...)
		return e
	}
	if a.rng.IntN(20) == 0 { // the user skips
		s.at = a.rng.Int64N(s.length)
	}
	e.Start, e.End = s.at, s.at+3000+a.rng.Int64N(87_000)
	e.End = min(e.End, s.length+a.rng.Int64N(200)) // players end a little late
	s.at = max(s.at, e.End)
	switch a.rng.IntN(2000) {
	case 0:
		e.End = e.Start
	case 1:
		e.Start, e.End = e.End, e.Start
	}
	e.Counted = e.Played()
	return e
}

// interactions are the subtypes of interactions with the player.
var interactions = []string{"play", "pause", "play", "pause", "seeked", "captionsEnabled", "speedChanged", "fullscreen"}

// delay returns how long before its receipt an event happened.
func (a *audience) delay() event.Instant {
	if a.rng.IntN(33) == 0 { // a device that was offline
		return event.Instant(a.rng.Int64N(6 * 24 * int64(event.Hour)))
	}
	return event.Instant(a.rng.Int64N(20_000))
}

// begin starts a session of another user.
func (a *audience) begin(s *session) {
	account := among(a.rng, len(a.options.Accounts))
	*s = session{
		account: a.options.Accounts[account], client: a.clients[account][among(a.rng, len(a.clients[account]))], left: 1 + a.rng.IntN(40),
	}
	user := strconv.Itoa(a.options.Persons + among(a.rng, a.options.Persons))
	switch who := a.rng.IntN(20); {
	case who < 13:
		s.externalUser = "pupil-" + user
	case who < 18 && a.options.Users == nil:
		s.user = "65f1c0ffee65f1c0ffee" + user
	case who < 18:
		if users := a.options.Users(s.account); len(users) > 0 {
			s.user = users[among(a.rng, len(users))]
		}
	}
}

// open starts another video.
func (a *audience) open(s *session) {
	video := a.videos[among(a.rng, len(a.videos))]
	s.video, s.at, s.length = video.ID, 0, video.Length
	if s.length == 0 {
		s.length = int64(drawLength(a.rng) / catalogue.Millisecond)
	}
}

// eventID returns a UUID of version 7 drawn from the generator.
func eventID(received event.Instant, rng *rand.Rand) (id event.ID) {
	high, low := uint64(received)<<16|0x7000|rng.Uint64()&0x0fff, rng.Uint64()&(1<<62-1)|1<<63
	for i := range 8 {
		id[i], id[8+i] = byte(high>>(56-8*i)), byte(low>>(56-8*i))
	}
	return id
}
