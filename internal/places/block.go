package places

import (
	"slices"
	"sort"
	"strings"
)

// block holds the places of an area in the order of their folded names. The names lie in one text, each
// behind a line break, so that one pass over it finds what contains a text.
type block[T any] struct {
	names  strings.Builder
	starts []int // where in names each begins
	places []T
}

func newBlock[T any](size int) *block[T] {
	return &block[T]{starts: make([]int, 0, size), places: make([]T, 0, size)}
}

// add appends a place whose folded name is not before those that are there. It holds no line break.
func (b *block[T]) add(folded string, place T) {
	b.names.WriteByte('\n')
	b.starts = append(b.starts, b.names.Len())
	b.names.WriteString(folded)
	b.places = append(b.places, place)
}

// search finds what contains the text: first what starts with it, then what has a word that does, then the
// rest, each in the order of the block. Each walk ends when there is enough, so that a text which nearly all
// names contain costs no more than one that none does.
func (b *block[T]) search(typed string) []T {
	found := b.beginning(typed)
	starts := func(name string) bool { return strings.HasPrefix(name, typed) }
	found = b.containing(found, " "+typed, starts)
	return b.containing(found, typed, func(name string) bool { return starts(name) || strings.Contains(name, " "+typed) })
}

// containing adds to what was found, up to MaxFound, what contains a text, but for names that are found already.
func (b *block[T]) containing(found []T, text string, already func(name string) bool) []T {
	names := b.names.String()
	for from := 0; len(found) < MaxFound; {
		at := strings.Index(names[from:], text)
		if at < 0 {
			break
		}
		place := sort.SearchInts(b.starts, from+at+1) - 1 // the last that begins at or before the hit
		end := len(names)
		if place+1 < len(b.starts) {
			end = b.starts[place+1] - 1
		}
		if !already(names[b.starts[place]:end]) {
			found = append(found, b.places[place])
		}
		from = end
	}
	return found
}

// beginning finds what starts with the text, MaxFound at the most.
func (b *block[T]) beginning(typed string) []T {
	names := b.names.String()
	from := sort.Search(len(b.starts), func(i int) bool { return names[b.starts[i]:] >= typed })
	to := from
	for to < len(b.starts) && to-from < MaxFound && strings.HasPrefix(names[b.starts[to]:], typed) {
		to++
	}
	return slices.Clone(b.places[from:to])
}
