package typesense

import (
	"bufio"
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// The kinds of words in a vocabulary: the first byte of a word in the words collection.
const (
	kindStem  = 's'
	kindExact = 'x'
	// kindValue is a facet value whose token is a hash.
	kindValue = 'v'
)

// vocabulary contains every word that a document of a build has or had. It is immutable: with returns a new vocabulary
// that shares tables with its predecessor.
type vocabulary struct {
	stems, exacts wordList
	values        map[string]string // by token
}

// hasStem reports whether a document may have the stem.
func (v *vocabulary) hasStem(stem string) bool { return v.stems.has(stem) }

// hasWord reports whether a document may have the exact word.
func (v *vocabulary) hasWord(exact string) bool { return v.exacts.has(exact) }

// near calls yield with each exact word within the number of edits of word, and with its distance. It skips word
// itself.
func (v *vocabulary) near(word string, edits int, yield func(near string, edits int)) {
	for _, t := range v.exacts.tables {
		t.near().Find(word, edits, func(place uint32, edits uint8) { yield(string(t.at(int(place))), int(edits)) })
	}
}

// decode returns the facet value of a token, or false if the build has no such value.
func (v *vocabulary) decode(token string) (string, bool) {
	if value, ok := decodeToken(token); ok {
		return value, true
	}
	value, ok := v.values[token]
	return value, ok
}

// size returns the number of words of all kinds.
func (v *vocabulary) size() int { return v.stems.len() + v.exacts.len() + len(v.values) }

// words are new words by kind: the words that the known vocabulary lacks.
type words struct {
	known         *vocabulary
	stems, exacts map[string]struct{}
	values        map[string]string // by token
}

func newWords(known *vocabulary) *words {
	return &words{known: known, stems: map[string]struct{}{}, exacts: map[string]struct{}{}, values: map[string]string{}}
}

func (w *words) len() int { return len(w.stems) + len(w.exacts) + len(w.values) }

func (w *words) addStem(stem string) {
	if _, added := w.stems[stem]; !added && !w.known.hasStem(stem) {
		w.stems[strings.Clone(stem)] = struct{}{}
	}
}

func (w *words) addExact(exact string) {
	if _, added := w.exacts[exact]; !added && !w.known.hasWord(exact) {
		w.exacts[strings.Clone(exact)] = struct{}{}
	}
}

func (w *words) addValue(value string) {
	token := encode(value)
	if _, known := w.known.values[token]; !known && isHashed(token) {
		w.values[token] = strings.Clone(value)
	}
}

// addValues adds the facet values of a video.
func (w *words) addValues(d *search.Document) {
	for _, value := range []string{string(d.Channel), string(d.Type), string(d.Language.OrUndetermined()), string(d.CEFR)} {
		w.addValue(value)
	}
	addEach(w, d.Subjects)
	addEach(w, d.Tags)
	addEach(w, d.Topics)
	addEach(w, d.EducationLevels)
	addEach(w, d.Subtypes)
	addEach(w, d.ResourceTypes)
}

func addEach[T ~string](w *words, values []T) {
	for _, value := range values {
		w.addValue(string(value))
	}
}

// with returns a vocabulary that also contains the words.
func (v *vocabulary) with(w *words) *vocabulary {
	grown := &vocabulary{stems: v.stems.with(w.stems), exacts: v.exacts.with(w.exacts), values: v.values}
	if len(w.values) > 0 {
		grown.values = make(map[string]string, len(v.values)+len(w.values))
		for _, values := range []map[string]string{v.values, w.values} {
			for token, value := range values {
				grown.values[token] = value
			}
		}
	}
	return grown
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
	for _, value := range w.values {
		written = append(written, string(kindValue)+storedText(value))
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
			return nil, unavailable("sent what is no word", err)
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
	case written[0] == kindValue:
		w.addValue(word)
	}
}

// wordList is a set of words in a few sorted tables. Each table is at least twice as long as the next.
type wordList struct{ tables []*wordTable }

func (l wordList) has(word string) bool {
	return slices.ContainsFunc(l.tables, func(t *wordTable) bool { return t.has(word) })
}

func (l wordList) len() (n int) {
	for _, t := range l.tables {
		n += t.len()
	}
	return n
}

// with returns a list that also contains the added words. The list must not contain any of them yet.
func (l wordList) with(added map[string]struct{}) wordList {
	if len(added) == 0 {
		return l
	}
	sorted := make([]string, 0, len(added))
	for word := range added {
		sorted = append(sorted, word)
	}
	slices.Sort(sorted)
	last := newWordTable(slices.Values(sorted))
	tables := slices.Clone(l.tables)
	for n := len(tables); n > 0 && tables[n-1].len() < 2*last.len(); n-- {
		last = newWordTable(merged(tables[n-1], last))
		tables = tables[:n-1]
	}
	return wordList{append(tables, last)}
}

// wordTable is an immutable sorted list of words, concatenated in one slice of bytes.
type wordTable struct {
	blob   []byte
	starts []uint32 // start of each word, and the end of the last word

	nearOnce sync.Once
	nearest  analysis.Near
}

func newWordTable(sorted iter.Seq[string]) *wordTable {
	t := &wordTable{}
	for word := range sorted {
		t.starts = append(t.starts, uint32(len(t.blob)))
		t.blob = append(t.blob, word...)
	}
	t.blob = slices.Clip(t.blob)
	t.starts = append(t.starts, uint32(len(t.blob)))
	return t
}

func (t *wordTable) len() int { return len(t.starts) - 1 }

func (t *wordTable) at(place int) []byte { return t.blob[t.starts[place]:t.starts[place+1]] }

func (t *wordTable) has(word string) bool {
	place := sort.Search(t.len(), func(place int) bool { return string(t.at(place)) >= word })
	return place < t.len() && string(t.at(place)) == word
}

// near builds the index of similar words on first use, because adding documents does not need it.
func (t *wordTable) near() *analysis.Near {
	t.nearOnce.Do(func() { t.nearest = analysis.NewNear(t.len(), t.at) })
	return &t.nearest
}

// merged returns the words of two tables in order. The tables must have no word in common.
func merged(a, b *wordTable) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i, j := 0, 0; i < a.len() || j < b.len(); {
			var word []byte
			if j == b.len() || i < a.len() && bytes.Compare(a.at(i), b.at(j)) < 0 {
				word = a.at(i)
				i++
			} else {
				word = b.at(j)
				j++
			}
			if !yield(string(word)) {
				return
			}
		}
	}
}
