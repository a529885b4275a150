package embedded

import (
	"fmt"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// view is the index at one moment. It never changes, so a search needs no lock.
type view struct {
	position int64
	parts    []part
	// names and ranks are those of the value tables, indexed by the IDs that the segments use.
	names [attributeCount][]string
	ranks [attributeCount][]uint32
	ages  []catalogue.AgeRange // the values of the ages attribute, parsed

	visible memory[visibility, []bitset]
	phrases memory[string, heldPhrase] // by the words of the phrase
	plans   memory[planKey, *plan]
	near    memory[nearestKey, *nearest]
}

// part is a segment and the set of its live documents: those that no write has replaced or deleted.
type part struct {
	*segment
	liveSet
}

func fullPart(s *segment) part { return part{s, allLive(s.size)} }

// liveSet is the set of the live documents of a part.
type liveSet struct {
	live   bitset
	count  int  // the size of live
	copied bool // within a partList: whether live is a copy that no view shares
}

func allLive(size int) liveSet { return liveSet{live: fullBitset(size), count: size} }

// kill removes a document. It copies live before the first change, so that no view changes.
func (l *liveSet) kill(doc int) {
	if !l.live.has(doc) {
		return
	}
	if !l.copied {
		l.live, l.copied = l.live.clone(), true
	}
	l.live.remove(doc)
	l.count--
}

// visibility identifies who searches (by Access.Fingerprint) and on which day.
type visibility struct {
	access string
	today  catalogue.Date
}

// The limits of the caches of a view and a segment. Accounts with equivalent content packages share a visibility, which
// takes one bit for each document.
const (
	maxVisibilities = 128
	maxPhrases      = 64
	maxPlans        = 64
)

// visibleParts returns, for each part, the documents that the caller may find. The sets are shared, and callers must
// not change them. Each segment caches the result of the access rules, so that it outlives the view: a batch of changes
// leaves most segments unchanged.
func (v *view) visibleParts(access catalogue.Access, today catalogue.Date) []bitset {
	who := visibility{access.Fingerprint(), today}
	return v.visible.get(who, maxVisibilities, func() []bitset {
		sets := make([]bitset, len(v.parts))
		for i := range v.parts {
			p := &v.parts[i]
			sets[i] = p.visibleTo(who, access)
			if p.count < p.size {
				sets[i] = sets[i].clone()
				sets[i].and(p.live)
			}
		}
		return sets
	})
}

// visibleTo returns the documents that a caller may find, dead ones included. The set is shared, and callers must not change it.
func (s *segment) visibleTo(who visibility, access catalogue.Access) bitset {
	return s.seen.get(who, maxVisibilities, func() bitset { return s.visible(access, who.today) })
}

// listedParts is visibleParts for a listing.
func (v *view) listedParts(state search.ListedState, today catalogue.Date) []bitset {
	who := visibility{fmt.Sprintf("listed-%d", state), today}
	return v.visible.get(who, maxVisibilities, func() []bitset {
		sets := make([]bitset, len(v.parts))
		for i := range v.parts {
			sets[i] = v.parts[i].listed(state, today)
			sets[i].and(v.parts[i].live)
		}
		return sets
	})
}

// documents returns the number of live documents.
func (v *view) documents() int {
	n := 0
	for _, p := range v.parts {
		n += p.count
	}
	return n
}

// alive returns how many of the documents are live.
func (p *part) alive(docs []uint16) int {
	if p.count == p.size {
		return len(docs)
	}
	return p.live.countOf(docs)
}

// memory caches values computed from a view, which never changes. The match levels, a page and the following pages need
// the same values within moments. A simple policy is therefore enough: a full cache discards all values.
type memory[K comparable, V any] struct {
	lock   sync.Mutex
	values map[K]V
}

// get returns the value of a key, and calls work if the cache does not contain it. The cache contains at most most
// values. Concurrent callers may each call work. The value is shared, and callers must not change it.
func (m *memory[K, V]) get(key K, most int, work func() V) V {
	value, _ := m.try(key, most, func() (V, error) { return work(), nil })
	return value
}

// try is get for work that can fail, for instance because its context is canceled. It does not cache errors.
func (m *memory[K, V]) try(key K, most int, work func() (V, error)) (V, error) {
	m.lock.Lock()
	value, known := m.values[key]
	m.lock.Unlock()
	if known {
		return value, nil
	}
	value, err := work()
	if err != nil {
		return value, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.values == nil || len(m.values) >= most {
		m.values = map[K]V{}
	}
	m.values[key] = value
	return value, nil
}
