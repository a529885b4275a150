package embedded

import (
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"
)

// inverter records the terms of each document as notes, and then groups them by term.
type inverter struct {
	withImpacts   bool
	withPositions bool
	ids           map[string]uint32
	recent        []recentTerm // by a hash of the address of the name; nil for few terms
	names         []string
	total         uint32   // notes
	documents     []uint32 // by term: the number of notes
	bytes         []uint32 // by term: the size of the encoded positions
	notes         []byte   // per note: the term, then the impacts and the positions with their length, if any
	starts        []int    // by document: the start of its notes
}

// recentTerm is a term and its number. The analyzer keeps the words that it has met, so that the name of a term mostly has the
// same address. A name at that address is compared without reading it, which takes a third of the time of a map.
type recentTerm struct {
	name string
	id   uint32
}

const recentTerms = 1 << 14

func newInverter(withImpacts, withPositions bool) inverter {
	return inverter{withImpacts: withImpacts, withPositions: withPositions, ids: map[string]uint32{}}
}

// word is term for a word of the analyzer.
func (v *inverter) word(name string) uint32 {
	if v.recent == nil {
		if len(v.names) < recentTerms/4 {
			return v.term(name)
		}
		v.recent = make([]recentTerm, recentTerms)
	}
	address := uint64(uintptr(unsafe.Pointer(unsafe.StringData(name))))
	recent := &v.recent[(address>>3^address>>17)%recentTerms]
	if unsafe.StringData(recent.name) != unsafe.StringData(name) || len(recent.name) != len(name) {
		recent.name, recent.id = name, v.term(name)
	}
	return recent.id
}

// term returns the number of a term. A new term gets the next number.
func (v *inverter) term(name string) uint32 {
	id, known := v.ids[name]
	if !known {
		id = uint32(len(v.names))
		name = strings.Clone(name)
		v.ids[name] = id
		v.names = append(v.names, name)
		v.documents = append(v.documents, 0)
		v.bytes = append(v.bytes, 0)
	}
	return id
}

func (v *inverter) startDocument() { v.starts = append(v.starts, len(v.notes)) }

// note records that the current document has a term. own is the impact of the term in the document's own text, and
// named is its impact in the names that the document shows. Callers record a term at most once per document.
func (v *inverter) note(term uint32, own, named uint8, positions []byte) {
	v.total++
	v.documents[term]++
	v.bytes[term] += uint32(len(positions))
	v.notes = binary.AppendUvarint(v.notes, uint64(term))
	if v.withImpacts {
		v.notes = append(v.notes, own, named)
	}
	if v.withPositions {
		v.notes = binary.AppendUvarint(v.notes, uint64(len(positions)))
		v.notes = append(v.notes, positions...)
	}
}

// notesOf calls visit for each note of a document.
func (v *inverter) notesOf(doc int, visit func(term uint32, own, named uint8, positions []byte)) {
	end := len(v.notes)
	if doc+1 < len(v.starts) {
		end = v.starts[doc+1]
	}
	notes := v.notes[v.starts[doc]:end]
	for len(notes) > 0 {
		term, n := uvarint(notes)
		notes = notes[n:]
		var own, named uint8
		if v.withImpacts {
			own, named, notes = notes[0], notes[1], notes[2:]
		}
		var positions []byte
		if v.withPositions {
			length, n := uvarint(notes)
			positions, notes = notes[n:n+int(length)], notes[n+int(length):]
		}
		visit(term, own, named, positions)
	}
}

// forgetOthers subtracts the notes of the documents that order does not contain.
func (v *inverter) forgetOthers(order []int) {
	if len(order) == len(v.starts) {
		return
	}
	kept := newBitset(len(v.starts))
	for _, doc := range order {
		kept.add(doc)
	}
	for doc := range v.starts {
		if !kept.has(doc) {
			v.notesOf(doc, func(term uint32, _, _ uint8, positions []byte) {
				v.total--
				v.documents[term]--
				v.bytes[term] -= uint32(len(positions))
			})
		}
	}
}

// invert groups the notes by term and renumbers the documents: order contains the old number for each new number. It
// also returns the new number of each term, or gone for a term that no document in order has.
func (v *inverter) invert(order []int) (postings, []uint32) {
	v.forgetOthers(order)
	total := int(v.total)
	sorted := make([]uint32, 0, len(v.names))
	renamed := make([]uint32, len(v.names))
	for term := range v.names {
		renamed[term] = gone
		if v.documents[term] > 0 {
			sorted = append(sorted, uint32(term))
		}
	}
	slices.SortFunc(sorted, func(a, b uint32) int { return strings.Compare(v.names[a], v.names[b]) })

	p := postings{
		first:   make([]uint32, 0, len(sorted)+1),
		docs:    make([]uint16, total),
		impacts: make([]uint8, total),
	}
	place, offset := uint32(0), uint32(0)
	for ordinal, term := range sorted {
		renamed[term] = uint32(ordinal)
		p.terms.Append(v.names[term])
		p.first = append(p.first, place)
		// From here on, documents and bytes contain the index of the term's next note.
		place, v.documents[term] = place+v.documents[term], place
		offset, v.bytes[term] = offset+v.bytes[term], offset
	}
	p.terms.End()
	p.first = append(p.first, place)
	var owns []uint8
	if v.withImpacts {
		owns = make([]uint8, total)
	}
	if v.withPositions {
		p.positions = make([]byte, offset)
		p.skips = make([]uint32, (total+skipEvery-1)/skipEvery)
	}
	for doc, source := range order {
		v.notesOf(source, func(term uint32, own, named uint8, positions []byte) {
			place := v.documents[term]
			v.documents[term]++
			p.docs[place], p.impacts[place] = uint16(doc), summed(own, named)
			if v.withImpacts {
				owns[place] = own
			}
			if v.withPositions {
				at := v.bytes[term]
				if place%skipEvery == 0 {
					p.skips[place/skipEvery] = at
				}
				v.bytes[term] = at + uint32(copy(p.positions[at:], positions))
			}
		})
	}
	if v.withImpacts {
		p.own = newOwnImpacts(p.impacts, owns)
	}
	return p, renamed
}
