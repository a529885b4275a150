package usagelogic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// few is the largest number of elements that a set keeps as a list. Most sets are small, and a bitmap would take more
// memory.
const few = 16

// set is a set of numbers. The zero value is empty.
type set struct {
	list []Number        // unordered, while there are few
	many *roaring.Bitmap // nil while there are few
	// added contains numbers that wait for settle, in any order: a bitmap takes sorted numbers faster than single ones.
	added []Number
}

// maxAdded is the number of numbers that wait.
const maxAdded = 64

func (s *set) add(n Number) {
	switch {
	case s.many != nil:
		if s.added = append(s.added, n); len(s.added) == maxAdded {
			s.settle()
		}
	case slices.Contains(s.list, n):
	case len(s.list) < few:
		s.list = append(s.list, n)
	default:
		s.many, s.list = roaring.BitmapOf(s.list...), nil
		s.many.Add(n)
	}
}

// settle moves added to the bitmap.
func (s *set) settle() {
	if len(s.added) > 0 {
		slices.Sort(s.added)
		s.many.AddMany(s.added)
		s.added = s.added[:0]
	}
}

// addSorted adds numbers, which must be sorted.
func (s *set) addSorted(numbers []Number) {
	if len(numbers) > few {
		s.unite(&set{many: roaring.BitmapOf(numbers...)}) // adding numbers one by one would search for each
		return
	}
	for _, n := range numbers {
		s.add(n)
	}
}

func (s *set) len() int64 {
	s.settle()
	if s.many != nil {
		return int64(s.many.GetCardinality())
	}
	return int64(len(s.list))
}

// unite adds all elements of another set, which must not be used afterwards.
func (s *set) unite(other *set) {
	s.settle()
	other.settle()
	switch {
	case other.many == nil:
		for _, n := range other.list {
			s.add(n)
		}
	case s.many != nil:
		s.many.Or(other.many)
	default:
		*s, other.list = *other, s.list
		for _, n := range other.list {
			s.many.Add(n)
		}
	}
}

// include adds all elements of another set, which remains usable.
func (s *set) include(other *set) {
	other.settle()
	if s.many == nil && other.many != nil {
		other = &set{many: other.many.Clone()} // unite would take the bitmap
	}
	s.unite(other)
}

// replace replaces old by another number, if the set contains old.
func (s *set) replace(old, by Number) {
	s.settle()
	if s.many != nil && s.many.CheckedRemove(old) {
		s.many.Add(by)
	} else if i := slices.Index(s.list, old); i >= 0 {
		s.list = slices.Delete(s.list, i, i+1)
		s.add(by)
	}
}

func (s *set) has(n Number) bool {
	s.settle()
	return slices.Contains(s.list, n) || (s.many != nil && s.many.Contains(n))
}

// The encodings of a set. Small sets are lists of differences, because the containers of a bitmap take more space than
// their contents.
const (
	formList byte = iota
	formBitmap
	// listed is the largest number of elements that a set stores as a list.
	listed = 1024
)

var errSet = errors.New("store: a set of numbers is damaged")

// append appends the length of the encoded set in bytes, and then the encoded set.
func (s *set) append(buffer []byte) []byte {
	s.settle()
	body := []byte{formList}
	numbers := s.sorted()
	if numbers == nil && s.many != nil {
		s.many.RunOptimize()
		bitmap, err := s.many.ToBytes()
		if err != nil {
			panic(err) // cannot happen: ToBytes writes to memory
		}
		body = append([]byte{formBitmap}, bitmap...)
	}
	last := Number(0)
	for _, n := range numbers {
		body = binary.AppendUvarint(body, uint64(n-last))
		last = n
	}
	return append(binary.AppendUvarint(buffer, uint64(len(body))), body...)
}

// sorted returns the numbers of a set that is stored as a list, in order. It returns nil for a set that is stored as a
// bitmap.
func (s *set) sorted() []Number {
	if s.many == nil {
		return slices.Sorted(slices.Values(s.list))
	}
	if s.len() <= listed {
		return s.many.ToArray()
	}
	return nil
}

// readSets adds two consecutive stored sets to first and second, and returns the rest of the buffer.
func readSets(buffer []byte, first, second *set) (rest []byte, err error) {
	if rest, err = readSet(buffer, first); err == nil {
		rest, err = readSet(rest, second)
	}
	return rest, err
}

// readSet adds a stored set to into, and returns the rest of the buffer. If into is nil, it skips the set.
func readSet(buffer []byte, into *set) (rest []byte, err error) {
	form, body, rest, err := cutSet(buffer)
	if err != nil || into == nil {
		return rest, err
	}
	if form == formList {
		numbers := make([]Number, 0, len(body))
		err := eachOfList(body, func(n Number) { numbers = append(numbers, n) })
		into.addSorted(numbers)
		return rest, err
	}
	bitmap := roaring.New()
	if err := bitmap.UnmarshalBinary(body); err != nil {
		return nil, fmt.Errorf("%w: %w", errSet, err)
	}
	into.unite(&set{many: bitmap})
	return rest, nil
}

// cutSet splits a buffer into the form and the body of a stored set and the rest.
func cutSet(buffer []byte) (form byte, body, rest []byte, err error) {
	length, n := binary.Uvarint(buffer)
	if n <= 0 || length == 0 || length > uint64(len(buffer)-n) || buffer[n] > formBitmap {
		return 0, nil, nil, errSet
	}
	return buffer[n], buffer[n+1 : n+int(length)], buffer[n+int(length):], nil
}

// eachOfList calls each with the numbers of a set that is stored as a list.
func eachOfList(body []byte, each func(Number)) error {
	for last := uint64(0); len(body) > 0; {
		difference, n := binary.Uvarint(body)
		if n <= 0 {
			return errSet
		}
		last += difference
		each(Number(last))
		body = body[n:]
	}
	return nil
}
