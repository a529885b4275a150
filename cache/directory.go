package cache

import (
	"context"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// snapshot is a directory and the position of the log up to which it is current.
type snapshot struct {
	directory *catalogue.Directory
	upTo      store.Position
}

// catchUpLimit is the maximum number of log entries that loadDirectory reads before it reads the directory again
// instead.
const catchUpLimit = 2000

// Directory implements store.Catalogue. The Position of the result may be below atLeast if nothing in the directory
// changed in between. Equal pointers have equal content.
func (c *Catalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	if s := c.directory.Load(); s != nil && s.upTo >= atLeast {
		c.lookups.directory.add(1, 0)
		return s.directory, nil
	}
	c.lookups.directory.add(0, 1)
	// The result of a read that began before a write may not show the write, so callers after the write start another
	// flight.
	begun := c.guard.begin()
	key := strconv.FormatInt(begun, 10) + "/" + strconv.FormatInt(atLeast, 10)
	return c.loads.join(ctx, key, func(ctx context.Context) (*catalogue.Directory, error) {
		s, err := c.loadDirectory(ctx, atLeast)
		if err != nil {
			return nil, err
		}
		c.guard.keep(begun, func() { c.directory.Store(s) })
		return s.directory, nil
	})
}

func (c *Catalogue) loadDirectory(ctx context.Context, atLeast store.Position) (*snapshot, error) {
	if s := c.directory.Load(); s != nil {
		if upTo, holds := c.holdsUpTo(ctx, s, atLeast); holds {
			return &snapshot{directory: s.directory, upTo: upTo}, nil
		}
	}
	directory, err := c.Catalogue.Directory(ctx, atLeast)
	if err != nil {
		return nil, err
	}
	return &snapshot{directory: directory, upTo: directory.Position}, nil
}

// holdsUpTo reads the log after a snapshot. It returns the last position that it read, and whether the directory did
// not change up to atLeast. If it cannot know that, it returns false.
func (c *Catalogue) holdsUpTo(ctx context.Context, s *snapshot, atLeast store.Position) (store.Position, bool) {
	changes, err := c.Catalogue.Changes(ctx, s.upTo, catchUpLimit)
	if err != nil || len(changes) == 0 {
		return 0, false
	}
	for _, change := range changes {
		if catalogue.Holds(change.Kind) {
			return 0, false
		}
	}
	upTo := changes[len(changes)-1].Position
	return upTo, upTo >= atLeast
}

// directoryReflects reports whether the cached directory includes a change of the log.
func (c *Catalogue) directoryReflects(position store.Position) bool {
	s := c.directory.Load()
	return s != nil && position <= s.upTo
}

// advanceDirectory records that the cached directory, if any, is current up to a position. It runs within
// guard.invalidate, after the removal of everything that is stale.
func (c *Catalogue) advanceDirectory(position store.Position) {
	if s := c.directory.Load(); s != nil && position > s.upTo {
		c.directory.Store(&snapshot{directory: s.directory, upTo: position})
	}
}
