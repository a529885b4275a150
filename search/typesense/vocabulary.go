package typesense

import (
	"bufio"
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// The kinds of words in a vocabulary: the first byte of a word in the words collection.
const (
	kindStem  = 's'
	kindExact = 'x'
)

// vocabulary contains every word that a document of a build has or had. It is immutable: with returns a new vocabulary
// that shares tables with its predecessor.
type vocabulary struct{ stems, exacts wordList }

// hasStem reports whether a document may have the stem.
func (v *vocabulary) hasStem(stem string) bool { return v.stems.has(stem) }

// hasWord reports whether a document may have the exact word.
func (v *vocabulary) hasWord(exact string) bool { return v.exacts.has(exact) }

// hasAll reports whether documents may have all of the exact words.
func (v *vocabulary) hasAll(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !v.hasWord(word) })
}

// near calls yield with each exact word within the number of edits of word, and with its distance. It skips word
// itself.
func (v *vocabulary) near(word string, edits int, yield func(near string, edits int)) {
	for _, t := range v.exacts.tables {
		t.near().Find(word, edits, func(place uint32, edits uint8) { yield(string(t.At(int(place))), int(edits)) })
	}
}

// size returns the number of words of all kinds.
func (v *vocabulary) size() int { return v.stems.len() + v.exacts.len() }

// words are new words by kind: the words that the known vocabulary lacks.
type words struct {
	known         *vocabulary
	stems, exacts map[string]struct{}
}

func newWords(known *vocabulary) *words {
	return &words{known: known, stems: map[string]struct{}{}, exacts: map[string]struct{}{}}
}

func (w *words) len() int { return len(w.stems) + len(w.exacts) }

func (w *words) addStem(stem string)   { addWord(w.stems, stem, w.known.hasStem) }
func (w *words) addExact(exact string) { addWord(w.exacts, exact, w.known.hasWord) }

func addWord(added map[string]struct{}, word string, isKnown func(string) bool) {
	if _, known := added[word]; !known && !isKnown(word) {
		added[strings.Clone(word)] = struct{}{}
	}
}

// with returns a vocabulary that also contains the words.
func (v *vocabulary) with(w *words) *vocabulary {
	return &vocabulary{stems: v.stems.with(w.stems), exacts: v.exacts.with(w.exacts)}
}

// wordsDocument is a document of the words collection. Each of Words is a kind and the word (storedText). The id is a
// digest of the words: a repeated write stores them once, and never replaces other words of the same write.
type wordsDocument struct {
	ID     string   `json:"id"`
	Serial int64    `json:"serial"` // serial of the write that added them
	Words  []string `json:"words"`
}

// maxWords is the maximum number of words of a document. A document per word would cost as much as a document per
// video.
const maxWords = 1000

// documents returns the words as documents with the serial of a write. Equal words yield equal documents.
func (w *words) documents(serial int64) iter.Seq[wordsDocument] {
	written := make([]string, 0, w.len())
	for stem := range w.stems {
		written = append(written, string(kindStem)+storedText(stem))
	}
	for exact := range w.exacts {
		written = append(written, string(kindExact)+storedText(exact))
	}
	slices.Sort(written)
	return func(yield func(wordsDocument) bool) {
		for chunk := range slices.Chunk(written, maxWords) {
			if !yield(wordsDocument{ID: digest(strings.Join(chunk, "\n"), 16), Serial: serial, Words: chunk}) {
				return
			}
		}
	}
}

// readWords decodes an export of the words collection and returns the words that the vocabulary lacks.
func (v *vocabulary) readWords(export []byte) (*words, error) {
	read := newWords(v)
	lines := bufio.NewScanner(bytes.NewReader(export))
	lines.Buffer(nil, len(export)+1)
	for lines.Scan() {
		var line wordsDocument
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, unavailable("sent an invalid word document", err)
		}
		for _, written := range line.Words {
			read.addWritten(written)
		}
	}
	return read, lines.Err()
}

// addWritten adds a word in the format of wordsDocument. It ignores a malformed word or an unknown kind, because no
// search uses it.
func (w *words) addWritten(written string) {
	if written == "" {
		return
	}
	word, ok := readStoredText(written[1:])
	switch {
	case !ok:
	case written[0] == kindStem:
		w.addStem(word)
	case written[0] == kindExact:
		w.addExact(word)
	}
}

// wordList is a set of words in a few sorted tables. Each table is at least twice as long as the next.
type wordList struct{ tables []*wordTable }

func (l wordList) has(word string) bool {
	return slices.ContainsFunc(l.tables, func(t *wordTable) bool {
		_, found := t.Find(word)
		return found
	})
}

func (l wordList) len() (n int) {
	for _, t := range l.tables {
		n += t.Len()
	}
	return n
}

// with returns a list that also contains the added words. The list must not contain any of them yet.
func (l wordList) with(added map[string]struct{}) wordList {
	if len(added) == 0 {
		return l
	}
	last := &wordTable{Table: analysis.NewTable(slices.Sorted(maps.Keys(added)))}
	tables := slices.Clone(l.tables)
	for n := len(tables); n > 0 && tables[n-1].Len() < 2*last.Len(); n-- {
		last = merged(tables[n-1], last)
		tables = tables[:n-1]
	}
	return wordList{append(tables, last)}
}

// wordTable is an immutable sorted list of words.
type wordTable struct {
	analysis.Table
	nearOnce sync.Once
	nearest  analysis.Near
}

// near builds the index of similar words on first use, because adding documents does not need it.
func (t *wordTable) near() *analysis.Near {
	t.nearOnce.Do(func() { t.nearest = analysis.NewNear(t.Len(), t.At) })
	return &t.nearest
}

// merged returns the table of the words of two tables.
func merged(a, b *wordTable) *wordTable {
	both := &wordTable{}
	analysis.MergeTables([]*analysis.Table{&a.Table, &b.Table}, func(word []byte, _ []int) { both.Append(string(word)) })
	both.End()
	return both
}
