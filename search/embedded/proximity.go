package embedded

import "slices"

// The third step of ranking checks whether consecutive words of the text also occur near each other in the keywords,
// the description or the transcript, and not only in the title.

const (
	// nearDepth is the number of first hits that are checked. nearWords is the greatest number of words of a text that
	// is checked: longer sentences are unlikely to occur anywhere as typed.
	nearDepth = 100
	nearWords = 6
	// nearDistance is the greatest distance in positions from a word to the next word of the text.
	nearDistance = 3
	// nearBonus is the bonus if every word of the text has the next word near it.
	nearBonus = maxScore / 12
)

// nearness counts the pairs of consecutive words of a text that occur near each other in a document.
type nearness struct {
	view     *view
	sequence []string
	terms    [][]int // by part and word; -1: the part does not contain the word
	before   []uint32
	after    []uint32
}

func newNearness(v *view, sequence []string) *nearness {
	return &nearness{view: v, sequence: sequence, terms: make([][]int, len(v.parts))}
}

// bonus returns the number that a document's own text adds to its score: nearBonus times the fraction of pairs that
// occur near each other.
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
			term, found := n.view.parts[part].exact.find(word)
			if !found {
				term = -1
			}
			n.terms[part][i] = term
		}
	}
	return n.terms[part]
}

// positionsIn appends the positions of a term in a document. A term of -1 has no positions.
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

// follows reports whether any position in after is 1 to nearDistance greater than a position in before. Both lists are
// ascending.
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
