package embedded

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// visible returns the documents that a caller may see on a day. It applies catalogue.State.VisibleTo to all documents
// at once.
func (s *segment) visible(access catalogue.Access, today catalogue.Date) bitset {
	set := fullBitset(s.size)
	set.andNot(s.flags[retired])
	ended := newBitset(s.size)
	s.addEnded(ended, today)
	set.andNot(ended)
	if !access.PrivateChannels {
		set.andNot(s.closed(access.Rules))
	}
	if access.Rules != nil {
		s.keepAllowed(set, access.Rules)
		s.keepIncluded(set, access.Rules)
		s.removeExcluded(set, access.Rules)
	}
	return set
}

// closed returns the documents of private channels that the rules do not open. The set may be shared, and callers must
// not change it.
func (s *segment) closed(r *catalogue.Rules) bitset {
	if r == nil || r.OpenChannels == nil {
		return s.flags[private]
	}
	open := newBitset(s.size)
	addAny(&s.attributes[channels], open, r.OpenChannels)
	closed := s.flags[private].clone()
	closed.andNot(open)
	return closed
}

// keepAllowed keeps the documents in at least one of the allow-lists. Without an allow-list, it keeps all documents.
func (s *segment) keepAllowed(set bitset, r *catalogue.Rules) {
	s.keep(set, r.Videos != nil || r.Channels != nil, func(kept bitset) {
		s.addSorted(kept, r.Videos)
		addAny(&s.attributes[channels], kept, r.Channels)
	})
}

// keepIncluded keeps the documents that have a value in every list that is not nil.
func (s *segment) keepIncluded(set bitset, r *catalogue.Rules) {
	keepAny(s, set, types, r.Types)
	keepAny(s, set, subjects, r.Subjects)
	keepAny(s, set, educationLevels, r.EducationLevels)
	keepAny(s, set, distribution, r.DistributionMethods)
	s.keep(set, r.Categories != nil, func(kept bitset) { s.addCategories(kept, r.Categories) })
}

func keepAny[T ~string](s *segment, set bitset, name attributeName, values []T) {
	s.keep(set, values != nil, func(kept bitset) { addAny(&s.attributes[name], kept, values) })
}

// keep keeps in a set the documents that add adds, if there is such a filter.
func (s *segment) keep(set bitset, wanted bool, add func(kept bitset)) {
	if wanted {
		kept := newBitset(s.size)
		add(kept)
		set.and(kept)
	}
}

// removeExcluded removes the documents that have a value in any list. An unknown language matches no excluded language.
func (s *segment) removeExcluded(set bitset, r *catalogue.Rules) {
	removed := newBitset(s.size)
	s.addSorted(removed, r.ExcludedVideos)
	addAny(&s.attributes[channels], removed, r.ExcludedChannels)
	addAny(&s.attributes[types], removed, r.ExcludedTypes)
	addAny(&s.attributes[languages], removed, r.ExcludedLanguages)
	addAny(&s.attributes[educationLevels], removed, r.ExcludedEducationLevels)
	addAny(&s.attributes[warnings], removed, r.ExcludedWarnings)
	set.andNot(removed)
	if slices.Contains(r.ExcludedProviders, catalogue.ProviderYouTube) {
		set.andNot(s.flags[youTube])
	}
	if slices.Contains(r.ExcludedProviders, catalogue.ProviderHLS) {
		set.and(s.flags[youTube])
	}
}

// addIDs adds the documents that have one of the IDs.
func (s *segment) addIDs(set bitset, ids []catalogue.ID) {
	for _, id := range ids {
		if doc := s.find(string(id)); doc >= 0 {
			set.add(doc)
		}
	}
}

// addSorted is addIDs for a sorted list, which may be as long as the segment.
func (s *segment) addSorted(set bitset, ids []catalogue.ID) {
	const walkBoth = 16 // up to this multiple of the list's length, a walk is faster than lookups
	if s.size > walkBoth*len(ids) {
		s.addIDs(set, ids)
		return
	}
	for i, j := 0, 0; i < s.size && j < len(ids); {
		doc := int(s.idOrder[i])
		switch id := s.ids.At(doc); {
		case string(id) < string(ids[j]):
			i++
		case string(id) > string(ids[j]):
			j++
		default:
			set.add(doc)
			i++
			j++
		}
	}
}
