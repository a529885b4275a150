package usagelogic

import (
	"bytes"
	"maps"
	"slices"
	"testing"
)

// TestGather checks that the cells are those that every play is added to one by one.
func TestGather(t *testing.T) {
	plays := drawPlays(5000)
	for i := range plays {
		p := &plays[i]
		p.At += hourLength * (p.At % 900)
		p.Sandbox, p.Continues, p.Void = i%9 == 0, i%5 == 0, int64(i%11/10)
	}
	cells := map[CellKey]*Cell{}
	for i := range plays {
		if p := &plays[i]; p.Void == 0 {
			p.keys(func(key CellKey) {
				if cells[key] == nil {
					cells[key] = &Cell{Key: key}
				}
				cells[key].add(p)
			})
		}
	}
	got := Gather(plays)
	slices.SortFunc(got, func(a, b *Cell) int { return a.Key.compare(b.Key) })
	if len(got) != len(cells) {
		t.Fatalf("%d cells, want %d", len(got), len(cells))
	}
	for i, want := range slices.SortedFunc(maps.Values(cells), func(a, b *Cell) int { return a.Key.compare(b.Key) }) {
		c := got[i]
		if c.Key != want.Key || c.Plays != want.Plays || c.Milliseconds != want.Milliseconds || c.Excess != want.Excess || !bytes.Equal(c.Body(), want.Body()) {
			t.Errorf("got %+v, want %+v", c, want)
		}
	}
}
