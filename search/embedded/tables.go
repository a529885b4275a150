package embedded

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// facetAttributes is the number of attributes that are facets; they come first.
const facetAttributes = categories

// tables contains the values of the facets of a segment by document, so that they can be counted in one pass over documents.
// The values of all facets have consecutive numbers.
type tables struct {
	facets [facetAttributes + 1]int // by facet: the number of its first value; and the end
	// The numbers of a document's values are in narrow, if all have at most 16 bits, or else in wide: from first, included, to
	// the first of the next document. Those from rare on are of values that have a list; those before are of values that have a
	// set, which sets contains.
	first, rare []uint32
	narrow      []uint16
	wide        []uint32
	sets        []numberedSet

	attributes *[attributeCount]attribute
	listed     int // the documents of all lists together
}

type numberedSet struct {
	number int
	set    bitset
}

// newTables creates the tables of size documents.
func newTables(size int, attributes *[attributeCount]attribute) tables {
	t := tables{first: make([]uint32, size+1), attributes: attributes}
	for name := range facetAttributes {
		t.facets[name+1] = t.facets[name] + len(attributes[name].values)
		t.listed += len(attributes[name].lists)
		for ordinal, set := range attributes[name].sets {
			if set != nil {
				t.sets = append(t.sets, numberedSet{t.facets[name] + ordinal, set})
			}
		}
	}
	each := func(sets bool, visit func(doc, number int)) {
		for name := range facetAttributes {
			a := &attributes[name]
			for ordinal, set := range a.sets {
				if (set != nil) == sets {
					a.each(ordinal, func(doc int) { visit(doc, t.facets[name]+ordinal) })
				}
			}
		}
	}
	for _, sets := range []bool{true, false} {
		each(sets, func(doc, _ int) { t.first[doc+1]++ })
	}
	for doc := range size {
		t.first[doc+1] += t.first[doc]
	}
	if t.values() <= 1<<16 {
		t.narrow = make([]uint16, t.first[size])
	} else {
		t.wide = make([]uint32, t.first[size])
	}
	next := slices.Clone(t.first[:size])
	put := func(doc, number int) {
		if t.narrow != nil {
			t.narrow[next[doc]] = uint16(number)
		} else {
			t.wide[next[doc]] = uint32(number)
		}
		next[doc]++
	}
	each(true, put)
	t.rare = slices.Clone(next)
	each(false, put)
	return t
}

// values returns the number of values of all facets.
func (t *tables) values() int { return t.facets[facetAttributes] }

// count counts the values of documents, which the set hits and the list docs contain.
func (t *tables) count(hits bitset, docs []uint16, counts []uint32) {
	clear(counts)
	// A document costs about as much as eight of a list, whose order the processor foresees.
	if len(docs)*8 > t.listed+2*t.values() {
		for name := range facetAttributes {
			t.attributes[name].count(hits, counts[t.facets[name]:t.facets[name+1]])
		}
		return
	}
	// A set costs about as much for each three words as a document for each value.
	from := t.first
	if len(docs)*(len(t.narrow)+len(t.wide))*3 > len(t.sets)*len(hits)*len(t.rare) {
		from = t.rare
		for _, s := range t.sets {
			counts[s.number] = uint32(hits.countAnd(s.set))
		}
	}
	if t.wide != nil {
		countNumbers(from, t.first[1:], t.wide, docs, counts)
	} else {
		countNumbers(from, t.first[1:], t.narrow, docs, counts)
	}
}

// countNumbers counts the numbers of documents from from, included, to end, excluded.
func countNumbers[T uint16 | uint32](from, end []uint32, numbers []T, docs []uint16, counts []uint32) {
	for _, doc := range docs {
		for _, number := range numbers[from[doc]:end[doc]] {
			counts[number]++
		}
	}
}

// whole is the set of all documents of a part that a caller may find, dead ones included, and their counts. If most of them are
// hits, it is faster to count the others.
type whole struct {
	set    bitset
	size   int
	totals func() []uint32 // callers must not change the counts
}

// wholeFor returns the documents that a caller may find.
func (s *segment) wholeFor(who visibility, access catalogue.Access) *whole {
	set := s.visibleTo(who, access)
	return &whole{set, set.count(), func() []uint32 {
		return s.counted.get(who, maxVisibilities, func() []uint32 {
			counts := make([]uint32, s.tables.values())
			s.tables.count(set, set.appendTo(nil), counts)
			return counts
		})
	}}
}

// countAll counts the values of all facets in hits, which docs lists. all contains the hits; nil: unknown.
func (s *scratch) countAll(t *tables, hits bitset, docs []uint16, all *whole, counts []uint32) {
	if all == nil || len(docs) < all.size/2 {
		t.count(hits, docs, counts)
		return
	}
	others := s.emptySet(othersBuffer, len(all.set))
	others.or(all.set)
	others.andNot(hits)
	s.others = others.appendTo(s.others[:0])
	t.count(others, s.others, counts)
	for number, total := range all.totals() {
		counts[number] = total - counts[number]
	}
}

// countFacet is countAll for one facet. It changes the counts of its values only.
func (s *scratch) countFacet(t *tables, name attributeName, a *attribute, hits bitset, all *whole, counts []uint32) {
	from, end := t.facets[name], t.facets[name+1]
	documents := hits.count()
	if all != nil {
		documents = min(documents, all.size-documents)
	}
	// This is roughly the cost of counting all facets, in half nanoseconds, and that of counting this one by its values.
	if 20*documents < len(a.dense)*len(hits)+2*len(a.lists) {
		s.facetDocs = hits.appendTo(s.facetDocs[:0])
		every := s.countsOf(1, t.values())
		s.countAll(t, hits, s.facetDocs, all, every)
		copy(counts[from:end], every[from:end])
		return
	}
	a.count(hits, counts[from:end])
}

// countsOf returns the first or second buffer for a number of counts.
func (s *scratch) countsOf(number, size int) []uint32 {
	s.counts[number] = slices.Grow(s.counts[number][:0], size)[:size]
	return s.counts[number]
}
