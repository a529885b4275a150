package catalogue

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ArrangeCaptions sorts the captions of a video in place: the spoken language first ("" if unknown), then
// human-generated before machine-generated, then by language.
func ArrangeCaptions(captions []*Captions, spoken Language) {
	slices.SortFunc(captions, func(a, b *Captions) int {
		return cmp.Or(
			before(a.Language == spoken, b.Language == spoken),
			before(a.HumanGenerated, b.HumanGenerated),
			cmp.Compare(a.Language, b.Language))
	})
}

// before compares booleans; true sorts first.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// PlainText returns the concatenated text of the cues.
func (c *Captions) PlainText() string { return textOf(c.Cues) }

func textOf(cues []Cue) string {
	texts := make([]string, len(cues))
	for i, cue := range cues {
		texts[i] = strings.Join(strings.Fields(cue.Text), " ")
	}
	return strings.Join(texts, " ")
}

// Passage is a part of a video that consists of whole cues.
type Passage struct {
	Start, End Millis
	Cues       []Cue
}

// Text returns the spoken text of the passage.
func (p *Passage) Text() string { return textOf(p.Cues) }

// PassageID returns the ID of a passage: the video's ID and the span in hexadecimal milliseconds. Passages are not
// stored; the ID contains everything needed to find one. It is longer than any other ID.
func PassageID(video ID, start, end Millis) ID {
	return ID(fmt.Sprintf("%s%08x%08x", video, int64(start), int64(end)))
}

// ParsePassageID parses the result of PassageID. The passage need not exist.
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

// Lengths of passages. The end of a sentence after PassageEnough ends a passage, and so does a cue after which it
// would exceed PassageMost. A last passage shorter than PassageLeast is joined with the previous one if the result
// does not exceed the maximum.
const (
	PassageLeast  Millis = 15_000
	PassageEnough Millis = 30_000
	PassageMost   Millis = 60_000
)

// Passages divides captions into consecutive passages that end where a cue ends. A cue longer than PassageMost is a
// passage of its own, and so is a whole video shorter than PassageLeast. The result is deterministic.
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
