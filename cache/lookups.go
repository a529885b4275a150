package cache

import "sync/atomic"

// Lookups counts the keys that were looked up in a cache since its creation.
type Lookups struct{ Hits, Misses int64 }

// CatalogueStats are the lookups of a Catalogue by kind.
type CatalogueStats struct{ States, Aliases, Directory, Feed Lookups }

// lookups is a concurrent Lookups.
type lookups struct{ hits, misses atomic.Int64 }

func (l *lookups) add(hits, misses int) {
	if hits > 0 {
		l.hits.Add(int64(hits))
	}
	if misses > 0 {
		l.misses.Add(int64(misses))
	}
}

func (l *lookups) read() Lookups { return Lookups{Hits: l.hits.Load(), Misses: l.misses.Load()} }

// Stats returns the lookups since NewCatalogue.
func (c *Catalogue) Stats() CatalogueStats {
	return CatalogueStats{
		States: c.lookups.states.read(), Aliases: c.lookups.aliases.read(),
		Directory: c.lookups.directory.read(), Feed: c.lookups.feed.read(),
	}
}
