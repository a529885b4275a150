package embedded

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// attributeName identifies a multi-valued property of documents whose set of values is not known in advance.
type attributeName int

const (
	subjects attributeName = iota
	tags
	types
	channels
	educationLevels
	topics
	languages
	cefr
	subtypes
	resourceTypes
	ages // the value is the whole range
	categories
	warnings
	distribution
	attributeCount
)

// valuesOf returns a document's distinct values of every attribute.
func valuesOf(d *search.Document) [attributeCount][]string {
	return [attributeCount][]string{
		subjects:        distinct(d.Subjects),
		tags:            distinct(d.Tags),
		types:           distinct([]catalogue.VideoType{d.Type}),
		channels:        distinct([]catalogue.ID{d.Channel}),
		educationLevels: distinct(d.EducationLevels),
		topics:          distinct(d.Topics),
		languages:       distinct([]catalogue.Language{d.Language.OrUndetermined()}),
		cefr:            distinct([]catalogue.CEFRLevel{d.CEFR}),
		subtypes:        distinct(d.Subtypes),
		resourceTypes:   distinct(d.ResourceTypes),
		ages:            distinct([]string{writeAges(d.Ages)}),
		categories:      distinct(d.Categories),
		warnings:        distinct(d.Warnings),
		distribution:    distinct(d.DistributionMethods),
	}
}

// distinct returns the distinct values that are not empty, in the order of their first occurrence.
func distinct[T ~string](values []T) []string {
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil
	}
	kept := make([]string, 0, len(values))
	for _, value := range values {
		if value != "" && !slices.Contains(kept, string(value)) {
			kept = append(kept, string(value))
		}
	}
	return kept
}

// writeAges encodes a range of ages as a value, "min:max". It returns "" for an unknown range, because such a range
// matches no filter and no bucket.
func writeAges(r catalogue.AgeRange) string {
	if !r.Known() {
		return ""
	}
	return writeAge(r.Min) + ":" + writeAge(r.Max)
}

func writeAge(age *int) string {
	if age == nil {
		return ""
	}
	return strconv.Itoa(*age)
}

// readAges decodes a value of writeAges.
func readAges(value string) catalogue.AgeRange {
	low, high, _ := strings.Cut(value, ":")
	return catalogue.AgeRange{Min: readAge(low), Max: readAge(high)}
}

func readAge(text string) *int {
	age, err := strconv.Atoi(text)
	if err != nil {
		return nil
	}
	return &age
}

// attribute maps values to the documents of a segment that have them: as a set if they are many, otherwise as a list.
type attribute struct {
	values []string // sorted
	// listFirst contains the index in lists of each value's first document, and the end. lists contains the documents of the
	// values that are not in dense.
	listFirst []uint32
	lists     []uint16
	dense     []uint32 // the ordinals of the values whose documents are a set, in ascending order
	denseSets []uint64 // the sets, one after the other

	sets []bitset // by value: its set, or nil. derive computes sets
	ids  []uint32 // the IDs of the values in the index's valueTable. adopt computes ids
}

// densePart determines which values get a set: those that at least one in densePart documents has. The words of the set are
// then no more than the documents of the value.
const densePart = 64

// newAttribute creates the attribute of size documents from their values.
func newAttribute(size int, valuesOf func(doc int) []string) attribute {
	temporary := map[string]uint32{}
	var (
		a        attribute
		ordinals []uint32
		docs     []uint16 // of ordinals
	)
	for doc := range size {
		for _, value := range valuesOf(doc) {
			ordinal, known := temporary[value]
			if !known {
				ordinal = uint32(len(a.values))
				temporary[value] = ordinal
				a.values = append(a.values, value)
			}
			ordinals, docs = append(ordinals, ordinal), append(docs, uint16(doc))
		}
	}
	slices.Sort(a.values)
	renamed, counts := make([]uint32, len(a.values)), make([]int, len(a.values))
	for i, value := range a.values {
		renamed[temporary[value]] = uint32(i)
	}
	for i, ordinal := range ordinals {
		ordinals[i] = renamed[ordinal]
		counts[ordinals[i]]++
	}
	a.listFirst = make([]uint32, len(a.values)+1)
	for i, count := range counts {
		if a.listFirst[i+1] = a.listFirst[i]; count*densePart < size {
			a.listFirst[i+1] += uint32(count)
		} else {
			a.dense = append(a.dense, uint32(i))
		}
	}
	a.lists = make([]uint16, a.listFirst[len(a.values)])
	a.denseSets = make([]uint64, len(a.dense)*len(newBitset(size)))
	a.derive(size)
	next := slices.Clone(a.listFirst)
	for i, ordinal := range ordinals {
		if set := a.sets[ordinal]; set != nil {
			set.add(int(docs[i]))
		} else {
			a.lists[next[ordinal]] = docs[i]
			next[ordinal]++
		}
	}
	return a
}

// derive computes sets.
func (a *attribute) derive(size int) {
	a.sets = make([]bitset, len(a.values))
	words := (size + 63) / 64
	for i, ordinal := range a.dense {
		a.sets[ordinal] = a.denseSets[i*words : (i+1)*words : (i+1)*words]
	}
}

// list returns the documents that have a value, in ascending order; none if they are a set.
func (a *attribute) list(ordinal int) []uint16 {
	return a.lists[a.listFirst[ordinal]:a.listFirst[ordinal+1]]
}

// each calls visit for each document that has a value, in ascending order.
func (a *attribute) each(ordinal int, visit func(doc int)) {
	if set := a.sets[ordinal]; set != nil {
		for doc := range set.all {
			visit(doc)
		}
		return
	}
	for _, doc := range a.list(ordinal) {
		visit(int(doc))
	}
}

// count counts, for each value, the documents of a set that have it.
func (a *attribute) count(hits bitset, counts []uint32) {
	for ordinal, set := range a.sets {
		if set != nil {
			counts[ordinal] = uint32(hits.countAnd(set))
		} else {
			counts[ordinal] = uint32(hits.countOf(a.list(ordinal)))
		}
	}
}

// addTo adds the documents that have a value to a set.
func (a *attribute) addTo(set bitset, ordinal int) {
	if dense := a.sets[ordinal]; dense != nil {
		set.or(dense)
		return
	}
	set.addAll(a.list(ordinal))
}

// addAny adds the documents that have any of the values to a set.
func addAny[T ~string](a *attribute, set bitset, values []T) {
	for _, value := range values {
		if ordinal, found := slices.BinarySearch(a.values, string(value)); found {
			a.addTo(set, ordinal)
		}
	}
}

// valueTable assigns IDs to the values of an attribute; all segments share the IDs. A table only grows, so the slices
// that a view contains do not change.
type valueTable struct {
	names []string
	ranks []uint32 // by ID: the position of the name in the sorted names
	ids   map[string]uint32
}

// adopt assigns IDs to the values of a segment's attribute.
func (t *valueTable) adopt(a *attribute) {
	if t.ids == nil {
		t.ids = map[string]uint32{}
	}
	a.ids = make([]uint32, len(a.values))
	before := len(t.names)
	for i, value := range a.values {
		id, known := t.ids[value]
		if !known {
			id = uint32(len(t.names))
			t.ids[value] = id
			t.names = append(t.names, value)
		}
		a.ids[i] = id
	}
	if len(t.names) > before {
		t.rank()
	}
}

func (t *valueTable) rank() {
	order := make([]uint32, len(t.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(t.names[a], t.names[b]) })
	t.ranks = make([]uint32, len(order))
	for rank, id := range order {
		t.ranks[id] = uint32(rank)
	}
}
