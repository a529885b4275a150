package embedded

import (
	"cmp"
	"math"
	"sort"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// maxSegment is the greatest number of documents in a segment. Document numbers have 16 bits.
const maxSegment = 1 << 16

// segment is an immutable part of the index. Its documents are numbered in the order of a list without a text (newest
// ReleasedOn, then highest Sequence), so that ascending numbers give the order of that list.
type segment struct {
	size int

	identities

	texts     []uint64 // the fingerprints of the documents' own text
	versions  []int64
	sequences []int64
	updated   []int64 // microseconds of Unix time
	released  []int32 // descending

	durations durations
	ends      []uint16 // the documents with a last day
	lastDays  []int32  // of ends

	flags [flagCount]bitset

	attributes [attributeCount]attribute

	exact postings // by folded word, with positions
	stems postings
	// titleWords contains the words of all titles, in order, as terms of exact. titleFirst contains the index of each
	// document's first word in titleWords, and the end of the last title.
	titleFirst []uint32
	titleWords []uint32

	suggestions suggestions

	vectors vectors

	// The following fields are derived.

	typos  analysis.Near
	tables tables

	seen    memory[visibility, bitset]   // results of visible
	counted memory[visibility, []uint32] // the totals of each whole
}

const noEnd = math.MaxInt32

// flag identifies a Boolean property of documents. A snapshot contains the flags in this order.
type flag int

const (
	retired flag = iota
	private
	promoted
	youTube
	setByHand // the subjects
	incomplete
	flagCount
)

// row contains the data that a segment stores for a document, except its text.
type row struct {
	id                string
	version, sequence int64
	updated           int64
	released          int32
	available         int32
	duration          int64
	flags             [flagCount]bool
	texts             uint64
	values            [attributeCount][]string
	vectors           []search.Vector
	source, doc       int // where its text is: the part, and the document in it
}

func rowOf(d *search.Document) row {
	r := row{
		id: string(d.ID), version: d.Version, sequence: d.Sequence,
		updated:  d.UpdatedAt.UnixMicro(),
		released: int32(d.ReleasedOn), available: noEnd,
		duration: int64(d.Duration),
		flags: [flagCount]bool{
			retired: d.Retired, private: d.Private, promoted: d.Promoted, youTube: d.YouTube, setByHand: d.SubjectsSetManually, incomplete: d.Incomplete,
		},
		values: valuesOf(d), vectors: d.Vectors,
	}
	if d.AvailableUntil != nil {
		r.available = int32(*d.AvailableUntil)
	}
	return r
}

// rows returns the stored data of all documents.
func (s *segment) rows() []row {
	rows := make([]row, s.size)
	for doc := range rows {
		r := &rows[doc]
		*r = row{
			id: string(s.ids.At(doc)), version: s.versions[doc], sequence: s.sequences[doc], updated: s.updated[doc],
			released: s.released[doc], available: noEnd, texts: s.texts[doc], vectors: s.vectors.of(doc), doc: doc,
		}
		for f := range s.flags {
			r.flags[f] = s.flags[f].has(doc)
		}
	}
	for i, doc := range s.ends {
		rows[doc].available = s.lastDays[i]
	}
	s.durations.each(func(doc int, duration int64) { rows[doc].duration = duration })
	for name := range s.attributes {
		a := &s.attributes[name]
		for ordinal, value := range a.values {
			a.each(ordinal, func(doc int) { rows[doc].values[name] = append(rows[doc].values[name], value) })
		}
	}
	return rows
}

// compareRows orders rows as a list without a text does: newest ReleasedOn, then highest Sequence, then lowest ID.
func compareRows(a, b row) int {
	return cmp.Or(
		cmp.Compare(b.released, a.released), cmp.Compare(b.sequence, a.sequence), cmp.Compare(a.id, b.id))
}

// newSegment creates a segment without text from rows in the order of compareRows.
func newSegment(rows []row) *segment {
	s := &segment{
		size:       len(rows),
		identities: newIdentities(len(rows), func(doc int) string { return rows[doc].id }),
		texts:      make([]uint64, len(rows)),
		versions:   make([]int64, len(rows)),
		sequences:  make([]int64, len(rows)),
		updated:    make([]int64, len(rows)),
		released:   make([]int32, len(rows)),
		durations:  newDurations(len(rows), func(doc int) int64 { return rows[doc].duration }),
	}
	for f := range s.flags {
		s.flags[f] = newBitset(len(rows))
	}
	for doc := range rows {
		r := &rows[doc]
		s.texts[doc], s.versions[doc], s.sequences[doc], s.updated[doc] = r.texts, r.version, r.sequence, r.updated
		s.released[doc] = r.released
		if r.available != noEnd {
			s.ends, s.lastDays = append(s.ends, uint16(doc)), append(s.lastDays, r.available)
		}
		for f, isSet := range r.flags {
			if isSet {
				s.flags[f].add(doc)
			}
		}
	}
	for name := range s.attributes {
		s.attributes[name] = newAttribute(len(rows), func(doc int) []string { return rows[doc].values[name] })
	}
	s.vectors = newVectors(len(rows), func(doc int) []search.Vector { return rows[doc].vectors })
	return s
}

// derive computes the fields that the snapshot does not contain. It is the last step in creating a segment.
func (s *segment) derive() {
	for name := range s.attributes {
		s.attributes[name].derive(s.size)
	}
	s.exact.derive()
	s.stems.derive()
	s.suggestions.derive()
	s.vectors.derive()
	s.typos = analysis.NewNear(s.exact.terms.Len(), s.exact.terms.At)
	s.durations.derive()
	s.tables = newTables(s.size, &s.attributes)
	s.hold()
}

// addEnded adds the documents whose last day is before a day.
func (s *segment) addEnded(set bitset, today catalogue.Date) {
	for i, doc := range s.ends {
		if s.lastDays[i] < int32(today) {
			set.add(int(doc))
		}
	}
}

// releasedBetween returns the range of documents, from included and end excluded, that were released from first to
// last, both included. A nil bound is open.
func (s *segment) releasedBetween(first, last *catalogue.Date) (from, end int) {
	end = s.size
	if last != nil {
		from = sort.Search(s.size, func(doc int) bool { return s.released[doc] <= int32(*last) })
	}
	if first != nil {
		end = sort.Search(s.size, func(doc int) bool { return s.released[doc] < int32(*first) })
	}
	return from, end
}

// titleOf returns the words of a document's title as terms of exact.
func (s *segment) titleOf(doc int) []uint32 {
	return s.titleWords[s.titleFirst[doc]:s.titleFirst[doc+1]]
}
