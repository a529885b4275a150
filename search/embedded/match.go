package embedded

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/relevance"
)

// question is the analyzed text of a query.
type question struct {
	text    string // the words and synonym groups as one string; words depends on nothing else
	words   []analysis.Word
	phrases [][]string
	// sequence contains the words of the whole text in order, at most maxSequence of them.
	sequence []string
}

func (x *Index) ask(text search.Text) question {
	q := question{text: text.Words, words: x.analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups)}
	for _, group := range text.SynonymGroups {
		q.text += "\x00" + strings.Join(group, "\x00")
	}
	for _, quoted := range text.Phrases {
		if phrase := x.analyzer.Phrase(quoted); len(phrase) > 0 {
			q.phrases = append(q.phrases, phrase)
		}
	}
	if q.sequence = x.analyzer.Phrase(text.Words); len(q.sequence) > maxSequence {
		q.sequence = q.sequence[:maxSequence]
	}
	return q
}

// long reports whether the text is a long one (search.LongText).
func (q *question) long() bool { return len(q.words) >= search.LongText }

// need returns how many words a document must contain at a match level.
func (q *question) need(level search.MatchLevel) int {
	if len(q.words) == 0 {
		return 0
	}
	return max(1, len(q.words)-max(0, level.OptionalWords))
}

// typo is a word of the dictionary that is near the word of the query.
type typo struct {
	term  uint32
	edits uint8
}

// plan contains the postings of a question's words in each part of a view.
type plan struct {
	question
	parts []partPlan
}

// partPlan contains the lists by word and, for each word, the similar words that typo tolerance adds.
type partPlan struct {
	lists [][]list
	typos [][]typo
}

// list contains the documents and impacts of one form of a word, and the weight of the form.
type list struct {
	docs    []uint16
	impacts []uint8
	weight  uint32
}

// typoFactors contains the factor for the weight of a word, by number of edits.
var typoFactors = [...]float64{1, 0.6, 0.3}

// planKey contains everything that a plan depends on except its view.
type planKey struct {
	words string
	typos bool
}

// plan returns the plan of a question, with similar words if typos is true. Plans are shared, and callers must not
// change them.
func (v *view) plan(ctx context.Context, q question, typos bool) (*plan, error) {
	return v.plans.try(planKey{q.text, typos}, maxPlans, func() (*plan, error) { return v.newPlan(ctx, q, typos) })
}

// newPlan creates a plan. It weights words by the number of live documents that contain them, so that neither matches
// nor their order depend on the order of writes or on the timing of merges.
func (v *view) newPlan(ctx context.Context, q question, typos bool) (*plan, error) {
	p := &plan{question: q, parts: make([]partPlan, len(v.parts))}
	frequencies := make([]int, len(q.words))
	for i := range p.parts {
		p.parts[i].lists = make([][]list, len(q.words))
		stems := &v.parts[i].stems
		for w, word := range q.words {
			for _, stem := range word.Stems {
				if term, found := stems.terms.Find(stem); found {
					docs, impacts := stems.of(term)
					p.parts[i].lists[w] = append(p.parts[i].lists[w], list{docs: docs, impacts: impacts})
					frequencies[w] += v.parts[i].alive(docs)
				}
			}
			for _, phrase := range word.Phrases {
				held, err := v.holding(ctx, phrase)
				if err != nil {
					return nil, err
				}
				found := v.parts[i].phrased(phrase, held[i])
				p.parts[i].lists[w] = append(p.parts[i].lists[w], found)
				frequencies[w] += v.parts[i].alive(found.docs)
			}
		}
	}
	documents := v.documents()
	rarities := make([]float64, len(q.words))
	for w := range rarities {
		rarities[w] = relevance.Rarity(frequencies[w], documents)
		if q.long() { // a word that a question repeats is its subject
			rarities[w] *= float64(q.words[w].Count)
		}
	}
	scale := weightScale(rarities)
	for i := range p.parts {
		p.parts[i].typos = make([][]typo, len(q.words))
		for w, lists := range p.parts[i].lists {
			for l := range lists {
				lists[l].weight = uint32(rarities[w] * scale)
			}
		}
	}
	if typos {
		for w, word := range q.words {
			if err := interrupted(ctx); err != nil {
				return nil, err
			}
			if frequencies[w] < search.KnownWord || v.having(p, w) < search.KnownWord {
				v.addTypos(p, w, word.Exact, func(t typo, documentsWith int) uint32 {
					// A form that is rarer than the typed word is not a better guess.
					return uint32(min(rarities[w], relevance.Rarity(documentsWith, documents)) * typoFactors[t.edits] * scale)
				})
			}
		}
	}
	return p, nil
}

// phrased returns the list of the documents that contain a phrase. The impact of each is the lowest impact of the
// phrase's words in the document.
func (s *segment) phrased(phrase []string, held bitset) list {
	l := list{docs: held.appendTo(nil)}
	if len(l.docs) == 0 {
		return l
	}
	l.impacts = make([]uint8, len(l.docs))
	for i := range l.impacts {
		l.impacts[i] = math.MaxUint8
	}
	for _, word := range phrase {
		term, _ := s.exact.terms.Find(word)
		docs, impacts := s.exact.of(term)
		for i, doc := range l.docs {
			at, _ := slices.BinarySearch(docs, doc)
			l.impacts[i] = min(l.impacts[i], impacts[at])
		}
	}
	return l
}

// having counts the live documents that contain a word in any of its forms.
func (v *view) having(p *plan, word int) int {
	n := 0
	for i := range p.parts {
		part := &v.parts[i]
		has := newBitset(part.size)
		for _, list := range p.parts[i].lists[word] {
			has.addAll(list.docs)
		}
		has.and(part.live)
		n += has.count()
	}
	return n
}

// maxWeights is the sum of the weights of all words. Multiplied by the greatest impact, it stays below the bits that
// count words.
const maxWeights = (1<<countShift - 1) / 256

func weightScale(weights []float64) float64 {
	sum := 0.0
	for _, weight := range weights {
		sum += weight
	}
	return maxWeights / max(sum, 1e-9)
}

// addTypos adds the words that are similar to word to a plan. weight returns the weight of a similar word that
// documentsWith live documents contain.
func (v *view) addTypos(plan *plan, w int, word string, weight func(t typo, documentsWith int) uint32) {
	frequencies := map[string]int{}
	for i := range v.parts {
		p := &v.parts[i]
		p.typos.Find(word, analysis.Edits(word), func(term uint32, edits uint8) {
			docs, _ := p.exact.of(int(term))
			frequencies[string(p.exact.terms.At(int(term)))] += p.alive(docs)
			plan.parts[i].typos[w] = append(plan.parts[i].typos[w], typo{term: term, edits: edits})
		})
	}
	for i := range plan.parts {
		exact := &v.parts[i].exact
		for _, t := range plan.parts[i].typos[w] {
			docs, impacts := exact.of(int(t.term))
			plan.parts[i].lists[w] = append(plan.parts[i].lists[w], list{
				docs: docs, impacts: impacts, weight: weight(t, frequencies[string(exact.terms.At(int(t.term)))]),
			})
		}
	}
}

// A document's tally counts its matching words in the high bits and sums their scores in the low bits, so that each
// posting costs one addition.
const (
	countShift = 24
	oneWord    = 1 << countShift
	scoreMask  = oneWord - 1
)

// tallies contains the tally of each document of the current part, and buffers for one word.
type tallies struct {
	sums    []uint32
	word    []uint32 // all zero between words
	touched []uint16
}

func newTallies() *tallies {
	return &tallies{sums: make([]uint32, maxSegment), word: make([]uint32, maxSegment)}
}

// add computes the tallies of a part for the words of a text, which is long or not. They are valid until the next call.
func (t *tallies) add(size int, lists [][]list, long bool) []uint32 {
	sums := t.sums[:size]
	clear(sums)
	for _, forms := range lists {
		switch {
		case len(forms) == 0:
		case len(forms) > 1:
			t.addForms(sums, forms, long)
		case long:
			addLongList(sums, forms[0])
		default:
			addList(sums, forms[0])
		}
	}
	return sums
}

func addList(sums []uint32, l list) {
	impacts := l.impacts[:len(l.docs)]
	for i, doc := range l.docs {
		sums[doc] += oneWord + uint32(impacts[i])*l.weight
	}
}

// addLongList is addList for a word of a long text.
func addLongList(sums []uint32, l list) {
	impacts := l.impacts[:len(l.docs)]
	for i, doc := range l.docs {
		sums[doc] += oneWord + longImpacts[impacts[i]]*l.weight
	}
}

// addForms counts a word with several forms once per document, with the score of the form that scores highest.
func (t *tallies) addForms(sums []uint32, forms []list, long bool) {
	t.touched = t.touched[:0]
	for _, l := range forms {
		impacts := l.impacts[:len(l.docs)]
		for i, doc := range l.docs {
			impact := uint32(impacts[i])
			if long {
				impact = longImpacts[impact]
			}
			score := oneWord + impact*l.weight
			if t.word[doc] == 0 {
				t.touched = append(t.touched, doc)
			}
			t.word[doc] = max(t.word[doc], score)
		}
	}
	for _, doc := range t.touched {
		sums[doc] += t.word[doc]
		t.word[doc] = 0
	}
}

// matching keeps in set the documents that contain at least need words.
func matching(set bitset, sums []uint32, need int) {
	least := uint32(need) << countShift
	for i, word := range set {
		if word == 0 {
			continue
		}
		block := sums[i<<6 : min(i<<6+64, len(sums))]
		kept := uint64(0)
		for bit, sum := range block {
			// The highest bit of the difference is set if sum < least. A branch would often be mispredicted.
			kept |= ^(uint64(sum) - uint64(least)) >> 63 << bit
		}
		set[i] = word & kept
	}
}

// histogram adds to counts, for each number of words, how many documents of set contain that many. It clears the
// tallies of all other documents.
func histogram(set bitset, sums []uint32, counts []int) {
	for i, word := range set {
		for others := ^word; others != 0; others &= others - 1 {
			if doc := i<<6 | bits.TrailingZeros64(others); doc < len(sums) {
				sums[doc] = 0
			}
		}
	}
	// Adjacent documents use separate counters. They often have the same number of words, and each increment of one
	// counter would wait for the previous one.
	var even, odd [maxWords + 1]uint32
	for i := 0; i+1 < len(sums); i += 2 {
		even[sums[i]>>countShift]++
		odd[sums[i+1]>>countShift]++
	}
	if len(sums)%2 == 1 {
		even[sums[len(sums)-1]>>countShift]++
	}
	for n := range counts {
		counts[n] += int(even[n] + odd[n])
	}
	counts[0] -= len(sums) - set.count()
}

// matchPhrases keeps in the set of a part the documents that contain every phrase.
func (v *view) matchPhrases(ctx context.Context, part int, set bitset, phrases [][]string) error {
	for _, phrase := range phrases {
		if set.next(0) < 0 {
			return nil // the other phrases cannot change an empty set
		}
		held, err := v.holding(ctx, phrase)
		if err != nil {
			return err
		}
		set.and(held[part])
	}
	return nil
}

// holding returns, for each part, the documents that contain a phrase. The sets are shared, and callers must not change
// them. Results are cached, because reading the positions of frequent words is the most expensive step of a search.
func (v *view) holding(ctx context.Context, phrase []string) ([]bitset, error) {
	return v.phrases.try(strings.Join(phrase, " "), maxPhrases, func() ([]bitset, error) {
		sets := make([]bitset, len(v.parts))
		for i := range v.parts {
			var err error
			if sets[i], err = v.parts[i].holding(ctx, phrase); err != nil {
				return nil, err
			}
		}
		return sets, nil
	})
}

// interruptEvery is the number of documents between two checks for cancellation.
const interruptEvery = 4096

// interrupted returns an error of code Unavailable if the context is canceled.
func interrupted(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return unavailable("the search was interrupted", err)
	}
	return nil
}

// holding returns the documents that contain the words of the phrase at consecutive positions.
func (s *segment) holding(ctx context.Context, phrase []string) (bitset, error) {
	held := newBitset(s.size)
	terms := make([]int, len(phrase))
	rarest := 0
	for i, word := range phrase {
		term, found := s.exact.terms.Find(word)
		if !found {
			return held, nil
		}
		terms[i] = term
		if s.exact.documents(term) < s.exact.documents(terms[rarest]) {
			rarest = i
		}
	}
	m := phraseMatcher{postings: &s.exact, terms: terms, first: rarest, next: make([]int, len(terms))}
	for i, term := range terms {
		m.next[i] = int(s.exact.first[term])
	}
	docs, _ := s.exact.of(terms[rarest])
	for i, doc := range docs {
		if i%interruptEvery == 0 {
			if err := interrupted(ctx); err != nil {
				return nil, err
			}
		}
		if m.matches(doc, int(s.exact.first[terms[rarest]])+i) {
			held.add(int(doc))
		}
	}
	return held, nil
}

// phraseMatcher checks documents for a phrase. The documents must be passed in ascending order.
type phraseMatcher struct {
	postings *postings
	terms    []int
	first    int   // the index in terms of the rarest term
	next     []int // by term: the posting to search from

	starts, others []uint32
}

func (m *phraseMatcher) matches(doc uint16, place int) bool {
	for i := range m.terms {
		if i != m.first && !m.advance(i, doc) {
			return false
		}
	}
	m.starts = appendPositions(m.starts[:0], m.postings.positionList(place))
	for i := range m.starts {
		m.starts[i] -= uint32(m.first) // wraps if the phrase cannot start; no position is that high
	}
	for i := 0; i < len(m.terms) && len(m.starts) > 0; i++ {
		if i != m.first {
			m.others = appendPositions(m.others[:0], m.postings.positionList(m.next[i]))
			m.starts = keepFollowed(m.starts, m.others, uint32(i))
		}
	}
	return len(m.starts) > 0
}

// advance moves a term to its first posting at or after doc and reports whether doc contains the term.
func (m *phraseMatcher) advance(i int, doc uint16) bool {
	end := int(m.postings.first[m.terms[i]+1])
	docs := m.postings.docs
	at, step := m.next[i], 1
	for at+step < end && docs[at+step] < doc {
		at += step
		step *= 2
	}
	n, found := slices.BinarySearch(docs[at:min(at+step+1, end)], doc)
	m.next[i] = at + n
	return found
}

// keepFollowed keeps the starts for which others contains start+distance. Both lists are ascending, except for starts
// that have wrapped.
func keepFollowed(starts, others []uint32, distance uint32) []uint32 {
	kept := starts[:0]
	for _, start := range starts {
		if _, found := slices.BinarySearch(others, start+distance); found {
			kept = append(kept, start)
		}
	}
	return kept
}
