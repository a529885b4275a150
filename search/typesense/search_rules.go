package typesense

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// What a query pins matches beside its text, by one more operand. Pinned videos, buried ones and all others
// are segments of the results, each listed by itself.

// rulesBudget is how many operands and operators that adds to a filter, at most.
const rulesBudget = 8

// steers reports whether a query pins or buries.
func hasRules(query *search.Query) bool { return len(query.Pin)+len(query.Bury) > 0 }

// orPinned is the condition of a text, or that a document is pinned.
func orPinned(condition string, pinned []catalogue.ID) string {
	if condition == "" || len(pinned) == 0 {
		return condition
	}
	return or(condition, ids(pinned))
}

// ruleSegments returns the segments of a query that steers.
func (s *run) ruleSegments() []listing {
	found := s.conditions.all()
	var segments []listing
	if pinned := s.query.Pin; len(pinned) > 0 {
		segments = append(segments, listing{filter: and(found, ids(pinned)), sort: byDate, reorder: inOrderOf(pinned)})
	}
	segments = append(segments, s.ordered(listing{filter: and(found, noneOf(slices.Concat(s.query.Pin, s.query.Bury)))})...)
	buried := slices.DeleteFunc(slices.Clone(s.query.Bury), func(id catalogue.ID) bool {
		return slices.Contains(s.query.Pin, id)
	})
	if len(buried) > 0 {
		segments = append(segments, s.ordered(listing{filter: and(found, ids(buried))})...)
	}
	return segments
}

// noneOf is the condition that a document that may be found is none of these. Ids themselves cannot be
// excluded before 0.25.
func noneOf(videos []catalogue.ID) string {
	tokens := traits(videoTrait, videos...)
	return fieldTraits + ":!=[" + strings.Join(append(tokens, marked(tokens)...), ",") + "]"
}

// inOrderOf orders hits as a list names them.
func inOrderOf(listed []catalogue.ID) func(hits []hit) {
	places := make(map[string]int, len(listed))
	for place, id := range slices.Backward(listed) {
		places[encodeID(id)] = place
	}
	return func(hits []hit) {
		slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(places[a.ID], places[b.ID]) })
	}
}
