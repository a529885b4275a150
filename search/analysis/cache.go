package analysis

import "sync/atomic"

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
	length   uint8
	short    [shortWord]byte // a key of at most shortWord bytes, and their number in length: comparing it reads no other memory
	key      string          // the word before folding
	exact    string          // "" if folding leaves nothing
	stem     string
	variants []*variant // the variants of synonyms that start with the word
}

const shortWord = 16

// folded returns the entry of a word that is already folded.
func (a *Analyzer) folded(language stemmer, word []byte) *entry {
	slot := a.entries.slot(hashOf(language, word))
	if e := slot.Load(); e != nil && e.language == language {
		if len(word) > shortWord {
			if e.key == string(word) {
				return e
			}
		} else if int(e.length) == len(word) {
			var short [shortWord]byte
			if copy(short[:], word); e.short == short {
				return e
			}
		}
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
	e := &entry{
		language: language, key: key, exact: exact, stem: language.stem(exact),
		variants: a.synonyms.byFirst[exact],
	}
	if len(key) <= shortWord {
		e.length = uint8(len(key))
		copy(e.short[:], key)
	}
	return e
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
