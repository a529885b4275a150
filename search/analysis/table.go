package analysis

import (
	"bytes"
	"sort"
)

// Table contains a list of strings, stored one after the other in one byte slice of at most 4 GiB. The zero value contains
// none. A complete table may be used concurrently.
type Table struct {
	Blob   []byte
	Starts []uint32 // the start of each string, and the end of the last
}

// NewTable returns a complete table of strings, in their order.
func NewTable(strings []string) Table {
	total := 0
	for _, s := range strings {
		total += len(s)
	}
	t := Table{Blob: make([]byte, 0, total), Starts: make([]uint32, 0, len(strings)+1)}
	for _, s := range strings {
		t.Append(s)
	}
	t.End()
	return t
}

// Append adds a string at the end. The caller calls End after the last one, before any other method.
func (t *Table) Append(s string) {
	t.Starts = append(t.Starts, uint32(len(t.Blob)))
	t.Blob = append(t.Blob, s...)
}

// End completes a table after the last Append.
func (t *Table) End() { t.Starts = append(t.Starts, uint32(len(t.Blob))) }

// Len returns the number of strings.
func (t *Table) Len() int { return max(0, len(t.Starts)-1) }

// At returns the string at an index of 0 to Len()-1. The caller must not change it.
func (t *Table) At(i int) []byte { return t.Blob[t.Starts[i]:t.Starts[i+1]] }

// Find searches a sorted table for a string. It returns the index of the string, or the index at which it would be
// inserted, and whether the table contains it.
func (t *Table) Find(s string) (int, bool) { return t.FindBetween(s, 0, t.Len()) }

// FindBetween is Find for a string that is, or would be inserted, at an index from from to end, both included.
func (t *Table) FindBetween(s string, from, end int) (int, bool) {
	i := from + sort.Search(end-from, func(i int) bool { return string(t.At(from+i)) >= s })
	return i, i < t.Len() && string(t.At(i)) == s
}

// MergeTables walks several sorted tables at once. For each distinct string in ascending order, it calls visit with the
// index of the string in each table, or -1 for a table without the string. visit must not keep places.
func MergeTables(tables []*Table, visit func(s []byte, places []int)) {
	next := make([]int, len(tables))
	places := make([]int, len(tables))
	for {
		var least []byte
		found := false
		for i, t := range tables {
			if next[i] < t.Len() {
				if s := t.At(next[i]); !found || bytes.Compare(s, least) < 0 {
					least, found = s, true
				}
			}
		}
		if !found {
			return
		}
		for i, t := range tables {
			places[i] = -1
			if next[i] < t.Len() && bytes.Equal(t.At(next[i]), least) {
				places[i] = next[i]
				next[i]++
			}
		}
		visit(least, places)
	}
}
