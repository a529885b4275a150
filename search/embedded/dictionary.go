package embedded

import (
	"bytes"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// stringTable holds strings one behind the other.
type stringTable struct {
	blob   []byte
	starts []uint32 // of each string, and the end of the last
}

func newStringTable(strings []string) stringTable {
	total := 0
	for _, s := range strings {
		total += len(s)
	}
	t := stringTable{blob: make([]byte, 0, total), starts: make([]uint32, 0, len(strings)+1)}
	for _, s := range strings {
		t.append(s)
	}
	t.end()
	return t
}

func (t *stringTable) append(s string) {
	t.starts = append(t.starts, uint32(len(t.blob)))
	t.blob = append(t.blob, s...)
}

// end closes a table that was appended to.
func (t *stringTable) end() { t.starts = append(t.starts, uint32(len(t.blob))) }

func (t *stringTable) len() int { return max(0, len(t.starts)-1) }

func (t *stringTable) at(i int) []byte { return t.blob[t.starts[i]:t.starts[i+1]] }

// find looks up a string in a sorted table: where it stands, or where it would stand.
func (t *stringTable) find(s string) (int, bool) {
	low, high := 0, t.len()
	for low < high {
		middle := int(uint(low+high) >> 1)
		if string(t.at(middle)) < s {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < t.len() && string(t.at(low)) == s
}

// typoTable finds the words of a sorted dictionary that lie within a few edits of another. A walk of
// an automaton over an FST visits tens of thousands of states for two edits; comparing the sets of
// letters throws out nearly all words of a fitting length at one nanosecond each, and what remains
// is measured bit-parallel.
type typoTable struct {
	terms   []uint32 // by length in characters
	letters []uint32 // of each of terms
	lengths []uint32 // where the terms of each length start in terms, and their end
}

// shortestFuzzy is the least number of letters of a word that can be within the forgiven edits of
// another: one edit from four.
const shortestFuzzy = 3

func newTypoTable(words *stringTable) typoTable {
	counts := make([]uint32, analysis.MaxWordLength+2)
	lengths := make([]uint8, words.len())
	for i := range lengths {
		n := utf8.RuneCount(words.at(i))
		if n > analysis.MaxWordLength {
			n = 0 // not the analyser's; never a candidate
		}
		lengths[i] = uint8(n)
		counts[n+1]++
	}
	for n := 1; n < len(counts); n++ {
		counts[n] += counts[n-1]
	}
	t := typoTable{
		terms:   make([]uint32, len(lengths)),
		letters: make([]uint32, len(lengths)),
		lengths: slices.Clone(counts),
	}
	for i, n := range lengths {
		at := counts[n]
		counts[n]++
		t.terms[at], t.letters[at] = uint32(i), letterSet(words.at(i))
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

// typo is a word of the dictionary near the one that was asked for.
type typo struct {
	term  uint32
	edits uint8
}

// near calls yield for each word within the edits of word, but for word itself.
func (t *typoTable) near(words *stringTable, word string, edits int, yield func(typo)) {
	length := utf8.RuneCountInString(word)
	if length > analysis.MaxWordLength || edits <= 0 {
		return
	}
	from := t.lengths[max(shortestFuzzy, length-edits)]
	end := t.lengths[min(length+edits, analysis.MaxWordLength)+1]
	if from >= end {
		return
	}
	letters := letterSet([]byte(word))
	m := newMeasure(word)
	for i, other := range t.letters[from:end] {
		if bits.OnesCount32(letters&^other) > edits || bits.OnesCount32(other&^letters) > edits {
			continue
		}
		term := t.terms[int(from)+i]
		candidate := words.at(int(term))
		if distance := m.distance(candidate); distance <= edits && distance > 0 {
			yield(typo{term: term, edits: uint8(distance)})
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

// mergeTables walks several sorted tables at once: for each distinct string it calls visit with where
// the string stands in each table, -1 where it does not.
func mergeTables(tables []*stringTable, visit func(s []byte, places []int)) {
	next := make([]int, len(tables))
	places := make([]int, len(tables))
	for {
		var least []byte
		found := false
		for i, t := range tables {
			if next[i] < t.len() {
				if s := t.at(next[i]); !found || bytes.Compare(s, least) < 0 {
					least, found = s, true
				}
			}
		}
		if !found {
			return
		}
		for i, t := range tables {
			places[i] = -1
			if next[i] < t.len() && bytes.Equal(t.at(next[i]), least) {
				places[i] = next[i]
				next[i]++
			}
		}
		visit(least, places)
	}
}
