package embedded

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// maxSegment is the most documents of a segment: their numbers have 16 bits.
const maxSegment = 1 << 16

// segment is an immutable part of the index. Its documents are numbered by the order of a list
// without a text (newest ReleasedOn, then highest Sequence), so that walking up the numbers is
// walking down the list.
type segment struct {
	size int

	ids     stringTable // by document
	idOrder []uint16    // the documents by their ids

	versions  []int64
	sequences []int64
	updated   []int64 // microseconds of Unix time
	released  []int32 // falling
	available []int32 // the last day, noEnd where there is none
	durations []int64

	retired, private, promoted, youTube, manual bitset

	attributes [attributeCount]attribute

	exact postings // by folded word, with positions
	stems postings
	// titleWords are the exact words of the titles, as terms of exact in their order; titleFirst is
	// where each document's start, and the end.
	titleFirst []uint32
	titleWords []uint32

	suggestions suggestions

	// What follows is derived.

	typos           analysis.Near
	durationBuckets []bitset // of catalogue.DefaultDurationBuckets
	ends            []uint16 // the documents whose availability ends

	seen memory[visibility, bitset] // what visible returned
}

const noEnd = math.MaxInt32

// row is what a segment keeps of a document beside its texts.
type row struct {
	id                string
	version, sequence int64
	updated           int64
	released          int32
	available         int32
	duration          int64
	retired, private  bool
	promoted, youTube bool
	subjectsSetByHand bool
	values            [attributeCount][]string
	source, doc       int // where its texts are: which part, which document of it
}

func rowOf(d *search.Document) row {
	r := row{
		id: string(d.ID), version: d.Version, sequence: d.Sequence,
		updated:  d.UpdatedAt.UnixMicro(),
		released: int32(d.ReleasedOn), available: noEnd,
		duration: int64(d.Duration),
		retired:  d.Retired, private: d.Private, promoted: d.Promoted, youTube: d.YouTube,
		subjectsSetByHand: d.SubjectsSetManually,
		values:            valuesOf(d),
	}
	if d.AvailableUntil != nil {
		r.available = int32(*d.AvailableUntil)
	}
	return r
}

// row reads a document back.
func (s *segment) row(doc int) row {
	r := row{
		id: string(s.ids.at(doc)), version: s.versions[doc], sequence: s.sequences[doc],
		updated: s.updated[doc], released: s.released[doc], available: s.available[doc],
		duration: s.durations[doc],
		retired:  s.retired.has(doc), private: s.private.has(doc), promoted: s.promoted.has(doc),
		youTube: s.youTube.has(doc), subjectsSetByHand: s.manual.has(doc),
	}
	for name := range s.attributes {
		a := &s.attributes[name]
		for _, ordinal := range a.of(doc) {
			r.values[name] = append(r.values[name], a.values[ordinal])
		}
	}
	return r
}

// compareRows is the order of a list without a text.
func compareRows(a, b row) int {
	return cmp.Or(
		cmp.Compare(b.released, a.released), cmp.Compare(b.sequence, a.sequence), cmp.Compare(a.id, b.id))
}

// newSegment makes a segment of rows in the order of compareRows, as yet without texts.
func newSegment(rows []row) *segment {
	s := &segment{
		size:      len(rows),
		idOrder:   make([]uint16, len(rows)),
		versions:  make([]int64, len(rows)),
		sequences: make([]int64, len(rows)),
		updated:   make([]int64, len(rows)),
		released:  make([]int32, len(rows)),
		available: make([]int32, len(rows)),
		durations: make([]int64, len(rows)),
		retired:   newBitset(len(rows)),
		private:   newBitset(len(rows)),
		promoted:  newBitset(len(rows)),
		youTube:   newBitset(len(rows)),
		manual:    newBitset(len(rows)),
	}
	for doc := range rows {
		r := &rows[doc]
		s.ids.append(r.id)
		s.idOrder[doc] = uint16(doc)
		s.versions[doc], s.sequences[doc], s.updated[doc] = r.version, r.sequence, r.updated
		s.released[doc], s.available[doc], s.durations[doc] = r.released, r.available, r.duration
		for _, flag := range []struct {
			set   bitset
			value bool
		}{
			{s.retired, r.retired}, {s.private, r.private}, {s.promoted, r.promoted},
			{s.youTube, r.youTube}, {s.manual, r.subjectsSetByHand},
		} {
			if flag.value {
				flag.set.add(doc)
			}
		}
	}
	s.ids.end()
	slices.SortFunc(s.idOrder, func(a, b uint16) int {
		return bytes.Compare(s.ids.at(int(a)), s.ids.at(int(b)))
	})
	for name := range s.attributes {
		s.attributes[name] = newAttribute(len(rows), func(doc int) []string { return rows[doc].values[name] })
	}
	return s
}

// derive builds what the snapshot does not keep; it is the last step of making a segment.
func (s *segment) derive() {
	for name := range s.attributes {
		s.attributes[name].derive(s.size)
	}
	s.suggestions.derive()
	s.typos = analysis.NewNear(s.exact.terms.len(), s.exact.terms.at)
	s.durationBuckets = nil
	for _, bucket := range catalogue.DefaultDurationBuckets() {
		set := newBitset(s.size)
		for doc, duration := range s.durations {
			if bucket.Buckets(catalogue.Duration(duration)) {
				set.add(doc)
			}
		}
		s.durationBuckets = append(s.durationBuckets, set)
	}
	s.ends = nil
	for doc, day := range s.available {
		if day != noEnd {
			s.ends = append(s.ends, uint16(doc))
		}
	}
}

// find returns the document with an ID, -1 if there is none.
func (s *segment) find(id string) int {
	i, found := slices.BinarySearchFunc(s.idOrder, id, func(doc uint16, id string) int {
		return cmp.Compare(string(s.ids.at(int(doc))), id)
	})
	if !found {
		return -1
	}
	return int(s.idOrder[i])
}

// releasedBetween returns the documents from, included, to end, excluded, that were released in a
// span of days; a nil bound is open.
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

// titleOf returns the words of a document's title.
func (s *segment) titleOf(doc int) []uint32 {
	return s.titleWords[s.titleFirst[doc]:s.titleFirst[doc+1]]
}

// common calls yield for each ID that both segments hold, with its document in each.
func common(a, b *segment, yield func(inA, inB int)) {
	const walkBoth = 16 // up to how many times the smaller one's size a walk beats looking up
	switch {
	case a.size > walkBoth*b.size:
		for inB := range b.size {
			if inA := a.find(string(b.ids.at(inB))); inA >= 0 {
				yield(inA, inB)
			}
		}
		return
	case b.size > walkBoth*a.size:
		common(b, a, func(inB, inA int) { yield(inA, inB) })
		return
	}
	for i, j := 0, 0; i < a.size && j < b.size; {
		inA, inB := int(a.idOrder[i]), int(b.idOrder[j])
		switch order := bytes.Compare(a.ids.at(inA), b.ids.at(inB)); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			yield(inA, inB)
			i++
			j++
		}
	}
}
