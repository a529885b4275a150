package usagelogic

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// sum is the sums of plays.
type sum struct{ plays, milliseconds, excess int64 }

func (s sum) plus(more sum) sum {
	return sum{s.plays + more.plays, s.milliseconds + more.milliseconds, s.excess + more.excess}
}

// line is the sums of one value.
type line struct {
	value Number
	sum
}

func compareLines(a, b line) int { return cmp.Compare(a.value, b.value) }

// list contains the sums of some values. The zero value is empty.
type list struct {
	// lines begins with united lines in the order of their values, each of which occurs once. The other lines are in
	// any order.
	lines  []line
	united int
}

// minUnited is the smallest number of lines that are united before more are added.
const minUnited = 1 << 10

func (l *list) add(value Number, more sum) {
	n := len(l.lines)
	if l.united == n && (n == 0 || l.lines[n-1].value < value) {
		l.united++
	} else if n >= max(minUnited, 2*l.united) {
		l.unite()
	}
	l.lines = append(l.lines, line{value, more})
}

// unite returns the lines in the order of their values, each of which occurs once.
func (l *list) unite() []line {
	if l.united == len(l.lines) {
		return l.lines
	}
	added := l.lines[l.united:]
	if !slices.IsSortedFunc(added, compareLines) {
		slices.SortFunc(added, compareLines)
	}
	l.lines = merged(l.lines[:l.united], added)
	l.united = len(l.lines)
	return l.lines
}

// addAll adds lines in the order of their values, each of which occurs once. It is faster than add if the list contains
// most of the values.
func (l *list) addAll(lines []line) {
	var fresh []line
	known, i := l.unite(), 0
	for _, next := range lines {
		for i < len(known) && known[i].value < next.value {
			i++
		}
		if i < len(known) && known[i].value == next.value {
			known[i].sum = known[i].plus(next.sum)
		} else {
			fresh = append(fresh, next)
		}
	}
	if len(fresh) > 0 {
		l.lines = merged(known, fresh)
		l.united = len(l.lines)
	}
}

// merged merges sorted lines. Lines with the same value become one.
func merged(a, b []line) []line {
	all := make([]line, 0, len(a)+len(b))
	for len(a)+len(b) > 0 {
		from := &a
		if len(a) == 0 || (len(b) > 0 && b[0].value < a[0].value) {
			from = &b
		}
		next := (*from)[0]
		*from = (*from)[1:]
		if n := len(all); n > 0 && all[n-1].value == next.value {
			all[n-1].sum = all[n-1].plus(next.sum)
		} else {
			all = append(all, next)
		}
	}
	return all
}

// replace moves the sums of one value to another. It reports whether the list contained the old value.
func (l *list) replace(old, by Number) bool {
	place, found := slices.BinarySearchFunc(l.unite(), line{value: old}, compareLines)
	if found {
		sum := l.lines[place].sum
		l.lines = slices.Delete(l.lines, place, place+1)
		l.united--
		l.add(by, sum)
	}
	return found
}

// lineLength is the length in bytes of a line of a stored list of videos: a value of four bytes, then plays,
// milliseconds and excess of eight bytes each, all in big-endian order. So SQL can write a list too.
const lineLength = 4 + 8 + 8 + 8

var errList = errors.New("store: a list of sums is damaged")

// append appends the encoded list of videos to buffer, in the order of values.
func (l *list) append(buffer []byte) []byte {
	lines := l.unite()
	buffer = slices.Grow(buffer, len(lines)*lineLength)
	for i := range lines {
		buffer = binary.BigEndian.AppendUint32(buffer, lines[i].value)
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(lines[i].plays))
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(lines[i].milliseconds))
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(lines[i].excess))
	}
	return buffer
}

// readList calls each with every line of a stored list of videos.
func readList(buffer []byte, each func(Number, sum)) error {
	if len(buffer)%lineLength != 0 {
		return errList
	}
	for ; len(buffer) > 0; buffer = buffer[lineLength:] {
		at := func(offset int) int64 { return int64(binary.BigEndian.Uint64(buffer[offset:])) }
		each(binary.BigEndian.Uint32(buffer), sum{at(4), at(12), at(20)})
	}
	return nil
}

// appendShort appends the encoded list of users to buffer, in the order of values. Each line consists of varints: the
// difference from the value before, plays, milliseconds and excess. A line takes about 8 bytes.
func (l *list) appendShort(buffer []byte) []byte {
	last := Number(0)
	for _, line := range l.unite() {
		buffer = binary.AppendUvarint(buffer, uint64(line.value-last))
		buffer = binary.AppendUvarint(buffer, uint64(line.plays))
		buffer = binary.AppendUvarint(buffer, uint64(line.milliseconds))
		buffer = binary.AppendUvarint(buffer, uint64(line.excess))
		last = line.value
	}
	return buffer
}

// readShortList calls each with every line of a stored list of users.
func readShortList(buffer []byte, each func(Number, sum)) error {
	for value := Number(0); len(buffer) > 0; {
		var numbers [4]uint64
		for i := range numbers {
			number, n := binary.Uvarint(buffer)
			if n <= 0 {
				return errList
			}
			numbers[i], buffer = number, buffer[n:]
		}
		value += Number(numbers[0])
		each(value, sum{int64(numbers[1]), int64(numbers[2]), int64(numbers[3])})
	}
	return nil
}
