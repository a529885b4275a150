package typesense

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Pinned videos match in addition to the text, through one more operand. Pinned videos, buried videos and all others
// are separate segments of the results.

// rulesBudget is the maximum number of operands and operators that search rules add to a filter.
const rulesBudget = 8

// hasRules reports whether a query pins or buries videos.
func hasRules(query *search.Query) bool { return len(query.Pin)+len(query.Bury) > 0 }

// orPinned returns the disjunction of the condition of a text and the condition that a document is pinned.
func orPinned(condition string, pinned []catalogue.ID) string {
	if condition == "" || len(pinned) == 0 {
		return condition
	}
	return or(condition, ids(pinned))
}

// ruleSegments returns the segments of a query with search rules.
func (s *run) ruleSegments() []listing {
	found := s.everything()
	var segments []listing
	if pinned := s.query.Pin; len(pinned) > 0 {
		segments = append(segments, s.inOrder(pinned))
	}
	segments = append(segments, s.ordered(found.restricted(noneOf(slices.Concat(s.query.Pin, s.query.Bury))))...)
	buried := slices.DeleteFunc(slices.Clone(s.query.Bury), func(id catalogue.ID) bool {
		return slices.Contains(s.query.Pin, id)
	})
	if len(buried) > 0 {
		segments = append(segments, s.ordered(found.restricted(ids(buried)))...)
	}
	return segments
}

// inOrder returns the listing of pinned videos in their order.
func (s *run) inOrder(pinned []catalogue.ID) listing {
	l := s.everything().restricted(ids(pinned))
	l.sort, l.reorder = byDate, inOrderOf(pinned)
	return l
}

// noneOf returns the condition that a visible document has none of the ids. Typesense before 0.25 cannot exclude ids.
func noneOf(videos []catalogue.ID) string {
	tokens := traits(videoTrait, videos...)
	return fieldTraits + ":!=[" + strings.Join(append(tokens, marked(tokens)...), ",") + "]"
}

// inOrderOf sorts hits in the order of a list.
func inOrderOf(listed []catalogue.ID) func(hits []hit) {
	return func(hits []hit) {
		slices.SortFunc(hits, func(a, b hit) int {
			return cmp.Compare(slices.Index(listed, a.video), slices.Index(listed, b.video))
		})
	}
}
