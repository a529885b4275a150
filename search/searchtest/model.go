package searchtest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Model implements the port's contract as plain loops over documents. Its sets, totals, facets and order by date are
// obviously correct. Its relevance is the sum of the weights of the words.
type Model struct {
	analyzer *analysis.Analyzer
	// sees decides which caller sees which video. It is State.VisibleTo unless a fault is planted.
	sees func(state *catalogue.State, access catalogue.Access, today catalogue.Date) bool

	kept[search.Document, *modelDocument]
}

var _ search.Index = (*Model)(nil)

// NewModel returns an empty Model.
func NewModel(analyzer *analysis.Analyzer) *Model {
	m := &Model{
		analyzer: analyzer,
		sees: func(state *catalogue.State, access catalogue.Access, today catalogue.Date) bool {
			return state.VisibleTo(access, today)
		},
	}
	m.form, m.refOf = m.analyseDocument, func(d *modelDocument) catalogue.Ref { return d.Ref }
	m.documents = map[catalogue.ID]*modelDocument{}
	return m
}

// Search implements search.Index.
func (m *Model) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	text := m.analyse(query.Text)
	near := m.nearest(query)
	sees := func(d *modelDocument) bool { return m.sees(&d.State, query.Access, query.Today) }
	if query.Listing != nil {
		sees = func(d *modelDocument) bool { return isListed(&d.Document, query.Listing.State, query.Today) }
	}
	candidates := m.candidatesOf(text, query.Level, sees, slices.Concat(query.Pin, slices.Collect(maps.Keys(near)))...)
	if text.blank() && query.Meaning != nil {
		candidates = slices.DeleteFunc(candidates, func(d *modelDocument) bool {
			_, isNear := near[d.ID]
			return !isNear && !slices.Contains(query.Pin, d.ID)
		})
	}
	hits := filtered(candidates, query.Filter)
	m.order(hits, text, query, near)
	result := &search.Result{Total: len(hits)}
	for _, d := range hits[min(query.Offset, len(hits)):min(query.Offset+query.Size, len(hits))] {
		result.Refs = append(result.Refs, d.Ref)
	}
	if query.Facets != nil {
		result.Facets = countFacets(candidates, query.Filter, *query.Facets)
	}
	return result, nil
}

// isListed reports whether a video is in a state on a day.
func isListed(d *search.Document, state search.ListedState, today catalogue.Date) bool {
	ended := d.AvailableUntil != nil && *d.AvailableUntil < today
	switch state {
	case search.ListedRetired:
		return d.Retired
	case search.ListedLive:
		return !d.Retired && !ended && !d.Private
	case search.ListedPrivate:
		return !d.Retired && !ended && d.Private
	case search.ListedExpired:
		return !d.Retired && ended
	case search.ListedIncomplete:
		return !d.Retired && d.Incomplete
	default:
		return true
	}
}

// candidates returns, ordered by ID, the documents that match the text or are pinned, and that the caller may find.
func (m *Model) candidates(
	text modelText, level search.MatchLevel, access catalogue.Access, today catalogue.Date, pinned ...catalogue.ID,
) []*modelDocument {
	return m.candidatesOf(text, level, func(d *modelDocument) bool { return m.sees(&d.State, access, today) }, pinned...)
}

// candidatesOf is candidates among the documents that sees allows.
func (m *Model) candidatesOf(text modelText, level search.MatchLevel, sees func(*modelDocument) bool, pinned ...catalogue.ID) []*modelDocument {
	var found []*modelDocument
	for _, d := range m.documents {
		if sees(d) && (d.matches(text, level) || slices.Contains(pinned, d.ID)) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *modelDocument) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return found
}

func filtered(documents []*modelDocument, filter search.Filter) []*modelDocument {
	var found []*modelDocument
	for _, d := range documents {
		if passes(&d.Document, filter) {
			found = append(found, d)
		}
	}
	return found
}

// nearest returns the similarities of the documents that Query.Meaning adds.
func (m *Model) nearest(query search.Query) map[catalogue.ID]float32 {
	if query.Meaning == nil {
		return nil
	}
	similarities := map[catalogue.ID]float32{}
	var near []*modelDocument
	for _, d := range m.documents {
		if !m.sees(&d.State, query.Access, query.Today) {
			continue
		}
		for _, vector := range d.Vectors {
			similarity := vector.Similarity(query.Meaning.Vector)
			if len(vector) != len(query.Meaning.Vector) || similarity < query.Meaning.Least {
				continue
			}
			if known, ok := similarities[d.ID]; !ok {
				near = append(near, d)
				similarities[d.ID] = similarity
			} else {
				similarities[d.ID] = max(known, similarity)
			}
		}
	}
	slices.SortFunc(near, func(a, b *modelDocument) int {
		return cmp.Or(cmp.Compare(similarities[b.ID], similarities[a.ID]), cmp.Compare(b.ReleasedOn, a.ReleasedOn), cmp.Compare(b.Sequence, a.Sequence))
	})
	for _, d := range near[min(len(near), search.MaxNearest):] {
		delete(similarities, d.ID)
	}
	return similarities
}

// order sorts hits as the port specifies under "Order".
func (m *Model) order(hits []*modelDocument, text modelText, query search.Query, near map[catalogue.ID]float32) {
	greatest, bestWords := float32(0), 0
	for _, d := range hits {
		greatest = max(greatest, near[d.ID])
		bestWords = max(bestWords, d.relevance(text))
	}
	rank := func(d *modelDocument) float64 {
		switch {
		case query.ByReleaseDate:
			return 0
		case query.Meaning != nil:
			return search.Fuse(float64(d.relevance(text)), float64(bestWords), near[d.ID], query.Meaning.Least, greatest)
		case text.blank():
			return float64(count(sharesAny(d.Subjects, query.BoostPreferred)))
		}
		return float64(d.relevance(text))
	}
	first := func(*modelDocument, *modelDocument) int { return 0 }
	if query.Listing != nil && query.Listing.Order == search.ListedByUpdate {
		first = func(a, b *modelDocument) int { return b.UpdatedAt.Compare(a.UpdatedAt) }
	}
	if query.Listing != nil && query.Listing.Order == search.ListedByTitle {
		first = func(a, b *modelDocument) int {
			return strings.Compare(m.analyzer.Fold(a.Title), m.analyzer.Fold(b.Title))
		}
	}
	slices.SortFunc(hits, func(a, b *modelDocument) int {
		return cmp.Or(
			first(a, b),
			cmp.Compare(ruleRank(a.ID, query), ruleRank(b.ID, query)),
			cmp.Compare(count(isBoosted(&b.Document, query.BoostNamed)), count(isBoosted(&a.Document, query.BoostNamed))),
			cmp.Compare(rank(b), rank(a)),
			cmp.Compare(b.ReleasedOn, a.ReleasedOn),
			cmp.Compare(b.Sequence, a.Sequence),
		)
	})
}

// ruleRank returns the rank of a video among pinned, ordinary and buried videos.
func ruleRank(id catalogue.ID, query search.Query) int {
	place := slices.Index(query.Pin, id)
	switch {
	case query.ByReleaseDate:
		return 0
	case place >= 0:
		return place
	case slices.Contains(query.Bury, id):
		return len(query.Pin) + 1
	}
	return len(query.Pin)
}

func isBoosted(d *search.Document, lead search.BoostedNames) bool {
	return slices.Contains(lead.Channels, d.Channel) || sharesAny(d.Subjects, lead.Subjects)
}

func sharesAny[T comparable](list, wanted []T) bool {
	return slices.ContainsFunc(list, func(value T) bool { return slices.Contains(wanted, value) })
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Matches counts the matches of every level.
func (m *Model) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, _ int,
) ([]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	analysed := m.analyse(text)
	counts := make([]int, len(levels))
	for i, level := range levels {
		counts[i] = len(m.candidates(analysed, level, access, today))
	}
	return counts, nil
}

// Finds searches for each text separately.
func (m *Model) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	finds := make([]bool, len(texts))
	for i, text := range texts {
		counts, err := m.Matches(ctx, text, []search.MatchLevel{{}}, access, today, 1)
		if err != nil {
			return nil, err
		}
		finds[i] = counts[0] > 0
	}
	return finds, nil
}

// Corrections compares each word with every word of the documents.
func (m *Model) Corrections(ctx context.Context, text search.Text) ([][]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	analysed := m.analyse(text)
	corrections := make([][]string, len(analysed.words))
	for i, word := range analysed.words {
		edits := map[string]int{}
		for _, d := range m.documents {
			for exact := range d.exacts {
				if n := distance(word.Exact, exact); n > 0 && n <= analysis.Edits(word.Exact) && !analysed.known[word.Exact] {
					edits[exact] = n
				}
			}
		}
		near := slices.SortedFunc(maps.Keys(edits), func(a, b string) int {
			return cmp.Or(cmp.Compare(edits[a], edits[b]), strings.Compare(a, b))
		})
		corrections[i] = near[:min(len(near), search.MaxCorrections)]
	}
	return corrections, nil
}

// Phrases compares text with every title and keyword.
func (m *Model) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	typed := m.analyzer.Fold(text)
	if typed == "" {
		return nil, nil
	}
	// videos counts the videos with each phrase by its folded form. spellings counts the spellings of each.
	videos, spellings := map[string]int{}, map[string]map[string]int{}
	for _, d := range m.documents {
		if !m.sees(&d.State, access, today) {
			continue
		}
		carried := map[string]map[string]bool{}
		for _, text := range append(slices.Clone(d.Keywords), d.Title) {
			if folded := m.analyzer.Fold(text); strings.Contains(folded, typed) {
				put(carried, folded, text, true)
			}
		}
		for folded, texts := range carried {
			videos[folded]++
			for text := range texts {
				put(spellings, folded, text, spellings[folded][text]+1)
			}
		}
	}
	var phrases []search.Phrase
	for folded, n := range videos {
		phrases = append(phrases, search.Phrase{Text: mostFrequent(spellings[folded]), Videos: n})
	}
	slices.SortFunc(phrases, func(a, b search.Phrase) int {
		return cmp.Or(
			cmp.Compare(m.phraseRank(a.Text, typed), m.phraseRank(b.Text, typed)),
			cmp.Compare(b.Videos, a.Videos),
			cmp.Compare(utf8.RuneCountInString(a.Text), utf8.RuneCountInString(b.Text)),
			strings.Compare(a.Text, b.Text),
		)
	})
	return phrases[:min(limit, len(phrases))], nil
}

func put[V any](in map[string]map[string]V, outer, inner string, value V) {
	if in[outer] == nil {
		in[outer] = map[string]V{}
	}
	in[outer][inner] = value
}

// mostFrequent returns the text with the highest count. If counts are equal, it returns the first in binary order.
func mostFrequent(counts map[string]int) string {
	texts := slices.Sorted(maps.Keys(counts))
	return slices.MaxFunc(texts, func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
}

// phraseRank returns 0 if the phrase starts with the typed text, 1 if a word of it does, and 2 if the phrase contains
// the text elsewhere.
func (m *Model) phraseRank(phrase, typed string) int {
	folded := m.analyzer.Fold(phrase)
	switch {
	case strings.HasPrefix(folded, typed):
		return 0
	case strings.Contains(folded, " "+typed):
		return 1
	}
	return 2
}

// Generation returns a constant: every Model gives the same answers.
func (m *Model) Generation() string { return "model" }
