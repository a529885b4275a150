package search_test

import (
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/search"
)

func TestLevelsGoFromAllWordsToOne(t *testing.T) {
	for words := range 70 {
		t.Run(fmt.Sprint(words, " words"), func(t *testing.T) { checkLevels(t, words, search.MatchLevels(words)) })
	}
	if levels := search.MatchLevels(search.LongText); len(levels) != 3 {
		t.Errorf("a long text has %d levels, want 3", len(levels))
	}
	if levels := search.MatchLevels(search.LongText - 1); len(levels) != search.LongText {
		t.Errorf("a text of %d words has %d levels", search.LongText-1, len(levels))
	}
}

func checkLevels(t *testing.T, words int, levels []search.MatchLevel) {
	t.Helper()
	if levels[0] != (search.MatchLevel{}) {
		t.Errorf("the first level is %+v, want all words", levels[0])
	}
	if words == 0 {
		if len(levels) != 1 {
			t.Errorf("%d levels without a word, want 1", len(levels))
		}
		return
	}
	if levels[1] != (search.MatchLevel{Typos: true}) {
		t.Errorf("the second level is %+v, want all words with typos", levels[1])
	}
	for i := 2; i < len(levels); i++ {
		if !levels[i].Typos || levels[i].OptionalWords <= levels[i-1].OptionalWords {
			t.Errorf("level %d, %+v, is not looser than %+v", i, levels[i], levels[i-1])
		}
	}
	if last := levels[len(levels)-1]; last.OptionalWords != words-1 {
		t.Errorf("the last level misses %d of %d words, want one left", last.OptionalWords, words)
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name   string
		counts []int
		want   int
	}{
		{"no level", nil, 0},
		{"the first is enough", []int{10, -1, -1}, 0},
		{"the strictest that is enough", []int{3, 10, 12}, 1},
		{"the most", []int{1, 4, 7}, 2},
		{"the strictest of those with the most", []int{2, 7, 7}, 1},
		{"nothing anywhere", []int{0, 0, 0}, 0},
		{"not counted", []int{-1, 0, -1}, 1},
	}
	for _, test := range tests {
		if got := search.Choose(test.counts, 10); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}
