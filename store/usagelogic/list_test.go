package usagelogic

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestListsSurvive checks that a list contains the sums of everything that was added, in any order, and that both
// encodings are read as they were written.
func TestListsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all list
		want := map[Number]sum{}
		step := rapid.SampledFrom([]Number{1, 97, 600_011}).Draw(rt, "step")
		for range rapid.IntRange(0, 6).Draw(rt, "parts") {
			size := rapid.SampledFrom([]int{1, 7, minUnited - 1, 3 * minUnited}).Draw(rt, "size")
			first, stride := rapid.IntRange(0, 50).Draw(rt, "first"), rapid.SampledFrom([]int{1, 2, 5003}).Draw(rt, "stride")
			for i := range size {
				value := Number((first+i*stride)%7001) * step
				added := sum{int64(i % 3), int64(i) * 1001, int64(i % 5)}
				all.add(value, added)
				want[value] = want[value].plus(added)
			}
			if rapid.Bool().Draw(rt, "replace") {
				old, by := Number(first)*step, Number(rapid.IntRange(0, 7001).Draw(rt, "by"))*step
				if s, known := want[old]; all.replace(old, by) != known {
					rt.Fatalf("%d: known: %t", old, known)
				} else if known {
					delete(want, old)
					want[by] = want[by].plus(s)
				}
			}
		}
		same := func(lines []line) bool {
			return slices.EqualFunc(lines, slices.Sorted(maps.Keys(want)), func(l line, value Number) bool { return l.value == value && l.sum == want[value] })
		}
		if !same(all.unite()) {
			rt.Fatalf("%d lines differ from the %d that were added", len(all.lines), len(want))
		}
		var long, short list
		if err := readList(all.append(nil), long.add); err != nil || !same(long.unite()) {
			rt.Errorf("%d lines are read as %d (%v)", len(want), len(long.lines), err)
		}
		body := all.appendShort(nil)
		if err := readShortList(body, short.add); err != nil || !same(short.unite()) {
			rt.Errorf("%d short lines are read as %d (%v)", len(want), len(short.lines), err)
		}
		if n := len(body); n > 0 {
			if err := readShortList(body[:n-1], short.add); !errors.Is(err, errList) {
				rt.Errorf("a list that was cut off: %v", err)
			}
		}
	})
}

// TestPairsSurvive checks that pairs are read as they were written, and that a person's videos can move to another
// person in the same cell or another.
func TestPairsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cell, want := &Cell{Key: CellKey{Dimension: UserVideos, Value: 7}}, map[uint64]bool{}
		for i := range rapid.SampledFrom([]int{0, 1, 50, 3 * minUnited}).Draw(rt, "size") {
			user, video := Number(i*i%11)*shares+7, Number(i*31%(3*minUnited))*60_000
			cell.pairs.add(user, video)
			want[uint64(user)<<32|uint64(video)] = true
		}
		body := cell.Body()
		read := &Cell{Key: cell.Key}
		for range 2 {
			if err := read.Absorb(0, 0, 0, body); err != nil || !slices.Equal(read.pairs.unite(), slices.Sorted(maps.Keys(want))) {
				rt.Fatalf("%d pairs are read as %d (%v)", len(want), len(read.pairs.all), err)
			}
		}
		if n := len(body); n > 0 {
			if err := readPairs(body[:n-1], anyone, func(Number, Number) {}); !errors.Is(err, errPairs) {
				rt.Errorf("pairs that were cut off: %v", err)
			}
		}
		old, by := Number(4*shares+7), rapid.SampledFrom([]Number{9*shares + 7, 90*shares + 7, 8}).Draw(rt, "by")
		moved, had, videos := map[CellKey]*Cell{}, map[uint64]bool{}, map[uint64]bool{}
		for pair := range want {
			if Number(pair>>32) == old {
				had[uint64(by)<<32|pair&(1<<32-1)] = true
			} else {
				videos[pair] = true
			}
		}
		if read.replacePerson(old, by, moved) != (len(had) > 0) {
			rt.Errorf("%d videos of a person", len(had))
		}
		for _, other := range inOrder(moved) {
			if other.Key.Value != shareOf(by) || by%shares == 7 || !slices.Equal(other.pairs.unite(), slices.Sorted(maps.Keys(had))) {
				rt.Errorf("%v with %d pairs is moved", other.Key, len(other.pairs.all))
			}
			clear(had)
		}
		maps.Copy(videos, had)
		if !slices.Equal(read.pairs.unite(), slices.Sorted(maps.Keys(videos))) {
			rt.Errorf("%d pairs remain, want %d", len(read.pairs.all), len(videos))
		}
	})
}
