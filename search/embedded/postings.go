package embedded

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// postings contains, for each term of a sorted dictionary, the documents that contain it, its weight in each of them
// (the impact) and, optionally, its positions.
type postings struct {
	terms analysis.Table
	// first contains the index in docs and impacts of each term's first posting, and the end of the last.
	first   []uint32
	docs    []uint16 // ascending within a term
	impacts []uint8
	own     ownImpacts
	// positions contains a list for each posting. skips contains the offset in positions of every skipEvery-th posting. Both are
	// empty if the postings have no positions.
	//
	// A list contains the differences of the positions, the first one plus 1, as numbers of variable length. The lowest bit of
	// each number says whether another one follows. A list without positions is one 0.
	positions []byte
	skips     []uint32

	// The following fields are derived.

	most  []uint8  // the greatest impact of each term
	heads []uint64 // headOf every headEvery-th term
}

const headEvery = 16

// headOf returns the first eight bytes of a term as a number, so that numbers have the order of the terms.
func headOf[T string | []byte](term T) uint64 {
	var head [8]byte
	copy(head[:], term)
	return binary.BigEndian.Uint64(head[:])
}

// find returns the number of a term, and whether there is such a term. A search in heads reads less memory than one in terms.
func (p *postings) find(term string) (int, bool) {
	head := headOf(term)
	block, _ := slices.BinarySearch(p.heads, head)
	from := max(0, (block-1)*headEvery)
	for block < len(p.heads) && p.heads[block] == head {
		block++
	}
	return p.terms.FindBetween(term, from, min(block*headEvery, p.terms.Len()))
}

const skipEvery = 16

// ownImpacts contains the part of each impact that comes from the document's own text and not from the names that it shows; 0:
// none. For most postings, that is the whole impact. It is empty if the postings have no impacts.
type ownImpacts struct {
	differs []uint64 // a bit for each posting: whether values contains its part
	values  []uint8
	ranks   []uint32 // by group of 512 postings: the index in values of the first
}

func newOwnImpacts(impacts, own []uint8) ownImpacts {
	o := ownImpacts{differs: newBitset(len(impacts))}
	for place, part := range own {
		if place%512 == 0 {
			o.ranks = append(o.ranks, uint32(len(o.values)))
		}
		if part != impacts[place] {
			bitset(o.differs).add(place)
			o.values = append(o.values, part)
		}
	}
	o.values = slices.Clip(o.values)
	return o
}

// at returns the part of the impact of the posting at a place.
func (o *ownImpacts) at(place int, impact uint8) uint8 {
	if !bitset(o.differs).has(place) {
		return impact
	}
	rank := int(o.ranks[place/512])
	for i := place / 512 * 8; i < place/64; i++ {
		rank += bits.OnesCount64(o.differs[i])
	}
	return o.values[rank+bits.OnesCount64(o.differs[place/64]&(1<<(place%64)-1))]
}

// of returns the documents and impacts of a term.
func (p *postings) of(term int) (docs []uint16, impacts []uint8) {
	from, end := p.first[term], p.first[term+1]
	return p.docs[from:end], p.impacts[from:end]
}

// list returns the postings of a term, without a weight.
func (p *postings) list(term int) list {
	docs, impacts := p.of(term)
	return list{docs: docs, impacts: impacts, most: p.most[term]}
}

// derive computes the fields that the snapshot does not contain.
func (p *postings) derive() {
	p.heads = make([]uint64, 0, p.terms.Len()/headEvery+1)
	for term := 0; term < p.terms.Len(); term += headEvery {
		p.heads = append(p.heads, headOf(p.terms.At(term)))
	}
	p.most = make([]uint8, p.terms.Len())
	for term := range p.most {
		_, impacts := p.of(term)
		p.most[term] = slices.Max(impacts)
	}
}

// documents returns the number of documents with a term.
func (p *postings) documents(term int) int { return int(p.first[term+1] - p.first[term]) }

// positionList returns the encoded positions of the posting at a place.
func (p *postings) positionList(place int) []byte {
	walk := positionWalk{postings: p}
	return walk.list(place)
}

// positionWalk reads position lists. If the places ascend, each read continues after the previous one.
type positionWalk struct {
	*postings
	place int // of the list that starts at at; 0: nothing was read
	at    int
}

func (w *positionWalk) list(place int) []byte {
	if place < w.place || place-w.place > place%skipEvery || w.place == 0 {
		w.place, w.at = place-place%skipEvery, int(w.skips[place/skipEvery])
	}
	for {
		from := w.at
		w.at += listLength(w.positions[from:])
		w.place++
		if w.place > place {
			return w.positions[from:w.at]
		}
	}
}

// listLength returns the length in bytes of the list at the start of positions.
func listLength(positions []byte) int {
	for i := 0; ; {
		more := positions[i]&1 != 0
		for positions[i] >= 0x80 {
			i++
		}
		i++
		if !more {
			return i
		}
	}
}

// noPositions is a list without positions.
var noPositions = []byte{0}

// encodePositions appends the list of positions, which are in ascending order.
func encodePositions(list []byte, positions []uint32) []byte {
	if len(positions) == 0 {
		return append(list, noPositions...)
	}
	for i, position := range positions {
		step, more := uint64(position)+1, uint64(1)
		if i > 0 {
			step = uint64(position - positions[i-1])
		}
		if i == len(positions)-1 {
			more = 0
		}
		list = binary.AppendUvarint(list, step<<1|more)
	}
	return list
}

// appendPositions decodes a list of positionList and appends the positions in ascending order.
func appendPositions(positions []uint32, list []byte) []uint32 {
	position, before := ^uint32(0), len(positions)
	for len(list) > 0 {
		step, n := uvarint(list)
		if list = list[n:]; step == 0 && len(positions) == before {
			break // the list has no positions
		}
		position += step >> 1
		positions = append(positions, position)
	}
	return positions
}

// uvarint is binary.Uvarint with a fast path for one-byte numbers, which are the most frequent.
func uvarint(b []byte) (uint32, int) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	value, n := binary.Uvarint(b)
	return uint32(value), n
}

// ownTexts returns the postings of the documents' own text, without the names that they show. A posting that exists
// only in names has the impact 0.
func (p *postings) ownTexts() *postings {
	own := *p
	own.impacts = make([]uint8, len(p.impacts))
	for place, impact := range p.impacts {
		own.impacts[place] = p.own.at(place, impact)
	}
	own.own = newOwnImpacts(own.impacts, own.impacts)
	return &own
}

// postingsWriter writes postings term by term.
type postingsWriter struct {
	postings
	withImpacts, withPositions bool
	own                        []uint8
	walks                      []positionWalk // by source
}

func (w *postingsWriter) startTerm(term []byte) {
	w.terms.Append(string(term))
	w.first = append(w.first, uint32(len(w.docs)))
}

func (w *postingsWriter) add(doc uint16, impact, own uint8, positions []byte) {
	if w.withPositions {
		if len(w.docs)%skipEvery == 0 {
			w.skips = append(w.skips, uint32(len(w.positions)))
		}
		w.positions = append(w.positions, positions...)
	}
	w.docs = append(w.docs, doc)
	w.impacts = append(w.impacts, impact)
	if w.withImpacts {
		w.own = append(w.own, own)
	}
}

func (w *postingsWriter) end() postings {
	w.terms.End()
	w.first = append(w.first, uint32(len(w.docs)))
	if w.withImpacts {
		w.postings.own = newOwnImpacts(w.impacts, w.own)
	}
	return w.postings
}

// gone marks, in a mapping to new numbers, a document or term that has no new number.
const gone = math.MaxUint32

// mergePostings merges postings and renumbers their documents by the mappings. If two sources contain the same
// document, the first provides the impacts of names and the other, by ownTexts, provides the rest. mergePostings also
// returns the new number of each source's terms, or gone for a term without documents.
func mergePostings(sources []*postings, docs [][]uint32) (postings, [][]uint32) {
	w := postingsWriter{}
	tables := make([]*analysis.Table, len(sources))
	renamed := make([][]uint32, len(sources))
	for i, source := range sources {
		tables[i] = &source.terms
		renamed[i] = make([]uint32, source.terms.Len())
		w.withImpacts = w.withImpacts || len(source.own.differs) > 0
		w.withPositions = w.withPositions || len(source.skips) > 0
		w.walks = append(w.walks, positionWalk{postings: source})
	}
	w.reserve(sources, docs)
	// Each posting is encoded as one sortable number: 16 bits of its document, 16 of its source, 32 of its place.
	var list []uint64
	analysis.MergeTables(tables, func(term []byte, places []int) {
		list = list[:0]
		for i, place := range places {
			if place < 0 {
				continue
			}
			source := sources[i]
			for at := source.first[place]; at < source.first[place+1]; at++ {
				if doc := docs[i][source.docs[at]]; doc != gone && (!w.withImpacts || source.impacts[at] > 0) {
					list = append(list, uint64(doc)<<48|uint64(i)<<32|uint64(at))
				}
			}
		}
		if !slices.IsSorted(list) {
			slices.Sort(list)
		}
		ordinal := uint32(gone)
		if len(list) > 0 {
			ordinal = uint32(len(w.terms.Starts))
			w.startTerm(term)
		}
		for i, place := range places {
			if place >= 0 {
				renamed[i][place] = ordinal
			}
		}
		w.addAll(sources, list)
	})
	return w.end(), renamed
}

// reserve allocates space for the postings of the remaining documents.
func (w *postingsWriter) reserve(sources []*postings, docs [][]uint32) {
	total, positions := 0, 0
	for i, source := range sources {
		stay := 0
		for _, doc := range source.docs {
			if docs[i][doc] != gone {
				stay++
			}
		}
		total += stay
		positions += int(int64(len(source.positions)) * int64(stay) / int64(max(1, len(source.docs))))
	}
	w.docs, w.impacts = make([]uint16, 0, total), make([]uint8, 0, total)
	if w.withImpacts {
		w.own = make([]uint8, 0, total)
	}
	if w.withPositions {
		w.positions = make([]byte, 0, positions)
		w.skips = make([]uint32, 0, total/skipEvery+1)
	}
}

// addAll adds a term's postings, encoded as mergePostings encodes them.
func (w *postingsWriter) addAll(sources []*postings, list []uint64) {
	for i := 0; i < len(list); i++ {
		entry := list[i]
		from, place := entry>>32&0xffff, int(uint32(entry))
		source := sources[from]
		impact, own := source.impacts[place], uint8(0)
		if w.withImpacts {
			own = source.own.at(place, impact)
		}
		if i+1 < len(list) && list[i+1]>>48 == entry>>48 {
			i++
			from, place = list[i]>>32&0xffff, int(uint32(list[i]))
			own = sources[from].own.at(place, sources[from].impacts[place])
			impact = summed(own, impact)
		}
		var positions []byte
		if w.withPositions {
			positions = w.walks[from].list(place)
		}
		w.add(uint16(entry>>48), impact, own, positions)
	}
}
