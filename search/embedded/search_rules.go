package embedded

import (
	"cmp"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// searchRules is what a query pins and buries, by the parts of a view.
type searchRules struct {
	parts  []rulesPart
	buries bool
	byDate bool // the order is that of dates alone
	// hits are the pinned documents of the parts that were taken in, as far as they were found.
	hits []pin
}

type rulesPart struct {
	pins           []pin
	pinned, buried bitset // nil: none of the part
}

// pin is a document that is pinned, with its rank in the query.
type pin struct {
	place
	rank int
}

// searchRules finds what a query pins, as far as it is in the sets of what may be found, and buries.
func (v *view) searchRules(query *search.Query, sets []bitset) *searchRules {
	s := &searchRules{
		parts: make([]rulesPart, len(v.parts)), buries: len(query.Bury) > 0, byDate: query.ByReleaseDate,
	}
	for i := range v.parts {
		s.parts[i].pin(&v.parts[i], i, query.Pin, sets[i])
		if s.buries {
			s.parts[i].buried = newBitset(v.parts[i].size)
			v.parts[i].addIDs(s.parts[i].buried, query.Bury)
		}
	}
	return s
}

func (s *rulesPart) pin(p *part, number int, ids []catalogue.ID, visible bitset) {
	for rank, id := range ids {
		doc := p.find(string(id))
		if doc < 0 || !visible.has(doc) || s.pinned != nil && s.pinned.has(doc) {
			continue
		}
		if s.pinned == nil {
			s.pinned = newBitset(p.size)
		}
		s.pinned.add(doc)
		s.pins = append(s.pins, pin{place{number, doc}, rank})
	}
}

// match adds to the documents of a part that match the text those that are pinned.
func (s *searchRules) match(part int, matched bitset) {
	if pinned := s.parts[part].pinned; pinned != nil {
		matched.or(pinned)
	}
}

// take keeps the pinned hits of a part. It returns the others, and which of them come before what is
// buried: nil where the order knows of none.
func (s *searchRules) take(part int, hits bitset) (rest, above bitset) {
	own := &s.parts[part]
	if s.byDate {
		return hits, nil
	}
	rest = hits
	if own.pinned != nil {
		for _, p := range own.pins {
			if hits.has(p.doc) {
				s.hits = append(s.hits, p)
			}
		}
		rest = hits.clone()
		rest.andNot(own.pinned)
	}
	if s.buries {
		above = rest.clone()
		above.andNot(own.buried)
	}
	return rest, above
}

// first returns where the pinned hits lie, in the order of the query.
func (s *searchRules) first() []place {
	slices.SortFunc(s.hits, func(a, b pin) int { return cmp.Compare(a.rank, b.rank) })
	places := make([]place, len(s.hits))
	for i, p := range s.hits {
		places[i] = p.place
	}
	return places
}
