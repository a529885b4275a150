// Package highlight scores parts of videos against a query: stored highlights, and passages of captions. It reads no store;
// the caller brings the pieces.
package highlight

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Question is a query by which pieces are scored. It serves one caller.
type Question struct {
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

// Piece is a part of a video: a stored highlight, or a passage of its captions.
type Piece struct {
	ID, Video  catalogue.ID
	Start, End catalogue.Millis
	// Title is "" if the piece has the title of the video.
	Title, Caption string
	Categories     []catalogue.Subtype
	Language       catalogue.Language

	// Rank is the place of the video in the list of those that were found.
	Rank int
	// Score is from 0 to 1; Question.Score sets it.
	Score float64
}

// hit is a word of the question at a position in a piece.
type hit struct{ position, word int }

// NewQuestion analyzes a query.
func NewQuestion(analyzer *analysis.Analyzer, text search.Text) *Question {
	q := &Question{analyzer: analyzer, words: analyzer.Query(text.Words), byStem: map[string][]int{}, byExact: map[string][]int{}}
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

// Score sets the scores of pieces, and returns those that reach a threshold in the memory of the list. The score of a piece is the weight of the words that it contains,
// divided by the weight of all; rare words weigh more. A piece in which the words stand apart or in another order loses
// up to scattered. The error is that of the context.
func (q *Question) Score(ctx context.Context, pieces []*Piece, threshold float64) ([]*Piece, error) {
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
		p.Score = math.Round(has/all*(1-scattered*(1-q.order(found[i])))*1e4) / 1e4
		if p.Score >= threshold {
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// scattered is the largest part of its score that a piece loses by the positions of the words.
const scattered = 0.15

// find finds the words in each piece. A piece without one of the phrases has no hits. The error is that of the context.
func (q *Question) find(ctx context.Context, pieces []*Piece) ([][]hit, error) {
	found := make([][]hit, len(pieces))
	for i, p := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found[i] = q.hits(p.Title+"\n"+p.Caption, p.Language)
		if !q.hasPhrases() {
			found[i] = nil
		}
	}
	return found, nil
}

// hits returns the hits in a text in the order of their positions, and leaves its tokens in q.tokens.
func (q *Question) hits(text string, language catalogue.Language) []hit {
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
func (q *Question) hasPhrases() bool {
	if len(q.phrases) == 0 {
		return true
	}
	words := analysis.WordsAt(q.tokens, func(token analysis.Token) string { return token.Exact })
	return !slices.ContainsFunc(q.phrases, func(phrase []string) bool { return !search.StandsIn(words, phrase) })
}

// weights returns the weight of each word, which is higher the fewer pieces contain it, and the sum of all.
func (q *Question) weights(found [][]hit) (weights []float64, all float64) {
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
func (q *Question) order(hits []hit) float64 {
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
func (q *Question) takeForMissing(pieces []*Piece, found [][]hit) bool {
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
func (q *Question) vocabulary(pieces []*Piece) [][]byte {
	met := map[string]bool{}
	var words [][]byte
	for _, p := range pieces {
		q.tokens = q.analyzer.AppendText(q.tokens[:0], p.Title+"\n"+p.Caption, p.Language)
		for _, token := range q.tokens {
			if token.Exact != "" && !met[token.Exact] {
				met[token.Exact] = true
				words = append(words, []byte(token.Exact))
			}
		}
	}
	return words
}

// SpokenFrom returns the start of the cue in which the words begin, among the cues that begin in a piece, or the start of
// the piece if none contains a word.
func (q *Question) SpokenFrom(captions *catalogue.Captions, p *Piece) catalogue.Millis {
	var hits []hit
	var starts []catalogue.Millis // by position
	for _, cue := range captions.Cues {
		if cue.Start < p.Start || cue.Start >= p.End {
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
	return p.Start
}

// Best returns the best pieces by score, then in the order of their videos and starts. Of two pieces of one video that
// overlap by more than maxOverlap, it returns the better one.
func Best(pieces []*Piece, size int, maxOverlap *float64) []*Piece {
	slices.SortFunc(pieces, func(a, b *Piece) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.End, b.End), strings.Compare(string(a.ID), string(b.ID)))
	})
	kept := make([]*Piece, 0, min(size, len(pieces)))
	of := map[catalogue.ID][]*Piece{}
	for _, p := range pieces {
		if len(kept) == size {
			break
		}
		if maxOverlap != nil {
			if slices.ContainsFunc(of[p.Video], func(better *Piece) bool { return overlap(p, better) > *maxOverlap }) {
				continue
			}
			of[p.Video] = append(of[p.Video], p)
		}
		kept = append(kept, p)
	}
	return kept
}

// overlap returns the common part of two pieces of one video, divided by the length of the shorter one.
func overlap(a, b *Piece) float64 {
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	if shared <= 0 {
		return 0
	}
	return shared.Seconds() / min(a.End-a.Start, b.End-b.Start).Seconds()
}
