package embedded

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// needle finds a text in another. Of texts that stand there often, bytes.Index begins anew at every hit and goes byte
// by byte in between; this looks at eight places at once.
type needle struct {
	text []byte
	// Two bytes of the text that stand side by side, the rarest, eight times over, and where they stand in it.
	one, other uint64
	pair       int
	// easy: it starts with a byte so rare that bytes.Index finds it as fast as can be.
	easy bool
}

// everyByte times a byte is that byte eight times over.
const everyByte = 0x0101010101010101

func newNeedle(text []byte) needle {
	n := needle{text: text, easy: seldom(text[0]) >= easily}
	for i := 0; i+1 < len(text); i++ {
		if i == 0 || seldom(text[i])+seldom(text[i+1]) > seldom(text[n.pair])+seldom(text[n.pair+1]) {
			n.pair, n.one, n.other = i, everyByte*uint64(text[i]), everyByte*uint64(text[i+1])
		}
	}
	return n
}

// easily is how rare that is.
const easily = 20

// seldom is the higher, the seldomer a byte stands in folded texts.
func seldom(b byte) int {
	if i := strings.IndexByte(" etaoinsrhldcumfpgwybvkxjqz", b); i >= 0 {
		return i
	}
	return easily
}

// in returns the first place from a place on at which the text stands in another, -1 where there is none.
func (n *needle) in(blob []byte, from int) int {
	if len(n.text) < 2 || n.easy {
		return behind(from, bytes.Index(blob[from:], n.text))
	}
	at := from + n.pair
	window := blob[min(at, len(blob)):]
	for ; len(window) >= 9; window = window[8:] {
		differ := binary.LittleEndian.Uint64(window) ^ n.one | binary.LittleEndian.Uint64(window[1:]) ^ n.other
		// The high bit of each byte that is 0, and of some that are not.
		for hits := (differ - everyByte) &^ differ & (everyByte << 7); hits != 0; hits &= hits - 1 {
			start := len(blob) - len(window) + bits.TrailingZeros64(hits)/8 - n.pair
			if start+len(n.text) <= len(blob) && string(blob[start:start+len(n.text)]) == string(n.text) {
				return start
			}
		}
	}
	start := max(from, len(blob)-len(window)-n.pair)
	return behind(start, bytes.Index(blob[start:], n.text))
}

func behind(from, found int) int {
	if found < 0 {
		return -1
	}
	return from + found
}
