package embedded

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/search"
)

// A document's tally counts its matching words in the high bits and sums their scores in the low bits, so that each
// posting costs one addition.
const (
	countShift = 24
	oneWord    = 1 << countShift
	scoreMask  = oneWord - 1
)

// The low 30 bits of a score are the relevance: at most maxScore for the words, plus bonuses. leadScore is set for
// boosted documents. aboveScore, the highest bit, is set for documents that are not buried, if the query buries any.
const (
	aboveScore      = 1 << 31
	boostNamedScore = 1 << 30
	maxScore        = scoreMask
	// boostPreferredScore ranks videos of preferred subjects above others with a similar score.
	boostPreferredScore = maxScore / 32
)

// scorer computes the scores of documents of a part.
type scorer struct {
	plan  *partPlan // nil: the text has no words
	long  bool
	words int
	// Documents that rank above others. nil: the set is empty, or it would not affect the order.
	above, boosted, preferred bitset
}

// bonus returns the score of a document beside that of its words.
func (s *scorer) bonus(doc int) uint32 {
	bonus := uint32(0)
	if s.preferred != nil && s.preferred.has(doc) {
		bonus += boostPreferredScore
	}
	if s.boosted != nil && s.boosted.has(doc) {
		bonus |= boostNamedScore
	}
	if s.above != nil && s.above.has(doc) {
		bonus |= aboveScore
	}
	return bonus
}

// mostBonus returns the greatest bonus of a document that is not boosted.
func (s *scorer) mostBonus() uint32 {
	bonus := uint32(0)
	if s.preferred != nil {
		bonus += boostPreferredScore
	}
	if s.above != nil {
		bonus |= aboveScore
	}
	return bonus
}

// score returns the score of a document with a tally: the sum of the words' scores, multiplied by a factor that coverageOf
// returns, and the bonus.
func (s *scorer) score(doc int, tally uint32, coverage *[maxWords + 1]uint32) uint32 {
	return uint32(uint64(tally&scoreMask)*uint64(coverage[tally>>countShift])>>16) + s.bonus(doc)
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
	// bar is the greatest score that the worst of size hits had so far, in the heap of any goroutine of a search; no worse hit
	// is among the best.
	bar *atomic.Uint32

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
	b := &best{view: v, size: size, bar: &atomic.Uint32{}}
	if near != nil {
		b.least, b.greatest, b.preferred = query.Meaning.Least, near.greatest, make([]bitset, len(v.parts))
	}
	return b
}

// fork returns an empty best for another goroutine of the same search.
func (b *best) fork() *best {
	other := *b
	other.heap, other.near, other.preferred = nil, nil, slices.Clone(b.preferred)
	return &other
}

// join adds the hits of another goroutine.
func (b *best) join(other *best) {
	b.heap, b.near = append(b.heap, other.heap...), append(b.near, other.near...)
	for part, preferred := range other.preferred {
		if preferred != nil {
			b.preferred[part] = preferred
		}
	}
}

// addNear adds hits of a part that are near to the meaning of the query.
func (b *best) addNear(part int, documents []nearDocument, sc scorer, s *scratch) {
	coverage := coverageOf(sc.words)
	b.preferred[part] = sc.preferred
	docs := make([]uint16, len(documents))
	for i, d := range documents {
		docs[i] = d.doc
	}
	if sc.plan != nil {
		in := newBitset(maxSegment)
		in.addAll(docs)
		for _, w := range sc.plan.order {
			s.tallySome(sc.plan.lists[w], sc.long, docs, in)
		}
	}
	for _, d := range documents {
		tally := s.sums[d.doc]
		b.near = append(b.near, nearHit{hit{place{part, int(d.doc)}, sc.score(int(d.doc), tally, coverage)}, d.similarity})
	}
	s.forget(docs)
}

// compare orders results: highest score first, then by compareDates.
func (b *best) compare(x, y hit) int {
	if x.score != y.score {
		return cmp.Compare(y.score, x.score)
	}
	return b.view.compareDates(x.place, y.place)
}

// rare is how many times more postings than documents make it faster to look for the documents among the postings.
const rare = 8

// rank adds the best of the hits of a part, which docs lists. It tallies the words in descending order of their bounds. Once
// the bounds of the remaining words are too low for any document that has none of the words so far, it looks for the remaining
// words only in the documents that can still be among the best.
func (b *best) rank(part int, hits bitset, docs []uint16, sc scorer, s *scratch) {
	if sc.plan == nil {
		b.add(part, docs, sc, s)
		return
	}
	p, next, candidates, in := sc.plan, 0, docs, hits
	postings := 0
	for _, w := range p.order {
		for _, l := range p.lists[w] {
			postings += len(l.docs)
		}
	}
	all := postings < rare*len(docs)
	if all {
		union := s.emptySet(unionBuffer, len(hits))
		for ; next < len(p.order) && p.bounds[next]+sc.mostBonus() >= b.bar.Load(); next++ {
			s.tally(p.lists[p.order[next]], sc.long)
			s.addForms(union, p.lists[p.order[next]])
		}
		if next < len(p.order) {
			if sc.boosted != nil {
				union.or(sc.boosted)
			}
			union.and(hits)
			s.picked = union.appendTo(s.picked[:0])
			candidates, in = s.picked, union
		}
	}
	for ; next < len(p.order); next++ {
		candidates = s.promising(candidates, p.bounds[next], b.bar.Load(), &sc)
		s.tallySome(p.lists[p.order[next]], sc.long, candidates, in)
	}
	b.add(part, candidates, sc, s)
	if all {
		clear(s.sums[:len(hits)<<6])
	} else {
		s.forget(docs)
	}
}

// promising returns those of the candidates that can reach the bar if they get a score of rest for further words.
func (s *scratch) promising(candidates []uint16, rest, bar uint32, sc *scorer) []uint16 {
	if bar == 0 {
		return candidates
	}
	s.picked = slices.Grow(s.picked[:0], len(candidates))[:len(candidates)] // may be candidates
	kept := 0
	for _, doc := range candidates {
		s.picked[kept] = doc
		if s.sums[doc]&scoreMask+rest+sc.bonus(int(doc)) >= bar {
			kept++
		}
	}
	return s.picked[:kept]
}

// tally adds a word to the tallies of all documents that contain it. A word with several forms counts once, with the score
// of the form that scores highest.
func (s *scratch) tally(forms []list, long bool) {
	if len(forms) == 1 {
		l := forms[0]
		impacts := l.impacts[:len(l.docs)]
		if long {
			for i, doc := range l.docs {
				s.sums[doc] += oneWord + longImpacts[impacts[i]]*l.weight
			}
			return
		}
		for i, doc := range l.docs {
			s.sums[doc] += oneWord + uint32(impacts[i])*l.weight
		}
		return
	}
	s.touched = s.touched[:0]
	for _, l := range forms {
		impacts := l.impacts[:len(l.docs)]
		for i, doc := range l.docs {
			score := oneWord + l.impact(impacts[i], long)*l.weight
			if s.word[doc] == 0 {
				s.touched = append(s.touched, doc)
			}
			s.word[doc] = max(s.word[doc], score)
		}
	}
	for _, doc := range s.touched {
		s.sums[doc] += s.word[doc]
		s.word[doc] = 0
	}
}

// tallySome is tally for some documents, which are in ascending order. It may tally others of the set in, which contains them.
func (s *scratch) tallySome(forms []list, long bool, docs []uint16, in bitset) {
	s.kept.docs, s.kept.impacts, s.forms = s.kept.docs[:0], s.kept.impacts[:0], s.forms[:0]
	for _, l := range forms {
		if some := s.restrict(l, docs, in); len(some.docs) > 0 {
			s.forms = append(s.forms, some)
		}
	}
	if len(s.forms) > 0 {
		s.tally(s.forms, long)
	}
}

// restrict returns the postings of documents, which are in ascending order. It may return those of others of the set in, which
// contains them. The list is a part of kept.
func (s *scratch) restrict(l list, docs []uint16, in bitset) list {
	from, impacts := len(s.kept.docs), l.impacts[:len(l.docs)]
	if len(l.docs) < rare*len(docs) {
		for i, doc := range l.docs {
			if in.has(int(doc)) {
				s.kept.docs, s.kept.impacts = append(s.kept.docs, doc), append(s.kept.impacts, impacts[i])
			}
		}
	} else {
		at := 0
		for _, doc := range docs {
			if at = seek(l.docs, at, doc); at == len(l.docs) {
				break
			}
			if l.docs[at] == doc {
				s.kept.docs, s.kept.impacts = append(s.kept.docs, doc), append(s.kept.impacts, impacts[at])
			}
		}
	}
	l.docs, l.impacts = s.kept.docs[from:], s.kept.impacts[from:]
	return l
}

// seek returns the first index, not less than at, of a document that is not less than doc. It is fast if the document is near.
func seek(docs []uint16, at int, doc uint16) int {
	step := 1
	for at+step < len(docs) && docs[at+step] < doc {
		at += step
		step *= 2
	}
	n, _ := slices.BinarySearch(docs[at:min(at+step+1, len(docs))], doc)
	return at + n
}

// forget clears the tallies of documents.
func (s *scratch) forget(docs []uint16) {
	for _, doc := range docs {
		s.sums[doc] = 0
	}
}

// add adds hits of a part, whose tallies are complete.
func (b *best) add(part int, docs []uint16, sc scorer, s *scratch) {
	coverage := coverageOf(sc.words)
	least := uint32(0) // a lower score is not among the best
	for _, doc16 := range docs {
		doc := int(doc16)
		score := sc.score(doc, s.sums[doc], coverage)
		if len(b.heap) == b.size {
			if score < least {
				continue
			}
			if h := (hit{place{part, doc}, score}); b.compare(h, b.heap[0]) < 0 {
				b.heap[0] = h
				b.sink(0)
				least = b.heap[0].score
			} else if least = b.heap[0].score; score == least {
				least++ // the later documents of the part are older
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
	if len(b.heap) == b.size {
		b.raise(b.heap[0].score)
	}
}

// raise raises the bar for all goroutines.
func (b *best) raise(score uint32) {
	for bar := b.bar.Load(); bar < score && !b.bar.CompareAndSwap(bar, score); bar = b.bar.Load() {
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
	b.heap = b.heap[:min(len(b.heap), b.size)]
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
