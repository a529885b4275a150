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

// attribute maps values to the documents of a segment, and documents to values.
type attribute struct {
	values []string // sorted
	// first contains the index in ordinals of each document's first value, and the end.
	first    []uint32
	ordinals []uint32
	// listFirst contains the index in lists of each value's first document, and the end.
	listFirst []uint32
	lists     []uint16

	// derive and adopt compute the following fields.

	ids   []uint32 // the IDs of the values in the index's valueTable
	dense []bitset // by value: its documents as a set if they are many, otherwise nil
	// column contains the ordinal of each document's value, or the number of values if the document has none. It is nil
	// if any document has several values.
	column []uint32
	// listCost is the cost of counting every value by its list or bitset.
	listCost int
}

// newAttribute creates the attribute of size documents from their values.
func newAttribute(size int, valuesOf func(doc int) []string) attribute {
	temporary := map[string]uint32{}
	a := attribute{first: make([]uint32, 0, size+1)}
	for doc := range size {
		a.first = append(a.first, uint32(len(a.ordinals)))
		for _, value := range valuesOf(doc) {
			ordinal, known := temporary[value]
			if !known {
				ordinal = uint32(len(a.values))
				temporary[value] = ordinal
				a.values = append(a.values, value)
			}
			a.ordinals = append(a.ordinals, ordinal)
		}
	}
	a.first = append(a.first, uint32(len(a.ordinals)))
	slices.Sort(a.values)
	renamed := make([]uint32, len(a.values))
	for i, value := range a.values {
		renamed[temporary[value]] = uint32(i)
	}
	a.listFirst = make([]uint32, len(a.values)+1)
	for i, ordinal := range a.ordinals {
		a.ordinals[i] = renamed[ordinal]
		a.listFirst[renamed[ordinal]+1]++
	}
	for i := range a.values {
		a.listFirst[i+1] += a.listFirst[i]
	}
	a.lists = make([]uint16, len(a.ordinals))
	next := slices.Clone(a.listFirst)
	for doc := range size {
		for _, ordinal := range a.of(doc) {
			a.lists[next[ordinal]] = uint16(doc)
			next[ordinal]++
		}
	}
	a.ordinals = slices.Clip(a.ordinals)
	return a
}

// densePart determines which values get a bitset: those that at least one in densePart documents has. The words of the
// bitset are then no more than the documents of the value.
const densePart = 64

// The costs of counting, in units of roughly half a nanosecond.
const (
	hitCost     = 3 // for each hit
	valueCost   = 2 // for each value of a hit
	listedCost  = 2 // for each document of a value's list
	bitsetShift = 6 // a bitset costs 1 for each 64 documents
)

// derive computes the fields that the snapshot does not contain.
func (a *attribute) derive(size int) {
	a.dense = make([]bitset, len(a.values))
	a.listCost = 0
	for i := range a.values {
		docs := a.list(i)
		if len(docs)*densePart < size {
			a.listCost += listedCost * len(docs)
			continue
		}
		a.dense[i] = newBitset(size)
		a.dense[i].addAll(docs)
		a.listCost += size>>bitsetShift + 1
	}
	a.column = make([]uint32, size)
	for doc := range size {
		switch ordinals := a.of(doc); len(ordinals) {
		case 0:
			a.column[doc] = uint32(len(a.values))
		case 1:
			a.column[doc] = ordinals[0]
		default:
			a.column = nil
			return
		}
	}
}

// of returns the ordinals of a document's values.
func (a *attribute) of(doc int) []uint32 { return a.ordinals[a.first[doc]:a.first[doc+1]] }

// list returns the documents that have a value, in ascending order.
func (a *attribute) list(ordinal int) []uint16 {
	return a.lists[a.listFirst[ordinal]:a.listFirst[ordinal+1]]
}

// addTo adds the documents that have a value to a set.
func (a *attribute) addTo(set bitset, ordinal int) {
	if dense := a.dense[ordinal]; dense != nil {
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

// count adds the number of hits of each value to counts, which is indexed by the IDs of the values. docs contains the
// same hits as a list. count chooses the cheaper of two methods: by value or by document.
func (a *attribute) count(hits bitset, docs []uint16, counts []uint32) {
	if len(a.values) == 0 || len(docs) == 0 {
		return
	}
	values := len(docs) * len(a.ordinals) / (len(a.first) - 1)
	switch {
	case hitCost*len(docs)+valueCost*values > a.listCost:
		a.countLists(hits, counts)
	case a.column != nil:
		a.countColumn(docs, counts)
	default:
		for _, doc := range docs {
			for _, ordinal := range a.ordinals[a.first[doc]:a.first[int(doc)+1]] {
				counts[a.ids[ordinal]]++
			}
		}
	}
}

func (a *attribute) countLists(hits bitset, counts []uint32) {
	for i, dense := range a.dense {
		if dense != nil {
			counts[a.ids[i]] += uint32(hits.countAnd(dense))
		} else {
			counts[a.ids[i]] += uint32(hits.countOf(a.list(i)))
		}
	}
}

func (a *attribute) countColumn(docs []uint16, counts []uint32) {
	local := make([]uint32, len(a.values)+1) // the last element counts documents without a value
	for _, doc := range docs {
		local[a.column[doc]]++
	}
	for ordinal, id := range a.ids {
		counts[id] += local[ordinal]
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
