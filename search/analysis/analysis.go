// Package analysis divides texts into words. Every engine uses it for both documents and queries, so that all engines
// agree on word boundaries and spellings.
//
// Words are folded. Folding unifies compatibility forms and case, and removes the marks of Latin, Greek, Cyrillic,
// Hebrew and Arabic letters and a possessive 's. Dotted initials are one word (U.S.A. becomes usa). Numbers keep their
// decimals (3.14) and lose the commas between thousands. c++ and c# remain as they are. A compound (x-ray, r&b)
// produces its parts and also the whole, written together. Chinese, Japanese and Korean text produces single characters
// and bigrams.
//
// Each emoji is a word, regardless of its skin color and its presentation (text or picture). A joined emoji produces its
// parts. The flag of a country is one word. Punctuation and other symbols separate words and are not words.
package analysis

import (
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// MaxWordLength is the greatest length of a folded word in bytes; longer words are cut.
const MaxWordLength = 64

// MaxQueryWords is the greatest number of distinct words that Query returns; it ignores further words.
const MaxQueryWords = 64

// Token is a word, bigram or synonym group at one position of a text. Several tokens may share a Position: the whole of
// a compound has the position of its first part, a bigram that of its first character, and a synonym group that of the
// first word of the variant.
type Token struct {
	// Exact is the folded word, or "" if the token is only a Stem.
	Exact string
	// Stem is the word's stem in the text's language, a bigram, or the canonical token of a synonym group. Snowball
	// stems of languages other than English and canonical tokens start with a byte below 0x20, so that they never equal
	// a word of a text.
	Stem string
	// Position counts words from 0; adjacent words differ by 1.
	Position int
}

// Word is one distinct word of a query. A document matches the word if it contains any of Stems or any of Phrases. With
// typo tolerance, it also matches if one of its Exact forms is within Edits(Exact) edits of Exact.
type Word struct {
	// Exact is the folded word. It is "" for bigrams and synonym groups, which have no typo tolerance.
	Exact string
	// Stems are the word's stems in every language that it can belong to, the English stem first. Most catalogues
	// contain few of them. Callers share the slice and must not change it.
	Stems []string
	// Phrases are sequences of two or more words. A document contains a phrase if its words occur, as Exact, at
	// consecutive positions of one of the texts that quoted phrases apply to.
	Phrases [][]string
	// Count is how often a query contains the word, in any of its forms; at least 1.
	Count int
}

// Analyzer divides texts into words. It may be used concurrently.
type Analyzer struct {
	synonyms    *synonymTable
	entries     *cache[entry]
	stems       *cache[stemList]
	fingerprint uint64
}

// New returns an Analyzer with the built-in synonyms and those given. An Analyzer caches a bounded number of words, so
// callers should share one if possible.
func New(synonyms Synonyms) *Analyzer {
	groups := mergeGroups(builtInGroups(), synonyms.groups)
	return &Analyzer{
		synonyms:    newSynonymTable(groups),
		entries:     newCache[entry](1 << 16),
		stems:       newCache[stemList](1 << 12),
		fingerprint: fingerprintOf(groups),
	}
}

// Fingerprint identifies the rules and synonyms of the Analyzer. An index built under another fingerprint must be
// rebuilt.
func (a *Analyzer) Fingerprint() uint64 { return a.fingerprint }

// Text returns the tokens of a document's text, in the order of their positions. It does not stem a language without a
// stemmer, and treats "" as English.
func (a *Analyzer) Text(text string, language catalogue.Language) []Token {
	return a.AppendText(make([]Token, 0, len(text)/5+4), text, language)
}

// AppendText appends the tokens that Text returns to tokens. Their positions start at 0.
func (a *Analyzer) AppendText(tokens []Token, text string, language catalogue.Language) []Token {
	w := tokenWriter{analyzer: a, language: stemmerOf(language), tokens: tokens}
	s := scanner{text: text}
	for s.next() {
		w.write(&s)
	}
	w.endCompound()
	return w.tokens
}

// Phrase returns the folded words of a phrase in order, or none if the phrase contains no letter, digit or emoji. A
// document contains the phrase if these words occur at consecutive positions of one text.
func (a *Analyzer) Phrase(phrase string) []string {
	var words []string
	s := scanner{text: phrase}
	for s.next() {
		if s.cjk {
			for _, r := range foldCJK(s.piece()) {
				words = append(words, string(r))
			}
			continue
		}
		if exact := a.word(unstemmed, &s).exact; exact != "" {
			words = append(words, exact)
		}
	}
	return words
}

// Fold returns the words of Phrase, separated by spaces. Index.Phrases compares texts in this form.
func (a *Analyzer) Fold(text string) string { return strings.Join(a.Phrase(text), " ") }

// AppendFolded appends what Fold returns for the text of these tokens, which are all that Text returns.
func AppendFolded(folded []byte, tokens []Token) []byte {
	last := -1
	for _, token := range tokens {
		if token.Exact == "" || token.Position == last { // the second token of a position is the whole of a compound
			continue
		}
		if last >= 0 {
			folded = append(folded, ' ')
		}
		folded, last = append(folded, token.Exact...), token.Position
	}
	return folded
}

// Edits returns the number of typing errors that typo tolerance allows in a folded word: one in words of four to seven
// letters, two in longer words, none in shorter words or in words with a digit. An error is an additional, missing or
// wrong letter, or two swapped adjacent letters (optimal string alignment).
func Edits(exact string) int {
	for i := range len(exact) {
		if exact[i] >= '0' && exact[i] <= '9' {
			return 0
		}
	}
	switch letters := utf8.RuneCountInString(exact); {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

// word returns the entry of the scanner's piece, which must not be CJK.
func (a *Analyzer) word(language stemmer, s *scanner) *entry {
	if !s.ascii {
		return a.foreign(language, s.piece())
	}
	var buffer [MaxWordLength]byte
	return a.folded(language, foldASCII(buffer[:0], s.piece()))
}

// StemPhrase returns the stems of the words of an English phrase in order, or none if the phrase contains no letter,
// digit or emoji. A text contains the phrase if these stems occur at consecutive positions of Stems.
func (a *Analyzer) StemPhrase(phrase string) []string {
	positions := a.Stems(phrase)
	words := make([]string, len(positions))
	for i, stems := range positions {
		words[i] = stems[0]
	}
	return words
}

// Stems returns, for each position of an English text, the stems of the words at that position, at least one: first the
// stem of the word as written, then that of the whole compound that starts there. It omits synonyms.
func (a *Analyzer) Stems(text string) [][]string {
	return WordsAt(a.Text(text, "eng"), func(token Token) string { return token.Stem })
}

// WordsAt returns, for each position of a text, what of returns for the words at that position. It omits the tokens that
// are only a Stem.
func WordsAt(tokens []Token, of func(Token) string) [][]string {
	var positions [][]string
	for _, token := range tokens {
		for token.Position >= len(positions) {
			positions = append(positions, nil)
		}
		if token.Exact != "" {
			positions[token.Position] = append(positions[token.Position], of(token))
		}
	}
	return positions
}
