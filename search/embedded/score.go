package embedded

import (
	"cmp"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/search"
)

var tallyPool = sync.Pool{New: func() any { return newTallies() }}

// The low 30 bits of a score are the relevance: at most maxScore for the words, plus bonuses. leadScore is set for
// boosted documents. aboveScore, the highest bit, is set for documents that are not buried, if the query buries any.
const (
	aboveScore      = 1 << 31
	boostNamedScore = 1 << 30
	maxScore        = scoreMask
	// boostPreferredScore ranks videos of preferred subjects above others with a similar score.
	boostPreferredScore = maxScore / 32
)

// scorer computes scores from the tallies of a part.
type scorer struct {
	sums  []uint32
	words int
	// Documents that rank above others. nil: the set is empty, or it would not affect the order.
	above, boosted, preferred bitset
}

// prefers reports whether a document is of a preferred subject.
func (s *scorer) prefers(doc int) bool { return s.preferred != nil && s.preferred.has(doc) }

// score returns the score of a document: the sum of the words' scores, multiplied by a factor that coverageOf returns.
func (s *scorer) score(doc int, coverage *[maxWords + 1]uint32) uint32 {
	sum := uint32(0)
	if s.sums != nil {
		sum = s.sums[doc]
	}
	score := uint32(uint64(sum&scoreMask) * uint64(coverage[sum>>countShift]) >> 16)
	if s.prefers(doc) {
		score += boostPreferredScore
	}
	if s.boosted != nil && s.boosted.has(doc) {
		score |= boostNamedScore
	}
	if s.above != nil && s.above.has(doc) {
		score |= aboveScore
	}
	return score
}

// maxWords is the greatest number of words that a tally can count.
const maxWords = 1<<(32-countShift) - 1

// coverageOf returns the factors of a text of a number of words, in parts of 1<<16, by the number of words that a document
// contains: (1+f)/2 for a fraction f of the words, so that a document with half of them keeps three quarters of its sum. For
// long texts every factor is 1, because the words of a question that a video lacks say nothing against it.
func coverageOf(words int) *[maxWords + 1]uint32 {
	var coverage [maxWords + 1]uint32
	for n := range coverage {
		coverage[n] = 1 << 16
		if words < search.LongText {
			coverage[n] = uint32(1<<15 + (1<<15)*n/max(1, words))
		}
	}
	return &coverage
}

// hit is a document and its score.
type hit struct {
	place
	score uint32
}

// best keeps the best size hits in a heap with the worst on top, and all hits that are near to the meaning of the query.
type best struct {
	view *view
	size int
	heap []hit

	near      []nearHit
	preferred []bitset // by part, if the query has a meaning; nil: no document
	least     float32  // similarity
	greatest  float32  // similarity of the nearest documents
}

// nearHit is a hit that is near to the meaning of the query.
type nearHit struct {
	hit
	similarity float32
}

func newBest(v *view, size int, near *nearest, query *search.Query) *best {
	b := &best{view: v, size: size}
	if near != nil {
		b.least, b.greatest, b.preferred = query.Meaning.Least, near.greatest, make([]bitset, len(v.parts))
	}
	return b
}

// addNear adds hits of a part that are near to the meaning of the query.
func (b *best) addNear(part int, documents []nearDocument, s scorer) {
	coverage := coverageOf(s.words)
	b.preferred[part] = s.preferred
	for _, d := range documents {
		b.near = append(b.near, nearHit{hit{place{part, int(d.doc)}, s.score(int(d.doc), coverage)}, d.similarity})
	}
}

// compare orders results: highest score first, then by compareDates.
func (b *best) compare(x, y hit) int {
	if x.score != y.score {
		return cmp.Compare(y.score, x.score)
	}
	return b.view.compareDates(x.place, y.place)
}

// add adds the hits of a part.
func (b *best) add(part int, docs []uint16, s scorer) {
	coverage := coverageOf(s.words)
	for _, doc16 := range docs {
		doc := int(doc16)
		score := s.score(doc, coverage)
		if len(b.heap) == b.size {
			if score < b.heap[0].score {
				continue
			}
			if h := (hit{place{part, doc}, score}); b.compare(h, b.heap[0]) < 0 {
				b.heap[0] = h
				b.sink(0)
			}
			continue
		}
		b.heap = append(b.heap, hit{place{part, doc}, score})
		if len(b.heap) == b.size {
			for i := b.size/2 - 1; i >= 0; i-- {
				b.sink(i)
			}
		}
	}
}

// sink restores the heap property for the subtree at i.
func (b *best) sink(i int) {
	h := b.heap[i]
	for {
		child := 2*i + 1
		if child >= len(b.heap) {
			break
		}
		if child+1 < len(b.heap) && b.compare(b.heap[child+1], b.heap[child]) > 0 {
			child++
		}
		if b.compare(b.heap[child], h) <= 0 {
			break
		}
		b.heap[i] = b.heap[child]
		i = child
	}
	b.heap[i] = h
}

// ordered returns the hits in their final order. It reranks the first rerankDepth hits and those near to the meaning of the
// query among themselves. They stay before all other hits of their tier, so that pages neither overlap nor leave gaps. A nil
// plan has no words.
func (b *best) ordered(plan *plan) []place {
	slices.SortFunc(b.heap, b.compare)
	first := make([]nearHit, 0, rerankDepth+len(b.near))
	for _, h := range b.heap[:min(len(b.heap), rerankDepth)] {
		first = append(first, nearHit{hit: h, similarity: -1})
	}
	words := len(first)
	first = append(first, b.near...)
	if plan != nil {
		r := reranker{view: b.view, plan: plan, titles: make([]titleWords, len(b.view.parts))}
		proximity := newNearness(b.view, plan.sequence)
		for i := range first {
			if i < nearDepth || i >= words {
				first[i].score += proximity.bonus(first[i].place)
			}
			first[i].score += r.bonus(first[i].place)
		}
	}
	if len(b.near) > 0 {
		b.fuse(first)
	}
	slices.SortFunc(first, func(x, y nearHit) int { return b.compare(x.hit, y.hit) })
	hits := make([]hit, 0, len(b.heap)+len(b.near))
	for _, h := range first {
		hits = append(hits, h.hit)
	}
	hits = append(hits, b.heap[words:]...)
	if len(b.near) > 0 {
		slices.SortStableFunc(hits, func(x, y hit) int { return cmp.Compare(y.score&tierMask, x.score&tierMask) })
	}
	places := make([]place, len(hits))
	for i, h := range hits {
		places[i] = h.place
	}
	return places
}

// tierMask selects the bits of a score that come before relevance.
const tierMask uint32 = aboveScore | boostNamedScore

// fuse replaces the relevance in the scores, which words alone determined. The bonus of preferred subjects is no score of
// words: it stays as it is.
func (b *best) fuse(hits []nearHit) {
	bonuses, bestWords := make([]uint32, len(hits)), uint32(0)
	for i := range hits {
		h := &hits[i]
		if preferred := b.preferred[h.part]; preferred != nil && preferred.has(h.doc) {
			bonuses[i] = boostPreferredScore
		}
		bestWords = max(bestWords, h.score&^tierMask-bonuses[i])
	}
	for i := range hits {
		h := &hits[i]
		words := h.score&^tierMask - bonuses[i]
		relevance := search.Fuse(float64(words), float64(bestWords), h.similarity, b.least, b.greatest)
		h.score = h.score&tierMask | (uint32(relevance*maxScore) + bonuses[i])
	}
}
