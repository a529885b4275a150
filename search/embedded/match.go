package embedded

import (
	"cmp"
	"context"
	"math"
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
	// order contains the words that the part contains, in descending order of the greatest score that they can add to a
	// document. bounds contains, for each of them, the greatest score that it and all later ones can add, and 0 at the end.
	order  []int
	bounds []uint32
	// matching contains the documents that contain a number of words, by that number.
	matching memory[int, bitset]
}

// list contains the documents and impacts of one form of a word, the weight of the form, and a bound of the impacts.
type list struct {
	docs    []uint16
	impacts []uint8
	weight  uint32
	most    uint8
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
	frequencies, err := v.findWords(ctx, p)
	if err != nil {
		return nil, err
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
			if frequencies[w] >= search.KnownWord && v.having(p, w) >= search.KnownWord {
				continue
			}
			err := v.addTypos(ctx, p, w, word.Exact, func(t typo, documentsWith int) uint32 {
				// A form that is rarer than the typed word is not a better guess.
				return uint32(min(rarities[w], relevance.Rarity(documentsWith, documents)) * typoFactors[t.edits] * scale)
			})
			if err != nil {
				return nil, err
			}
		}
	}
	for i := range p.parts {
		p.parts[i].bound(q.long())
	}
	return p, nil
}

// findWords adds the lists of the words as they are typed, without their weights. It returns the number of live documents
// in the lists of each word.
func (v *view) findWords(ctx context.Context, p *plan) ([]int, error) {
	found := make([][]int, len(v.parts))
	err := v.walk(ctx, func(*scratch) func(int) error {
		return func(i int) error {
			part, lists := &v.parts[i], make([][]list, len(p.words))
			found[i] = make([]int, len(p.words))
			for w, word := range p.words {
				for _, stem := range word.Stems {
					if term, known := part.stems.find(stem); known {
						lists[w] = append(lists[w], part.stems.list(term))
					}
				}
				for _, phrase := range word.Phrases {
					held, err := v.holding(ctx, i, phrase)
					if err != nil {
						return err
					}
					lists[w] = append(lists[w], part.phrased(phrase, held))
				}
				for _, l := range lists[w] {
					found[i][w] += part.alive(l.docs)
				}
			}
			p.parts[i].lists = lists
			return nil
		}
	})
	frequencies := make([]int, len(p.words))
	for _, inPart := range found {
		for w, documents := range inPart {
			frequencies[w] += documents
		}
	}
	return frequencies, err
}

// bound computes order and bounds.
func (p *partPlan) bound(long bool) {
	bounds := make([]uint32, len(p.lists))
	for w, forms := range p.lists {
		for _, l := range forms {
			bounds[w] = max(bounds[w], l.impact(l.most, long)*l.weight)
		}
		if slices.ContainsFunc(forms, func(l list) bool { return len(l.docs) > 0 }) {
			p.order = append(p.order, w)
		}
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(bounds[b], bounds[a]) })
	p.bounds = make([]uint32, len(p.order)+1)
	for i := len(p.order) - 1; i >= 0; i-- {
		p.bounds[i] = p.bounds[i+1] + bounds[p.order[i]]
	}
}

// impact returns the impact of a posting of a text that is long or not.
func (l *list) impact(stored uint8, long bool) uint32 {
	if long {
		return longImpacts[stored]
	}
	return uint32(stored)
}

// phrased returns the list of the documents that contain a phrase. The impact of each is the lowest impact of the
// phrase's words in the document.
func (s *segment) phrased(phrase []string, held bitset) list {
	l := list{docs: held.appendTo(nil), most: math.MaxUint8}
	if len(l.docs) == 0 {
		return l
	}
	l.impacts = make([]uint8, len(l.docs))
	for i := range l.impacts {
		l.impacts[i] = math.MaxUint8
	}
	for _, word := range phrase {
		term, _ := s.exact.find(word)
		docs, impacts := s.exact.of(term)
		for i, doc := range l.docs {
			at, _ := slices.BinarySearch(docs, doc)
			l.impacts[i] = min(l.impacts[i], impacts[at])
		}
	}
	return l
}

// having counts the live documents that contain a word in any of its forms. It stops at search.KnownWord.
func (v *view) having(p *plan, word int) (n int) {
	for i := range p.parts {
		part, forms := &v.parts[i], p.parts[i].lists[word]
		if len(forms) == 1 {
			n += part.alive(forms[0].docs)
		} else if len(forms) > 1 {
			has := newBitset(part.size)
			for _, form := range forms {
				has.addAll(form.docs)
			}
			n += has.countAnd(part.live)
		}
		if n >= search.KnownWord {
			break
		}
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
func (v *view) addTypos(ctx context.Context, plan *plan, w int, word string, weight func(t typo, documentsWith int) uint32) error {
	err := v.walk(ctx, func(*scratch) func(int) error {
		return func(i int) error {
			v.parts[i].typos.Find(word, analysis.Edits(word), func(term uint32, edits uint8) {
				plan.parts[i].typos[w] = append(plan.parts[i].typos[w], typo{term: term, edits: edits})
			})
			return nil
		}
	})
	if err != nil {
		return err
	}
	frequencies := map[string]int{}
	for i := range v.parts {
		p := &v.parts[i]
		for _, t := range plan.parts[i].typos[w] {
			docs, _ := p.exact.of(int(t.term))
			frequencies[string(p.exact.terms.At(int(t.term)))] += p.alive(docs)
		}
	}
	for i := range plan.parts {
		exact := &v.parts[i].exact
		for _, t := range plan.parts[i].typos[w] {
			l := exact.list(int(t.term))
			l.weight = weight(t, frequencies[string(exact.terms.At(int(t.term)))])
			plan.parts[i].lists[w] = append(plan.parts[i].lists[w], l)
		}
	}
	return nil
}

// matching returns the documents of a part that contain at least need of the plan's words. The set is shared, and callers
// must not change it.
func (p *plan) matching(part *part, i, need int, s *scratch) bitset {
	own := &p.parts[i]
	return own.matching.get(need, maxWords, func() bitset {
		set := newBitset(part.size)
		switch {
		case need <= 0:
			set.addRange(0, part.size)
		case need > len(own.order):
		case need == len(own.order):
			s.addWithAll(set, own)
		case need == 1:
			s.addForms(set, own.lists...)
		default:
			s.addWithMany(set, own, need)
		}
		return set
	})
}

// addForms adds the documents that contain any of some words, in any of their forms. For many postings, it marks a byte for each
// document and then packs the bytes: adding to bits of which the same word of the processor was just written takes four times
// as long.
func (s *scratch) addForms(set bitset, words ...[]list) {
	postings := 0
	for _, forms := range words {
		for _, l := range forms {
			postings += len(l.docs)
		}
	}
	if postings < maxSegment/8 {
		for _, forms := range words {
			for _, l := range forms {
				set.addAll(l.docs)
			}
		}
		return
	}
	for _, forms := range words {
		for _, l := range forms {
			for _, doc := range l.docs {
				s.marks[doc] = 1
			}
		}
	}
	set.addMarks(&s.marks)
	clear(s.marks[:len(set)<<6])
}

// addWithAll adds the documents that contain all words of a plan. It begins with the rarest.
func (s *scratch) addWithAll(set bitset, p *partPlan) {
	order, sizes := slices.Clone(p.order), make([]int, len(p.lists))
	for w, forms := range p.lists {
		for _, l := range forms {
			sizes[w] += len(l.docs)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	s.addForms(set, p.lists[order[0]])
	for _, w := range order[1:] {
		word := s.emptySet(wordsBuffer, len(set))
		if left := set.count(); left*rare > sizes[w] {
			s.addForms(word, p.lists[w])
		} else {
			s.docs = set.appendTo(s.docs[:0])
			s.kept.docs, s.kept.impacts = s.kept.docs[:0], s.kept.impacts[:0]
			for _, l := range p.lists[w] {
				word.addAll(s.restrict(l, s.docs, set).docs)
			}
		}
		set.and(word)
	}
}

// addWithMany adds the documents that contain at least need of the words of a plan. It counts the words of 64 documents at
// once: each bit of the numbers is a word of bits, one for each document.
func (s *scratch) addWithMany(set bitset, p *partPlan, need int) {
	words := make([]bitset, len(p.order))
	for i, w := range p.order {
		words[i] = s.emptySet(wordsBuffer+i, len(set))
		s.addForms(words[i], p.lists[w])
	}
	for i := range set {
		var digits [8]uint64
		for _, word := range words {
			carry := word[i]
			for d := 0; carry != 0; d++ {
				digits[d], carry = digits[d]^carry, digits[d]&carry
			}
		}
		more, equal := uint64(0), ^uint64(0)
		for d := len(digits) - 1; d >= 0; d-- {
			if need>>d&1 == 0 {
				more |= equal & digits[d]
				equal &^= digits[d]
			} else {
				equal &= digits[d]
			}
		}
		set[i] = more | equal
	}
}
