package embedded

import (
	"slices"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// termCounter accumulates the words of one document.
type termCounter struct {
	base   uint32 // the position of the first word of the next text
	tokens []analysis.Token
	ends   []int // by text: the end of its tokens
	folded []byte

	own, names  words
	exactTokens []exactToken // of own, in the order of the texts
	starts      []uint32     // by slot: the start of its positions, and the end
	positions   []uint32
	encoded     []byte
}

// words contains the terms of some texts of a document.
type words struct{ exact, stems weightedTerms }

// exactToken is one occurrence of an exact word.
type exactToken struct{ slot, position uint32 }

func (t *termCounter) start() {
	t.base = 0
	t.own.start()
	t.names.start()
	t.exactTokens = t.exactTokens[:0]
}

func (w *words) start() {
	w.exact.start()
	w.stems.start()
}

// groupPositions groups the positions by slot.
func (t *termCounter) groupPositions() {
	t.starts = append(t.starts[:0], make([]uint32, len(t.own.exact.terms)+2)...)
	for _, token := range t.exactTokens {
		t.starts[token.slot+2]++
	}
	for i := 2; i < len(t.starts); i++ {
		t.starts[i] += t.starts[i-1]
	}
	t.positions = slices.Grow(t.positions[:0], len(t.exactTokens))[:len(t.exactTokens)]
	for _, token := range t.exactTokens {
		t.positions[t.starts[token.slot+1]] = token.position
		t.starts[token.slot+1]++
	}
}

// positionsOf encodes the positions of a slot. The bytes are valid until the next call.
func (t *termCounter) positionsOf(slot int) []byte {
	t.encoded = encodePositions(t.encoded[:0], t.positions[t.starts[slot]:t.starts[slot+1]])
	return t.encoded
}

// weightedTerms contains the distinct terms of one document, each in a slot, with their weights.
type weightedTerms struct {
	terms   []uint32
	weights []float32
	slots   []uint32 // by term; valid if seen is current
	seen    []uint32 // by term: the last document that contained it
	current uint32
}

func (w *weightedTerms) start() {
	w.current++
	w.terms, w.weights = w.terms[:0], w.weights[:0]
}

// add adds to the weight of a term and returns its slot.
func (w *weightedTerms) add(term uint32, weight float32) uint32 {
	if int(term) >= len(w.seen) {
		grown := max(2*len(w.seen), int(term)+1, 1024)
		w.seen = append(w.seen, make([]uint32, grown-len(w.seen))...)
		w.slots = append(w.slots, make([]uint32, grown-len(w.slots))...)
	}
	if w.seen[term] != w.current {
		w.seen[term] = w.current
		w.slots[term] = uint32(len(w.terms))
		w.terms = append(w.terms, term)
		w.weights = append(w.weights, 0)
	}
	slot := w.slots[term]
	w.weights[slot] += weight
	return slot
}

// impact returns the impact of a term, or 0 if the document does not contain it.
func (w *weightedTerms) impact(term uint32) uint8 {
	if int(term) >= len(w.seen) || w.seen[term] != w.current {
		return 0
	}
	return impactOf(w.weights[w.slots[term]])
}

// eachTerm calls visit for each term of a document, with its impact in the document's own text and in the names that
// the document shows. slot is the slot in own, or -1 if only the names contain the term.
func eachTerm(own, names *weightedTerms, visit func(slot int, term uint32, own, named uint8)) {
	for slot, term := range own.terms {
		visit(slot, term, impactOf(own.weights[slot]), names.impact(term))
	}
	for slot, term := range names.terms {
		if own.impact(term) == 0 {
			visit(-1, term, 0, impactOf(names.weights[slot]))
		}
	}
}
