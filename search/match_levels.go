package search

// LongText is the number of distinct analyzed words from which on a text is long: a question, of which no video contains
// every word. A long text matches every video that contains one of its words, unless enough videos contain them all, and
// rarity and frequency of the words determine the order.
const LongText = 4

// MatchLevels returns the levels to try for a text of a number of distinct analyzed words, the strictest first: all words;
// all words, typos forgiven; fewer words, typos forgiven, down to one. A long text has no levels between all words and one:
// with them, a video that contains many frequent words would come before one that contains the few that matter (docs/search.md).
func MatchLevels(words int) []MatchLevel {
	if words <= 0 {
		return []MatchLevel{{}}
	}
	levels := []MatchLevel{{}, {Typos: true}}
	if words >= LongText {
		return append(levels, MatchLevel{Typos: true, OptionalWords: words - 1})
	}
	for missing := 1; missing < words; missing++ {
		levels = append(levels, MatchLevel{Typos: true, OptionalWords: missing})
	}
	return levels
}

// Choose returns the index of the strictest level with at least enough matches, or else of the strictest level among those
// with the most. A count of -1 means that the level was not counted.
func Choose(counts []int, enough int) int {
	best := 0
	for i, count := range counts {
		if count >= enough {
			return i
		}
		if count > counts[best] {
			best = i
		}
	}
	return best
}
