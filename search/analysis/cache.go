package analysis

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// cache contains a bounded number of values, one in each slot; a new value replaces the previous one in its slot. It
// needs no lock, because a value never changes after it is stored.
type cache[V any] struct {
	slots []atomic.Pointer[V]
}

// newCache returns an empty cache. size must be a power of two.
func newCache[V any](size int) *cache[V] {
	return &cache[V]{slots: make([]atomic.Pointer[V], size)}
}

func (c *cache[V]) slot(hash uint64) *atomic.Pointer[V] {
	return &c.slots[(hash^hash>>32)&uint64(len(c.slots)-1)]
}

// hashOf returns the FNV-1a hash of a language and a word, with a final mixing step.
func hashOf[T string | []byte](language stemmer, word T) uint64 {
	hash := uint64(14695981039346656037) ^ uint64(language)
	for i := range len(word) {
		hash = (hash ^ uint64(word[i])) * 1099511628211
	}
	return hash ^ hash>>29
}

// entry is the analysis of a word in a language.
type entry struct {
	language stemmer
	number   bool // isNumber(exact)
	initial  bool // isInitial(exact)
	short    shortKey
	key      string // the word before folding
	exact    string // "" if folding leaves nothing
	stem     string
	variants []*variant // the variants of synonyms that start with the word
}

// shortKey is a key of at most shortWord bytes as numbers, which are compared without reading other memory. Longer keys have the
// length 0.
type shortKey struct {
	low, high uint64
	length    int
}

const shortWord = 16

func shortKeyOf(word []byte) shortKey {
	n := len(word)
	switch {
	case n > shortWord:
		return shortKey{}
	case n > 8:
		// The eight last bytes overlap the eight first ones, which shifting removes.
		return shortKey{binary.LittleEndian.Uint64(word), binary.LittleEndian.Uint64(word[n-8:]) >> (8 * (16 - n)), n}
	case n >= 4:
		low, end := binary.LittleEndian.Uint32(word), binary.LittleEndian.Uint32(word[n-4:])
		return shortKey{uint64(low) | uint64(end)<<(8*(n-4)), 0, n} // equal bits overlap
	}
	k := shortKey{length: n}
	for i, c := range word {
		k.low |= uint64(c) << (8 * i)
	}
	return k
}

// hash returns a hash of a language and a short key.
func (k shortKey) hash(language stemmer) uint64 {
	hash := (k.low ^ uint64(language)<<56) * 0x9e3779b97f4a7c15
	hash ^= bits.RotateLeft64((k.high^hash)*0xc2b2ae3d27d4eb4f, 29)
	return hash ^ hash>>29
}

// folded returns the entry of a word that is already folded.
func (a *Analyzer) folded(language stemmer, word []byte) *entry {
	key, hash := shortKeyOf(word), uint64(0)
	if key.length > 0 {
		hash = key.hash(language)
	} else {
		hash = hashOf(language, word)
	}
	slot := a.entries.slot(hash)
	if e := slot.Load(); e != nil && e.language == language && e.short == key && (key.length > 0 || e.key == string(word)) {
		return e
	}
	exact := string(word)
	e := a.newEntry(language, exact, exact)
	slot.Store(e)
	return e
}

// foreign returns the entry of a piece that is not ASCII and not folded.
func (a *Analyzer) foreign(language stemmer, piece string) *entry {
	slot := a.entries.slot(hashOf(language, piece))
	if e := slot.Load(); e != nil && e.language == language && e.key == piece {
		return e
	}
	// The key is a copy, because an entry must not keep a whole document in memory.
	e := a.newEntry(language, string([]byte(cut(piece, 8*MaxWordLength))), foldForeign(piece))
	if len(piece) == len(e.key) {
		slot.Store(e)
	}
	return e
}

func (a *Analyzer) newEntry(language stemmer, key, exact string) *entry {
	return &entry{
		language: language, key: key, exact: exact, stem: language.stem(exact),
		variants: a.synonyms.byFirst[exact], short: shortKeyOf([]byte(key)), number: isNumber(exact), initial: isInitial(exact),
	}
}

type stemList struct {
	exact string
	stems []string
}

// stemsOf returns everyStem from the cache. Callers must not change the result.
func (a *Analyzer) stemsOf(exact string) []string {
	slot := a.stems.slot(hashOf(unstemmed, exact))
	if list := slot.Load(); list != nil && list.exact == exact {
		return list.stems
	}
	list := &stemList{exact: exact, stems: everyStem(exact)}
	slot.Store(list)
	return list.stems
}
