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
// rest, each in the order of the block.
func (b *block[T]) search(typed string) []T {
	first := b.beginning(typed)
	if len(first) == MaxFound {
		return first
	}
	var words, rest []T
	names := b.names.String()
	for from := 0; len(first)+len(words) < MaxFound; {
		at := strings.Index(names[from:], typed)
		if at < 0 {
			break
		}
		at += from
		place := sort.SearchInts(b.starts, at+1) - 1 // the last that begins at or before the hit
		end := len(names)
		if place+1 < len(b.starts) {
			end = b.starts[place+1] - 1
		}
		name := names[b.starts[place]:end]
		switch {
		case strings.HasPrefix(name, typed): // among the first already
		case strings.Contains(name, " "+typed):
			words = append(words, b.places[place])
		case len(first)+len(words)+len(rest) < MaxFound:
			rest = append(rest, b.places[place])
		}
		from = end
	}
	found := slices.Concat(first, words, rest)
	return found[:min(len(found), MaxFound)]
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
