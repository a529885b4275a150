package searchtest

import (
	"slices"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// modelDocument is a document with its analyzed texts.
type modelDocument struct {
	search.Document
	// stems maps each stem to the weight of the best text that contains it.
	stems  map[string]int
	exacts map[string]bool
	// places contains the words at each position of the texts that may contain phrases.
	places [][][]string
}

func (m *Model) analyseDocument(d search.Document) *modelDocument {
	analysed := &modelDocument{Document: d, stems: map[string]int{}, exacts: map[string]bool{}}
	add := func(weight int, text string) [][]string {
		var place [][]string
		for _, token := range m.analyzer.Text(text, d.Language) {
			for token.Position >= len(place) {
				place = append(place, nil)
			}
			analysed.stems[token.Stem] = max(weight, analysed.stems[token.Stem])
			if token.Exact != "" {
				analysed.exacts[token.Exact] = true
				place[token.Position] = append(place[token.Position], token.Exact)
			}
		}
		return place
	}
	addPlaces := func(weight int, texts ...string) {
		for _, text := range texts {
			analysed.places = append(analysed.places, add(weight, text))
		}
	}
	addPlaces(6, d.Title)
	addPlaces(5, d.Keywords...)
	for _, name := range d.SubjectNames {
		add(4, name)
	}
	add(3, d.ChannelName)
	addPlaces(2, d.Description)
	addPlaces(1, d.Transcript)
	return analysed
}

// modelText is the analyzed text of a query.
type modelText struct {
	words   []analysis.Word
	phrases [][]string
	// known contains the words, by their exact form, that at least search.KnownWord documents contain.
	known map[string]bool
}

func (m *Model) analyse(text search.Text) modelText {
	analysed := modelText{words: m.analyzer.QueryWithSynonyms(text.Words, text.SynonymGroups), known: map[string]bool{}}
	for _, word := range analysed.words {
		documents := 0
		for _, d := range m.documents {
			if d.weight(word) > 0 {
				documents++
			}
		}
		analysed.known[word.Exact] = documents >= search.KnownWord
	}
	for _, phrase := range text.Phrases {
		if words := m.analyzer.Phrase(phrase); len(words) > 0 {
			analysed.phrases = append(analysed.phrases, words)
		}
	}
	return analysed
}

// blank reports whether the text has no letter or digit and therefore matches everything.
func (t modelText) blank() bool { return len(t.words) == 0 && len(t.phrases) == 0 }

// matches reports whether the document contains every phrase and all words except OptionalWords of them, but at least
// one.
func (d *modelDocument) matches(text modelText, level search.MatchLevel) bool {
	for _, phrase := range text.phrases {
		if !d.hasPhrase(phrase) {
			return false
		}
	}
	found := 0
	for _, word := range text.words {
		if d.has(word, level.Typos && !text.known[word.Exact]) {
			found++
		}
	}
	needed := min(max(1, len(text.words)-level.OptionalWords), len(text.words))
	return found >= needed
}

func (d *modelDocument) relevance(text modelText) int {
	sum := 0
	for _, word := range text.words {
		sum += d.weight(word)
	}
	return sum
}

// weight returns the weight of the best text that contains the word, or 0 if no text contains it.
func (d *modelDocument) weight(word analysis.Word) int {
	best := 0
	for _, stem := range word.Stems {
		best = max(best, d.stems[stem])
	}
	if best == 0 && slices.ContainsFunc(word.Phrases, d.hasPhrase) {
		best = 1
	}
	return best
}

func (d *modelDocument) has(word analysis.Word, typos bool) bool {
	if d.weight(word) > 0 {
		return true
	}
	edits := analysis.Edits(word.Exact)
	if !typos || edits == 0 {
		return false
	}
	for exact := range d.exacts {
		if distance(word.Exact, exact) <= edits {
			return true
		}
	}
	return false
}

func (d *modelDocument) hasPhrase(phrase []string) bool {
	for _, place := range d.places {
		for start := 0; start+len(phrase) <= len(place); start++ {
			if occursAt(phrase, place[start:]) {
				return true
			}
		}
	}
	return false
}

func occursAt(phrase []string, place [][]string) bool {
	for i, word := range phrase {
		if !slices.Contains(place[i], word) {
			return false
		}
	}
	return true
}

// distance returns the optimal string alignment distance between two words: the number of characters to insert, delete,
// substitute or transpose with their neighbor, where no character is edited twice.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	table := make([][]int, len(x)+1)
	for i := range table {
		table[i] = make([]int, len(y)+1)
		table[i][0] = i
	}
	for j := range table[0] {
		table[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+count(x[i-1] != y[j-1]))
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(x)][len(y)]
}
