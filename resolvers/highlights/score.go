package highlights

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// question is a query by which pieces are scored.
type question struct {
	analyzer *analysis.Analyzer
	words    []analysis.Word
	// byStem holds the indexes of the words with a stem; byExact those of words that no piece contains, by the words that
	// are similar to them.
	byStem, byExact map[string][]int
	// phrases must occur in a piece, word for word.
	phrases [][]string
	// at holds the position of each word in the query.
	at []int
	// tokens is a buffer.
	tokens []analysis.Token
}

// hit is a word of the question at a position in a piece.
type hit struct{ position, word int }

func newQuestion(analyzer *analysis.Analyzer, text search.Text) *question {
	q := &question{analyzer: analyzer, words: analyzer.Query(text.Words), byStem: map[string][]int{}, byExact: map[string][]int{}}
	for i, word := range q.words {
		for _, stem := range word.Stems {
			q.byStem[stem] = append(q.byStem[stem], i)
		}
	}
	q.at = make([]int, len(q.words))
	hits := q.hits(text.Words, "")
	slices.Reverse(hits)
	for _, h := range hits {
		q.at[h.word] = h.position
	}
	for _, phrase := range text.Phrases {
		if words := analyzer.Phrase(phrase); len(words) > 0 {
			q.phrases = append(q.phrases, words)
		}
	}
	return q
}

// score returns the pieces that reach a threshold. The score of a piece is the weight of the words that it contains,
// divided by the weight of all; rare words weigh more. A piece in which the words stand apart or in another order loses
// up to scattered.
func (q *question) score(ctx context.Context, pieces []*piece, threshold float64) ([]*piece, error) {
	found, err := q.find(ctx, pieces)
	if err == nil && q.takeForMissing(pieces, found) {
		found, err = q.find(ctx, pieces)
	}
	if err != nil {
		return nil, err
	}
	weights, all := q.weights(found)
	kept := pieces[:0]
	for i, p := range pieces {
		var has float64
		for word := range q.words {
			if slices.ContainsFunc(found[i], func(h hit) bool { return h.word == word }) {
				has += weights[word]
			}
		}
		if has == 0 {
			continue
		}
		p.score = math.Round(has/all*(1-scattered*(1-q.order(found[i])))*1e4) / 1e4
		if p.score >= threshold {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// scattered is the largest part of its score that a piece loses by the positions of the words.
const scattered = 0.15

// find finds the words in each piece. A piece without one of the phrases has no hits. The error is that of the context.
func (q *question) find(ctx context.Context, pieces []*piece) ([][]hit, error) {
	found := make([][]hit, len(pieces))
	for i, p := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found[i] = q.hits(p.title+"\n"+p.caption, p.language)
		if !q.hasPhrases() {
			found[i] = nil
		}
	}
	return found, nil
}

// hits returns the hits in a text in the order of their positions, and leaves its tokens in q.tokens.
func (q *question) hits(text string, language catalogue.Language) []hit {
	var hits []hit
	q.tokens = q.analyzer.AppendText(q.tokens[:0], text, language)
	for _, token := range q.tokens {
		for _, word := range q.byStem[token.Stem] {
			hits = append(hits, hit{token.Position, word})
		}
		for _, word := range q.byExact[token.Exact] {
			hits = append(hits, hit{token.Position, word})
		}
	}
	return hits
}

// hasPhrases reports whether the text of q.tokens contains every phrase.
func (q *question) hasPhrases() bool {
	if len(q.phrases) == 0 {
		return true
	}
	var words []string
	for _, token := range q.tokens {
		if token.Exact == "" {
			continue
		}
		for len(words) <= token.Position {
			words = append(words, "")
		}
		if words[token.Position] == "" {
			words[token.Position] = token.Exact
		}
	}
	return !slices.ContainsFunc(q.phrases, func(phrase []string) bool { return !contains(words, phrase) })
}

func contains(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

// weights returns the weight of each word, which is higher the fewer pieces contain it, and the sum of all.
func (q *question) weights(found [][]hit) (weights []float64, all float64) {
	having := make([]int, len(q.words))
	for _, hits := range found {
		seen := make([]bool, len(q.words))
		for _, h := range hits {
			if !seen[h.word] {
				seen[h.word] = true
				having[h.word]++
			}
		}
	}
	weights = make([]float64, len(q.words))
	for i, n := range having {
		weights[i] = math.Log(1 + (float64(len(found)-n)+0.5)/(float64(n)+0.5))
		all += weights[i]
	}
	return weights, all
}

// order returns how much the words stand as in the query, from 0 to 1: one half for how near to each other they are, one
// half for how many follow each other in the same order.
func (q *question) order(hits []hit) float64 {
	window := narrowest(hits)
	if len(window) < 2 {
		return 1
	}
	slices.SortFunc(window, func(a, b hit) int { return cmp.Compare(q.at[a.word], q.at[b.word]) })
	asked := q.at[window[len(window)-1].word] - q.at[window[0].word]
	lowest, highest, following := window[0].position, window[0].position, 0
	for i, h := range window {
		lowest, highest = min(lowest, h.position), max(highest, h.position)
		if i > 0 && h.position > window[i-1].position {
			following++
		}
	}
	nearness := min(1, float64(asked+1)/float64(highest-lowest+1))
	return (nearness + float64(following)/float64(len(window)-1)) / 2
}

// narrowest returns one hit of each word that occurs, with the smallest distance from the first to the last.
func narrowest(hits []hit) []hit {
	last := map[int]hit{} // of each word
	for _, h := range hits {
		last[h.word] = h
	}
	distinct := len(last)
	clear(last)
	var window []hit
	width := math.MaxInt
	for _, h := range hits {
		last[h.word] = h
		if len(last) < distinct {
			continue
		}
		first := h.position
		for _, one := range last {
			first = min(first, one.position)
		}
		if h.position-first < width {
			width, window = h.position-first, window[:0]
			for _, one := range last {
				window = append(window, one)
			}
		}
	}
	slices.SortFunc(window, func(a, b hit) int { return cmp.Compare(a.position, b.position) })
	return window
}

// takeForMissing finds, for words that no piece contains, words of the pieces that differ by as many typos as a search
// forgives. It reports whether there are any.
func (q *question) takeForMissing(pieces []*piece, found [][]hit) bool {
	missing := map[int]bool{}
	for i, word := range q.words {
		if analysis.Edits(word.Exact) > 0 {
			missing[i] = true
		}
	}
	for _, hits := range found {
		for _, h := range hits {
			delete(missing, h.word)
		}
	}
	if len(missing) == 0 {
		return false
	}
	known := q.vocabulary(pieces)
	near := analysis.NewNear(len(known), func(place int) []byte { return known[place] })
	for i := range missing {
		near.Find(q.words[i].Exact, analysis.Edits(q.words[i].Exact), func(place uint32, _ uint8) {
			q.byExact[string(known[place])] = append(q.byExact[string(known[place])], i)
		})
	}
	return len(q.byExact) > 0
}

// vocabulary returns the words of all pieces, each once.
func (q *question) vocabulary(pieces []*piece) [][]byte {
	met := map[string]bool{}
	var words [][]byte
	for _, p := range pieces {
		q.tokens = q.analyzer.AppendText(q.tokens[:0], p.title+"\n"+p.caption, p.language)
		for _, token := range q.tokens {
			if token.Exact != "" && !met[token.Exact] {
				met[token.Exact] = true
				words = append(words, []byte(token.Exact))
			}
		}
	}
	return words
}

// spokenFrom returns the start of the cue in which the words begin, among the cues that begin in a piece, or the start of
// the piece if none contains a word.
func (q *question) spokenFrom(captions *catalogue.Captions, p *piece) catalogue.Millis {
	var hits []hit
	var starts []catalogue.Millis // by position
	for _, cue := range captions.Cues {
		if cue.Start < p.start || cue.Start >= p.end {
			continue
		}
		base := len(starts)
		for _, h := range q.hits(cue.Text, captions.Language) {
			hits = append(hits, hit{base + h.position, h.word})
		}
		for range q.tokens {
			starts = append(starts, cue.Start)
		}
	}
	if window := narrowest(hits); len(window) > 0 {
		return starts[window[0].position]
	}
	return p.start
}
