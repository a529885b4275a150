package embedded

import "slices"

// What is found is looked at a third time: whether neighbouring words of the text also stand near
// each other in a keyword, the description or the transcript, not only in the title.

const (
	// nearDepth is how many of the first hits are looked at, and nearWords how long a text may be: a
	// sentence is not expected to stand anywhere as it was typed.
	nearDepth = 100
	nearWords = 6
	// nearDistance is how many places behind a word the next one may stand.
	nearDistance = 3
	// nearBonus is given in full where every word has the next one near.
	nearBonus = maxScore / 12
)

// nearness counts neighbours of a text in documents.
type nearness struct {
	view     *view
	sequence []string
	terms    [][]int // by part and word, -1 where the part does not have the word
	before   []uint32
	after    []uint32
}

func newNearness(v *view, sequence []string) *nearness {
	return &nearness{view: v, sequence: sequence, terms: make([][]int, len(v.parts))}
}

// bonus is what a document's texts add to its score.
func (n *nearness) bonus(p place) uint32 {
	pairs := len(n.sequence) - 1
	if pairs < 1 || len(n.sequence) > nearWords {
		return 0
	}
	terms := n.termsOf(p.part)
	exact := &n.view.parts[p.part].exact
	near := 0
	n.before = exact.positionsIn(terms[0], p.doc, n.before[:0])
	for _, term := range terms[1:] {
		n.after = exact.positionsIn(term, p.doc, n.after[:0])
		if follows(n.before, n.after) {
			near++
		}
		n.before, n.after = n.after, n.before
	}
	return uint32(nearBonus * near / pairs)
}

func (n *nearness) termsOf(part int) []int {
	if n.terms[part] == nil {
		n.terms[part] = make([]int, len(n.sequence))
		for i, word := range n.sequence {
			term, found := n.view.parts[part].exact.terms.find(word)
			if !found {
				term = -1
			}
			n.terms[part][i] = term
		}
	}
	return n.terms[part]
}

// positionsIn appends where a term stands in a document; -1 stands nowhere.
func (p *postings) positionsIn(term, doc int, positions []uint32) []uint32 {
	if term < 0 {
		return positions
	}
	docs, _ := p.of(term)
	at, found := slices.BinarySearch(docs, uint16(doc))
	if !found {
		return positions
	}
	return appendPositions(positions, p.positionList(int(p.first[term])+at))
}

// follows reports whether any position of after lies up to nearDistance behind one of before. Both
// are ascending.
func follows(before, after []uint32) bool {
	i := 0
	for _, position := range before {
		for i < len(after) && after[i] <= position {
			i++
		}
		if i < len(after) && after[i]-position <= nearDistance {
			return true
		}
	}
	return false
}
