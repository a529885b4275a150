package search

// Steps returns the ladder that a text of so many distinct analysed words is tried by, the
// strictest level first: all words; all words, typos forgiven; fewer words, typos forgiven, down to
// one. The first twelve words go one at a time, then two at a time, then more.
//
// How fine the ladder is changes nothing in the first ten results (measured by tools/quality from one
// word at a time to twice as many each time), but the finer, the fewer other videos a long question
// finds: one word at a time 44 in the mean, this ladder 46, with a divisor of 4 instead of 12 112,
// doubling 241. An engine that counts each level by itself pays for every level.
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

// Choose returns the index of the strictest level that has at least enough matches, else of the
// strictest among those that have the most. A count of -1 is one that was not counted.
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
