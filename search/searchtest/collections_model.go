package searchtest

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// CollectionModel implements the port of collections as plain loops over documents.
type CollectionModel struct {
	analyzer *analysis.Analyzer

	mu        sync.RWMutex
	documents map[catalogue.ID]search.CollectionDocument
	position  int64
}

var _ search.CollectionIndex = (*CollectionModel)(nil)

// NewCollectionModel returns an empty CollectionModel.
func NewCollectionModel(analyzer *analysis.Analyzer) *CollectionModel {
	return &CollectionModel{analyzer: analyzer, documents: map[catalogue.ID]search.CollectionDocument{}}
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

// Apply implements search.CollectionIndex.
func (m *CollectionModel) Apply(ctx context.Context, batch search.CollectionBatch) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(m.documents, batch.Put)
	for _, id := range batch.Delete {
		delete(m.documents, id)
	}
	m.position = max(m.position, batch.Position)
	return nil
}

func (m *CollectionModel) put(into map[catalogue.ID]search.CollectionDocument, documents []search.CollectionDocument) {
	for _, d := range documents {
		if known, there := into[d.ID]; !there || d.Version >= known.Version {
			into[d.ID] = d
		}
	}
}

// Rebuild replaces all documents.
func (m *CollectionModel) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.CollectionDocument, error]) error {
	var all []search.CollectionDocument
	for d, err := range documents {
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.documents = map[catalogue.ID]search.CollectionDocument{}
	m.put(m.documents, all)
	m.position = position
	return nil
}

// Position returns the position of the last Apply or Rebuild.
func (m *CollectionModel) Position(context.Context) (int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.position, nil
}

// Count returns the number of documents.
func (m *CollectionModel) Count(context.Context) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.documents), nil
}

// Close does nothing.
func (m *CollectionModel) Close() error { return nil }
