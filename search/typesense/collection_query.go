package typesense

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

// collectionQuestion is a query of collections in the terms of Typesense.
type collectionQuestion struct {
	filter string
	phrase []string // stems of the text; nil if there is no phrase
	parts  []sortPart
}

// sortPart is one criterion of a sort. alike reports whether two collections are equal by that criterion.
type sortPart struct {
	by    string
	equal func(a, b *collectionHit) bool
}

// maxSortParts is the maximum number of criteria of a sort in Typesense.
const maxSortParts = 3

// question translates a query.
func (s *CollectionIndex) question(ctx context.Context, at *build, query *search.CollectionQuery) (*collectionQuestion, error) {
	q := &collectionQuestion{}
	text, inTitle := "", ""
	var err error
	if query.PartialTitle {
		text, err = s.partOfTitle(ctx, at, s.index.analyzer.Fold(query.Text))
	} else if q.phrase = s.index.analyzer.StemPhrase(query.Text); len(q.phrase) > 0 {
		text, inTitle, err = s.phrased(ctx, at, q.phrase)
	}
	if err != nil {
		return nil, err
	}
	q.filter = and(audience(query.Audience), collectionFilters(query), text)
	q.parts = sortParts(query.Order, inTitle)
	return q, nil
}

// phrased returns two filters: for collections with the phrase in the title or the description, and for those with it
// in the title. The second is "" if it is the same for all matches.
func (s *CollectionIndex) phrased(ctx context.Context, at *build, phrase []string) (either, inTitle string, err error) {
	title, err := s.index.phrased(ctx, at, fieldTitleTerms, fieldTitleSequence, [][]string{phrase})
	if err != nil {
		return "", "", err
	}
	description, err := s.index.phrased(ctx, at, fieldDescriptionTerms, fieldDescriptionSequence, [][]string{phrase})
	switch {
	case err != nil:
		return "", "", err
	case title == nothing:
		return description, "", nil
	case description == nothing:
		return title, "", nil
	}
	return or(title, description), title, nil
}

// partOfTitle returns the filter for folded titles that contain a folded text.
func (s *CollectionIndex) partOfTitle(ctx context.Context, at *build, part string) (string, error) {
	if part == "" {
		return "", nil
	}
	condition := holding(part)
	if utf8.RuneCountInString(part) <= 3 {
		return condition, nil
	}
	return s.index.verified(ctx, at, condition, "\n"+part, fieldFoldedTitle, func(texts []string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) })
	})
}

// audience returns the filter of CollectionAudience.Finds.
func audience(who search.CollectionAudience) string {
	if who.All {
		return ""
	}
	own := nothing
	if who.User != "" {
		own = oneOf(fieldAudience, []string{userToken(who.User)})
	}
	if who.Only != nil {
		return or(ids(who.Only), own)
	}
	return or(oneOf(fieldAudience, []string{audienceOfAll, accountToken(who.Account)}), own)
}

// collectionFilters returns the conjunction of all filters of a query.
func collectionFilters(q *search.CollectionQuery) string {
	owner := ""
	if q.Owner != nil {
		owner = oneOf(fieldOwner, []string{encode(*q.Owner)})
	}
	return and(values(fieldPromotedFor, q.PromotedFor), values(fieldSubjects, q.Subjects),
		values(fieldResourceTypes, q.ResourceTypes), brackets(q.Ages), strictAges(q.AgeMin, q.AgeMax), ids(q.IDs), owner,
		flag(fieldDiscoverable, q.Discoverable), flag(fieldPromoted, q.Promoted))
}

// sortParts returns the first criteria of an order, at most maxSortParts. CollectionIndex orders the collections that
// are equal by all of them. inTitle is the filter for collections with the text in the title.
func sortParts(order []collection.Order, inTitle string) []sortPart {
	var parts []sortPart
	for i, criterion := range order {
		if !slices.Contains(order[:i], criterion) {
			parts = append(parts, partOf(criterion))
		}
	}
	// Typesense cannot sort by a filter on ids.
	if canSort := !strings.HasPrefix(inTitle, "id:"); canSort {
		if inTitle != "" {
			parts = append(parts, sortPart{
				strings.TrimSuffix(byCondition(inTitle), ","), func(a, b *collectionHit) bool { return a.rank.InTitle == b.rank.InTitle },
			})
		}
		parts = append(parts, partOf(collection.ByUpdatedAt))
	}
	return parts[:min(len(parts), maxSortParts)]
}

func partOf(criterion collection.Order) sortPart {
	switch criterion {
	case collection.ByTitle:
		return sortPart{fieldTitleKey + ":asc", func(a, b *collectionHit) bool { return titleKey(a.rank.Title) == titleKey(b.rank.Title) }}
	case collection.ByDefault:
		return sortPart{fieldDefault + ":desc", func(a, b *collectionHit) bool { return a.rank.Default == b.rank.Default }}
	case collection.ByHasAttachment:
		return sortPart{fieldAttached + ":desc", func(a, b *collectionHit) bool { return a.rank.HasAttachment == b.rank.HasAttachment }}
	}
	return sortPart{byDate, func(a, b *collectionHit) bool { return max(0, a.rank.UpdatedAt) == max(0, b.rank.UpdatedAt) }}
}

// sortBy returns the sort_by parameter.
func (q *collectionQuestion) sortBy() string {
	if len(q.parts) == 0 {
		return byDate
	}
	written := make([]string, len(q.parts))
	for i, part := range q.parts {
		written[i] = part.by
	}
	return strings.Join(written, ",")
}

// equal reports whether Typesense considers two collections equal.
func (q *collectionQuestion) equal(a, b *collectionHit) bool {
	return !slices.ContainsFunc(q.parts, func(part sortPart) bool { return !part.equal(a, b) })
}
