package searchtest

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// CollectionModel implements the port of collections as plain loops over documents.
type CollectionModel struct {
	analyzer *analysis.Analyzer

	kept[search.CollectionDocument, search.CollectionDocument]
}

var _ search.CollectionIndex = (*CollectionModel)(nil)

// NewCollectionModel returns an empty CollectionModel.
func NewCollectionModel(analyzer *analysis.Analyzer) *CollectionModel {
	m := &CollectionModel{analyzer: analyzer}
	m.form = func(d search.CollectionDocument) search.CollectionDocument { return d }
	m.refOf = func(d search.CollectionDocument) catalogue.Ref { return d.Ref }
	m.documents = map[catalogue.ID]search.CollectionDocument{}
	return m
}

// Find implements search.CollectionIndex.
func (m *CollectionModel) Find(ctx context.Context, query search.CollectionQuery) (*search.CollectionResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var found []search.CollectionDocument
	for _, d := range m.documents {
		if inAudience(&d, &query.Audience) && admitted(&d, &query) && m.matches(&d, &query) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b search.CollectionDocument) int { return m.compare(&query, &a, &b) })
	result := &search.CollectionResult{Total: len(found)}
	for _, d := range found[min(query.Offset, len(found)):min(query.Offset+query.Size, len(found))] {
		result.Refs = append(result.Refs, d.Ref)
	}
	return result, nil
}

func inAudience(d *search.CollectionDocument, audience *search.CollectionAudience) bool {
	if audience.All {
		return true
	}
	own := audience.User != "" && audience.User == d.Owner
	if audience.Only != nil {
		return own || slices.Contains(audience.Only, d.ID)
	}
	return own || d.Discoverable && d.Service || d.Discoverable && d.Account == audience.Account
}

func admitted(d *search.CollectionDocument, q *search.CollectionQuery) bool {
	return oneOf(q.IDs, d.ID) &&
		flagMatches(q.Discoverable, d.Discoverable) &&
		flagMatches(q.Promoted, d.Promoted) &&
		anyOf(q.PromotedFor, d.PromotedFor) &&
		(q.Owner == nil || *q.Owner == d.Owner) &&
		anyOf(q.Subjects, d.Subjects) &&
		anyMatches(q.Ages, func(b catalogue.AgeBracket) bool { return b.Matches(d.Ages) }) &&
		withinAges(d.Ages, q.AgeMin, q.AgeMax) &&
		anyOf(q.ResourceTypes, d.ResourceTypes)
}

func (m *CollectionModel) matches(d *search.CollectionDocument, q *search.CollectionQuery) bool {
	if q.PartialTitle {
		return strings.Contains(m.analyzer.Fold(d.Title), m.analyzer.Fold(q.Text))
	}
	return m.hasPhrase(d.Title, q.Text) || m.hasPhrase(d.Description, q.Text)
}

// hasPhrase reports whether the stems of a phrase occur consecutively in a text.
func (m *CollectionModel) hasPhrase(text, phrase string) bool {
	var wanted []string // the first word of each position
	for _, token := range m.analyzer.Text(phrase, "eng") {
		if token.Exact != "" && token.Position == len(wanted) {
			wanted = append(wanted, token.Stem)
		}
	}
	there := map[int]map[string]bool{}
	last := -1
	for _, token := range m.analyzer.Text(text, "eng") {
		if token.Exact == "" {
			continue
		}
		if there[token.Position] == nil {
			there[token.Position] = map[string]bool{}
		}
		there[token.Position][token.Stem] = true
		last = max(last, token.Position)
	}
	for start := 0; start <= last+1; start++ {
		n := 0
		for n < len(wanted) && there[start+n][wanted[n]] {
			n++
		}
		if n == len(wanted) {
			return true
		}
	}
	return false
}

func (m *CollectionModel) compare(q *search.CollectionQuery, a, b *search.CollectionDocument) int {
	// Each rule returns a positive number if b sorts before a.
	rules := map[collection.Order]func() int{
		collection.ByTitle:         func() int { return strings.Compare(catalogue.FoldName(a.Title), catalogue.FoldName(b.Title)) },
		collection.ByUpdatedAt:     func() int { return b.UpdatedAt.Compare(a.UpdatedAt) },
		collection.ByDefault:       func() int { return count(b.Default) - count(a.Default) },
		collection.ByHasAttachment: func() int { return count(len(b.ResourceTypes) > 0) - count(len(a.ResourceTypes) > 0) },
	}
	for _, criterion := range q.Order {
		if c := rules[criterion](); c != 0 {
			return c
		}
	}
	if !q.PartialTitle {
		if c := count(m.hasPhrase(b.Title, q.Text)) - count(m.hasPhrase(a.Title, q.Text)); c != 0 {
			return c
		}
	}
	if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
		return c
	}
	return strings.Compare(string(a.ID), string(b.ID))
}
