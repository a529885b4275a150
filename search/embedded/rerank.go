package embedded

import (
	"math/bits"

	"github.com/filmstrip/filmstrip/search/relevance"
)

// The second step of ranking checks whether the words of the text occur together, and in the order of the text, in the
// title.

const (
	// rerankDepth is the number of first hits that are reranked; it is the same for every page.
	rerankDepth = 256
	// maxSequence is the number of words of a text that are compared.
	maxSequence = 64

	// runBonus is the bonus if the title contains the whole text as typed. exactBonus is added if the title contains
	// nothing else.
	runBonus   = maxScore / 3
	exactBonus = maxScore / 3
)

// titleWords maps each term of a part to a bitmask of the places of the text at which the term may occur.
type titleWords map[uint32]uint64

type reranker struct {
	view   *view
	plan   *plan
	titles []titleWords // by part
}

// bonus returns the number that a document's title adds to its score.
func (r *reranker) bonus(p place) uint32 {
	if r.titles[p.part] == nil {
		r.titles[p.part] = r.titleWords(p.part)
	}
	title := r.view.parts[p.part].titleOf(p.doc)
	run := longestRun(title, r.titles[p.part])
	words := len(r.plan.sequence)
	bonus := uint32(0)
	if words > 1 && run > 1 {
		bonus = uint32(runBonus * (run - 1) / (words - 1))
	}
	if run == words && words == len(title) {
		bonus += exactBonus
	}
	if r.plan.long() {
		bonus = uint32(float64(bonus) * relevance.LongRunShare)
	}
	return bonus
}

// titleWords finds the words of the text, and the similar words that typo tolerance allows, in a part.
func (r *reranker) titleWords(part int) titleWords {
	found := titleWords{}
	exact := &r.view.parts[part].exact
	for i, word := range r.plan.sequence {
		if term, ok := exact.find(word); ok {
			found[uint32(term)] |= 1 << i
		}
		for w := range r.plan.words {
			if r.plan.words[w].Exact == word {
				for _, t := range r.plan.parts[part].typos[w] {
					found[t.term] |= 1 << i
				}
			}
		}
	}
	return found
}

// longestRun returns the greatest number of consecutive words of the text that occur together in the title.
func longestRun(title []uint32, places titleWords) int {
	// Bit i of runs[n] is set if the words of the text up to word i are the last n+1 words of the title so far.
	var runs [maxSequence]uint64
	longest := 0
	for _, word := range title {
		at := places[word]
		for n := longest; n > 0; n-- {
			if n < maxSequence {
				runs[n] = runs[n-1] << 1 & at
				if runs[n] != 0 && n+1 > longest {
					longest = n + 1
				}
			}
		}
		runs[0] = at
		if bits.OnesCount64(at) > 0 && longest == 0 {
			longest = 1
		}
	}
	return longest
}
