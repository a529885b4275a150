package typesense

import (
	"context"
	"strings"
)

// phrased is the alternatives of a word that consist of several adjacent words.
type phrased struct {
	// tokens are the pairTokens of phrases, separated by spaces within a phrase.
	tokens []string
	// named are filters on document ids, for phrases of three or more words where some documents have all pairs but not
	// the phrase.
	named []string
	// ranking are the tokens of the words, which rank the documents.
	ranking []string
}

// phrasedBy returns the alternatives for phrases, each of at least two words. It skips the phrases that no document
// has.
func (x *Index) phrasedBy(ctx context.Context, at *build, phrases [][]string) (p phrased, err error) {
	for _, words := range phrases {
		var pairs tokenSet
		for i, word := range words[1:] {
			pairs.add(pairToken(words[i], word))
		}
		switch condition, err := x.quoted(ctx, at, [][]string{words}); {
		case err != nil:
			return p, err
		case condition == allOf(fieldTerms, pairs.tokens):
			p.tokens = append(p.tokens, pairs.joined())
		case condition == nothing:
			continue
		default:
			p.named = append(p.named, condition)
		}
		for _, word := range words {
			if token := x.firstStem(at, word); token != "" {
				p.ranking = append(p.ranking, token)
			}
		}
	}
	return p, nil
}

// condition returns the filter for documents that have the word.
func (w *word) condition(typos bool) string {
	tokens := w.tokens(typos)
	if len(w.named) == 0 {
		return anyOf(fieldTerms, tokens)
	}
	var ways []string
	if len(tokens) > 0 {
		ways = append(ways, anyOf(fieldTerms, tokens))
	}
	return or(append(ways, w.named...)...)
}

// someNamed returns the filter for documents that match at least need of the words: the words of named, which have
// filters on ids and which no operand on tokens can list, and the words of sets, which are sets of tokens.
func someNamed(named []string, sets [][]string, need, most int) string {
	var ways []string
	for n := max(0, need-len(sets)); n <= min(need, len(named)); n++ {
		rest := ""
		if need > n {
			rest = atLeast(sets, need-n, most)
		}
		for _, some := range subsets(named, n) {
			ways = append(ways, and(append(some, rest)...))
		}
	}
	return or(ways...)
}

// subsets returns all subsets of n conditions.
func subsets(conditions []string, n int) [][]string {
	if n == 0 {
		return [][]string{nil}
	}
	var all [][]string
	for i := 0; i+n <= len(conditions); i++ {
		for _, others := range subsets(conditions[i+1:], n-1) {
			all = append(all, append([]string{conditions[i]}, others...))
		}
	}
	return all
}

// fitting returns the longest prefix of conditions whose conjunction fits in the budget of operands and operators, and
// at least the first condition.
func fitting(conditions []string, budget int) []string {
	for len(conditions) > 1 && operands(strings.Join(conditions, " && ")) > budget {
		conditions = conditions[:len(conditions)-1]
	}
	return conditions
}
