package generate

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
)

// captions are in the language of the video, and for one video in four in another one as well. They contain the
// transcript.
func (g *generator) captions(v *catalogue.Video) []catalogue.OwnedItem {
	spoken := g.speaker.locale
	text := ""
	if v.Transcript != nil {
		text = *v.Transcript
	} else {
		text = g.speaker.transcript(40 + g.rng.IntN(80))
	}
	list := []catalogue.OwnedItem{g.captionsIn(v, spoken.language, text)}
	if g.rng.IntN(4) == 0 {
		area := slices.Index(spoken.lexicons, g.speaker.area)
		other := locales()[(slices.Index(locales(), spoken)+1+g.rng.IntN(len(locales())-1))%len(locales())]
		g.speaker.about(other, area, area)
		list = append(list, g.captionsIn(v, other.language, g.speaker.transcript(40)))
	}
	return list
}

// captionsIn spreads the sentences of a text over a video.
func (g *generator) captionsIn(v *catalogue.Video, language catalogue.Language, text string) *catalogue.Captions {
	c := &catalogue.Captions{VideoID: v.ID, Language: language, HumanGenerated: g.rng.IntN(5) < 2}
	c.ID, c.Source = catalogue.CaptionsID(v.ID, language), Source
	length := catalogue.Millis(v.Playback.Duration)
	said := Sentences(text)
	said = said[:min(len(said), int(length/1000))]
	slot := length / catalogue.Millis(len(said))
	for i, sentence := range said {
		start := slot * catalogue.Millis(i)
		c.Cues = append(c.Cues, catalogue.Cue{Start: start, End: start + slot*9/10, Text: sentence})
	}
	return c
}

// Sentences splits a text after the marks that end sentences. A Latin mark ends a sentence only before a space, so that
// it may be part of a number.
func Sentences(text string) (list []string) {
	start := 0
	for at, mark := range text {
		end := at + utf8.RuneLen(mark)
		switch {
		case mark == '。':
		case (mark == '.' || mark == '?' || mark == '!') && (end == len(text) || text[end] == ' '):
		default:
			continue
		}
		list = append(list, strings.TrimSpace(text[start:end]))
		start = end
	}
	if rest := strings.TrimSpace(text[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// Learning outcomes and questions, in English.
var teaching = sync.OnceValue(func() (t struct{ outcomes, questions []template }) {
	t.outcomes = parseTemplates([]string{
		"Explain the connection between {F} and {N}.",
		"Name {k} examples of {N}, and say which of them are {a}.",
		"Compare {F} with {G}.",
		"Describe {F} in words of one's own.",
		"Use the term {t} in a text about {G}.",
		"Tell what {w} know about {F}.",
	})
	t.questions = parseTemplates([]string{
		"What connects {F} and {N}?",
		"What is the difference between {F} and {G}?",
		"Which examples of {N} in {p} does the video show?",
		"What would happen to {G} without {N}?",
		"How do {w} learn about {F}?",
		"What does the word {t} stand for?",
	})
	return t
})

// material is written only for videos in English.
func (g *generator) material(v *catalogue.Video) []catalogue.OwnedItem {
	if g.speaker.locale != locales()[0] {
		return nil
	}
	m := &catalogue.Material{
		VideoID:             v.ID,
		LearningOutcomes:    g.speaker.several(teaching().outcomes, 2+g.rng.IntN(3)),
		AssessmentQuestions: g.speaker.several(teaching().questions, 2+g.rng.IntN(4)),
	}
	m.ID, m.Source = catalogue.MaterialID(v.ID), Source
	return []catalogue.OwnedItem{m}
}

// several returns the given number of different sentences.
func (s *speaker) several(from []template, n int) []string {
	list := make([]string, n)
	first := s.rng.IntN(len(from))
	for i := range list {
		s.text = s.text[:0]
		s.say(&from[(first+i)%len(from)])
		list[i] = string(s.text)
	}
	return list
}

// highlights are one to three segments of a video, which may overlap.
func (g *generator) highlights(v *catalogue.Video) (list []catalogue.OwnedItem) {
	length := int(v.Playback.Duration)
	for i := range 1 + g.rng.IntN(3) {
		start := g.rng.IntN(length / 2)
		h := &catalogue.Highlight{
			VideoID: v.ID,
			Start:   catalogue.Millis(start),
			End:     catalogue.Millis(start + length/8 + g.rng.IntN(length/4)),
			Title:   g.speaker.title(),
			Caption: g.speaker.sentences(g.speaker.locale.sentences, 12),
		}
		if g.chance(400) {
			h.ContentCategories = []catalogue.Subtype{catalogue.Subtypes()[g.rng.IntN(len(catalogue.Subtypes()))]}
		}
		list = append(list, named(h, "highlight-"+strings.TrimPrefix(v.Reference, "video-")+"-"+strconv.Itoa(i+1)))
	}
	return list
}
