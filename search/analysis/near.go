package analysis

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Near finds the words of a list that are within a few edits of another word. It compares the sets of letters first,
// which excludes nearly all words of a suitable length at one nanosecond each, and computes the distance of the
// remaining words with a bit-parallel algorithm. An automaton over an FST, by comparison, visits tens of thousands of
// states for two edits. A Near may be used concurrently.
type Near struct {
	at      func(place int) []byte
	places  []uint32 // in order of length in characters
	letters []uint32 // by index in places: the set of letters
	lengths []uint32 // by length: the index of its first word in places, and the end
}

// shortestFuzzy is the smallest number of letters of a word that can be within the allowed edits of another: one edit
// from a word of four letters.
const shortestFuzzy = 3

// NewNear returns a Near for a list of count folded words. at returns the word at a place; it must remain valid as long
// as the Near is used.
func NewNear(count int, at func(place int) []byte) Near {
	counts := make([]uint32, MaxWordLength+2)
	lengths := make([]uint8, count)
	for i := range lengths {
		n := utf8.RuneCount(at(i))
		if n > MaxWordLength {
			n = 0 // no word of an Analyzer; never a candidate
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

// letterSet returns a bit set of the characters of a word. Each lower-case ASCII letter has its own bit; other
// characters share bits.
func letterSet(word []byte) uint32 {
	set := uint32(0)
	for _, r := range string(word) {
		set |= 1 << (uint32(r) & 31)
	}
	return set
}

// Find calls yield for each word that is within edits edits of word, except word itself. yield gets the place of the
// word and its distance (optimal string alignment).
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

// measure computes the distance (optimal string alignment) of words to one word of at most 64 characters. It uses the
// bit-parallel algorithm of Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances"
// (2003).
type measure struct {
	length int
	ascii  [utf8.RuneSelf]uint64 // the positions of each character in the word
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
