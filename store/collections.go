package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Collections is the system of record for collections, and for who has saved which.
//
// It lies apart from the catalogue, for its writers are users: an import must not keep them waiting. So
// nothing here is checked against the catalogue. Values handed out belong to the caller; faults are those
// of Catalogue. Every method may be called concurrently, and by several processes where the engine is
// shared.
type Collections interface {
	// Collections returns the collections with these IDs in the order asked for, leaving out those that
	// there are not.
	Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error)
	// WithParts is Collections with the sub-collections of all of these, each once, as of the same moment: one call
	// for a whole list. Where there are more than most, some most of them.
	WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error)
	// Shelf returns what a user has, as of one moment.
	UserCollections(ctx context.Context, user string) (UserCollections, error)
	// Saved tells which of these collections the user has saved.
	Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error)

	// Create adds a collection and returns what is stored, with Version, CreatedAt and UpdatedAt; the one
	// that it is given stays as it is. The error is of code Conflict where there is one with its ID, and of
	// code Invalid where Validate finds faults (its reasons), a Default one has no Owner, or the owner has
	// collection.MaxOwned already. A Default one is added where its owner has none; where there is
	// one, of calls that race in whatever processes too, all return the stored one in its place.
	Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error)
	// Change hands the collection to fn, which changes it in place, and stores what came of it, in one
	// transaction that no other change of the collection comes into. Where fn changes nothing, nothing is
	// written, Version and UpdatedAt included. ID, Account, Owner, Service and Default stay as they are.
	// It returns what is stored in the end. fn's error is returned and leaves all as it was; the error is of code
	// NotFound where there is no such collection, of code Invalid where Validate finds faults. fn may run
	// again where an engine asks for it, and must not call the Collections.
	Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (*collection.Collection, error)
	// Delete removes a collection, and what users saved of it. check sees it first; its error is returned
	// and leaves all as it was. The error is of code NotFound where there is none.
	Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error
	// Save makes a user have saved a collection, or no longer; either may be so already. It changes
	// neither Version nor UpdatedAt of it, and adds no Change. The error is of code NotFound where there is
	// no such collection, of code Invalid where the user has collection.MaxSaved already, is the owner, or "".
	Save(ctx context.Context, user string, id catalogue.ID, saved bool) error

	// ForgetVideos takes these videos out of every collection; UpdatedAt of these stays.
	ForgetVideos(ctx context.Context, ids []catalogue.ID) error
	// ForgetUser deletes what the user owns and has saved, and takes the user's name and address out of
	// comments, whose collections' UpdatedAt stays. It returns how many collections were deleted. A call that
	// was cut short is repeated.
	ForgetUser(ctx context.Context, user string) (int, error)

	// Head is the position of the last change of the log of these collections, Changes up to limit entries
	// of it behind a position, the oldest first, each with Kind "collection"; as those of Catalogue, they never
	// skip. Every change of a collection has an entry, whose position is the version that it gave.
	Head(ctx context.Context) (Position, error)
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
	// Trim forgets entries of the log, keeping at least the newest keep; then Changes may answer ErrTrimmed.
	Trim(ctx context.Context, keep int) error
	// Scan returns up to limit collections with an ID above after, in the order of IDs.
	Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error)

	io.Closer
}

// KindCollection is the Kind of Changes of Collections.
const KindCollection = collection.Kind

// Shelf is what a user has: collections of their own, the default one included, and those of others that
// they saved. Both are in the order of UpdatedAt, the newest first, then of IDs.
type UserCollections struct{ Own, Saved []*collection.Collection }
