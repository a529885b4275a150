package embedded

import (
	"context"
	"math/bits"
	"slices"
	"strings"
	"sync/atomic"
)

// matchPhrases keeps in the set of a part the documents that contain every phrase.
func (v *view) matchPhrases(ctx context.Context, part int, set bitset, phrases [][]string) error {
	for _, phrase := range phrases {
		if set.next(0) < 0 {
			return nil // the other phrases cannot change an empty set
		}
		held, err := v.holdingAmong(ctx, part, phrase, set)
		if err != nil {
			return err
		}
		set.and(held)
	}
	return nil
}

// heldPhrase contains, for each part, the documents that contain a phrase; nil: nobody has looked.
type heldPhrase []atomic.Pointer[bitset]

// holding returns the documents of a part that contain a phrase. The set is shared, and callers must not change it. Results
// are cached, because reading the positions of frequent words is the most expensive step of a search.
func (v *view) holding(ctx context.Context, part int, phrase []string) (bitset, error) {
	return v.holdingAmong(ctx, part, phrase, v.parts[part].live)
}

// holdingAmong is holding for a caller who needs to know it for the documents of a set only.
func (v *view) holdingAmong(ctx context.Context, part int, phrase []string, set bitset) (bitset, error) {
	parts := v.phrases.get(strings.Join(phrase, " "), maxPhrases, func() heldPhrase { return make(heldPhrase, len(v.parts)) })
	if known := parts[part].Load(); known != nil {
		return *known, nil
	}
	s := v.parts[part].segment
	terms := s.termsOf(phrase)
	if terms == nil {
		return newBitset(s.size), nil
	}
	if rarest := s.exact.documents(slices.MinFunc(terms, s.exact.compareDocuments)); set.count()*rare < rarest {
		return s.holding(ctx, terms, set)
	}
	held, err := s.holding(ctx, terms, fullBitset(s.size))
	if err == nil {
		parts[part].Store(&held)
	}
	return held, err
}

// termsOf returns the words of a phrase as terms of exact, or nil if the segment lacks one.
func (s *segment) termsOf(phrase []string) []int {
	terms := make([]int, len(phrase))
	for i, word := range phrase {
		term, found := s.exact.find(word)
		if !found {
			return nil
		}
		terms[i] = term
	}
	return terms
}

// compareDocuments orders terms by the number of their documents.
func (p *postings) compareDocuments(a, b int) int { return p.documents(a) - p.documents(b) }

// interruptEvery is the number of documents between two checks for cancellation.
const interruptEvery = 4096

// interrupted returns an error of code Unavailable if the context is canceled.
func interrupted(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return unavailable("the search was interrupted", err)
	}
	return nil
}

// holding returns the documents of a set that contain the terms at consecutive positions. It first finds the documents that
// contain all terms, beginning with the rarest, and then compares positions.
func (s *segment) holding(ctx context.Context, terms []int, among bitset) (bitset, error) {
	held := among.clone()
	m := phraseMatcher{words: make([]phraseWord, len(terms))}
	for i, term := range terms {
		m.order = append(m.order, i)
		docs, _ := s.exact.of(term)
		m.words[i] = phraseWord{docs: docs, first: int(s.exact.first[term]), walk: positionWalk{postings: &s.exact}}
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return s.exact.compareDocuments(terms[a], terms[b]) })
	for _, i := range m.order {
		if w := &m.words[i]; held.count()*rare > len(w.docs) {
			w.count(s.size)
			held.and(w.set)
		}
	}
	checked := 0
	for doc := range held.all {
		if checked%interruptEvery == 0 {
			if err := interrupted(ctx); err != nil {
				return nil, err
			}
		}
		if checked++; !m.matches(uint16(doc)) {
			held.remove(doc)
		}
	}
	return held, nil
}

// phraseMatcher checks documents for a phrase. The documents must be passed in ascending order.
type phraseMatcher struct {
	words []phraseWord
	order []int // of the words, the rarest first

	starts, others []uint32
}

// phraseWord is a word of a phrase with its postings.
type phraseWord struct {
	docs  []uint16
	first int // the place of the first posting
	walk  positionWalk
	at    int // the index in docs to search from
	// set contains docs, and before, for each word of bits, the number of those before it; nil: there are too many.
	set    bitset
	before []uint16
}

// count computes set and before.
func (w *phraseWord) count(size int) {
	w.set = newBitset(size)
	w.set.addAll(w.docs)
	w.before = make([]uint16, len(w.set))
	n := 0
	for i, word := range w.set {
		w.before[i] = uint16(n) // fewer than maxSegment
		n += bits.OnesCount64(word)
	}
}

// place returns the place of the posting of a document, or -1 if it does not contain the word.
func (w *phraseWord) place(doc uint16) int {
	if w.set != nil {
		word, bit := w.set[doc>>6], uint64(1)<<(doc&63)
		if word&bit == 0 {
			return -1
		}
		return w.first + int(w.before[doc>>6]) + bits.OnesCount64(word&(bit-1))
	}
	if w.at = seek(w.docs, w.at, doc); w.at == len(w.docs) || w.docs[w.at] != doc {
		return -1
	}
	return w.first + w.at
}

func (m *phraseMatcher) matches(doc uint16) bool {
	for n, i := range m.order {
		w := &m.words[i]
		place := w.place(doc)
		if place < 0 {
			return false
		}
		if n > 0 {
			m.others = appendPositions(m.others[:0], w.walk.list(place))
			m.starts = keepFollowed(m.starts, m.others, uint32(i))
		} else {
			m.starts = appendPositions(m.starts[:0], w.walk.list(place))
			for s := range m.starts {
				m.starts[s] -= uint32(i) // wraps if the phrase cannot start; no position is that high
			}
		}
		if len(m.starts) == 0 {
			return false
		}
	}
	return true
}

// keepFollowed keeps the starts for which others contains start+distance. Both lists are ascending; starts that have wrapped
// are negative numbers.
func keepFollowed(starts, others []uint32, distance uint32) []uint32 {
	kept, next := starts[:0], 0
	for _, start := range starts {
		at := start + distance
		for next < len(others) && int32(others[next]) < int32(at) {
			next++
		}
		if next < len(others) && others[next] == at {
			kept = append(kept, start)
		}
	}
	return kept
}
