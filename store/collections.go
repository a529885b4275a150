package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// Collections is the system of record for collections, and for which user saved which.
//
// It is separate from the catalogue because users write it: an import must not keep them waiting. It therefore checks
// nothing against the catalogue. Values that methods return belong to the caller; errors are those of Catalogue. Every
// method may be called concurrently, and by several processes if the engine is shared.
type Collections interface {
	// Collections returns the collections with these IDs in the given order. It leaves out IDs that do not exist.
	Collections(ctx context.Context, ids []catalogue.ID) ([]*collection.Collection, error)
	// WithParts is Collections with the sub-collections of the whole list, each once, as of the same moment. It returns
	// at most most sub-collections.
	WithParts(ctx context.Context, ids []catalogue.ID, most int) (list, parts []*collection.Collection, err error)
	// UserCollections returns the collections of a user, as of one moment.
	UserCollections(ctx context.Context, user string) (UserCollections, error)
	// Saved returns which of these collections the user has saved.
	Saved(ctx context.Context, user string, ids []catalogue.ID) (map[catalogue.ID]bool, error)

	// Create adds a collection and returns it as stored, with Version, CreatedAt and UpdatedAt; it does not change its
	// argument. The error is of code Conflict if the ID exists, and of code Invalid if Validate finds faults (its
	// reasons), a Default collection has no Owner, or the owner has collection.MaxOwned. If the owner has a Default
	// collection, Create returns that one instead of a second one; so do concurrent calls, in any process.
	Create(ctx context.Context, created *collection.Collection) (*collection.Collection, error)
	// Change lets fn change the collection in place and stores the result, in one transaction that excludes other changes
	// of the collection. If fn changes nothing, Change writes nothing, not even Version and UpdatedAt. ID, Account,
	// Owner, Service and Default stay as they are. Change returns the collection as stored. If fn returns an error,
	// Change returns it and changes nothing. The error is of code NotFound if there is no such collection, and of code
	// Invalid if Validate finds faults. fn may run again where an engine requires it, and must not call methods of
	// Collections.
	Change(ctx context.Context, id catalogue.ID, fn func(c *collection.Collection) error) (*collection.Collection, error)
	// Delete removes a collection, also from the saved collections of users. check sees the collection first; if it
	// returns an error, Delete returns it and changes nothing. The error is of code NotFound if there is no such
	// collection.
	Delete(ctx context.Context, id catalogue.ID, check func(c *collection.Collection) error) error
	// Save adds a collection to those that a user saved, or removes it; both are idempotent. It changes neither Version
	// nor UpdatedAt, and adds no Change. The error is of code NotFound if there is no such collection, and of code
	// Invalid if the user has saved collection.MaxSaved, is the owner, or is "".
	Save(ctx context.Context, user string, id catalogue.ID, saved bool) error

	// ForgetVideos removes videos from every collection without changing UpdatedAt.
	ForgetVideos(ctx context.Context, ids []catalogue.ID) error
	// ForgetUser deletes the collections that a user owns, forgets those that the user saved, and removes the user's
	// name and address from comments without changing UpdatedAt. It returns how many collections it deleted. Repeat a
	// call that was interrupted.
	ForgetUser(ctx context.Context, user string) (int, error)

	// Head returns the position of the last change of the log of collections.
	Head(ctx context.Context) (Position, error)
	// Changes returns up to limit entries of the log after a position, the oldest first, each with KindCollection. Like
	// Catalogue.Changes, it never skips an entry. Every change of a collection has an entry, and the entry's position is
	// the version that the change gave the collection.
	Changes(ctx context.Context, after Position, limit int) ([]Change, error)
	// Trim deletes entries of the log but keeps at least the newest keep. Changes may then return ErrTrimmed.
	Trim(ctx context.Context, keep int) error
	// Scan returns up to limit collections with an ID above after, in the order of IDs.
	Scan(ctx context.Context, after catalogue.ID, limit int) ([]*collection.Collection, error)

	io.Closer
}

// KindCollection is the Kind of each Change of Collections.
const KindCollection = collection.Kind

// UserCollections contains the collections that a user owns, including the default one, and the collections of others
// that the user saved. Both lists are ordered by UpdatedAt, the newest first, then by ID.
type UserCollections struct{ Own, Saved []*collection.Collection }
