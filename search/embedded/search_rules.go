package embedded

import (
	"cmp"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// searchRules contains the documents that a query pins and buries, by part.
type searchRules struct {
	parts  []rulesPart
	buries bool
	byDate bool // the query orders by date alone
}

type rulesPart struct {
	pins           []pin
	pinned, buried bitset // nil: no document of the part
}

// pin is a pinned document and its rank in the query.
type pin struct {
	place
	rank int
}

// searchRules finds the documents that a query buries, and those that it pins and that are in sets, which contain the
// visible documents of each part.
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

// match adds the pinned documents of a part to those that match the text.
func (s *searchRules) match(part int, matched bitset) {
	if pinned := s.parts[part].pinned; pinned != nil {
		matched.or(pinned)
	}
}

// take separates the pinned hits of a part. It returns the other hits as rest and those of them that are not buried as
// above. If the query buries nothing or orders by date, above is nil; if it orders by date, rest also contains the pinned
// hits.
func (s *searchRules) take(part int, hits bitset) (rest, above bitset, pinned []pin) {
	own := &s.parts[part]
	if s.byDate {
		return hits, nil, nil
	}
	rest = hits
	if own.pinned != nil {
		for _, p := range own.pins {
			if hits.has(p.doc) {
				pinned = append(pinned, p)
			}
		}
		rest = hits.clone()
		rest.andNot(own.pinned)
	}
	if s.buries {
		above = rest.clone()
		above.andNot(own.buried)
	}
	return rest, above, pinned
}

// places returns the places of pinned hits in the order of the query.
func places(hits []pin) []place {
	slices.SortFunc(hits, func(a, b pin) int { return cmp.Compare(a.rank, b.rank) })
	places := make([]place, len(hits))
	for i, p := range hits {
		places[i] = p.place
	}
	return places
}
