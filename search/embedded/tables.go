package embedded

import "slices"

// facetAttributes is the number of attributes that are facets; they come first.
const facetAttributes = categories

// tables contains the values of the facets of a segment, so that they can be counted in one pass over the documents. The values
// of all facets have consecutive numbers.
type tables struct {
	first [facetAttributes + 1]int // by facet: the number of its first value; and the end
	// frequent and rare contain the values of each document: those that have a set, which sets contains in their order, and
	// the others.
	frequent, rare table
	sets           []numberedSet
}

type numberedSet struct {
	number int
	set    bitset
}

// table contains numbers by document: narrow if they have at most 16 bits.
type table struct {
	first  []uint32 // by document: the index of its first number; and the end
	narrow []uint16
	wide   []uint32
}

// newTables creates the tables of size documents.
func newTables(size int, attributes *[attributeCount]attribute) tables {
	var t tables
	for name := range facetAttributes {
		t.first[name+1] = t.first[name] + len(attributes[name].values)
		for ordinal, set := range attributes[name].sets {
			if set != nil {
				t.sets = append(t.sets, numberedSet{t.first[name] + ordinal, set})
			}
		}
	}
	build := func(frequent bool) table {
		b := table{first: make([]uint32, size+1)}
		each := func(visit func(doc, number int)) {
			for name := range facetAttributes {
				a := &attributes[name]
				for ordinal, set := range a.sets {
					if (set != nil) == frequent {
						a.each(ordinal, func(doc int) { visit(doc, t.first[name]+ordinal) })
					}
				}
			}
		}
		each(func(doc, _ int) { b.first[doc+1]++ })
		for doc := range size {
			b.first[doc+1] += b.first[doc]
		}
		if t.values() <= 1<<16 {
			b.narrow = make([]uint16, b.first[size])
		} else {
			b.wide = make([]uint32, b.first[size])
		}
		// Each start becomes the index of the document's next number, and with the last one the start of the next document.
		each(func(doc, number int) {
			at := b.first[doc]
			b.first[doc]++
			if b.narrow != nil {
				b.narrow[at] = uint16(number)
			} else {
				b.wide[at] = uint32(number)
			}
		})
		copy(b.first[1:], b.first)
		b.first[0] = 0
		return b
	}
	t.frequent, t.rare = build(true), build(false)
	return t
}

// values returns the number of values of all facets.
func (t *tables) values() int { return t.first[facetAttributes] }

// count counts the values of documents, which the set hits and the list docs contain.
func (t *tables) count(hits bitset, docs []uint16, counts []uint32) {
	clear(counts)
	t.rare.count(docs, counts)
	// Counting by documents costs about as much for each value as counting by sets for each two words.
	if len(docs)*len(t.frequent.narrow)*2 < len(t.sets)*len(hits)*len(t.frequent.first) {
		t.frequent.count(docs, counts)
		return
	}
	for _, s := range t.sets {
		counts[s.number] = uint32(hits.countAnd(s.set))
	}
}

func (t *table) count(docs []uint16, counts []uint32) {
	if t.wide != nil {
		countNumbers(t.first, t.wide, docs, counts)
	} else {
		countNumbers(t.first, t.narrow, docs, counts)
	}
}

func countNumbers[T uint16 | uint32](first []uint32, numbers []T, docs []uint16, counts []uint32) {
	for _, doc := range docs {
		for _, number := range numbers[first[doc]:first[int(doc)+1]] {
			counts[number]++
		}
	}
}

// totals returns the counts of all documents that a caller may find, dead ones included. If most of them match a query, it is
// faster to count the others. Callers must not change the counts.
func (s *segment) totals(who visibility, seen bitset) []uint32 {
	return s.counted.get(who, maxVisibilities, func() []uint32 {
		counts := make([]uint32, s.tables.values())
		s.tables.count(seen, seen.appendTo(nil), counts)
		return counts
	})
}

// countAll counts the values of all facets in hits, which docs lists. all and totals are a set that contains them, and its
// counts; nil: unknown.
func (s *scratch) countAll(t *tables, hits bitset, docs []uint16, all bitset, totals, counts []uint32) {
	if totals == nil || len(docs) < all.count()/2 {
		t.count(hits, docs, counts)
		return
	}
	others := s.emptySet(othersBuffer, len(all))
	others.or(all)
	others.andNot(hits)
	s.others = others.appendTo(s.others[:0])
	t.count(others, s.others, counts)
	for number, total := range totals {
		counts[number] = total - counts[number]
	}
}

// countFacet is countAll for one facet. It changes the counts of its values only.
func (s *scratch) countFacet(t *tables, name attributeName, a *attribute, hits, all bitset, totals, counts []uint32) {
	from, end := t.first[name], t.first[name+1]
	documents := hits.count()
	if totals != nil {
		documents = min(documents, all.count()-documents)
	}
	// This is roughly the cost of counting all facets, in half nanoseconds, and that of counting this one by its values.
	if 20*documents < len(a.dense)*len(hits)+2*len(a.lists) {
		s.facetDocs = hits.appendTo(s.facetDocs[:0])
		whole := s.countsOf(1, t.values())
		s.countAll(t, hits, s.facetDocs, all, totals, whole)
		copy(counts[from:end], whole[from:end])
		return
	}
	for ordinal, set := range a.sets {
		if set != nil {
			counts[from+ordinal] = uint32(hits.countAnd(set))
		} else {
			counts[from+ordinal] = uint32(hits.countOf(a.list(ordinal)))
		}
	}
}

// countsOf returns the first or second buffer for a number of counts.
func (s *scratch) countsOf(number, size int) []uint32 {
	s.counts[number] = slices.Grow(s.counts[number][:0], size)[:size]
	return s.counts[number]
}
