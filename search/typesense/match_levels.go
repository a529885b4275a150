package typesense

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

const (
	// thresholdWords is the number of words that count if some are optional. The rarest words count.
	thresholdWords = 6
	// maxCombinations is the maximum number of combinations of words in one operand if the budget allows other
	// operands, and manyCombinations the maximum if it does not.
	maxCombinations  = 64
	manyCombinations = 20_000
	// maxTogether is manyCombinations for texts whose words are all required, which may be dozens.
	maxTogether = 2_000
)

// condition returns the condition of a level on the texts of a document, within a budget of operands and operators. It
// returns "" if there is no condition. Phrases are required at every level.
//
// For texts of up to thresholdWords words that occur in the index, and if one word is enough, the condition is exact. For
// longer texts, only the rarest words count. The condition requires as many of them as if only they were optional, and at least one, because a
// filter that counts all words would be too long.
//
// If the budget does not suffice, fewer words count. If two dozen or more words with many forms each are required, the
// condition omits the most frequent ones.
func (q *question) condition(level search.MatchLevel, budget int) string {
	if q.phrases != "" {
		budget -= operands(q.phrases) + 1
	}
	words := q.wordCondition(level, shape{maxCombinations, thresholdWords, math.MaxInt})
	for counted := thresholdWords; counted > 0 && operands(words) > budget; counted-- {
		words = q.wordCondition(level, shape{manyCombinations, counted, budget})
	}
	return and(q.phrases, words)
}

// shape determines the form of a condition on words: the maximum number of combinations in one operand, the number of
// words that count if some are optional, and the maximum number of operands and operators if none is.
type shape struct{ combinations, counted, operands int }

func (q *question) wordCondition(level search.MatchLevel, s shape) string {
	if len(q.words) == 0 {
		return ""
	}
	need := max(1, len(q.words)-max(0, level.OptionalWords))
	known := q.known(level.Typos)
	if need > len(known) {
		return nothing
	}
	if anyWord := need == 1 && s.operands == math.MaxInt; need < len(known) && len(known) > s.counted && !anyWord {
		missing := len(known) - need
		known = known[:s.counted]
		need = max(1, s.counted-missing)
	}
	sets := make([][]string, len(known))
	for i, w := range known {
		sets[i] = w.tokens(level.Typos)
	}
	if need > 1 && need == len(known) {
		return and(fitting(every(sets, s.combinations), s.operands)...)
	}
	return atLeast(sets, need, s.combinations)
}

// known returns the words that occur in the index, the rarest first.
func (q *question) known(typos bool) []*word {
	known := make([]*word, 0, len(q.words))
	for i := range q.words {
		if w := &q.words[i]; len(w.tokens(typos)) > 0 {
			known = append(known, w)
		}
	}
	slices.SortStableFunc(known, func(a, b *word) int { return cmp.Compare(a.documents, b.documents) })
	return known
}

// atLeast returns the condition that a document has a token of at least need sets. It lists the combinations if there
// are at most most of them, and otherwise splits the sets into two halves. For 3 of 6 sets it takes at most 53 operands
// and operators, and 17 if no word has many forms.
func atLeast(sets [][]string, need, most int) string {
	switch {
	case need == 1:
		return anyOf(fieldTerms, slices.Concat(sets...))
	case need == len(sets):
		return and(every(sets, most)...)
	case combinations(sets, need) <= most:
		return anyOf(fieldTerms, combine(sets, need))
	}
	half := len(sets) / 2
	var ways []string
	for first := max(0, need-(len(sets)-half)); first <= min(need, half); first++ {
		switch second := need - first; {
		case first == 0:
			ways = append(ways, atLeast(sets[half:], second, most))
		case second == 0:
			ways = append(ways, atLeast(sets[:half], first, most))
		default:
			ways = append(ways, and(atLeast(sets[:half], first, most), atLeast(sets[half:], second, most)))
		}
	}
	return or(ways...)
}

// maxApart is the maximum number of required words with an operand each.
const maxApart = 12

// every returns the conditions that a document has a token of each set, one condition per operand. Sets of one token
// share the first operand. If there are many sets, others share operands as combinations.
func every(sets [][]string, most int) (conditions []string) {
	most = min(most, maxTogether)
	var single []string
	var others [][]string
	for _, set := range sets {
		if len(set) == 1 {
			single = append(single, set[0])
		} else {
			others = append(others, set)
		}
	}
	if len(single) > 0 {
		conditions = append(conditions, allOf(fieldTerms, single))
	}
	for len(others) > 0 {
		n := 1
		for len(sets) > maxApart && n < len(others) && combinations(others[:n+1], n+1) <= most {
			n++
		}
		conditions = append(conditions, anyOf(fieldTerms, combine(others[:n], n)))
		others = others[n:]
	}
	return conditions
}

// fitting returns the longest prefix of conditions whose conjunction fits in the budget of operands and operators, and
// at least the first condition.
func fitting(conditions []string, budget int) []string {
	for len(conditions) > 1 && operands(strings.Join(conditions, " && ")) > budget {
		conditions = conditions[:len(conditions)-1]
	}
	return conditions
}

// combinations returns the number of ways to choose one token of each of need sets, up to a limit.
func combinations(sets [][]string, need int) int {
	ways := make([]int, need+1)
	ways[0] = 1
	for _, set := range sets {
		for n := need; n > 0; n-- {
			ways[n] = min(ways[n]+ways[n-1]*len(set), 1<<20)
		}
	}
	return ways[need]
}

// combine returns the combinations of one token of each of need sets, each with spaces between its tokens.
func combine(sets [][]string, need int) []string {
	if need == 0 {
		return []string{""}
	}
	var all []string
	for i := 0; i+need <= len(sets); i++ {
		for _, rest := range combine(sets[i+1:], need-1) {
			for _, token := range sets[i] {
				all = append(all, strings.TrimSuffix(token+" "+rest, " "))
			}
		}
	}
	return all
}

// Matches implements search.Reader. It takes one request if the strictest level finds enough. Otherwise further requests
// count the words and the other levels, equal ones once.
func (x *Index) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	return consult(ctx, x, func(ctx context.Context, at *build) ([]int, error) {
		counts := make([]int, len(levels))
		if at.collection == "" || len(levels) == 0 {
			return counts, nil
		}
		q, err := x.understand(ctx, at, text)
		if err != nil {
			return nil, err
		}
		seen := x.visible(access, today)
		budget := maxOperands - operands(seen) - 1
		strictest, err := x.matchStrictest(ctx, at, q, levels, seen, budget)
		if err != nil {
			return nil, err
		}
		if counts[0] = max(strictest, 0); strictest >= enough {
			for i := range counts[1:] {
				counts[i+1] = -1
			}
			return counts, nil
		}
		if err := x.learnWords(ctx, at, q, levels); err != nil {
			return nil, err
		}
		var r round
		by := map[string][]int{}
		for i, level := range levels {
			if i == 0 && strictest >= 0 {
				continue
			}
			condition := q.condition(level, budget)
			if by[condition] = append(by[condition], i); len(by[condition]) > 1 || condition == nothing {
				continue
			}
			r.count(and(seen, condition), func(found int) {
				for _, i := range by[condition] {
					counts[i] = found
				}
			})
		}
		return counts, x.run(ctx, at, &r)
	})
}

// learnWords counts the videos of each word, and finds what typos may mean if a level forgives them. The search that runs
// beside this call usually has the counts already.
func (x *Index) learnWords(ctx context.Context, at *build, q *question, levels []search.MatchLevel) error {
	var words round
	take := x.countWords(&words, at, q.words)
	if err := x.run(ctx, at, &words); err != nil {
		return err
	}
	take()
	if !slices.ContainsFunc(levels, func(s search.MatchLevel) bool { return s.Typos }) {
		return nil
	}
	return x.forgive(ctx, at, q)
}

// Finds implements search.Reader. It takes one request for all texts, unless it must look up phrases first.
func (x *Index) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	return consult(ctx, x, func(ctx context.Context, at *build) ([]bool, error) {
		finds := make([]bool, len(texts))
		if at.collection == "" {
			return finds, nil
		}
		seen := x.visible(access, today)
		budget := maxOperands - operands(seen) - 1
		var r round
		for i, text := range texts {
			q, err := x.understand(ctx, at, text)
			if err != nil {
				return nil, err
			}
			if condition := q.condition(search.MatchLevel{}, budget); condition != nothing {
				r.count(and(seen, condition), func(found int) { finds[i] = found > 0 })
			}
		}
		return finds, x.run(ctx, at, &r)
	})
}

// matchStrictest counts the matches of the first level if that level requires all words, and returns -1 otherwise.
func (x *Index) matchStrictest(ctx context.Context, at *build, q *question, levels []search.MatchLevel, seen string, budget int) (int, error) {
	if levels[0] != (search.MatchLevel{}) {
		return -1, nil
	}
	condition := q.condition(levels[0], budget)
	if condition == nothing {
		return 0, nil
	}
	found := 0
	var r round
	r.count(and(seen, condition), func(n int) { found = n })
	err := x.run(ctx, at, &r)
	return found, err
}
