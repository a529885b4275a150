package search

// Steps returns the ladder that a text of so many distinct analysed words is tried by, the
// strictest step first: all words; all words, typos forgiven; fewer words, typos forgiven, down to
// one. Short texts lose one word at a time; long ones, of which each word says less, lose more at a
// time the looser the step.
func Steps(words int) []Step {
	if words <= 0 {
		return []Step{{}}
	}
	steps := []Step{{}, {Typos: true}}
	for missing := 1; missing < words; missing += 1 + missing/4 {
		steps = append(steps, Step{Typos: true, Missing: missing})
	}
	if last := steps[len(steps)-1].Missing; last < words-1 {
		steps = append(steps, Step{Typos: true, Missing: words - 1})
	}
	return steps
}

// Choose returns the index of the strictest step that has at least enough matches, else of the
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
