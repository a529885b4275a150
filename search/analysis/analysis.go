// Package analysis takes texts apart. Every engine is fed by it, for documents and for queries
// alike, so that all engines agree on what a word is.
//
// Words are folded: compatibility forms and case are levelled, the marks of Latin, Greek, Cyrillic,
// Hebrew and Arabic letters are dropped, so is a possessive 's. Dotted initials are one word (U.S.A.
// is usa), numbers keep their decimals (3.14) and lose the commas between thousands, c++ and c#
// stay. A compound (x-ray, r&b) gives its parts and also the whole, written together. Chinese,
// Japanese and Korean give single characters and bigrams.
//
// Each emoji is a word, whatever its skin color and its shape (text or picture). A joined emoji gives its parts; the
// flag of a country is one word. Punctuation and other symbols separate words and are not words.
package analysis

import (
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// MaxWordLength is the most bytes of a folded word; longer ones are cut.
const MaxWordLength = 64

// MaxQueryWords is the most distinct words that Query takes; what follows is ignored.
const MaxQueryWords = 64

// Token is something that stands at one place of a text. Several tokens may share a Position: a
// compound's whole stands with its first part, a bigram with its first character, a synonym group
// with the first word of the variant.
type Token struct {
	// Exact is the folded word; "" where the token is only a Stem.
	Exact string
	// Stem is the word's stem in the text's language, a bigram, or the canonical token of a synonym
	// group. Only what is not a word of any language's text starts with a byte below 0x20.
	Stem string
	// Position counts words from 0; neighbours differ by 1.
	Position int
}

// Word is one distinct word of a query. A document has the word if it has any of Stems or any of Phrases.
// Where typos are forgiven it also has the word if one of its Exact forms is within Edits(Exact) of Exact.
type Word struct {
	// Exact is the folded word; "" for bigrams and synonym groups, which have no typos.
	Exact string
	// Stems are the word's stems in every language that it can belong to, the English one first. Most
	// catalogues know few of them. They are shared between callers and must not be changed.
	Stems []string
	// Phrases are words that stand, as Exact, at neighbouring positions of one text in which quoted phrases
	// are looked for; two words at least.
	Phrases [][]string
}

// Analyzer takes texts apart. It may be used concurrently.
type Analyzer struct {
	synonyms    *synonymTable
	entries     *cache[entry]
	stems       *cache[stemList]
	fingerprint uint64
}

// New makes an Analyzer that knows the built-in synonyms and those given. It remembers the words it
// has met, a bounded number of them: share one where possible.
func New(synonyms Synonyms) *Analyzer {
	groups := mergeGroups(builtInGroups(), synonyms.groups)
	return &Analyzer{
		synonyms:    newSynonymTable(groups),
		entries:     newCache[entry](1 << 16),
		stems:       newCache[stemList](1 << 12),
		fingerprint: fingerprintOf(groups),
	}
}

// Fingerprint identifies what the Analyzer does: an index built under another fingerprint must be
// built anew.
func (a *Analyzer) Fingerprint() uint64 { return a.fingerprint }

// Text returns the tokens of a document's text, in the order of their positions. A language without
// a stemmer is not stemmed, "" is taken for English.
func (a *Analyzer) Text(text string, language catalogue.Language) []Token {
	return a.AppendText(make([]Token, 0, len(text)/5+4), text, language)
}

// AppendText appends what Text returns; positions start at 0.
func (a *Analyzer) AppendText(tokens []Token, text string, language catalogue.Language) []Token {
	w := tokenWriter{analyzer: a, language: stemmerOf(language), tokens: tokens}
	s := scanner{text: text}
	for s.next() {
		w.write(&s)
	}
	w.endCompound()
	return w.tokens
}

// Phrase returns the folded words of a phrase in their order; none where it holds no letter,
// digit or emoji. A document has the phrase where the words stand at neighbouring positions of one text.
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

// Fold returns the words of Phrase with a blank between them: the form in which Index.Phrases
// compares texts.
func (a *Analyzer) Fold(text string) string { return strings.Join(a.Phrase(text), " ") }

// Edits is how many typing errors are forgiven in a folded word: one in four to seven letters, two
// in more, none in fewer or where there is a digit. An error is a letter too many, too few or
// wrong, or two neighbours swapped (optimal string alignment).
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

// word looks up the scanner's piece, which is not CJK.
func (a *Analyzer) word(language stemmer, s *scanner) *entry {
	if !s.ascii {
		return a.foreign(language, s.piece())
	}
	var buffer [MaxWordLength]byte
	return a.folded(language, foldASCII(buffer[:0], s.piece()))
}
