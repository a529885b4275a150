package places

import (
	"bytes"
	"index/suffixarray"
	"slices"
	"sort"
)

// block holds the places of an area in the order of their folded names. The names lie in one text, each
// behind a line break. The text's suffixes are in order as well, so that whoever looks for what few or no names
// contain reads none of the others: four bytes of memory for each byte of a name.
type block[T any] struct {
	names    []byte
	starts   []int // where in names each begins
	places   []T
	suffixes *suffixarray.Index // of names; once all have been added
}

func newBlock[T any](size int) *block[T] {
	return &block[T]{starts: make([]int, 0, size), places: make([]T, 0, size)}
}

// add appends a place whose folded name is not before those that are there. It holds no line break.
func (b *block[T]) add(folded string, place T) {
	b.names = append(b.names, '\n')
	b.starts = append(b.starts, len(b.names))
	b.names = append(b.names, folded...)
	b.places = append(b.places, place)
}

// arranged makes the block fit to be searched. Nothing is added afterwards.
func (b *block[T]) arranged() *block[T] {
	b.suffixes = suffixarray.New(b.names)
	return b
}

// search finds what contains the text: first what starts with it, then what has a word that does, then the
// rest, each in the order of the block.
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

// maxListed is how many hits are put in order before the names are read from the first on instead. Where there
// are as many, enough of them are met soon.
const maxListed = 4096

// containing adds to what was found, up to MaxFound, what contains a text, but for names that are found already.
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

// hits says where a text is met first at or behind a place, which never goes back; below 0: nowhere.
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

// beginning finds what starts with the text, MaxFound at the most.
func (b *block[T]) beginning(typed []byte) []T {
	from := sort.Search(len(b.starts), func(i int) bool { return bytes.Compare(b.names[b.starts[i]:], typed) >= 0 })
	to := from
	for to < len(b.starts) && to-from < MaxFound && bytes.HasPrefix(b.names[b.starts[to]:], typed) {
		to++
	}
	return slices.Clone(b.places[from:to])
}
