package searchtest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// passes reports whether a document passes every filter.
func passes(d *search.Document, f search.Filter) bool {
	return !f.Nothing &&
		oneOf(f.IDs, d.ID) &&
		anyMatches(f.Durations, func(r catalogue.DurationRange) bool { return r.Includes(d.Duration) }) &&
		(f.ReleasedFrom == nil || d.ReleasedOn >= *f.ReleasedFrom) &&
		(f.ReleasedTo == nil || d.ReleasedOn <= *f.ReleasedTo) &&
		(f.UpdatedFrom == nil || !d.UpdatedAt.Before(*f.UpdatedFrom)) &&
		anyMatches(f.Ages, func(b catalogue.AgeBracket) bool { return b.Matches(d.Ages) }) &&
		withinAges(d.Ages, f.AgeMin, f.AgeMax) &&
		anyOf(f.Subjects, d.Subjects) &&
		flagMatches(f.SubjectsSetManually, d.SubjectsSetManually) &&
		oneOf(f.Channels, d.Channel) &&
		oneOf(f.Types, d.Type) &&
		hasTags(d, f.Tags) &&
		flagMatches(f.Promoted, d.Promoted) &&
		oneOf(f.Languages, d.Language.OrUndetermined()) &&
		anyOf(f.EducationLevels, d.EducationLevels) &&
		oneOf(f.CEFR, d.CEFR) &&
		anyOf(f.Subtypes, d.Subtypes) &&
		anyOf(f.ResourceTypes, d.ResourceTypes) &&
		anyMatches(f.Categories, func(code string) bool { return underCategory(d, code) }) &&
		anyOf(f.Topics, d.Topics) &&
		anyMatches(f.Curriculum, func(place search.Place) bool { return isAt(d, place) }) &&
		flagMatches(f.YouTube, d.YouTube)
}

// anyMatches reports whether does accepts at least one of the values. It returns true if values is nil, which means no
// filter.
func anyMatches[T any](values []T, does func(T) bool) bool {
	return values == nil || slices.ContainsFunc(values, does)
}

func oneOf[T comparable](values []T, value T) bool {
	return values == nil || slices.Contains(values, value)
}

func anyOf[T comparable](values, list []T) bool {
	return values == nil || sharesAny(list, values)
}

func flagMatches(wanted *bool, value bool) bool { return wanted == nil || *wanted == value }

func hasTags(d *search.Document, tags []catalogue.ID) bool {
	if tags == nil {
		return true
	}
	for _, tag := range tags {
		if !slices.Contains(d.Tags, tag) {
			return false
		}
	}
	return len(tags) > 0
}

func underCategory(d *search.Document, code string) bool {
	return slices.ContainsFunc(d.Categories, func(own string) bool { return strings.HasPrefix(own, code) })
}

func isAt(d *search.Document, place search.Place) bool {
	return anyMatches(place.Categories, func(code string) bool { return underCategory(d, code) }) &&
		anyOf(place.EducationLevels, d.EducationLevels)
}

func withinAges(ages catalogue.AgeRange, lowest, highest *int) bool {
	if lowest != nil && (ages.Min == nil || *ages.Min < *lowest) {
		return false
	}
	if highest != nil && (ages.Max == nil || *ages.Max > *highest) {
		return false
	}
	return lowest == nil || highest == nil || (*ages.Min < *highest && *ages.Max > *lowest)
}

// countFacets counts each facet over the candidates that pass every filter except the facet's own.
func countFacets(candidates []*modelDocument, filter search.Filter, request search.FacetRequest) *search.Facets {
	without := func(drop func(*search.Filter)) []*modelDocument {
		others := filter
		drop(&others)
		return filtered(candidates, others)
	}
	facets := &search.Facets{
		Subjects: countBuckets(without(func(f *search.Filter) { f.Subjects = nil }), func(d *search.Document) []string { return keys(d.Subjects) }),
		Tags:     countBuckets(without(func(f *search.Filter) { f.Tags = nil }), func(d *search.Document) []string { return keys(d.Tags) }),
		Types:    countBuckets(without(func(f *search.Filter) { f.Types = nil }), func(d *search.Document) []string { return keys([]catalogue.VideoType{d.Type}) }),
		Languages: countBuckets(without(func(f *search.Filter) { f.Languages = nil }), func(d *search.Document) []string {
			return keys([]catalogue.Language{d.Language.OrUndetermined()})
		}),
		Subtypes:      countBuckets(without(func(f *search.Filter) { f.Subtypes = nil }), func(d *search.Document) []string { return keys(d.Subtypes) }),
		ResourceTypes: countBuckets(without(func(f *search.Filter) { f.ResourceTypes = nil }), func(d *search.Document) []string { return keys(d.ResourceTypes) }),
		Durations:     make([]int, len(request.Durations)),
		Ages:          make([]int, len(request.Ages)),
	}
	for _, d := range without(func(f *search.Filter) { f.Durations = nil }) {
		for i, bucket := range request.Durations {
			facets.Durations[i] += count(bucket.Buckets(d.Duration))
		}
	}
	for _, d := range without(func(f *search.Filter) { f.Ages, f.AgeMin, f.AgeMax = nil, nil, nil }) {
		for i, bucket := range request.Ages {
			facets.Ages[i] += count(bucket.Buckets(d.Ages))
		}
	}
	if request.Channels {
		facets.Channels = countBuckets(without(func(f *search.Filter) { f.Channels = nil }), func(d *search.Document) []string { return keys([]catalogue.ID{d.Channel}) })
	}
	if request.EducationLevels {
		facets.EducationLevels = countBuckets(without(func(f *search.Filter) { f.EducationLevels = nil }), func(d *search.Document) []string { return d.EducationLevels })
	}
	if request.Topics {
		facets.Topics = countBuckets(without(func(f *search.Filter) { f.Topics = nil }), func(d *search.Document) []string { return keys(d.Topics) })
	}
	if request.CEFR {
		facets.CEFR = countBuckets(without(func(f *search.Filter) { f.CEFR = nil }), func(d *search.Document) []string { return keys([]catalogue.CEFRLevel{d.CEFR}) })
	}
	return facets
}

func keys[T ~string](values []T) []string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
	}
	return texts
}

// countBuckets counts the documents with each key. It ignores the key "".
func countBuckets(documents []*modelDocument, of func(*search.Document) []string) []search.Bucket {
	hits := map[string]int{}
	for _, d := range documents {
		own := slices.Clone(of(&d.Document))
		slices.Sort(own)
		for _, key := range slices.Compact(own) {
			if key != "" {
				hits[key]++
			}
		}
	}
	buckets := []search.Bucket{}
	for key, n := range hits {
		buckets = append(buckets, search.Bucket{Key: key, Hits: n})
	}
	slices.SortFunc(buckets, func(a, b search.Bucket) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), strings.Compare(a.Key, b.Key))
	})
	return buckets
}
