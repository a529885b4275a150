package usagelogic

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
)

// sum is the sums of plays.
type sum struct{ plays, milliseconds, excess int64 }

// list contains the sums of some values. The zero value is empty.
type list map[Number]sum

func (l *list) add(value Number, more sum) {
	if *l == nil {
		*l = list{}
	}
	sum := (*l)[value]
	sum.plays += more.plays
	sum.milliseconds += more.milliseconds
	sum.excess += more.excess
	(*l)[value] = sum
}

// lineLength is the length in bytes of a line of a stored list: a value of four bytes, then plays, milliseconds and
// excess of eight bytes each, all in big-endian order. So SQL can write a list too.
const lineLength = 4 + 8 + 8 + 8

var errList = errors.New("store: a list of sums is damaged")

// append appends the encoded list to buffer, in the order of values.
func (l list) append(buffer []byte) []byte {
	buffer = slices.Grow(buffer, len(l)*lineLength)
	for _, value := range slices.Sorted(maps.Keys(l)) {
		buffer = binary.BigEndian.AppendUint32(buffer, value)
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(l[value].plays))
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(l[value].milliseconds))
		buffer = binary.BigEndian.AppendUint64(buffer, uint64(l[value].excess))
	}
	return buffer
}

// readList calls each with every line of a stored list.
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
