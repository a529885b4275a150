package search

// MatchLevels returns the levels to try for a text of a number of distinct analyzed words, the strictest first: all words;
// all words, typos forgiven; fewer words, typos forgiven, down to one. The first twelve words become optional one at a time,
// the next two at a time, and so on.
//
// Finer levels do not change the first ten results (measured with tools/quality), but a long question finds fewer other
// videos: 44 on average with one word at a time, 46 with these levels, 112 with a divisor of 4 instead of 12, 241 if the
// number of optional words doubles. Coarser levels are cheaper: an engine may have to count each one separately.
func MatchLevels(words int) []MatchLevel {
	if words <= 0 {
		return []MatchLevel{{}}
	}
	levels := []MatchLevel{{}, {Typos: true}}
	for missing := 1; missing < words; missing += 1 + missing/12 {
		levels = append(levels, MatchLevel{Typos: true, OptionalWords: missing})
	}
	if last := levels[len(levels)-1].OptionalWords; last < words-1 {
		levels = append(levels, MatchLevel{Typos: true, OptionalWords: words - 1})
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
