package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// DocumentOf returns the document of a collection.
func DocumentOf(c *collection.Collection) CollectionDocument {
	return CollectionDocument{
		Ref:     catalogue.Ref{ID: c.ID, Version: c.Version},
		Account: c.Account, Owner: c.Owner, Service: c.Service,
		Title: c.Title, Description: c.Description,
		Subjects: c.SubjectIDs, Ages: c.AgeRange, ResourceTypes: c.ResourceTypes(),
		Discoverable: c.Discoverable, Promoted: c.Promoted, PromotedFor: c.PromotedFor,
		UpdatedAt: c.UpdatedAt, Default: c.Default,
	}
}

// Admits reports whether the audience may find a collection and the collection passes every filter. It ignores the text.
func (q *CollectionQuery) Admits(d *CollectionDocument) bool {
	return q.Audience.Finds(d) &&
		isOneOf(q.IDs, d.ID) &&
		isAs(q.Discoverable, d.Discoverable) &&
		isAs(q.Promoted, d.Promoted) &&
		hasOneOf(q.PromotedFor, d.PromotedFor) &&
		isAs(q.Owner, d.Owner) &&
		hasOneOf(q.Subjects, d.Subjects) &&
		AgesMatch(q.Ages, q.AgeMin, q.AgeMax, d.Ages) &&
		hasOneOf(q.ResourceTypes, d.ResourceTypes)
}

// AgesMatch reports whether a range of ages matches Filter.Ages, AgeMin and AgeMax, all of which may be nil.
func AgesMatch(brackets []catalogue.AgeBracket, lowest, highest *int, r catalogue.AgeRange) bool {
	switch {
	case brackets != nil && !slices.ContainsFunc(brackets, func(b catalogue.AgeBracket) bool { return b.Matches(r) }):
		return false
	case lowest != nil && (r.Min == nil || *r.Min < *lowest):
		return false
	case highest != nil && (r.Max == nil || *r.Max > *highest):
		return false
	}
	return lowest == nil || highest == nil || *r.Min < *highest && *r.Max > *lowest
}

func isAs[T comparable](wanted *T, value T) bool { return wanted == nil || *wanted == value }

func isOneOf[T comparable](wanted []T, value T) bool {
	return wanted == nil || slices.Contains(wanted, value)
}

func hasOneOf[T comparable](wanted, values []T) bool {
	return wanted == nil || slices.ContainsFunc(values, func(value T) bool { return slices.Contains(wanted, value) })
}

// CollectionRank holds what collections are ordered by.
type CollectionRank struct {
	ID            catalogue.ID
	Title         string // catalogue.FoldName
	UpdatedAt     int64  // microseconds of Unix time
	Default       bool
	HasAttachment bool
	// InTitle means that the text occurs in the title.
	InTitle bool
}

// RankOf returns the rank of a collection, without InTitle.
func RankOf(d *CollectionDocument) CollectionRank {
	return CollectionRank{
		ID: d.ID, Title: catalogue.FoldName(d.Title), UpdatedAt: d.UpdatedAt.UnixMicro(),
		Default: d.Default, HasAttachment: len(d.ResourceTypes) > 0,
	}
}

// CompareRanks returns a negative number if a comes before b: by the criteria in turn, then as CollectionQuery.Order says.
// It returns zero only for equal IDs.
func CompareRanks(order []collection.Order, a, b *CollectionRank) int {
	for _, criterion := range order {
		if c := compareBy(criterion, a, b); c != 0 {
			return c
		}
	}
	switch {
	case a.InTitle != b.InTitle:
		return trueFirst(a.InTitle, b.InTitle)
	case a.UpdatedAt != b.UpdatedAt:
		return cmp.Compare(b.UpdatedAt, a.UpdatedAt)
	}
	return strings.Compare(string(a.ID), string(b.ID)) // last, because the string is elsewhere in memory
}

func compareBy(criterion collection.Order, a, b *CollectionRank) int {
	switch criterion {
	case collection.ByTitle:
		return strings.Compare(a.Title, b.Title)
	case collection.ByUpdatedAt:
		return cmp.Compare(b.UpdatedAt, a.UpdatedAt)
	case collection.ByDefault:
		return trueFirst(a.Default, b.Default)
	case collection.ByHasAttachment:
		return trueFirst(a.HasAttachment, b.HasAttachment)
	}
	return 0
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// CollectionTexts analyzes texts; analysis.Analyzer implements it.
type CollectionTexts interface {
	// StemPhrase returns the stems of an English phrase, Stems those at each position of an English text.
	StemPhrase(phrase string) []string
	Stems(text string) [][]string
	Fold(text string) string
}

// FindAmong answers a query over a short list of collections, by the rules of every engine. It does not remove duplicate
// IDs.
func FindAmong(texts CollectionTexts, query *CollectionQuery, documents []CollectionDocument) *CollectionResult {
	type candidate struct {
		ref  catalogue.Ref
		rank CollectionRank
	}
	matches := query.matcher(texts)
	var found []candidate
	for i := range documents {
		d := &documents[i]
		if !query.Admits(d) {
			continue
		}
		if matched, inTitle := matches(d); matched {
			rank := RankOf(d)
			rank.InTitle = inTitle
			found = append(found, candidate{d.Ref, rank})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return CompareRanks(query.Order, &a.rank, &b.rank) })
	result := &CollectionResult{Total: len(found)}
	for _, c := range found[min(query.Offset, len(found)):min(query.Offset+query.Size, len(found))] {
		result.Refs = append(result.Refs, c.ref)
	}
	return result
}

// matcher returns a function that reports whether a collection matches the text, and whether its title does.
func (q *CollectionQuery) matcher(texts CollectionTexts) func(d *CollectionDocument) (matched, inTitle bool) {
	if q.PartialTitle {
		part := texts.Fold(q.Text)
		return func(d *CollectionDocument) (bool, bool) {
			in := strings.Contains(texts.Fold(d.Title), part)
			return in, in
		}
	}
	phrase := texts.StemPhrase(q.Text)
	return func(d *CollectionDocument) (bool, bool) {
		inTitle := StandsIn(texts.Stems(d.Title), phrase)
		return inTitle || StandsIn(texts.Stems(d.Description), phrase), inTitle
	}
}

// StandsIn reports whether the words of a phrase occur at consecutive positions of a text, each of which may have several
// words. An empty phrase occurs in every text.
func StandsIn(positions [][]string, phrase []string) bool {
	for start := 0; start+len(phrase) <= len(positions); start++ {
		n := 0
		for n < len(phrase) && slices.Contains(positions[start+n], phrase[n]) {
			n++
		}
		if n == len(phrase) {
			return true
		}
	}
	return false
}
