package typesense

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// maxFacetValues exceeds the number of values of any facet. The server reads a document for each value that it returns,
// which takes 40 µs for documents of 2 KB and 100 µs for documents with long texts.
const maxFacetValues = 100_000

// customBucket is the number of operands and operators that the condition of one bucket adds to a filter.
const customBucket = 2

// counting collects the facets of a query.
type counting struct {
	round      *round
	conditions *conditions
	facets     *search.Facets
	// shared are the fields that one search over the results counts. takes receive their counts.
	shared []string
	takes  map[string]func(*facetCount)
}

// countFacets adds the searches for facets to a round. Facets without a filter of their own share a search, which the caller
// adds (countShared); each other facet needs a separate search.
func countFacets(r *round, c *conditions, request *search.FacetRequest) *counting {
	n := &counting{
		round: r, conditions: c, takes: map[string]func(*facetCount){},
		facets: noFacets(request),
	}
	for _, f := range []struct {
		wanted bool
		field  string
		list   *[]search.Bucket
	}{
		{true, fieldSubjects, &n.facets.Subjects},
		{true, fieldTags, &n.facets.Tags},
		{true, fieldType, &n.facets.Types},
		{true, fieldLanguage, &n.facets.Languages},
		{true, fieldSubtypes, &n.facets.Subtypes},
		{true, fieldResourceTypes, &n.facets.ResourceTypes},
		{request.Channels, fieldChannel, &n.facets.Channels},
		{request.EducationLevels, fieldLevels, &n.facets.EducationLevels},
		{request.Topics, fieldTopics, &n.facets.Topics},
		{request.CEFR, fieldCEFR, &n.facets.CEFR},
	} {
		if f.wanted {
			n.count(f.field, func(counts *facetCount) { *f.list = buckets(counts) })
		}
	}
	n.countDurations(request.Durations)
	n.countAges(request.Ages)
	return n
}

// count requests the counts of a field's values.
func (n *counting) count(field string, take func(*facetCount)) {
	if !n.conditions.hasOwn(field) {
		n.shared = append(n.shared, field)
		n.takes[field] = take
		return
	}
	request := searchRequest{
		Q: "*", FilterBy: n.conditions.without(field), FacetBy: field, MaxFacetValues: maxFacetValues,
	}
	n.round.askFacets(request, func(answer *searchAnswer) error {
		for i := range answer.Facets {
			take(&answer.Facets[i])
		}
		return nil
	})
}

// countShared adds the search that counts the shared fields over the documents that match a filter.
func (n *counting) countShared(filter string) {
	if n == nil || len(n.shared) == 0 {
		return
	}
	request := searchRequest{Q: "*", FilterBy: filter, FacetBy: strings.Join(n.shared, ","), MaxFacetValues: maxFacetValues}
	n.round.askFacets(request, func(answer *searchAnswer) error {
		for i := range answer.Facets {
			n.takes[answer.Facets[i].Field](&answer.Facets[i])
		}
		return nil
	})
}

// buckets returns the buckets by hits and key. It omits values of more than maxEscaped bytes, which a catalogue does not
// contain: their tokens are hashes.
func buckets(counts *facetCount) []search.Bucket {
	buckets := make([]search.Bucket, 0, len(counts.Counts))
	for _, c := range counts.Counts {
		if key, ok := decodeToken(c.Value); ok && c.Count > 0 {
			buckets = append(buckets, search.Bucket{Key: key, Hits: c.Count})
		}
	}
	slices.SortFunc(buckets, func(a, b search.Bucket) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), cmp.Compare(a.Key, b.Key))
	})
	return buckets
}

// countDurations counts default buckets with their field, and each other bucket with a search.
func (n *counting) countDurations(requested []catalogue.DurationRange) {
	n.countPlaces(durationFacet, search.DefaultDurationPlaces(requested), n.facets.Durations, func(i int) string {
		if requested[i].Max == nil {
			return fmt.Sprintf("%s:>=%d", fieldDuration, int64(requested[i].Min))
		}
		return between(fieldDuration, int(requested[i].Min), int(requested[i].Last()))
	})
}

// countAges counts buckets of ages like countDurations. A bucket contains the videos with an age between its ends.
func (n *counting) countAges(requested []catalogue.AgeBracket) {
	standard := catalogue.DefaultAgeBuckets()
	places := make([]int, len(requested))
	for i, bucket := range requested {
		places[i] = slices.Index(standard, bucket)
	}
	n.countPlaces(ageFacet, places, n.facets.Ages, func(i int) string {
		return agesReaching(func(lowest int) int {
			if reach := max(lowest, requested[i].From+1); reach < requested[i].To {
				return reach
			}
			return beyondAges
		})
	})
}

// countPlaces counts the default buckets with the field, at their positions among the default buckets, and each other
// bucket, at position -1, with its condition.
func (n *counting) countPlaces(field string, places, hits []int, condition func(i int) string) {
	byToken := map[string][]int{}
	for i, place := range places {
		if place >= 0 {
			byToken[bucketToken(place)] = append(byToken[bucketToken(place)], i)
			continue
		}
		n.round.askFacets(searchRequest{Q: "*", FilterBy: and(n.conditions.without(field), condition(i))}, func(answer *searchAnswer) error {
			hits[i] = answer.Found
			return nil
		})
	}
	if len(byToken) == 0 {
		return
	}
	n.count(field, func(counts *facetCount) {
		for _, c := range counts.Counts {
			for _, i := range byToken[c.Value] {
				hits[i] = c.Count
			}
		}
	})
}
