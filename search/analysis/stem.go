package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"

	"github.com/filmstrip/filmstrip/catalogue"
)

// stemmer is the index of a language in stemmers.
type stemmer uint8

const (
	englishStemmer stemmer = iota
	// unstemmed is the index of all languages without a stemmer: every word is its own stem.
	unstemmed
)

// canonicalMark starts the canonical token of a synonym group. The stems of languages other than English start with the
// number of their stemmer, so that the German stem of "planet" does not match every "plan" in English.
const canonicalMark = "\x01"

// Every index depends on the order of stemmers. Append new ones at the end and increment analysisVersion.
var stemmers = [...]struct {
	codes  []catalogue.Language
	script *unicode.RangeTable
	stem   func(*snowballstem.Env) bool
}{
	englishStemmer: {[]catalogue.Language{"eng", ""}, unicode.Latin, english.Stem},
	unstemmed:      {nil, nil, nil},
	2:              {[]catalogue.Language{"ara"}, unicode.Arabic, arabic.Stem},
	3:              {[]catalogue.Language{"dan"}, unicode.Latin, danish.Stem},
	4:              {[]catalogue.Language{"nld"}, unicode.Latin, dutch.Stem},
	5:              {[]catalogue.Language{"fin"}, unicode.Latin, finnish.Stem},
	6:              {[]catalogue.Language{"fra"}, unicode.Latin, french.Stem},
	7:              {[]catalogue.Language{"deu"}, unicode.Latin, german.Stem},
	8:              {[]catalogue.Language{"hun"}, unicode.Latin, hungarian.Stem},
	9:              {[]catalogue.Language{"gle"}, unicode.Latin, irish.Stem},
	10:             {[]catalogue.Language{"ita"}, unicode.Latin, italian.Stem},
	11:             {[]catalogue.Language{"nor", "nob", "nno"}, unicode.Latin, norwegian.Stem},
	12:             {[]catalogue.Language{"por"}, unicode.Latin, portuguese.Stem},
	13:             {[]catalogue.Language{"ron"}, unicode.Latin, romanian.Stem},
	14:             {[]catalogue.Language{"rus"}, unicode.Cyrillic, russian.Stem},
	15:             {[]catalogue.Language{"spa"}, unicode.Latin, spanish.Stem},
	16:             {[]catalogue.Language{"swe"}, unicode.Latin, swedish.Stem},
	17:             {[]catalogue.Language{"tam"}, unicode.Tamil, tamil.Stem},
	18:             {[]catalogue.Language{"tur"}, unicode.Latin, turkish.Stem},
}

var stemmerByCode = func() map[catalogue.Language]stemmer {
	byCode := map[catalogue.Language]stemmer{}
	for i, s := range stemmers {
		for _, code := range s.codes {
			byCode[code] = stemmer(i)
		}
	}
	return byCode
}()

func stemmerOf(language catalogue.Language) stemmer {
	if s, ok := stemmerByCode[language]; ok {
		return s
	}
	return unstemmed
}

// stem returns the stem of a folded word, in the form that indexes contain.
func (l stemmer) stem(exact string) string {
	if l == unstemmed || !isStemmed(exact) {
		return exact
	}
	first, _ := utf8.DecodeRuneInString(exact)
	if !unicode.Is(stemmers[l].script, first) {
		return exact
	}
	env := snowballstem.NewEnv(exact)
	stemmers[l].stem(env)
	stem := env.Current()
	if l == englishStemmer {
		if stem == "" || stem == exact {
			return exact
		}
		return strings.Clone(stem)
	}
	return string(rune(l)) + stem
}

// isStemmed reports whether a word may be stemmed. A word that contains a digit or a symbol is treated as a name. Words
// of fewer than three bytes are not stemmed either.
func isStemmed(exact string) bool {
	if len(exact) < 3 {
		return false
	}
	for i := range len(exact) {
		if c := exact[i]; c < 'a' {
			return false
		}
	}
	return true
}

// everyStem returns the stems that a word can have in any language: the English stem, the word itself, then the others,
// each once.
func everyStem(exact string) []string {
	var stems []string
	for l := range stemmers {
		stems = append(stems, stemmer(l).stem(exact)) // that of unstemmed is the word itself
	}
	return slices.Clip(distinct(stems))
}
