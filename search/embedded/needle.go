package embedded

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// needle searches for a text within another. bytes.Index is slow if the first byte of the text is frequent: it restarts
// at every hit and compares byte by byte in between. A needle compares eight places at once.
type needle struct {
	text []byte
	// one and other are the rarest two adjacent bytes of the text, each repeated eight times. pair is their index in
	// the text.
	one, other uint64
	pair       int
	// easy means that the first byte of the text is so rare that bytes.Index is fast enough.
	easy bool
}

// everyByte multiplied by a byte repeats that byte eight times.
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

// easily is the rarity from which a first byte is easy.
const easily = 20

// seldom returns the rarity of a byte in folded text: 0 for the most frequent byte.
func seldom(b byte) int {
	if i := strings.IndexByte(" etaoinsrhldcumfpgwybvkxjqz", b); i >= 0 {
		return i
	}
	return easily
}

// in returns the first index in blob, at or after from, at which the text occurs, or -1 if there is none.
func (n *needle) in(blob []byte, from int) int {
	if len(n.text) < 2 || n.easy {
		return behind(from, bytes.Index(blob[from:], n.text))
	}
	at := from + n.pair
	window := blob[min(at, len(blob)):]
	for ; len(window) >= 9; window = window[8:] {
		differ := binary.LittleEndian.Uint64(window) ^ n.one | binary.LittleEndian.Uint64(window[1:]) ^ n.other
		// hits contains the high bit of each byte that is 0, and of some bytes that are not.
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
