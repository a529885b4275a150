// Package storelogic contains the rules by which every engine writes the catalogue. It checks items against the stored
// ones, assigns positions and numbers, and decides which rows change. Engines read and write the rows.
package storelogic

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// Engine is one open transaction of an engine, which excludes other writers. One goroutine uses it at a time.
type Engine interface {
	// Stored returns the stored items with these IDs.
	Stored(ctx context.Context, asked Requested) (Stored, error)
	// Claimed returns the numbers of the targets, and the items that have the names and aliases of claims.
	Claimed(ctx context.Context, claims Claims) (Claimed, error)
	// Referred returns which of the items with these numbers a video or another item refers to.
	Referred(ctx context.Context, numbers []int64) (map[int64]bool, error)
	// Replacements returns the retired videos whose replacement is one of these IDs.
	Replacements(ctx context.Context, ids []catalogue.ID) ([]Replacement, error)
	// Owning returns which of the items of a kind with these IDs own items.
	Owning(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]bool, error)
	// Owned returns the items that belong to the items of a kind with these IDs, in the order of these IDs, then of the
	// owned items' kinds and IDs.
	Owned(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]RecordRef, error)
	// Naming returns the IDs of the themes that name any of these videos, sorted, each once.
	Naming(ctx context.Context, videos []catalogue.ID) ([]catalogue.ID, error)
	// Apply writes exactly these changes.
	Apply(ctx context.Context, changes *Changes) error
	// LastRemoval returns the highest At of all removals; zero: there are none.
	LastRemoval(ctx context.Context) (time.Time, error)
	// AddEntries adds entries to the audit log. The engine assigns their numbers.
	AddEntries(ctx context.Context, entries []store.CatalogueAuditEntry) error

	// Bump gives videos consecutive versions from first on, in their order, and adds their entries to the log. Unless
	// updated is nil, it becomes their time of update.
	Bump(ctx context.Context, videos []int64, first store.Position, updated *time.Time) error
	// Job returns the oldest job and the sequences of up to limit of its next videos. found is false if there is no
	// job.
	Job(ctx context.Context, limit int) (job Job, videos []int64, found bool, err error)
	// Advance records that a job is done up to a sequence. End deletes the job.
	Advance(ctx context.Context, target, after int64) error
	End(ctx context.Context, target int64) error
	// HasJob reports whether there is a job.
	HasJob(ctx context.Context) (bool, error)

	// Items, Referring and Of are the methods of store.Tx.
	Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error)
	Referring(ctx context.Context, kind catalogue.Kind, id catalogue.ID, limit int) ([]catalogue.ID, error)
	Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error)
}

// Replacement is a retired video (ID) and its replacement (Into).
type Replacement struct{ ID, Into catalogue.ID }

// Requested contains the IDs of items to read: owned items of any kind, videos, and items of any other kind.
type Requested struct{ Entities, Videos, Records []catalogue.ID }

// add adds an item to the list for its kind.
func (a *Requested) add(kind catalogue.Kind, id catalogue.ID) {
	switch {
	case kind == catalogue.KindVideo:
		a.Videos = append(a.Videos, id)
	case kind.IsRecord():
		a.Records = append(a.Records, id)
	default:
		a.Entities = append(a.Entities, id)
	}
}

// Stored contains stored items by kind and ID.
type Stored struct {
	Entities map[Thing]*Entity
	Videos   map[catalogue.ID]*Video
	Records  map[Thing]*Record
}

// Claims are the targets that items refer to and the unique values that they use.
type Claims struct {
	// Targets are the IDs that links name. Each list is sorted and contains each ID once.
	Targets Requested
	// Names are folded unique names. Aliases are legacy identifiers of videos.
	Names, Aliases []string
}

// Claimed is the result of Engine.Claimed. It lacks targets, names and aliases that do not exist. No map is nil.
type Claimed struct {
	Numbers Numbers
	// Names may also contain other kinds than those of the claims, because a name is unique only within its kind.
	Names   map[Name]catalogue.ID
	Aliases map[string]catalogue.ID
}

// NewClaimed returns a Claimed with empty maps.
func NewClaimed() Claimed {
	return Claimed{Numbers: Numbers{}, Names: map[Name]catalogue.ID{}, Aliases: map[string]catalogue.ID{}}
}

// Changes are the rows to write. Only the order of Log matters.
type Changes struct {
	Entities    []EntityRow
	Videos      []VideoRow
	Transcripts []TranscriptRow
	Records     []RecordChange
	// EntityLinks and VideoLinks are new links.
	EntityLinks, VideoLinks []Link
	// Bodies are the bodies of videos that do not change otherwise.
	Bodies []VideoBody

	// These rows are deleted: links by their target, other rows by their number or sequence. An engine deletes the body
	// of a video with the video; links and transcripts are listed separately.
	NoEntityLinks, NoVideoLinks         map[int64][]int64
	NoTranscripts, NoVideos, NoEntities []int64
	NoRecords                           []int64

	// MoreRecords is the change in the number of owned items of each kind.
	MoreRecords map[catalogue.Kind]int64

	// Removals replace the rows with the same IDs. NoRemovals are IDs whose rows, if any, are deleted.
	Removals   []RemovalRow
	NoRemovals []catalogue.ID

	// Log contains the new entries. Their positions are consecutive.
	Log     []store.Change
	FanOuts []FanOut
}

// EntityRow is the row of an item that is neither a video nor an owned item.
type EntityRow struct {
	// New reports whether no row has this number yet.
	New    bool
	Number int64
	Kind   catalogue.Kind
	Meta   *catalogue.Meta
	// Folded is the unique name within the kind; "": the item has none.
	Folded  string
	Private bool
	Body    []byte
}

// VideoRow is the row of a video with its body.
type VideoRow struct {
	// New reports whether no row has this sequence yet.
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

// RecordChange is the row of an owned item.
type RecordChange struct {
	// New reports whether no row has this number yet.
	New    bool
	Number int64
	Kind   catalogue.Kind
	Meta   *catalogue.Meta
	// Owner is the zero value if the item has no owner.
	Owner Thing
	Body  []byte
}

// TranscriptRow is the transcript of a video.
type TranscriptRow struct {
	// New reports whether the video has no transcript yet.
	New      bool
	Sequence int64
	// Sum is the SHA-256 hash of the text.
	Sum  []byte
	Text string
}

// Link is a reference to the item with the number Target. From is the number of the referring item or the sequence of
// the referring video.
type Link struct{ Target, From int64 }

// FanOut is a change of an item that videos show.
type FanOut struct {
	Target   int64
	Position store.Position
	Shown    catalogue.Shown
	// ThroughChannels reports that videos do not refer to the item but to channels that do.
	ThroughChannels bool
}
