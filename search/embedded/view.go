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

func fullPart(s *segment) part { return part{segment: s, live: fullBitset(s.size), count: s.size} }

// visibility is who looks, by Access.Fingerprint, and when.
type visibility struct {
	access string
	today  catalogue.Date
}

// What a view and a segment remember, at most. Accounts whose content packages say the same share a
// visibility; it takes a bit for each document.
const (
	maxVisibilities = 128
	maxPhrases      = 64
	maxPlans        = 64
)

// visibleParts returns for each part the documents that may be found at all. The sets are shared. What
// the rules let through of a segment outlives the view: a batch of changes leaves most segments as they
// are.
func (v *view) visibleParts(access catalogue.Access, today catalogue.Date) []bitset {
	who := visibility{access.Fingerprint(), today}
	return v.visible.get(who, maxVisibilities, func() []bitset {
		sets := make([]bitset, len(v.parts))
		for i := range v.parts {
			p := &v.parts[i]
			sets[i] = p.seen.get(who, maxVisibilities, func() bitset { return p.segment.visible(access, today) })
			if p.count < p.size {
				sets[i] = sets[i].clone()
				sets[i].and(p.live)
			}
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
