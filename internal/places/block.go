package places

import (
	"bytes"
	"slices"
	"sort"
)

// block holds the places of an area in the order of their folded names. One text holds all names, each after a line
// break, so that one scan searches all of them.
type block[T any] struct {
	names  []byte
	starts []int // where in names each begins
	places []T
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

// name returns the folded name of a place.
func (b *block[T]) name(place int) []byte {
	if place+1 < len(b.starts) {
		return b.names[b.starts[place] : b.starts[place+1]-1]
	}
	return b.names[b.starts[place]:]
}

// search finds at most MaxFound places whose names contain the text, in the order of rankOf, then in the order of the
// block.
func (b *block[T]) search(text string) []T {
	typed, word := []byte(text), []byte(" "+text)
	found := [ranks][]T{b.beginning(typed)}
	for from := 0; len(typed) > 0 && len(found[0]) < MaxFound && len(found[1]) < MaxFound; {
		sought := typed
		if len(found[2]) == MaxFound {
			sought = word
		}
		at := bytes.Index(b.names[from:], sought)
		if at < 0 {
			break
		}
		place := sort.SearchInts(b.starts, from+at+1) - 1 // the last that begins at or before the hit
		name := b.name(place)
		if rank := rankOf(name, typed, word); rank > 0 && len(found[rank]) < MaxFound {
			found[rank] = append(found[rank], b.places[place])
		}
		from = b.starts[place] + len(name)
	}
	all := slices.Concat(found[:]...)
	return all[:min(len(all), MaxFound)]
}

// beginning finds the places whose names start with the text, at most MaxFound.
func (b *block[T]) beginning(typed []byte) []T {
	from := sort.Search(len(b.starts), func(i int) bool { return bytes.Compare(b.names[b.starts[i]:], typed) >= 0 })
	to := from
	for to < len(b.starts) && to-from < MaxFound && bytes.HasPrefix(b.name(to), typed) {
		to++
	}
	return slices.Clone(b.places[from:to])
}

// ranks is the number of results of rankOf.
const ranks = 3

// rankOf returns the place of a name that contains a typed text in the order of results: names that start with it, then
// those with a word that does (word is the text after a blank), then the others.
func rankOf(name, typed, word []byte) int {
	switch {
	case bytes.HasPrefix(name, typed):
		return 0
	case bytes.Contains(name, word):
		return 1
	}
	return 2
}
