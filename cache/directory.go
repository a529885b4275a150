package cache

import (
	"context"
	"strconv"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// snapshot is a directory with the position of the log up to which nothing in it has changed.
type snapshot struct {
	directory *catalogue.Directory
	upTo      store.Position
}

// catchUpLimit is how much of the log is read to find out whether a directory still holds, rather
// than reading the directory anew.
const catchUpLimit = 2000

// Directory implements store.Catalogue. Its Position may lie before atLeast, where nothing that a
// directory holds has changed in between; the same pointer means the same content.
func (c *Catalogue) Directory(ctx context.Context, atLeast store.Position) (*catalogue.Directory, error) {
	if s := c.directory.Load(); s != nil && s.upTo >= atLeast {
		c.lookups.directory.add(1, 0)
		return s.directory, nil
	}
	c.lookups.directory.add(0, 1)
	// A write in between makes a flight of its own: what began before may not show it.
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

// holdsUpTo reads the log behind a snapshot and reports whether it shows nothing that a directory holds up
// to atLeast. In doubt it does not.
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

// directoryReflects reports whether the directory that is kept has seen a change of the log.
func (c *Catalogue) directoryReflects(position store.Position) bool {
	s := c.directory.Load()
	return s != nil && position <= s.upTo
}

// advanceDirectory notes that the directory, if it is kept at all, holds up to a position. It runs
// within guard.invalidate, after whatever made the directory old.
func (c *Catalogue) advanceDirectory(position store.Position) {
	if s := c.directory.Load(); s != nil && position > s.upTo {
		c.directory.Store(&snapshot{directory: s.directory, upTo: position})
	}
}
