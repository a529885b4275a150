package embedded

import (
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
)

// view is the index at one moment. It never changes, so that a search needs no lock.
type view struct {
	position int64
	parts    []part
	// names and ranks are those of the value tables, by the ids that the segments use.
	names [attributeCount][]string
	ranks [attributeCount][]uint32
	ages  []catalogue.AgeRange // the names of ages, read

	visibleLock sync.Mutex
	visible     map[visibility][]bitset

	phraseLock sync.Mutex
	phrases    map[string][]bitset // by their words
}

// part is a segment with those of its documents that have been neither replaced nor deleted.
type part struct {
	*segment
	live  bitset
	count int // of live
}

func wholePart(s *segment) part { return part{segment: s, live: fullBitset(s.size), count: s.size} }

// visibility is who looks, and when.
type visibility struct {
	access catalogue.Access
	today  catalogue.Date
}

// maxVisibilities bounds what a view remembers; more than two levels of access on two days never
// meet in practice.
const maxVisibilities = 8

// visibleParts returns for each part the documents that may be found at all. The sets are shared.
func (v *view) visibleParts(who visibility) []bitset {
	v.visibleLock.Lock()
	defer v.visibleLock.Unlock()
	if sets, known := v.visible[who]; known {
		return sets
	}
	sets := make([]bitset, len(v.parts))
	for i, p := range v.parts {
		sets[i] = p.segment.visible(who.access, who.today)
		sets[i].and(p.live)
	}
	if v.visible == nil || len(v.visible) >= maxVisibilities {
		v.visible = map[visibility][]bitset{}
	}
	v.visible[who] = sets
	return sets
}

// documents is the number of live documents, and of all that the statistics of words still count.
func (v *view) documents() (live, all int) {
	for _, p := range v.parts {
		live += p.count
		all += p.size
	}
	return live, all
}
