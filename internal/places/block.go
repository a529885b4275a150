package places

import (
	"bytes"
	"index/suffixarray"
	"slices"
	"sort"
)

// block holds the places of an area in the order of their folded names. One text holds all names, each after a line
// break. A suffix array of the text, at four bytes for each byte of a name, finds texts that few names contain without
// reading the others.
type block[T any] struct {
	names    []byte
	starts   []int // where in names each begins
	places   []T
	suffixes *suffixarray.Index // of names; set by arranged
}

func newBlock[T any](size int) *block[T] {
	return &block[T]{starts: make([]int, 0, size), places: make([]T, 0, size)}
}

// add appends a place, whose folded name must not sort before the last one and must not contain a line break.
func (b *block[T]) add(folded string, place T) {
	b.names = append(b.names, '\n')
	b.starts = append(b.starts, len(b.names))
	b.names = append(b.names, folded...)
	b.places = append(b.places, place)
}

// arranged prepares the block for searches. Nothing may be added afterwards.
func (b *block[T]) arranged() *block[T] {
	b.suffixes = suffixarray.New(b.names)
	return b
}

// search finds places whose names contain the text: first those that start with it, then those with a word that does,
// then the others, each in the order of the block.
func (b *block[T]) search(text string) []T {
	if text == "" {
		return slices.Clone(b.places[:min(len(b.places), MaxFound)])
	}
	typed := []byte(text)
	word := slices.Concat([]byte(" "), typed)
	found := b.beginning(typed)
	starts := func(name []byte) bool { return bytes.HasPrefix(name, typed) }
	found = b.containing(found, word, starts)
	return b.containing(found, typed, func(name []byte) bool { return starts(name) || bytes.Contains(name, word) })
}

// maxListed is how many hits are sorted before search reads the names in order instead, where that many hits soon yield
// enough.
const maxListed = 4096

// containing appends to found, up to MaxFound, the places whose names contain a text and are not found already.
func (b *block[T]) containing(found []T, text []byte, already func(name []byte) bool) []T {
	if len(found) >= MaxFound {
		return found
	}
	next := b.hits(text)
	for from := 0; len(found) < MaxFound; {
		at := next(from)
		if at < 0 {
			break
		}
		place := sort.SearchInts(b.starts, at+1) - 1 // the last that begins at or before the hit
		end := len(b.names)
		if place+1 < len(b.starts) {
			end = b.starts[place+1] - 1
		}
		if !already(b.names[b.starts[place]:end]) {
			found = append(found, b.places[place])
		}
		from = end
	}
	return found
}

// hits returns a function that finds the first occurrence of a text at or after an offset, which must not decrease;
// below 0 if there is none.
func (b *block[T]) hits(text []byte) (next func(from int) int) {
	listed := b.suffixes.Lookup(text, maxListed)
	if len(listed) == maxListed {
		return func(from int) int {
			at := bytes.Index(b.names[from:], text)
			if at < 0 {
				return at
			}
			return from + at
		}
	}
	slices.Sort(listed)
	return func(from int) int {
		for len(listed) > 0 && listed[0] < from {
			listed = listed[1:]
		}
		if len(listed) == 0 {
			return -1
		}
		return listed[0]
	}
}

// beginning finds the places whose names start with the text, at most MaxFound.
func (b *block[T]) beginning(typed []byte) []T {
	from := sort.Search(len(b.starts), func(i int) bool { return bytes.Compare(b.names[b.starts[i]:], typed) >= 0 })
	to := from
	for to < len(b.starts) && to-from < MaxFound && bytes.HasPrefix(b.names[b.starts[to]:], typed) {
		to++
	}
	return slices.Clone(b.places[from:to])
}
