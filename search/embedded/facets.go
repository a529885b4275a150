package embedded

import (
	"cmp"
	"slices"

	"github.com/filmstrip/filmstrip/search"
)

// counts accumulates the facets of all parts.
type counts struct {
	view      *view
	request   *search.FacetRequest
	values    [attributeCount][]uint32 // by value ID; nil: not requested
	durations []int
	// standard contains, for each requested bucket of durations, its index in DefaultDurationBuckets, or -1 if it is
	// not one of them.
	standard []int
}

func (v *view) newCounts(request *search.FacetRequest) *counts {
	c := &counts{
		view: v, request: request, durations: make([]int, len(request.Durations)),
		standard: search.DefaultDurationPlaces(request.Durations),
	}
	wanted := [attributeCount]bool{
		subjects: true, tags: true, types: true, languages: true, subtypes: true, resourceTypes: true, ages: true,
		channels: request.Channels, educationLevels: request.EducationLevels,
		topics: request.Topics, cefr: request.CEFR,
	}
	for name := range wanted {
		if wanted[name] {
			c.values[name] = make([]uint32, len(v.names[name]))
		}
	}
	return c
}

// add counts the hits of one part, which docs lists. all contains them; nil: unknown.
func (c *counts) add(p *part, r *filtered, docs []uint16, all *whole, s *scratch) {
	counts := s.countsOf(0, p.tables.values())
	s.countAll(&p.tables, r.hits, docs, all, counts)
	for name := range facetAttributes {
		if c.values[name] == nil {
			continue
		}
		a := &p.attributes[name]
		if r.own[name] != nil {
			s.countFacet(&p.tables, name, a, r.hitsFor(facet(name), s), all, counts)
		}
		for ordinal, n := range counts[p.tables.facets[name]:p.tables.facets[name+1]] {
			c.values[name][a.ids[ordinal]] += n
		}
	}
	c.addDurations(p, r.hitsFor(durationFacet, s))
}

// join adds the counts of a goroutine.
func (c *counts) join(other *counts) {
	for name, hits := range other.values {
		for id, n := range hits {
			c.values[name][id] += n
		}
	}
	for i, n := range other.durations {
		c.durations[i] += n
	}
}

func (c *counts) addDurations(p *part, hits bitset) {
	for i, standard := range c.standard {
		if standard >= 0 {
			c.durations[i] += hits.countAnd(p.durations.buckets[standard].set)
			continue
		}
		bucket := newBitset(p.size)
		from, end := p.durations.bucket(c.request.Durations[i])
		p.durations.addTo(bucket, from, end)
		c.durations[i] += hits.countAnd(bucket)
	}
}

// facets returns the totals of all parts.
func (c *counts) facets() *search.Facets {
	return &search.Facets{
		Durations:       c.durations,
		Ages:            c.ages(),
		Subjects:        c.buckets(subjects),
		Tags:            c.buckets(tags),
		Types:           c.buckets(types),
		Channels:        c.buckets(channels),
		EducationLevels: c.buckets(educationLevels),
		Topics:          c.buckets(topics),
		Languages:       c.buckets(languages),
		CEFR:            c.buckets(cefr),
		Subtypes:        c.buckets(subtypes),
		ResourceTypes:   c.buckets(resourceTypes),
	}
}

func (c *counts) ages() []int {
	hits := make([]int, len(c.request.Ages))
	for id, n := range c.values[ages] {
		if n == 0 {
			continue
		}
		for i, bucket := range c.request.Ages {
			if bucket.Buckets(c.view.ages[id]) {
				hits[i] += int(n)
			}
		}
	}
	return hits
}

// buckets returns the values with hits, most hits first, then by key. It returns nil if the facet was not requested.
func (c *counts) buckets(name attributeName) []search.Bucket {
	if c.values[name] == nil {
		return nil
	}
	// order combines the hits with the inverted rank of the key, so that places are sorted by one number.
	type place struct {
		order uint64
		id    uint32
	}
	var places []place
	for id, n := range c.values[name] {
		if n > 0 {
			places = append(places, place{order: uint64(n)<<32 | uint64(^c.view.ranks[name][id]), id: uint32(id)})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.order, a.order) })
	buckets := make([]search.Bucket, len(places))
	for i, p := range places {
		buckets[i] = search.Bucket{Key: c.view.names[name][p.id], Hits: int(uint32(p.order >> 32))}
	}
	return buckets
}
