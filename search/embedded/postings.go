package embedded

import (
	"encoding/binary"
	"math"
	"slices"
)

// postings say for each term of a sorted dictionary in which documents it stands, how much it says
// there (its impact), and, where they are kept, at which positions.
type postings struct {
	terms stringTable
	// first is where the postings of each term start in docs and impacts, and the end of the last.
	first   []uint32
	docs    []uint16 // ascending within a term
	impacts []uint8
	// own is how much of the impact the documents' own texts make, beside the names that they show; 0: nothing.
	// It is empty where no impacts are kept.
	own []uint8
	// positions holds for each posting the length of its list in bytes and the list, as differences;
	// skips is where every skipEvery-th posting starts in it. Both are empty where none are kept.
	positions []byte
	skips     []uint32
}

const skipEvery = 16

// of returns the postings of a term.
func (p *postings) of(term int) (docs []uint16, impacts []uint8) {
	from, end := p.first[term], p.first[term+1]
	return p.docs[from:end], p.impacts[from:end]
}

// documents is the number of documents with a term.
func (p *postings) documents(term int) int { return int(p.first[term+1] - p.first[term]) }

// positionList returns the encoded positions of the posting at a place.
func (p *postings) positionList(place int) []byte {
	walk := positionWalk{postings: p}
	return walk.list(place)
}

// positionWalk reads position lists: in the order of their places each is found behind the one before.
type positionWalk struct {
	*postings
	place int // of the list that starts at at; 0: none was read
	at    int
}

func (w *positionWalk) list(place int) []byte {
	if place < w.place || place-w.place > place%skipEvery || w.place == 0 {
		w.place, w.at = place-place%skipEvery, int(w.skips[place/skipEvery])
	}
	for {
		length, n := uvarint(w.positions[w.at:])
		from := w.at + n
		w.at = from + int(length)
		w.place++
		if w.place > place {
			return w.positions[from:w.at]
		}
	}
}

// appendPositions decodes a list of positionList.
func appendPositions(positions []uint32, list []byte) []uint32 {
	position := uint32(0)
	for len(list) > 0 {
		step, n := uvarint(list)
		list = list[n:]
		position += step
		positions = append(positions, position)
	}
	return positions
}

// uvarint is binary.Uvarint with a short way for the many small numbers.
func uvarint(b []byte) (uint32, int) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	value, n := binary.Uvarint(b)
	return uint32(value), n
}

// ownTexts is what the documents' own texts say. A posting of which nothing is left has the impact 0.
func (p *postings) ownTexts() *postings {
	own := *p
	own.impacts = p.own
	return &own
}

// postingsWriter lays out postings term by term.
type postingsWriter struct {
	postings
	withImpacts, withPositions bool
	walks                      []positionWalk // by source
}

func (w *postingsWriter) startTerm(term []byte) {
	w.terms.append(string(term))
	w.first = append(w.first, uint32(len(w.docs)))
}

func (w *postingsWriter) add(doc uint16, impact, own uint8, positions []byte) {
	if w.withPositions {
		if len(w.docs)%skipEvery == 0 {
			w.skips = append(w.skips, uint32(len(w.positions)))
		}
		w.positions = binary.AppendUvarint(w.positions, uint64(len(positions)))
		w.positions = append(w.positions, positions...)
	}
	w.docs = append(w.docs, doc)
	w.impacts = append(w.impacts, impact)
	if w.withImpacts {
		w.own = append(w.own, own)
	}
}

func (w *postingsWriter) end() postings {
	w.terms.end()
	w.first = append(w.first, uint32(len(w.docs)))
	return w.postings
}

// gone marks a document in a mapping that has no successor.
const gone = math.MaxUint32

// mergePostings merges postings whose documents are renamed by the mappings. Of a document that two sources hold,
// the first says what stands in names and the other, by ownTexts, the rest. It also returns how each source's
// terms are renamed; terms without documents are gone.
func mergePostings(sources []*postings, docs [][]uint32) (postings, [][]uint32) {
	w := postingsWriter{}
	tables := make([]*stringTable, len(sources))
	renamed := make([][]uint32, len(sources))
	for i, source := range sources {
		tables[i] = &source.terms
		renamed[i] = make([]uint32, source.terms.len())
		w.withImpacts = w.withImpacts || len(source.own) > 0
		w.withPositions = w.withPositions || len(source.skips) > 0
		w.walks = append(w.walks, positionWalk{postings: source})
	}
	w.reserve(sources, docs)
	// Each posting is one number to sort by: 16 bits of its document, 16 of its source, 32 of its place.
	var list []uint64
	mergeTables(tables, func(term []byte, places []int) {
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
			ordinal = uint32(len(w.terms.starts))
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

// reserve makes room for what the sources hold of the documents that stay.
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

// addAll adds a term's postings, which are numbers of mergePostings.
func (w *postingsWriter) addAll(sources []*postings, list []uint64) {
	for i := 0; i < len(list); i++ {
		entry := list[i]
		from, place := entry>>32&0xffff, int(uint32(entry))
		source := sources[from]
		impact, own := source.impacts[place], uint8(0)
		if w.withImpacts {
			own = source.own[place]
		}
		if i+1 < len(list) && list[i+1]>>48 == entry>>48 {
			i++
			from, place = list[i]>>32&0xffff, int(uint32(list[i]))
			own = sources[from].own[place]
			impact = summed(own, impact)
		}
		var positions []byte
		if w.withPositions {
			positions = w.walks[from].list(place)
		}
		w.add(uint16(entry>>48), impact, own, positions)
	}
}
