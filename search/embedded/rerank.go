package embedded

import "math/bits"

// What is found by its words alone is looked at once more: whether they stand together, and in the
// order that was typed, in the title.

const (
	// rerankDepth is how many of the first hits are looked at; it is the same for every page.
	rerankDepth = 256
	// maxSequence is how many words of a text are looked at.
	maxSequence = 64

	// runBonus is given in full where the title holds the whole text as it was typed, exactBonus where
	// it holds nothing else.
	runBonus   = maxScore / 3
	exactBonus = maxScore / 3
)

// titleWords says for the words of a part's titles at which places of the text they stand.
type titleWords map[uint32]uint64

type reranker struct {
	view   *view
	plan   *plan
	titles []titleWords // by part
}

// bonus is what a document's title adds to its score.
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
	return bonus
}

// titleWords finds the words of the text, and what they may be misspelt for, in a part.
func (r *reranker) titleWords(part int) titleWords {
	found := titleWords{}
	exact := &r.view.parts[part].exact
	for i, word := range r.plan.sequence {
		if term, ok := exact.terms.find(word); ok {
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

// longestRun is how many neighbouring words of the text stand together in the title.
func longestRun(title []uint32, places titleWords) int {
	// Bit i of runs[n] says: the text's words up to i are the last n+1 of the title so far.
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
