// Package store is the system of record: its ports, the suite in storetest that every engine
// passes, and the engines below. Whatever must last lies here and nowhere else.
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

// ErrTrimmed is returned by Changes where the log no longer holds what follows the position: the
// follower must start again from a full scan.
var ErrTrimmed = errors.New("store: the log was trimmed past this position")

// Position is a place in the catalogue's log. Every write of a thing takes the next one, which is
// also the thing's version. 0 is before the first write.
type Position = int64

// AttestedTokens is how many tokens Attest remembers.
const AttestedTokens = 20

// Change is one entry of the log. Reading the thing gives its newest version, which may be newer
// than the entry.
type Change struct {
	Position Position
	Kind     catalogue.Kind
	ID       catalogue.ID
	Deleted  bool
}

// Outcome is what Tx.Put made of one item.
type Outcome struct {
	Status Status
	// Faults says why, where Status is Rejected.
	Faults fault.FieldErrors
}

// Status is the kind of an Outcome.
type Status uint8

// The statuses.
const (
	Unchanged Status = iota
	Added
	Changed
	Rejected
)

// FeedQuery asks for one page of the feed.
type FeedQuery struct {
	// After is the sequence of the last video that the walk has met; 0: the start.
	After int64
	// Size is the most references to return, at least 1.
	Size int
	// UpdatedFrom keeps videos updated then or later; zero: all.
	UpdatedFrom time.Time
	Access      catalogue.Access
	Today       catalogue.Date
}

// FeedPage is one page of the feed.
type FeedPage struct {
	// Refs are in the order of their sequence.
	Refs []catalogue.Ref
	// Next is where the next page starts; More says whether there can be one. A scan is bounded, so
	// a page with fewer than Size references, even none, may have more behind it.
	Next int64
	More bool
}

// Catalogue is the catalogue's system of record.
//
// Reads return what was committed before they began. Values handed out belong to the caller, but
// for the items of a Directory, the references of a FeedPage and what a State points to, which are
// shared and must not be changed. Every method may be called concurrently. A context that ends, ends
// the call with its error; a fault of the engine is a *catalogue.Error of code Unavailable where
// trying again may help, and any other error else.
type Catalogue interface {
	// Videos returns the videos with these IDs in the order asked for, leaving out those that there
	// are not. Transcript is nil in all of them.
	Videos(ctx context.Context, ids []catalogue.ID) ([]*catalogue.Video, error)
	// States is Videos for the part that decides visibility.
	States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error)
	// Transcripts returns the transcripts of those of the videos that have one.
	Transcripts(ctx context.Context, ids []catalogue.ID) (map[catalogue.ID]string, error)
	// Aliases returns the IDs behind those of the legacy identifiers that are known.
	Aliases(ctx context.Context, legacy []string) (map[string]catalogue.ID, error)
	// Directory returns all that is small, as it stood at one position of the log that is not before
	// atLeast. Whoever shows a video asks for the video's own version, so that what the video shows of
	// others is never older than the video: a document is kept under that version. 0: any that is not
	// older than the last write of this process and, of others' writes, a second.
	Directory(ctx context.Context, atLeast Position) (*catalogue.Directory, error)
	// Records returns the records of a kind with these IDs in the order asked for, leaving out those that
	// there are not.
	OwnedItems(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) ([]catalogue.OwnedItem, error)
	// RecordsOf returns all records of a kind that belong to these owners, in the order of the owners, then
	// of the IDs.
	OwnedItemsOf(ctx context.Context, kind catalogue.Kind, owners []catalogue.ID) ([]catalogue.OwnedItem, error)
	// RecordsSince returns up to limit records of a kind, 10,000 at the most, with a version above after,
	// in the order of versions: from 0 all of them, from where a walk ended what was written since. With
	// CountRecords it shows whether something was deleted.
	OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after Position, limit int) ([]catalogue.OwnedItem, error)
	// CountRecords returns how many records of a kind there are, and the highest version among them.
	CountOwnedItems(ctx context.Context, kind catalogue.Kind) (count int, newest Position, err error)
	// Feed returns one page of the feed, read from the primary.
	Feed(ctx context.Context, query FeedQuery) (FeedPage, error)
	// Scan returns up to limit videos with a sequence above after, in its order, with their
	// transcripts, for rebuilding what is derived.
	Scan(ctx context.Context, after int64, limit int) ([]*catalogue.Video, error)
	// CountVideos returns how many videos there are, retired ones included.
	CountVideos(ctx context.Context) (int, error)
	// Removals returns one page of the videos that nobody sees any more: those that were deleted or retired, at
	// the time of that; those whose availability has ended, at the start of the day behind the last, or at the time of
	// the write that gave them a day in the past. A video that comes back is on it no longer, and one that is
	// removed again is there with the new time. A walk meets each removal once that stands throughout, and one that
	// a write makes meanwhile before its end. Of videos that are not there because they were deleted before there
	// was this list, nothing is known.
	Removals(ctx context.Context, query RemovalQuery) (RemovalPage, error)
	// Audit returns entries of the catalogue's audit log, the newest first.
	Audit(ctx context.Context, query CatalogueAuditQuery) ([]CatalogueAuditEntry, error)

	// Head returns the position of the last committed change.
	Head(ctx context.Context) (Position, error)
	// Changes returns up to limit entries of the log behind a position, oldest first. It never
	// skips: an entry is returned only when every entry before it has been committed or is gone.
	// ErrTrimmed: the log does not reach back that far.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
	// Trim forgets entries of the log, keeping at least the newest keep.
	Trim(ctx context.Context, keep int) error

	// Attest records that what goes by the token was derived from this catalogue, up to a position.
	// Whoever keeps such a thing outside the store marks it with a random token, and asks for this once
	// it is safely kept. Positions alone prove nothing: another catalogue that was put in the place of
	// this one, or a backup of it that was restored and written to, reaches the same; but neither knows
	// the token. The newest AttestedTokens tokens are remembered; one that is attested again counts as
	// new, with its new position alone. A position beyond Head is a *catalogue.Error of code Conflict.
	Attest(ctx context.Context, token string, position Position) error
	// Attested reports whether the store remembers the token with this very position.
	Attested(ctx context.Context, token string, position Position) (bool, error)

	// Write runs fn in one transaction: all it does is committed when fn returns nil, nothing of it
	// when fn returns an error, which Write returns. Writes are serialised; fn must not call other
	// methods of the Catalogue. It runs once at most. Where an engine across a wire loses its connection in
	// the midst of the commit, the error is of code Unavailable, and the write may have happened or not.
	Write(ctx context.Context, fn func(ctx context.Context, tx Tx) error) error
	// FanOut carries changes of what videos show of others to up to limit of those videos: each gets
	// a new version and, where its document changes, a new UpdatedAt. It reports whether work is
	// left. Put records what there is to do in its own transaction, so a crash loses nothing.
	FanOut(ctx context.Context, limit int) (more bool, err error)

	io.Closer
}

// Tx writes to the catalogue within one transaction. It is used by one goroutine at a time, and not
// after fn has returned. A call that fails with an error fails the whole Write, whatever fn makes of
// the error.
type Tx interface {
	// Items returns the stored things of a kind with these IDs, leaving out those that there are
	// not; for videos Transcript is nil. The values belong to the caller, who may change them and
	// put them back.
	Items(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (map[catalogue.ID]catalogue.Item, error)
	// Put stores items, in order, and reports for each what it made of it. An item whose body,
	// source, reference and transcript equal what is stored is left Unchanged, its version and
	// UpdatedAt included; the item is told them. Otherwise version, UpdatedAt and, for a new video,
	// Sequence are set in the item and the log gets an entry. HasTranscript of a video is set, not
	// read. An item is Rejected, without effect on the others, where its ID is not valid, where
	// Validate finds faults, where it refers to an item that does not exist, where it mentions one that does not
	// exist and that its stored version does not mention (catalogue.Mentioner), or where it repeats what must be
	// unique: a channel's name, a subject's name, a tag's label, a discipline's code (as FoldName
	// compares them), a phrase, a provider's slug, a video's LegacyID; a record, where its owner is not
	// there. Putting captions or highlights of a video gives the video a new version and an entry of its
	// own, so that the index follows; where HasCaptions changes by it, a new UpdatedAt as well. HasCaptions
	// of a video is set, not read.
	Put(ctx context.Context, items []catalogue.Item) ([]Outcome, error)
	// Delete removes things of a kind, adding an entry to the log for each. Those that others refer
	// to, or that own records, stay; they are returned. So does a video into which another is retired that is
	// not deleted with it. The records of a video go with it, with entries of their own, and themes that name it are
	// changed: they name it no longer, with a new version, UpdatedAt and entry. Deleting captions or highlights
	// changes their video as Put does.
	Delete(ctx context.Context, kind catalogue.Kind, ids []catalogue.ID) (kept []catalogue.ID, err error)
	// Note adds entries to the audit log. Nothing else does: who writes tells of it.
	Note(ctx context.Context, entries []CatalogueAuditEntry) error
	// Of lists the IDs of a kind that came from a source, in their order, above after, up to limit.
	Of(ctx context.Context, kind catalogue.Kind, source string, after catalogue.ID, limit int) ([]catalogue.ID, error)
}

// Historian knows which history a catalogue's log tells. Positions alone do not: another catalogue, or a
// backup of this one that was restored and written to, reaches the same.
type Historian interface {
	// Lineage names the history, in 8 to 32 lower-case letters and digits. Whatever is derived of the
	// catalogue and kept where it outlives a restore (a shared index, a shared cache) is kept under this
	// name, so that nothing of a history that was given up is ever taken for this one's.
	Lineage(ctx context.Context) (string, error)
	// RenewLineage begins a history of another name: for a store that was restored and cannot notice it by
	// itself.
	RenewLineage(ctx context.Context) error
}

// Leases give a piece of work to one process at a time. A lease does not fence: a holder that was
// stopped for longer than its lease learns of it only when it looks at the clock, and what it had sent
// may arrive later still. So a holder gives no order a time limit of more than half the lease, and the
// next one does again what the last could have left half done: all since Lease.Settled.
//
// Time is that of the store, never that of the processes.
type Leases interface {
	// Lease takes the lease of a name for a holder where it is free, has run out or is the holder's
	// already; then it runs request.For from now on. It is no error where another holds it.
	Lease(ctx context.Context, request LeaseRequest) (Lease, error)
	// Release gives up what the holder has of the name; that of another stays.
	Release(ctx context.Context, name, holder string) error
}

// LeaseRequest asks for a lease.
type LeaseRequest struct {
	// Name is that of the work, Holder that of the process: random, so that no two are the same. Both
	// are of at most 200 bytes.
	Name, Holder string
	// For is how long the lease runs, at least a millisecond.
	For time.Duration
	// Settled is how far the holder's work is known to have arrived, so that whoever comes next need not
	// repeat it. A holder that renews moves it, never back; whoever takes the lease anew leaves it as it
	// is.
	Settled Position
	// Wanted asks whoever holds the lease to hand it over; the wish lasts as long as a lease of
	// request.For would.
	Wanted bool
}

// Lease is what became of a request.
type Lease struct {
	// Held reports whether the caller holds the lease now; Taken, whether it did not before.
	Held, Taken bool
	// Settled is how far the work of the holders is known to have arrived.
	Settled Position
	// Wanted reports whether another wishes to have the lease.
	Wanted bool
}

// Accounts is the system of record for who may call.
type Accounts interface {
	Registry
	SignIns
	Keys

	io.Closer
}

// The errors of RotateGrant.
var (
	ErrGrantUnknown = account.ErrGrantUnknown
	ErrGrantReused  = account.ErrGrantReused
)

// Key is a secret of the service.
type Key = account.Key

// Grant is what a refresh token stands for.
type Grant = account.Grant
