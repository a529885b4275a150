package embedded

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// listed returns the documents in a state on a day.
func (s *segment) listed(state search.ListedState, today catalogue.Date) bitset {
	set := fullBitset(s.size)
	if state == search.ListedAll {
		return set
	}
	if state == search.ListedRetired {
		set.and(s.flags[retired])
		return set
	}
	set.andNot(s.flags[retired])
	if state == search.ListedIncomplete {
		set.and(s.flags[incomplete])
		return set
	}
	expired := newBitset(s.size)
	s.addEnded(expired, today)
	if state == search.ListedExpired {
		set.and(expired)
		return set
	}
	set.andNot(expired)
	if state == search.ListedPrivate {
		set.and(s.flags[private])
	} else {
		set.andNot(s.flags[private])
	}
	return set
}

// sorted collects the first hits in an order that is not that of the documents.
type sorted struct {
	view    *view
	compare func(a, b place) int
	most    int // the number of hits that are needed
	kept    []place
	// last is the last of kept that is needed, once there are most; others after it are not kept.
	last *place
}

// newSorted returns nil if the listing has the order of searches.
func newSorted(v *view, query *search.Query) *sorted {
	s := &sorted{view: v, most: max(1, query.Offset+query.Size)}
	switch query.Listing.Order {
	case search.ListedByUpdate:
		s.compare = v.compareUpdates
	case search.ListedByTitle:
		s.compare = v.compareTitles
	default:
		return nil
	}
	return s
}

func (s *sorted) add(part int, docs []uint16) {
	for _, doc := range docs {
		hit := place{part, int(doc)}
		if s.last != nil && s.compare(hit, *s.last) >= 0 {
			continue
		}
		if s.kept = append(s.kept, hit); len(s.kept) >= 2*s.most+64 {
			s.cut()
		}
	}
}

// cut sorts the hits and drops those that are not needed.
func (s *sorted) cut() {
	slices.SortFunc(s.kept, s.compare)
	if len(s.kept) >= s.most {
		s.kept = s.kept[:s.most]
		last := s.kept[s.most-1]
		s.last = &last
	}
}

func (s *sorted) window(offset, size int) []place {
	s.cut()
	from := min(offset, len(s.kept))
	return s.kept[from:min(from+size, len(s.kept))]
}

// compareUpdates orders documents by their time of update, the latest first.
func (v *view) compareUpdates(a, b place) int {
	return cmp.Or(cmp.Compare(v.parts[b.part].updated[b.doc], v.parts[a.part].updated[a.doc]), v.compareDates(a, b))
}

// compareTitles orders documents by the words of their titles. Within a part, the numbers of terms are in the order of the
// terms.
func (v *view) compareTitles(a, b place) int {
	s, t := v.parts[a.part].segment, v.parts[b.part].segment
	first, second := s.titleOf(a.doc), t.titleOf(b.doc)
	if a.part == b.part {
		return cmp.Or(slices.Compare(first, second), v.compareDates(a, b))
	}
	order := slices.CompareFunc(first, second, func(x, y uint32) int {
		return bytes.Compare(s.exact.terms.At(int(x)), t.exact.terms.At(int(y)))
	})
	return cmp.Or(order, v.compareDates(a, b))
}
