package embedded

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// facet identifies a facet: an attribute, or the durations.
type facet int

const (
	durationFacet = facet(attributeCount)
	facetCount    = durationFacet + 1
)

// filtered contains the documents of a part that match text, access and filter, and the sets that are needed to count
// each facet without its own filter.
type filtered struct {
	// base contains the documents that match everything except the filters that belong to a facet.
	base bitset
	// own contains, for each facet, the documents that match its filter. nil: the facet has no filter.
	own [facetCount]bitset
	// hits contains the documents that match everything.
	hits bitset
}

// filter applies a filter to the documents of base. It changes base, and the result refers to it and to buffers.
func (v *view) filter(p *part, base bitset, f *search.Filter, s *scratch) filtered {
	r := filtered{base: base}
	p.filterCommon(base, f)
	own := func(name facet, wanted bool, add func(set bitset)) {
		if wanted {
			r.own[name] = s.emptySet(ownBuffer+int(name), len(base))
			add(r.own[name])
		}
	}
	filterAny(p, own, subjects, f.Subjects)
	filterAny(p, own, types, f.Types)
	filterAny(p, own, channels, f.Channels)
	filterAny(p, own, educationLevels, f.EducationLevels)
	filterAny(p, own, topics, f.Topics)
	filterAny(p, own, languages, f.Languages)
	filterAny(p, own, cefr, f.CEFR)
	filterAny(p, own, subtypes, f.Subtypes)
	filterAny(p, own, resourceTypes, f.ResourceTypes)
	own(facet(tags), f.Tags != nil, func(set bitset) { p.addWithAll(set, f.Tags) })
	own(facet(ages), f.Ages != nil || f.AgeMin != nil || f.AgeMax != nil, func(set bitset) {
		a := &p.attributes[ages]
		for ordinal, id := range a.ids {
			if search.AgesMatch(f.Ages, f.AgeMin, f.AgeMax, v.ages[id]) {
				a.addTo(set, ordinal)
			}
		}
	})
	own(durationFacet, f.Durations != nil, func(set bitset) { p.durations.addRanges(set, unionOf(f.Durations)) })

	r.hits = base
	for _, set := range r.own {
		if set != nil {
			if &r.hits[0] == &base[0] {
				r.hits = s.emptySet(hitsBuffer, len(base))
				r.hits.or(base)
			}
			r.hits.and(set)
		}
	}
	return r
}

func filterAny[T ~string](p *part, own func(facet, bool, func(bitset)), name attributeName, values []T) {
	own(facet(name), values != nil, func(set bitset) { addAny(&p.attributes[name], set, values) })
}

// hitsFor returns the documents to count for a facet: those that match everything except the facet's own filter.
// The set is valid until the next call, and callers must not change it.
func (r *filtered) hitsFor(name facet, s *scratch) bitset {
	if r.own[name] == nil {
		return r.hits
	}
	hits := s.emptySet(facetBuffer, len(r.base))
	hits.or(r.base)
	for other, set := range r.own {
		if set != nil && facet(other) != name {
			hits.and(set)
		}
	}
	return hits
}

// filterCommon applies the filters that belong to no facet.
func (p *part) filterCommon(set bitset, f *search.Filter) {
	if f.Nothing {
		clear(set)
		return
	}
	keep := func(wanted bool, add func(kept bitset)) { p.keep(set, wanted, add) }
	keep(f.IDs != nil, func(kept bitset) { p.addIDs(kept, f.IDs) })
	keep(f.ReleasedFrom != nil || f.ReleasedTo != nil, func(kept bitset) {
		kept.addRange(p.releasedBetween(f.ReleasedFrom, f.ReleasedTo))
	})
	updatedFrom, limited := f.UpdatedFromMicro()
	keep(limited, func(kept bitset) {
		for doc, updated := range p.updated {
			if updated >= updatedFrom {
				kept.add(doc)
			}
		}
	})
	keep(f.Categories != nil, func(kept bitset) { p.addCategories(kept, f.Categories) })
	keep(f.Curriculum != nil, func(kept bitset) {
		for i := range f.Curriculum {
			p.addPlace(kept, &f.Curriculum[i])
		}
	})
	for name, wanted := range map[flag]*bool{setByHand: f.SubjectsSetManually, promoted: f.Promoted, youTube: f.YouTube} {
		switch {
		case wanted == nil:
		case *wanted:
			set.and(p.flags[name])
		default:
			set.andNot(p.flags[name])
		}
	}
}

// addWithAll adds the documents that have all of the tags. With no tags, it adds no document.
func (p *part) addWithAll(set bitset, tagIDs []catalogue.ID) {
	a := &p.attributes[tags]
	for i, id := range tagIDs {
		one := newBitset(p.size)
		addAny(a, one, []catalogue.ID{id})
		if i == 0 {
			set.or(one)
		} else {
			set.and(one)
		}
	}
}

// addCategories adds the documents with one of the codes or a descendant of one. The code is a prefix of its
// descendants, so they follow it in sorted order.
func (s *segment) addCategories(set bitset, codes []string) {
	a := &s.attributes[categories]
	for _, code := range codes {
		from, _ := slices.BinarySearch(a.values, code)
		for i := from; i < len(a.values) && strings.HasPrefix(a.values[i], code); i++ {
			a.addTo(set, i)
		}
	}
}

// addPlace adds the documents that match a place in a curriculum.
func (p *part) addPlace(set bitset, place *search.Place) {
	levels := func(set bitset) { addAny(&p.attributes[educationLevels], set, place.EducationLevels) }
	switch {
	case place.Categories == nil && place.EducationLevels == nil:
		set.addRange(0, p.size)
	case place.EducationLevels == nil:
		p.addCategories(set, place.Categories)
	case place.Categories == nil:
		levels(set)
	default:
		both := newBitset(p.size)
		p.addCategories(both, place.Categories)
		p.keep(both, true, levels)
		set.or(both)
	}
}

// unionOf returns disjoint ranges in ascending order that cover the same durations as the given ranges, of which there may be a
// thousand.
func unionOf(ranges []catalogue.DurationRange) []catalogue.DurationRange {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b catalogue.DurationRange) int { return cmp.Compare(a.Min, b.Min) })
	var union []catalogue.DurationRange
	for _, next := range ranges {
		if len(union) == 0 || union[len(union)-1].Max != nil && *union[len(union)-1].Max < next.Min {
			union = append(union, next)
			continue
		}
		last := &union[len(union)-1]
		if last.Max != nil && (next.Max == nil || *next.Max > *last.Max) {
			last.Max = next.Max
		}
	}
	return union
}
