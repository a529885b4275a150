package embedded

import (
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

	visible memory[visibility, []bitset]
	phrases memory[string, []bitset] // by their words
	plans   memory[planKey, *plan]
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

// What a view remembers, at most. More than two levels of access on two days never meet in practice.
const (
	maxVisibilities = 8
	maxPhrases      = 64
	maxPlans        = 64
)

// visibleParts returns for each part the documents that may be found at all. The sets are shared.
func (v *view) visibleParts(who visibility) []bitset {
	return v.visible.get(who, maxVisibilities, func() []bitset {
		sets := make([]bitset, len(v.parts))
		for i, p := range v.parts {
			sets[i] = p.segment.visible(who.access, who.today)
			sets[i].and(p.live)
		}
		return sets
	})
}

// documents is the number of live documents.
func (v *view) documents() int {
	n := 0
	for _, p := range v.parts {
		n += p.count
	}
	return n
}

// alive is how many of the documents are live.
func (p *part) alive(docs []uint16) int {
	if p.count == p.size {
		return len(docs)
	}
	return p.live.countOf(docs)
}
