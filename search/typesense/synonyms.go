package typesense

import (
	"context"
	"slices"
	"strings"
)

// phrased is what documents have a word by as one of several words that stand one behind the other.
type phrased struct {
	// tokens are those of pairs of words, with blanks between those of one phrase.
	tokens []string
	// named are conditions that name documents: of longer phrases, where not all that have the pairs have
	// the phrase.
	named []string
	// ranking are the tokens of the words, by which documents are ranked.
	ranking []string
}

// phrasedBy finds what documents may have phrases by, each of two words at least.
func (x *Index) phrasedBy(ctx context.Context, at *build, phrases [][]string) (p phrased, err error) {
	for _, words := range phrases {
		if slices.ContainsFunc(words, func(word string) bool { return !at.vocabulary.hasWord(word) }) {
			continue
		}
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

// condition is that a document has the word.
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

// someNamed is the condition that a document has so many of words of which some name documents, which no
// operand on tokens can list, and of sets of tokens.
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

// subsets are the ways to choose n of the conditions.
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

// fitting cuts conditions that must all be met to those that fit in so many operands and operators; the last
// go first.
func fitting(conditions []string, budget int) []string {
	for len(conditions) > 1 && operands(strings.Join(conditions, " && ")) > budget {
		conditions = conditions[:len(conditions)-1]
	}
	return conditions
}
