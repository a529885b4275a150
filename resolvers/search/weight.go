package search

import (
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Weight is the complexity of a search without text, filter and facets: about its microseconds of CPU time with 100,000
// videos.
const Weight = 3_000

const (
	// wordWeight is the weight of a word with a typo.
	wordWeight = 200
	// phraseWeight is the weight of a phrase of frequent words: five take 20 ms.
	phraseWeight = 4_000
	// explanationWeight is the weight of an explanation of a search, without its words.
	explanationWeight = 10_000
	// valueWeight is the weight of a value of a filter.
	valueWeight = 5
	// bucketWeight is the weight of a bucket of the caller's own, or of another facet.
	bucketWeight = 300
)

// TextWeight returns the complexity of a text, by its words and phrases.
func TextWeight(text *string) int {
	if text == nil {
		return 0
	}
	parsed := search.ParseText((*text)[:min(len(*text), MaxQueryLength)]) // longer texts are refused later
	words := min(countWords(parsed.Words), analysis.MaxQueryWords)
	return words*wordWeight + min(len(parsed.Phrases), catalogue.MaxPhrases)*phraseWeight
}

// ExplanationWeight returns the complexity of the explanation of a text: at most 35,600, so that every text can be
// explained. Phrases are left out, because the index finds each only once: five take 5 ms.
func ExplanationWeight(text string) int {
	words := search.ParseText(text[:min(len(text), MaxQueryLength)]).Words
	return explanationWeight + 2*TextWeight(&words)
}

// spaceless lists the scripts that are written without spaces between words.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul}

// countWords estimates how many words the analyzer finds in a text: runs of letters and digits, each character of a
// script without spaces, and each symbol, such as an emoji.
func countWords(text string) (words int) {
	isWithin := false
	for _, r := range text {
		switch {
		case unicode.In(r, spaceless...), unicode.IsSymbol(r):
			words, isWithin = words+1, false
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			if !isWithin {
				words++
			}
			isWithin = true
		default:
			isWithin = false
		}
	}
	return words
}

// FilterWeight returns the complexity of a filter, by its values.
func FilterWeight(filter *graph.VideoFilter) int {
	if filter == nil {
		return 0
	}
	n := 0
	for _, list := range listsOf(filter) {
		n += min(list.n, catalogue.MaxFilterValues)
	}
	return n * valueWeight
}

// FacetWeight returns the complexity of the facets that a caller adds.
func FacetWeight(facets *graph.FacetRequest) int {
	if facets == nil {
		return 0
	}
	buckets := min(len(facets.Durations), catalogue.MaxFacetBuckets) + min(len(facets.Ages), catalogue.MaxFacetBuckets)
	for _, included := range []bool{facets.Channels, facets.EducationLevels, facets.Topics, facets.CefrLevels} {
		if included {
			buckets++
		}
	}
	return buckets * bucketWeight
}
