package typesense

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// rerankDepth is the number of first hits that rerank reorders. It is the same for every page, so that pages are
// consistent.
const rerankDepth = 100

// The parts of a hit's score. Typesense ranks by the number of words that a document has and by its best matching text.
// It ignores which part of the title the text covers.
const (
	matchWeight          = 2.0 // full weight for the relevance of the first hit
	placeWeight          = 0.3 // full weight for the best of the distinct relevances
	titleWeight          = 1.0 // full weight if the title has all words
	runWeight            = 0.5 // full weight if the title contains the whole text as typed
	exactWeight          = 0.5 // if the title contains nothing else
	boostPreferredWeight = 0.05
)

// rerank reorders the first hits of a text. It takes their titles into account.
func (s *run) rerank(first []hit) {
	s.scoreWords(first)
	s.boostPreferred(first, boostPreferredWeight)
	slices.SortStableFunc(first, compareHits)
}

// compareHits orders boosted hits first, then by score.
func compareHits(a, b hit) int {
	switch {
	case a.boosts == b.boosts:
		return cmp.Compare(b.score, a.score)
	case a.boosts:
		return -1
	}
	return 1
}

// scoreWords sets the scores of hits by their words.
func (s *run) scoreWords(first []hit) {
	if len(first) == 0 {
		return
	}
	t := newTitles(s)
	best, distinct := uint64(1), []uint64{}
	for _, h := range first {
		best = max(best, h.match)
		distinct = append(distinct, h.match)
	}
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	for i := range first {
		h := &first[i]
		better, _ := slices.BinarySearch(distinct, h.match)
		h.boosts = s.boosts(h)
		h.score = matchWeight*float64(h.match)/float64(best) +
			placeWeight*float64(better+1)/float64(len(distinct)) + t.score(h.Title)
	}
}

// boostPreferred adds a bonus to the hits of preferred subjects.
func (s *run) boostPreferred(hits []hit, bonus float64) {
	for i := range hits {
		if hits[i].hasAny(s.query.BoostPreferred) {
			hits[i].score += bonus
		}
	}
}

// titles scores titles against the words of a text.
type titles struct {
	run     *run
	words   map[string]int // index in question.words, by stem and by exact form
	weights []float64      // by the same index; their sum is 1
}

func newTitles(s *run) *titles {
	t := &titles{run: s, words: map[string]int{}}
	sum := 0.0
	for i, w := range s.question.words {
		for _, near := range w.near {
			t.words[near] = i
		}
		weight := 1 / (1 + math.Log1p(float64(w.documents)))
		t.weights = append(t.weights, weight)
		sum += weight
	}
	for i, w := range s.question.words {
		for _, stem := range w.Stems {
			t.words[stem] = i
		}
		if w.Exact != "" {
			t.words[w.Exact] = i
		}
		t.weights[i] /= sum
	}
	return t
}

// score returns the part of the score that a folded title contributes.
func (t *titles) score(title string) float64 {
	score := 0.0
	seen := make([]bool, len(t.weights))
	for _, w := range t.run.index.analyzer.Query(title) {
		place, found := t.words[w.Exact]
		for i := 0; !found && i < len(w.Stems); i++ {
			place, found = t.words[w.Stems[i]]
		}
		if found && !seen[place] {
			seen[place] = true
			score += titleWeight * t.weights[place]
		}
	}
	return score + t.runScore(title)
}

// runScore returns the part of the score that words in the order of the text contribute.
func (t *titles) runScore(title string) float64 {
	score := 0.0
	sequence, written := t.run.question.sequence, strings.Fields(title)
	run := t.longestRun(sequence, written)
	if len(sequence) > 1 {
		score += runWeight * float64(max(0, run-1)) / float64(len(sequence)-1)
	}
	if run == len(sequence) && run == len(written) {
		score += exactWeight
	}
	return score
}

// longestRun returns the maximum number of consecutive words of the text that are also consecutive in the title.
func (t *titles) longestRun(text, title []string) int {
	longest := 0
	runs := make([]int, len(title)+1) // lengths of runs that end before each index of the title
	for _, typed := range text {
		for i := len(title); i > 0; i-- {
			if t.same(typed, title[i-1]) {
				runs[i] = runs[i-1] + 1
				longest = max(longest, runs[i])
			} else {
				runs[i] = 0
			}
		}
	}
	return longest
}

// same reports whether a word of a title is the typed word, or a word that the typed word may be a misspelling of.
func (t *titles) same(typed, written string) bool {
	if typed == written {
		return true
	}
	place, found := t.words[typed]
	return found && t.run.question.words[place].Exact == typed && slices.Contains(t.run.question.words[place].near, written)
}
