// Package store defines the interfaces of the system of record. Its subpackages implement them: each engine passes the
// tests in package storetest. The service keeps all durable data here and nowhere else.
package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// ErrTrimmed is the error of Changes if entries after the position were trimmed. The caller must start again with a
// full scan.
var ErrTrimmed = errors.New("store: the log was trimmed past this position")

// Position is a place in the log of the catalogue. Each write of an item takes the next position, which becomes the
// item's version. Position 0 is before the first write.
type Position = int64

// AttestedTokens is the number of tokens that Attest keeps.
const AttestedTokens = 20

// Change is an entry of the log. A read of the item returns its newest version, which may be newer than the entry.
type Change struct {
	Position Position
	Kind     catalogue.Kind
	ID       catalogue.ID
	Deleted  bool
}

// Outcome is the result of Tx.Put for one item.
type Outcome struct {
	Status Status
	// Faults are the reasons if Status is Rejected.
	Faults fault.FieldErrors
}

// Status is the kind of an Outcome.
type Status uint8

// These are the statuses.
const (
	Unchanged Status = iota
	Added
	Changed
	Rejected
)

// FeedQuery selects one page of the feed.
type FeedQuery struct {
	// After is the sequence of the last video of the previous page; 0: the start.
	After int64
	// Size is the maximum number of references to return, at least 1.
	Size int
	// UpdatedFrom keeps videos with an equal or later time of update; zero: all.
	UpdatedFrom time.Time
	Access      catalogue.Access
	Today       catalogue.Date
}

// FeedPage is one page of the feed.
type FeedPage struct {
	// Refs are in the order of the videos' sequences.
	Refs []catalogue.Ref
	// Next is the After of the next page. More reports whether there may be a next page. A scan is bounded, so a page
	// with fewer than Size references, or with none, may have a next page.
	Next int64
	More bool
}

// Catalogue is the system of record for the catalogue.
//
// A read returns the state that was committed before the read began. Returned values belong to the caller, except the
// items of a Directory, the references of a FeedPage and the values that a State points to: these are shared, and
// callers must not change them. Every method may be called concurrently. If its context ends, a method returns the
// context's error. An engine failure is a *fault.Error of code Unavailable if a retry may succeed, and any other
// error otherwise.
type Catalogue interface {
	// Videos returns the videos with these IDs in the given order. It leaves out IDs that do not exist. Transcript is
	// nil in all of them.
	Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error)
	// States is like Videos, for the part of a video that decides its visibility.
	States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error)
	// Transcripts returns the transcripts of these videos, for videos that have one.
	Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error)
	// Aliases returns the video IDs of legacy identifiers. It leaves out unknown identifiers.
	Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error)
	// Directory returns all items of the small kinds, as of one position of the log that is at least atLeast. A caller
	// that renders a video passes the video's version, so that related items are never older than the video: caches
	// store the rendered document under that version. With 0, Directory returns a state that is not older than the last
	// write of this process and at most one second older than the last write of another process.
	Directory(ctx context.Context, atLeast Position) (*catalogue.Directory, error)
	// OwnedItems returns the owned items of a kind with these IDs in the given order. It leaves out IDs that do not
	// exist.
	OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error)
	// OwnedItemsOf returns all items of a kind that belong to these owners, in the order of the owners, then of the
	// IDs.
	OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error)
	// OwnedItemsSince returns up to limit items of a kind, at most 10,000, with a version above after, in the order of
	// versions. Callers that start at 0 read all items; callers that continue from the last version read the items that
	// were written since. CountOwnedItems shows whether items were deleted.
	OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after Position, limit int) ([]catalogue.OwnedItem, error)
	// CountOwnedItems returns the number of items of a kind, and their highest version.
	CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest Position, err error)
	// Feed returns one page of the feed. It reads from the primary.
	Feed(ctx context.Context, query FeedQuery) (FeedPage, error)
	// Scan returns up to limit videos with a sequence above after, in the order of sequences, with their transcripts.
	// It serves to rebuild derived data.
	Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error)
	// CountVideos returns the number of videos, including retired ones.
	CountVideos(ctx context.Context) (int, error)
	// Removals returns one page of the videos that nobody can see any more. A deleted or retired video has the time of
	// that write. A video whose availability has ended has the start of the day after its last day, or the time of the
	// write that set a last day in the past. A video that returns leaves the list; if it is removed again, it has the
	// new time. A walk returns each removal once that lasts throughout the walk, and each removal that a write adds
	// before the walk ends. The list lacks videos that were deleted before the list existed.
	Removals(ctx context.Context, query RemovalQuery) (RemovalPage, error)
	// Audit returns entries of the catalogue's audit log, the newest first.
	Audit(ctx context.Context, query CatalogueAuditQuery) ([]CatalogueAuditEntry, error)

	// Head returns the position of the last committed change.
	Head(ctx context.Context) (Position, error)
	// Changes returns up to limit entries of the log after a position, the oldest first. It never skips an entry: it
	// returns an entry only when each earlier entry is committed or gone. The error is ErrTrimmed if the log no longer
	// contains the entries after the position.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
	// Trim deletes entries of the log but keeps at least the newest keep.
	Trim(ctx context.Context, keep int) error

	// Attest records that the data marked with a token was derived from this catalogue, up to a position. A component
	// that keeps derived data outside the store marks the data with a random token, and calls Attest after the data is
	// safely stored. Positions alone prove nothing: a different catalogue, or a restored backup with later writes,
	// reaches the same positions, but it does not know the token. The store keeps the newest AttestedTokens tokens. A
	// token that is attested again counts as new and has only the new position. The error is a *fault.Error of code
	// Conflict if the position is beyond Head.
	Attest(ctx context.Context, token string, position Position) error
	// Attested reports whether the store has the token with exactly this position.
	Attested(ctx context.Context, token string, position Position) (bool, error)

	// Write runs fn in one transaction. It commits if fn returns nil; if fn returns an error, Write rolls back and
	// returns the error. Writes are serialized, and fn must not call other methods of the Catalogue. fn runs at most
	// once. If an engine loses its network connection during the commit, the error is of code Unavailable, and the
	// write may or may not have happened.
	Write(ctx context.Context, fn func(ctx context.Context, tx Tx) error) error
	// FanOut propagates changes of items to up to limit videos that show them. Each of these videos gets a new version
	// and, if its document changes, a new UpdatedAt. FanOut reports whether work remains. Put records the work in its
	// own transaction, so a crash loses none.
	FanOut(ctx context.Context, limit int) (more bool, err error)

	io.Closer
}

// Tx writes to the catalogue within one transaction. One goroutine at a time uses it, and only until fn returns. If a
// call returns an error, the whole Write fails, even if fn ignores the error.
type Tx interface {
	// Items returns the stored items of a kind with these IDs. It leaves out IDs that do not exist. Transcript of a
	// video is nil. The values belong to the caller, who may change them and pass them to Put.
	Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error)
	// Put stores items in order and returns an Outcome for each.
	//
	// An item is Unchanged if its body, source, reference and transcript equal the stored ones. Its version and
	// UpdatedAt stay, and Put copies them to the item. Otherwise Put sets the item's version, its UpdatedAt and, for a
	// new video, its Sequence, and adds an entry to the log. Put sets HasTranscript and HasCaptions of a video and
	// ignores their input values.
	//
	// An item is Rejected, without effect on the others, if its ID is invalid, if Validate finds faults, if it refers
	// to an item that does not exist, if it mentions an item that neither exists nor is mentioned by the stored version
	// (catalogue.Mentioner), if the owner of an owned item does not exist, or if it repeats a unique value. Unique
	// values are the name of a channel, the name of a subject, the label of a tag, the code of a discipline (as
	// FoldName compares them), a phrase, the slug of a provider, and the LegacyID of a video.
	//
	// If captions or highlights of a video change, the video gets a new version and an entry of its own, so that the
	// search index is updated. If HasCaptions changes, the video also gets a new UpdatedAt.
	Put(ctx context.Context, items []catalogue.Item) ([]Outcome, error)
	// Delete removes items of a kind and adds an entry to the log for each. It keeps and returns items that other items
	// refer to or that own items, and videos that are the replacement of a retired video that is not deleted in the
	// same call. It deletes the owned items of a video with the video, each with an entry. It removes the video from
	// themes that name it; these themes get a new version, a new UpdatedAt and an entry. Deleting captions or
	// highlights changes their video as Put does.
	Delete(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error)
	// Note adds entries to the audit log. Nothing else adds entries, so each writer calls Note.
	Note(ctx context.Context, entries []CatalogueAuditEntry) error
	// Referring returns up to limit IDs of videos that refer to an item, in no particular order. The item is neither a video
	// nor an owned item.
	Referring(ctx context.Context, kind catalogue.Kind, id catalogue.ID, limit int) ([]catalogue.ID, error)
	// Of returns up to limit IDs of a kind that came from a source and are above after, in the order of IDs.
	Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error)
}

// Historian identifies the history of a catalogue's log. Positions alone do not: a different catalogue, or a restored
// backup of this one with later writes, reaches the same positions.
type Historian interface {
	// Lineage returns the name of the history: 8 to 32 lowercase letters and digits. Derived data that outlives a
	// restore, such as a shared index or a shared cache, is stored under this name, so that data of an abandoned
	// history is never used for this one.
	Lineage(ctx context.Context) (string, error)
	// RenewLineage starts a history with a new name. It serves stores that were restored and cannot detect it.
	RenewLineage(ctx context.Context) error
}

// Leases assign a task to one process at a time. A lease does not fence: a holder that was paused for longer than its
// lease notices only when it checks the clock, and its earlier requests may arrive even later. Therefore a holder
// limits the timeout of each request to half the lease, and the next holder repeats all work since Lease.Settled.
//
// All times are those of the store's clock, never of a process's clock.
type Leases interface {
	// Lease acquires or renews the lease of a name if it is free, has expired or belongs to the holder. The lease then
	// runs for request.For from now. If another holder has the lease, Lease returns no error, and Lease.Held is false.
	Lease(ctx context.Context, request LeaseRequest) (Lease, error)
	// Release ends the holder's lease of the name. It does not affect the lease of another holder.
	Release(ctx context.Context, name, holder string) error
}

// LeaseRequest is a request for a lease.
type LeaseRequest struct {
	// Name identifies the task. Holder identifies the process; it is random, so that no two are equal. Each has at most
	// 200 bytes.
	Name, Holder string
	// For is the duration of the lease, at least one millisecond.
	For time.Duration
	// Settled is the position up to which the holder's work is known to have arrived, so that the next holder need not
	// repeat it. A renewal can only increase it. A new acquisition leaves it unchanged.
	Settled Position
	// Wanted asks the current holder to hand over the lease. The request lasts as long as a lease of request.For.
	Wanted bool
}

// Lease is the result of a LeaseRequest.
type Lease struct {
	// Held reports whether the caller has the lease now. Taken reports whether the caller did not have it before.
	Held, Taken bool
	// Settled is the position up to which the work of all holders is known to have arrived.
	Settled Position
	// Wanted reports whether another process wants the lease.
	Wanted bool
}

// Accounts is the system of record for the accounts and users that may call the service.
type Accounts interface {
	Registry
	SignIns
	Keys

	io.Closer
}

// RotateGrant returns these errors.
var (
	ErrGrantUnknown = account.ErrGrantUnknown
	ErrGrantReused  = account.ErrGrantReused
)

// Key is a secret of the service.
type Key = account.Key

// Grant is the stored form of a refresh token.
type Grant = account.Grant
