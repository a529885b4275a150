package typesense

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
)

// collectionQuestion is a query of collections as Typesense is asked it.
type collectionQuestion struct {
	filter string
	phrase []string // the stems that the text asks for; none: no phrase
	parts  []sortPart
}

// sortPart is one criterion of a sort, and the rule by which two collections are alike to it.
type sortPart struct {
	by    string
	alike func(a, b *collectionHit) bool
}

// maxSortParts is how many criteria Typesense sorts by.
const maxSortParts = 3

// question takes a query apart.
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

// phrased is the condition that a phrase stands in the title or the description, and that it stands in the
// title; "": whether it does is the same for all.
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

// partOfTitle is the condition that a folded text stands in the folded title.
func (s *CollectionIndex) partOfTitle(ctx context.Context, at *build, part string) (string, error) {
	if part == "" {
		return "", nil
	}
	var grams tokenSet
	runes := []rune(part)
	for n, i := min(3, len(runes)), 0; i+n <= len(runes); i++ {
		grams.add(encode(string(runes[i : i+n])))
	}
	condition := allOf(fieldGrams, grams.tokens)
	if len(runes) <= 3 {
		return condition, nil
	}
	return s.index.verified(ctx, at, condition, "\n"+part, fieldFoldedTitle, func(texts []string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) })
	})
}

// audience is the condition of CollectionAudience.Finds.
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

// collectionFilters is the condition of all filters of a query.
func collectionFilters(q *search.CollectionQuery) string {
	all := []string{
		values(fieldPromotedFor, q.PromotedFor), values(fieldSubjects, q.Subjects), values(fieldResourceTypes, q.ResourceTypes),
		brackets(q.Ages), strictAges(q.AgeMin, q.AgeMax),
	}
	if q.IDs != nil {
		all = append(all, ids(q.IDs))
	}
	if q.Owner != nil {
		all = append(all, oneOf(fieldOwner, []string{encode(*q.Owner)}))
	}
	for name, wanted := range map[string]*bool{fieldDiscoverable: q.Discoverable, fieldPromoted: q.Promoted} {
		if wanted != nil {
			all = append(all, fmt.Sprintf("%s:=%t", name, *wanted))
		}
	}
	return and(all...)
}

// sortParts are the first of what decides the order, so many as Typesense can sort by: those that are alike
// to all of them are put in order here. inTitle is the condition that the text stands in the title.
func sortParts(order []collection.Order, inTitle string) []sortPart {
	var parts []sortPart
	for i, criterion := range order {
		if !slices.Contains(order[:i], criterion) {
			parts = append(parts, partOf(criterion))
		}
	}
	// Typesense does not sort by ids.
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

// sortBy is what Typesense sorts by.
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

// alike reports whether Typesense does not tell two collections apart.
func (q *collectionQuestion) alike(a, b *collectionHit) bool {
	return !slices.ContainsFunc(q.parts, func(part sortPart) bool { return !part.alike(a, b) })
}
