package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ArrangeCaptions puts the captions of one video in the order in which they are offered: those in the
// language that is spoken in it ("": it is not known) first, of people before those of machines, then by
// language.
func ArrangeCaptions(captions []*Captions, spoken Language) {
	slices.SortFunc(captions, func(a, b *Captions) int {
		return cmp.Or(
			before(a.Language == spoken, b.Language == spoken),
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
func (c *Captions) PlainText() string { return textOf(c.Cues) }

func textOf(cues []Cue) string {
	texts := make([]string, len(cues))
	for i, cue := range cues {
		texts[i] = strings.Join(strings.Fields(cue.Text), " ")
	}
	return strings.Join(texts, " ")
}

// Passage is a piece of a video as its captions cut it.
type Passage struct {
	Start, End Millis
	Cues       []Cue
}

// Text is what is said in the passage.
func (p *Passage) Text() string { return textOf(p.Cues) }

// PassageID names a passage by its video and its span in hexadecimal milliseconds, so that it is found
// again though it is stored nowhere. It is longer than any other ID.
func PassageID(video ID, start, end Millis) ID {
	return ID(fmt.Sprintf("%s%08x%08x", video, int64(start), int64(end)))
}

// ParsePassageID reads what PassageID wrote. Whether there is such a passage is not its to say.
func ParsePassageID(id ID) (video ID, start, end Millis, ok bool) {
	const length = IDLength + 16
	if len(id) != length || !id[:IDLength].Valid() {
		return "", 0, 0, false
	}
	from, err := strconv.ParseInt(string(id[IDLength:IDLength+8]), 16, 64)
	to, err2 := strconv.ParseInt(string(id[IDLength+8:]), 16, 64)
	video, start, end = id[:IDLength], Millis(from), Millis(to)
	return video, start, end, err == nil && err2 == nil && PassageID(video, start, end) == id
}

// How long passages are: a sentence that ends behind PassageEnough ends the passage, and so does any cue
// behind which it would be longer than PassageMost. One that stays below PassageLeast at the end of a video
// joins the one before it, where both together are not too long.
const (
	PassageLeast  Millis = 15_000
	PassageEnough Millis = 30_000
	PassageMost   Millis = 60_000
)

// Passages cuts captions into pieces that stand one behind the other; each ends where a cue does. A cue of
// more than PassageMost, and a video of less than PassageLeast, is one of its own. The same captions are
// always cut in the same way.
func (c *Captions) Passages() []Passage {
	var passages []Passage
	var p Passage
	end := func() {
		if len(p.Cues) > 0 {
			passages = append(passages, p)
		}
		p = Passage{}
	}
	for i, cue := range c.Cues {
		if len(p.Cues) > 0 && max(p.End, cue.End)-p.Start > PassageMost {
			end()
		}
		if len(p.Cues) == 0 {
			p.Start = cue.Start
		}
		p.End, p.Cues = max(p.End, cue.End), append(p.Cues, c.Cues[i])
		if p.End-p.Start >= PassageEnough && endsSentence(cue.Text) {
			end()
		}
	}
	end()
	return joinLast(passages)
}

func joinLast(passages []Passage) []Passage {
	n := len(passages)
	if n < 2 {
		return passages
	}
	before, last := &passages[n-2], passages[n-1]
	if last.End-last.Start >= PassageLeast || last.End-before.Start > PassageMost {
		return passages
	}
	before.End, before.Cues = max(before.End, last.End), append(before.Cues, last.Cues...)
	return passages[:n-1]
}

func endsSentence(text string) bool {
	text = strings.TrimRight(text, " \n\t\"'”’»)]")
	return strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") ||
		strings.HasSuffix(text, "。") || strings.HasSuffix(text, "…")
}
