package resolvers

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// question is what pieces are scored by.
type question struct {
	analyzer *analysis.Analyzer
	words    []analysis.Word
	// byStem are the places of the words that a stem stands for; byExact those of words that no piece has,
	// by what is taken for them.
	byStem, byExact map[string][]int
	// phrases must stand in a piece, word for word.
	phrases [][]string
	// at is where each word stands in the text that asks.
	at []int
	// tokens is memory that is used again.
	tokens []analysis.Token
}

// hit is a word of the question in a piece: at which position, and which one.
type hit struct{ position, word int }

func (r *resolver) questionOf(text search.Text) *question {
	q := &question{analyzer: r.analyzer, words: r.analyzer.Query(text.Words), byStem: map[string][]int{}, byExact: map[string][]int{}}
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
		if words := r.analyzer.Phrase(phrase); len(words) > 0 {
			q.phrases = append(q.phrases, words)
		}
	}
	return q
}

// score keeps the pieces that reach a threshold. A piece's score is the weight of the question's words that
// it has, as a part of the weight of all; rare words weigh more. What is missing for 1 of a piece that has
// the words, but elsewhere than the question has them, is at most scattered.
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

// scattered is the most that a piece loses because the words stand elsewhere.
const scattered = 0.15

// find looks for the words in each piece. One that lacks a phrase has none. The error is that of a caller who has gone.
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

// hits are those of a text, whose tokens stay in q.tokens.
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

// hasPhrases reports whether every phrase stands in the text of q.tokens.
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

// weights are those of the words, and their sum: the rarer a word is among the pieces, the more it says.
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

// order is how much the words stand as they were asked for, 0 to 1: half of it is how near each other they
// are, half how many follow each other as they do there.
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

// narrowest are hits of each word that is there, one of each, as near to each other as they stand.
func narrowest(hits []hit) []hit {
	last := map[int]hit{} // of each word
	for _, h := range hits {
		last[h.word] = h
	}
	distinct := len(last)
	clear(last)
	var window []hit
	width := math.MaxInt
	for _, h := range hits { // which are in the order of their positions
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

// takeForMissing finds, for words that no piece has, words of the pieces that differ by as many typing
// errors as a search forgives. It reports whether there are some.
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

// vocabulary are the words of all pieces, each once.
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

// spokenFrom is the start of the cue within a piece in which the words begin to be spoken; the piece's own
// start, where no cue that begins in it has any.
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
