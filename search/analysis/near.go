package analysis

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Near finds the words of a list that lie within a few edits of another word. A walk of an automaton
// over an FST visits tens of thousands of states for two edits; comparing the sets of letters throws out
// nearly all words of a fitting length at one nanosecond each, and what remains is measured
// bit-parallel. It may be used concurrently.
type Near struct {
	at      func(place int) []byte
	places  []uint32 // by length in characters
	letters []uint32 // of each of places
	lengths []uint32 // where those of each length start in places, and their end
}

// shortestFuzzy is the least number of letters of a word that can be within the forgiven edits of
// another: one edit from four.
const shortestFuzzy = 3

// NewNear looks at a list of so many folded words; at returns the one at a place, for as long as the Near
// is used.
func NewNear(count int, at func(place int) []byte) Near {
	counts := make([]uint32, MaxWordLength+2)
	lengths := make([]uint8, count)
	for i := range lengths {
		n := utf8.RuneCount(at(i))
		if n > MaxWordLength {
			n = 0 // not the analyser's; never a candidate
		}
		lengths[i] = uint8(n)
		counts[n+1]++
	}
	for n := 1; n < len(counts); n++ {
		counts[n] += counts[n-1]
	}
	t := Near{
		at:      at,
		places:  make([]uint32, len(lengths)),
		letters: make([]uint32, len(lengths)),
		lengths: slices.Clone(counts),
	}
	for i, n := range lengths {
		next := counts[n]
		counts[n]++
		t.places[next], t.letters[next] = uint32(i), letterSet(at(i))
	}
	return t
}

// letterSet has a bit for each letter; rarer characters share bits.
func letterSet(word []byte) uint32 {
	set := uint32(0)
	for _, r := range string(word) {
		set |= 1 << (uint32(r) & 31)
	}
	return set
}

// Find calls yield for each word within the edits of word, but for word itself: with its place, and how
// many edits lie between (optimal string alignment).
func (n *Near) Find(word string, edits int, yield func(place uint32, edits uint8)) {
	length := utf8.RuneCountInString(word)
	if length > MaxWordLength || edits <= 0 {
		return
	}
	from := n.lengths[max(shortestFuzzy, length-edits)]
	end := n.lengths[min(length+edits, MaxWordLength)+1]
	if from >= end {
		return
	}
	letters := letterSet([]byte(word))
	m := newMeasure(word)
	for i, other := range n.letters[from:end] {
		if bits.OnesCount32(letters&^other) > edits || bits.OnesCount32(other&^letters) > edits {
			continue
		}
		place := n.places[int(from)+i]
		if distance := m.distance(n.at(int(place))); distance <= edits && distance > 0 {
			yield(place, uint8(distance))
		}
	}
}

// measure computes the distance (optimal string alignment) of words to one word of at most 64
// characters, in the bit-parallel way of Hyyrö's "A bit-vector algorithm for computing Levenshtein
// and Damerau edit distances" (2003).
type measure struct {
	length int
	ascii  [utf8.RuneSelf]uint64 // where each character stands in the word
	others map[rune]uint64
}

func newMeasure(word string) *measure {
	m := &measure{}
	for _, r := range word {
		bit := uint64(1) << m.length
		m.length++
		if r < utf8.RuneSelf {
			m.ascii[r] |= bit
			continue
		}
		if m.others == nil {
			m.others = map[rune]uint64{}
		}
		m.others[r] |= bit
	}
	return m
}

func (m *measure) distance(other []byte) int {
	positive, negative, diagonal, before := ^uint64(0), uint64(0), uint64(0), uint64(0)
	last := uint64(1) << (m.length - 1)
	distance := m.length
	for i := 0; i < len(other); {
		var match uint64
		if c := other[i]; c < utf8.RuneSelf {
			match = m.ascii[c]
			i++
		} else {
			r, size := utf8.DecodeRune(other[i:])
			match = m.others[r]
			i += size
		}
		swapped := (^diagonal & match) << 1 & before
		diagonal = ((match&positive + positive) ^ positive) | match | negative | swapped
		horizontalPositive := negative | ^(diagonal | positive)
		horizontalNegative := diagonal & positive
		if horizontalPositive&last != 0 {
			distance++
		}
		if horizontalNegative&last != 0 {
			distance--
		}
		horizontalPositive = horizontalPositive<<1 | 1
		horizontalNegative <<= 1
		positive = horizontalNegative | ^(diagonal | horizontalPositive)
		negative = horizontalPositive & diagonal
		before = match
	}
	return distance
}
