package usagelogic

import (
	"encoding/binary"
	"math/bits"
)

// union counts the distinct numbers of stored sets. It has a bit for every number of the blocks that contain one, which
// is faster than uniting sets one after the other, and it reads bitmaps without copying them. The zero value is empty.
type union struct {
	// blocks has the upper halves of numbers as indexes. used contains the indexes of blocks that are not nil, and free
	// contains empty blocks.
	blocks []*block
	used   []int
	free   []*block
}

// block contains the bits of 65,536 numbers.
type block [1 << 10]uint64

func (u *union) block(upper int) *block {
	if missing := upper + 1 - len(u.blocks); missing > 0 {
		u.blocks = append(u.blocks, make([]*block, missing)...)
	}
	b := u.blocks[upper]
	if b == nil {
		if last := len(u.free) - 1; last >= 0 {
			b, u.free = u.free[last], u.free[:last]
		} else {
			b = &block{}
		}
		u.blocks[upper], u.used = b, append(u.used, upper)
	}
	return b
}

func (u *union) add(n Number) { u.block(int(n >> 16)).add(uint16(n)) }

func (b *block) add(n uint16) { b[n>>6] |= 1 << (n & 63) }

// addRange adds the numbers from first to last, both included.
func (b *block) addRange(first, last uint16) {
	from, to := first>>6, last>>6
	low, high := ^uint64(0)<<(first&63), ^uint64(0)>>(63-last&63)
	if from == to {
		b[from] |= low & high
		return
	}
	b[from] |= low
	for word := from + 1; word < to; word++ {
		b[word] = ^uint64(0)
	}
	b[to] |= high
}

// count returns the number of distinct numbers, and empties the union.
func (u *union) count() (numbers int64) {
	for _, upper := range u.used {
		b := u.blocks[upper]
		for i, word := range b {
			numbers += int64(bits.OnesCount64(word))
			b[i] = 0
		}
		u.blocks[upper], u.free = nil, append(u.free, b)
	}
	u.used = u.used[:0]
	return numbers
}

// addSet adds the numbers of a set.
func (u *union) addSet(s *set) {
	s.settle()
	for _, n := range s.list {
		u.add(n)
	}
	if s.many != nil {
		for it := s.many.Iterator(); it.HasNext(); {
			u.add(it.Next())
		}
	}
}

// addStored adds a stored set, and returns the rest of the buffer. If u is nil, it skips the set.
func (u *union) addStored(buffer []byte) (rest []byte, err error) {
	form, body, rest, err := cutSet(buffer)
	if err != nil || u == nil {
		return rest, err
	}
	if form == formBitmap {
		return rest, u.addBitmap(body)
	}
	return rest, eachOfList(body, u.add)
}

// The markers of the format of Roaring bitmaps (https://github.com/RoaringBitmap/RoaringFormatSpec).
const (
	cookieOfArrays  = 12346 // no container is a list of runs
	cookieOfRuns    = 12347
	offsetsFrom     = 4    // a bitmap with runs has offsets from this number of containers on
	maxArray        = 4096 // a container with more numbers is a bitmap
	containerLength = 1 << 13
)

// addBitmap adds a stored Roaring bitmap.
func (u *union) addBitmap(body []byte) error {
	r := bitmapReader{body, false}
	var runs []byte
	cookie := r.number32()
	size := int(cookie>>16) + 1
	switch {
	case cookie == cookieOfArrays:
		size = int(r.number32())
	case cookie&0xffff == cookieOfRuns:
		runs = r.next((size + 7) / 8)
	default:
		return errSet
	}
	if size > 1<<16 {
		return errSet
	}
	head := r.next(4 * size)
	if runs == nil || size >= offsetsFrom {
		r.next(4 * size)
	}
	for i := 0; i < size && !r.damaged; i++ {
		b, numbers := u.block(int(binary.LittleEndian.Uint16(head[4*i:]))), int(binary.LittleEndian.Uint16(head[4*i+2:]))+1
		switch {
		case runs != nil && runs[i/8]&(1<<(i%8)) != 0:
			for content := r.next(4 * int(r.number16())); len(content) > 0; content = content[4:] {
				first, more := binary.LittleEndian.Uint16(content), binary.LittleEndian.Uint16(content[2:])
				if int(first)+int(more) > 0xffff {
					return errSet
				}
				b.addRange(first, first+more)
			}
		case numbers > maxArray:
			if content := r.next(containerLength); content != nil {
				for word := range b {
					b[word] |= binary.LittleEndian.Uint64(content[8*word:])
				}
			}
		default:
			for content := r.next(2 * numbers); len(content) > 0; content = content[2:] {
				b.add(binary.LittleEndian.Uint16(content))
			}
		}
	}
	if r.damaged {
		return errSet
	}
	return nil
}

// bitmapReader reads a buffer. It is damaged if the buffer is too short.
type bitmapReader struct {
	buffer  []byte
	damaged bool
}

// next returns the next bytes, or nil if they are missing.
func (r *bitmapReader) next(n int) []byte {
	if r.damaged = r.damaged || n > len(r.buffer); r.damaged {
		return nil
	}
	next := r.buffer[:n:n]
	r.buffer = r.buffer[n:]
	return next
}

func (r *bitmapReader) number16() uint16 {
	if next := r.next(2); next != nil {
		return binary.LittleEndian.Uint16(next)
	}
	return 0
}

func (r *bitmapReader) number32() uint32 {
	if next := r.next(4); next != nil {
		return binary.LittleEndian.Uint32(next)
	}
	return 0
}
