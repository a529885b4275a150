package catalogue

import (
	"cmp"
	"slices"
	"strings"
)

// ArrangeCaptions puts the captions of one video in the order in which they are offered: those in the
// language that is spoken in it first, of people before those of machines, then by language.
func ArrangeCaptions(captions []*Captions, spoken *Language) {
	slices.SortFunc(captions, func(a, b *Captions) int {
		return cmp.Or(
			before(spoken != nil && a.Language == *spoken, spoken != nil && b.Language == *spoken),
			before(a.HumanGenerated, b.HumanGenerated),
			cmp.Compare(a.Language, b.Language))
	})
}

// before compares so that what is true comes first.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// PlainText is what the cues say, one after the other.
func (c *Captions) PlainText() string {
	texts := make([]string, len(c.Cues))
	for i, cue := range c.Cues {
		texts[i] = strings.Join(strings.Fields(cue.Text), " ")
	}
	return strings.Join(texts, " ")
}
