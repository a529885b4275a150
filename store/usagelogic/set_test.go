package usagelogic

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSetSurvives checks that sets of every size are read as they were written, also into sets of every size.
func TestSetSurvives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := func(label string) map[Number]bool {
			size := rapid.SampledFrom([]int{0, 1, few, few + 1, listed, listed + 1, 5000}).Draw(rt, label)
			step := rapid.SampledFrom([]Number{1, 2, 7919, 65_536, 858_001}).Draw(rt, label+" step")
			numbers := map[Number]bool{}
			for i := range size {
				numbers[Number(i)*step+rapid.Uint32Range(1, 3).Draw(rt, "number")%3] = true
			}
			return numbers
		}
		first, second := drawn("first"), drawn("second")
		a, b := setOf(first), setOf(second)
		buffer := b.append(a.append(nil))
		var read set
		rest, err := readSet(buffer, &read)
		if err != nil || !equal(&read, first) {
			rt.Fatalf("%d numbers are read as %d (%v)", len(first), read.len(), err)
		}
		if rest, err = readSet(rest, &read); err != nil || len(rest) > 0 {
			rt.Fatal(len(rest), err)
		}
		both := map[Number]bool{}
		for _, numbers := range []map[Number]bool{first, second} {
			for n := range numbers {
				both[n] = true
			}
		}
		if !equal(&read, both) {
			rt.Errorf("%d and %d are united to %d, want %d", len(first), len(second), read.len(), len(both))
		}
		var united union
		rest, err = united.addStored(buffer)
		if err == nil {
			rest, err = united.addStored(rest)
		}
		if united.addSet(&a); err != nil || len(rest) > 0 || united.count() != int64(len(both)) || united.count() != 0 {
			rt.Errorf("%d and %d are not united to %d (%v)", len(first), len(second), len(both), err)
		}
		if cut := rapid.IntRange(0, len(buffer)-1).Draw(rt, "cut"); !damaged(buffer[:cut]) {
			rt.Errorf("%d of %d bytes are no error", cut, len(buffer))
		}
		if a.unite(&b); !equal(&a, both) {
			rt.Errorf("%d and %d come to %d, want %d", len(first), len(second), a.len(), len(both))
		}
	})
}

// damaged reports whether two sets cannot be read from a buffer.
func damaged(buffer []byte) bool {
	var u union
	rest, err := u.addStored(buffer)
	if err == nil {
		_, err = u.addStored(rest)
	}
	return errors.Is(err, errSet)
}

func setOf(numbers map[Number]bool) (s set) {
	for n := range numbers {
		s.add(n)
		s.add(n)
	}
	return s
}

func equal(s *set, numbers map[Number]bool) bool {
	for n := range numbers {
		if !s.has(n) {
			return false
		}
	}
	return s.len() == int64(len(numbers)) && !s.has(4_000_000_000)
}

func TestSetReplaces(t *testing.T) {
	for _, size := range []Number{3, 100} {
		var s set
		for n := range size {
			s.add(n + 1)
		}
		s.replace(2, 500)
		s.replace(77_777, 501)
		s.replace(1, 3)
		if s.has(2) || s.has(1) || s.has(501) || !s.has(500) || !s.has(3) || s.len() != int64(size)-1 {
			t.Errorf("of %d there are %d: %v", size, s.len(), s.list)
		}
	}
}

// TestSetIncludes checks that include adds all elements, and leaves the other set as it was.
func TestSetIncludes(t *testing.T) {
	for _, size := range []Number{0, few, few + 1, maxAdded - 1, 10 * maxAdded} {
		for _, otherSize := range []Number{0, few, few + 1, few + maxAdded/2, 10*maxAdded + 1} {
			var s, other set
			both, of := map[Number]bool{}, map[Number]bool{}
			for n := range size {
				s.add(3 * n)
				both[3*n] = true
			}
			for n := range otherSize {
				other.add(2 * n)
				both[2*n], of[2*n] = true, true
			}
			s.include(&other)
			s.add(1)
			both[1] = true
			if !equal(&s, both) || !equal(&other, of) {
				t.Errorf("%d and %d come to %d, want %d; the other has %d", size, otherSize, s.len(), len(both), other.len())
			}
		}
	}
}

// TestDamagedSets checks that reading malformed data returns an error instead of a panic.
func TestDamagedSets(t *testing.T) {
	for _, size := range []Number{0, 3, 5000} {
		var s set
		for n := range size {
			s.add(n * 3)
		}
		whole := s.append(nil)
		for cut := range min(len(whole), 200) {
			if _, err := readSet(whole[:cut], &set{}); !errors.Is(err, errSet) {
				t.Fatalf("%d of %d bytes: %v", cut, len(whole), err)
			}
		}
	}
	for _, bytes := range [][]byte{{0}, {1, 9}, {2, 0, 0x80}, {3, 1, 1, 1}, slices.Repeat([]byte{0xff}, 12)} {
		if _, err := readSet(bytes, &set{}); !errors.Is(err, errSet) {
			t.Errorf("%v: %v", bytes, err)
		}
	}
}
