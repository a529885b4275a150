package embedded

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// bitset is a set of a segment's documents.
type bitset []uint64

func newBitset(size int) bitset { return make(bitset, (size+63)/64) }

// fullBitset returns the set of all documents of a segment of the given size.
func fullBitset(size int) bitset {
	b := newBitset(size)
	b.addRange(0, size)
	return b
}

func (b bitset) has(doc int) bool { return b[doc>>6]&(1<<(doc&63)) != 0 }
func (b bitset) add(doc int)      { b[doc>>6] |= 1 << (doc & 63) }
func (b bitset) remove(doc int)   { b[doc>>6] &^= 1 << (doc & 63) }

// addRange adds the documents from from, included, to end, excluded.
func (b bitset) addRange(from, end int) {
	for ; from < end && from&63 != 0; from++ {
		b.add(from)
	}
	for ; from+64 <= end; from += 64 {
		b[from>>6] = ^uint64(0)
	}
	for ; from < end; from++ {
		b.add(from)
	}
}

func (b bitset) addAll(docs []uint16) {
	for _, doc := range docs {
		b[doc>>6] |= 1 << (doc & 63)
	}
}

// addMarks adds the documents whose mark is 1. The other marks are 0.
func (b bitset) addMarks(marks *[maxSegment]uint8) {
	for i := range b {
		word := uint64(0)
		for n, eight := 0, marks[i<<6:i<<6+64]; n < 64; n += 8 {
			// The multiplication moves the lowest bits of the eight bytes next to each other, into the highest byte.
			word |= binary.LittleEndian.Uint64(eight[n:]) * 0x0102040810204080 >> 56 << n
		}
		b[i] |= word
	}
}

func (b bitset) clone() bitset { return slices.Clone(b) }

// and keeps the documents that other also contains.
func (b bitset) and(other bitset) {
	for i := range b {
		b[i] &= other[i]
	}
}

// andNot removes the documents that other contains.
func (b bitset) andNot(other bitset) {
	for i := range b {
		b[i] &^= other[i]
	}
}

func (b bitset) or(other bitset) {
	for i := range b {
		b[i] |= other[i]
	}
}

func (b bitset) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// countAnd returns the size of the intersection.
func (b bitset) countAnd(other bitset) int {
	n := 0
	for len(b) >= 8 && len(other) >= 8 { // without a check of each index, this takes half the time
		x, y := (*[8]uint64)(b), (*[8]uint64)(other)
		n += bits.OnesCount64(x[0]&y[0]) + bits.OnesCount64(x[1]&y[1]) + bits.OnesCount64(x[2]&y[2]) + bits.OnesCount64(x[3]&y[3]) +
			bits.OnesCount64(x[4]&y[4]) + bits.OnesCount64(x[5]&y[5]) + bits.OnesCount64(x[6]&y[6]) + bits.OnesCount64(x[7]&y[7])
		b, other = b[8:], other[8:]
	}
	for i, word := range b {
		n += bits.OnesCount64(word & other[i])
	}
	return n
}

// countOf returns how many of the documents the set contains.
func (b bitset) countOf(docs []uint16) int {
	n := 0
	for _, doc := range docs {
		n += int(b[doc>>6] >> (doc & 63) & 1)
	}
	return n
}

// appendTo appends the documents of the set to docs in ascending order.
func (b bitset) appendTo(docs []uint16) []uint16 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			docs = append(docs, uint16(i<<6|bits.TrailingZeros64(word)))
		}
	}
	return docs
}

// next returns the first document of the set that is not less than doc, or -1 if there is none.
func (b bitset) next(doc int) int {
	i := doc >> 6
	if i >= len(b) {
		return -1
	}
	word := b[i] &^ (1<<(doc&63) - 1)
	for word == 0 {
		if i++; i == len(b) {
			return -1
		}
		word = b[i]
	}
	return i<<6 | bits.TrailingZeros64(word)
}

// all iterates over the documents in ascending order.
func (b bitset) all(yield func(doc int) bool) {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			if !yield(i<<6 | bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}
