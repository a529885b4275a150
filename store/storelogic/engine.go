// Package storelogic holds the rules by which every engine writes the catalogue: it checks items against what is stored,
// assigns positions and numbers, and decides which rows change. Engines read and write the rows.
package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// Engine is one open transaction of an engine, which no other writes beside. It is used by one goroutine
// at a time.
type Engine interface {
	// Stored reads what is stored under the IDs that are asked for.
	Stored(ctx context.Context, asked Asked) (Stored, error)
	// Claimed reads who has what the claims name.
	Claimed(ctx context.Context, claims Claims) (Claimed, error)
	// Referred tells which of the things with these numbers a video or another thing refers to.
	Referred(ctx context.Context, numbers []int64) (map[int64]bool, error)
	// Replacements lists the videos that are retired into those with these IDs.
	Replacements(ctx context.Context, ids []catalogue.ID) ([]Replacement, error)
	// Owning tells which of the things of a kind with these IDs own records.
	Owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error)
	// Owned lists the records of the things of a kind with these IDs, in the order of the IDs, then of the
	// records' kinds and IDs.
	Owned(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]RecordRef, error)
	// Naming lists the IDs of the themes that name any of the videos with these IDs, sorted, each once.
	Naming(ctx context.Context, videos []catalogue.ID) ([]catalogue.ID, error)
	// Bump is that of Propagator.
	Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error
	// Apply writes changes, and nothing but them.
	Apply(ctx context.Context, changes *Changes) error
	RemovalEngine

	// Items and Of are those of store.Tx.
	Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error)
	Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error)
}

// Replacement is a video that is retired into another.
type Replacement struct{ ID, Into catalogue.ID }

// Asked are IDs of things: of records of whatever kinds, of videos, and of things of all other kinds,
// whatever they are.
type Asked struct{ Entities, Videos, Records []catalogue.ID }

// add asks for a thing.
func (a *Asked) add(kind catalogue.Kind, id catalogue.ID) {
	switch {
	case kind == catalogue.KindVideo:
		a.Videos = append(a.Videos, id)
	case kind.IsRecord():
		a.Records = append(a.Records, id)
	default:
		a.Entities = append(a.Entities, id)
	}
}

// Stored is what is stored under some IDs.
type Stored struct {
	Entities map[Thing]*Entity
	Videos   map[catalogue.ID]*Video
	Records  map[Thing]*Record
}

// Claims are what items refer to and what they want to be the only ones to have.
type Claims struct {
	// Targets are the IDs that links name, each list sorted, each ID once.
	Targets Asked
	// Names are unique names, folded; Aliases are legacy identifiers of videos.
	Names, Aliases []string
}

// Claimed answers Claims; what there is not, is missing. No map is nil.
type Claimed struct {
	Numbers Numbers
	// Names may hold more kinds than were meant: a name is unique within its kind.
	Names   map[Name]catalogue.ID
	Aliases map[string]catalogue.ID
}

// NewClaimed is an empty answer.
func NewClaimed() Claimed {
	return Claimed{Numbers: Numbers{}, Names: map[Name]catalogue.ID{}, Aliases: map[string]catalogue.ID{}}
}

// Changes are rows to be written, in an order that does not matter but for that of Log.
type Changes struct {
	Entities    []EntityRow
	Videos      []VideoRow
	Transcripts []TranscriptRow
	Records     []RecordChange
	// EntityLinks and VideoLinks are new.
	EntityLinks, VideoLinks []Link
	// Bodies are those of videos of which nothing else changes.
	Bodies []VideoBody

	// What goes away: links, by their target, and rows by their number or sequence. A video's body goes
	// with it; its links and its transcript are listed.
	NoEntityLinks, NoVideoLinks         map[int64][]int64
	NoTranscripts, NoVideos, NoEntities []int64
	NoRecords                           []int64

	// MoreRecords is how many more records of a kind there are with these changes.
	MoreRecords map[catalogue.Kind]int64

	// Removals take the places of rows of the same IDs; of NoRemovals there may be rows, which go.
	Removals   []RemovalRow
	NoRemovals []catalogue.ID

	// Log holds the new entries, whose positions follow one another.
	Log     []store.Change
	FanOuts []FanOut
}

// EntityRow is a row of what is small, of every kind but videos.
type EntityRow struct {
	// New says that there is none with this number yet.
	New    bool
	Number int64
	Kind   catalogue.Kind
	Meta   *catalogue.Meta
	// Folded is the name that is unique within the kind, "" where there is none.
	Folded  string
	Private bool
	Body    []byte
}

// VideoRow is the row of a video, with its body.
type VideoRow struct {
	// New says that there is none with this sequence yet.
	New   bool
	Video *catalogue.Video
	// Channel is the number of the video's channel.
	Channel int64
	Body    []byte
}

// VideoBody is the body of the video with a sequence.
type VideoBody struct {
	Sequence int64
	Body     []byte
}

// RecordChange is a row of a catalogue.Record.
type RecordChange struct {
	// New says that there is none with this number yet.
	New    bool
	Number int64
	Kind   catalogue.Kind
	Meta   *catalogue.Meta
	// Owner is the zero value where it belongs to nothing.
	Owner Thing
	Body  []byte
}

// TranscriptRow is the transcript of a video.
type TranscriptRow struct {
	// New says that the video has none yet.
	New      bool
	Sequence int64
	// Sum is the SHA-256 of the text.
	Sum  []byte
	Text string
}

// Link is a reference of a thing, by its number, or of a video, by its sequence, to the thing with the
// number Target.
type Link struct{ Target, From int64 }

// FanOut is the change of a thing that videos show something of.
type FanOut struct {
	Target   int64
	Position store.Position
	Shown    catalogue.Shown
	// ThroughChannels: the videos do not refer to the thing itself but to channels that do.
	ThroughChannels bool
}
