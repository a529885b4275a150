package embedded

import (
	"bytes"
	"sort"
)

// stringTable contains a list of strings, stored one after the other in one byte slice.
type stringTable struct {
	blob   []byte
	starts []uint32 // the start of each string, and the end of the last
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

// end completes a table after the last append.
func (t *stringTable) end() { t.starts = append(t.starts, uint32(len(t.blob))) }

func (t *stringTable) len() int { return max(0, len(t.starts)-1) }

func (t *stringTable) at(i int) []byte { return t.blob[t.starts[i]:t.starts[i+1]] }

// find searches a sorted table for a string. It returns the index of the string, or the index at which it would be
// inserted, and whether the table contains it.
func (t *stringTable) find(s string) (int, bool) {
	i := sort.Search(t.len(), func(i int) bool { return string(t.at(i)) >= s })
	return i, i < t.len() && string(t.at(i)) == s
}

// typo is a word of the dictionary that is near the word of the query.
type typo struct {
	term  uint32
	edits uint8
}

// mergeTables walks several sorted tables at once. For each distinct string in ascending order, it calls visit with the
// index of the string in each table, or -1 for a table without the string. visit must not keep places.
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
