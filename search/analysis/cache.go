package analysis

import "sync/atomic"

// cache remembers a bounded number of values, one in each slot: the last that fell there. It takes
// no lock; a value is never changed once it lies in a slot.
type cache[V any] struct {
	slots []atomic.Pointer[V]
}

// newCache makes a cache of a size that is a power of two.
func newCache[V any](size int) *cache[V] {
	return &cache[V]{slots: make([]atomic.Pointer[V], size)}
}

func (c *cache[V]) slot(hash uint64) *atomic.Pointer[V] {
	return &c.slots[(hash^hash>>32)&uint64(len(c.slots)-1)]
}

// hashOf is FNV-1a with a last mixing, over a language and a word.
func hashOf[T string | []byte](language stemmer, word T) uint64 {
	hash := uint64(14695981039346656037) ^ uint64(language)
	for i := range len(word) {
		hash = (hash ^ uint64(word[i])) * 1099511628211
	}
	return hash ^ hash>>29
}

// entry is what the analyser knows of a word in a language.
type entry struct {
	language stemmer
	key      string // the word as it was looked up
	exact    string // "" where nothing is left of it
	stem     string
	variants []*variant // of synonyms, those that start with the word
}

// folded looks up a word that is folded already.
func (a *Analyzer) folded(language stemmer, word []byte) *entry {
	slot := a.entries.slot(hashOf(language, word))
	if e := slot.Load(); e != nil && e.language == language && e.key == string(word) {
		return e
	}
	exact := string(word)
	e := a.newEntry(language, exact, exact)
	slot.Store(e)
	return e
}

// foreign looks up a piece that is not ASCII and not folded.
func (a *Analyzer) foreign(language stemmer, piece string) *entry {
	slot := a.entries.slot(hashOf(language, piece))
	if e := slot.Load(); e != nil && e.language == language && e.key == piece {
		return e
	}
	// The key is a copy: an entry must not keep a whole document in memory.
	e := a.newEntry(language, string([]byte(cut(piece, 8*MaxWordLength))), foldForeign(piece))
	if len(piece) == len(e.key) {
		slot.Store(e)
	}
	return e
}

func (a *Analyzer) newEntry(language stemmer, key, exact string) *entry {
	return &entry{
		language: language, key: key, exact: exact, stem: language.stem(exact),
		variants: a.synonyms.byFirst[exact],
	}
}

type stemList struct {
	exact string
	stems []string
}

// stemsOf remembers everyStem.
func (a *Analyzer) stemsOf(exact string) []string {
	slot := a.stems.slot(hashOf(unstemmed, exact))
	if list := slot.Load(); list != nil && list.exact == exact {
		return list.stems
	}
	list := &stemList{exact: exact, stems: everyStem(exact)}
	slot.Store(list)
	return list.stems
}
