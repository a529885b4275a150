package generate

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// template is a sentence split into alternating literals and slots, starting with a literal.
type template struct {
	literals []string
	slots    []byte // slots[i] follows literals[i]; there is one literal more
}

func parseTemplates(sources []string) []template {
	out := make([]template, len(sources))
	for i, source := range sources {
		for {
			before, rest, found := strings.Cut(source, "{")
			out[i].literals = append(out[i].literals, before)
			if !found {
				break
			}
			out[i].slots = append(out[i].slots, rest[0])
			source = rest[2:]
		}
	}
	return out
}

// speaker writes the texts of one video.
type speaker struct {
	rng    *rand.Rand
	locale *locale
	area   *lexicon
	// secondArea is a second lexicon, from which a word is drawn now and then.
	secondArea *lexicon
	// focus and second are indexes of the nouns that the video is about.
	focus, second int
	// latest is the last other noun.
	latest string
	text   []byte
	order  []int // of sentences
}

// about sets the subject, and draws the topic of the next video.
func (s *speaker) about(locale *locale, area, secondArea int) {
	s.locale, s.area, s.secondArea = locale, locale.lexicons[area], locale.lexicons[secondArea]
	s.latest = ""
	s.focus = s.rng.IntN(len(s.area.nouns.list))
	s.second = s.area.nouns.skewed.draw(s.rng)
	if s.second == s.focus {
		s.second = (s.focus + 1) % len(s.area.nouns.list)
	}
}

// title returns a sentence of 3 to 9 words (in Chinese, of a few more characters).
func (s *speaker) title() string {
	s.text = s.text[:0]
	s.say(&s.locale.titles[s.rng.IntN(len(s.locale.titles))])
	return string(s.text)
}

// description returns 20 to 80 words.
func (s *speaker) description() string {
	return s.sentences(s.locale.sentences, 20+s.rng.IntN(45))
}

// transcript returns about the given number of words.
func (s *speaker) transcript(words int) string {
	return s.sentences(s.locale.speech, words)
}

// sentences returns sentences with at least the given number of words; in Chinese, a character has three bytes, and two
// characters count as a word. No sentence comes again before all the others.
func (s *speaker) sentences(from []template, words int) string {
	s.text, s.order = s.text[:0], s.order[:0]
	for i := range from {
		s.order = append(s.order, i)
	}
	s.rng.Shuffle(len(from), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	for count, at := 0, 0; count < words; at = (at + 1) % len(from) {
		if len(s.text) > 0 {
			s.text = append(s.text, s.locale.gap...)
		}
		start := len(s.text)
		s.say(&from[s.order[at]])
		if said := s.text[start:]; s.locale.gap == "" {
			count += len(said) / 6
		} else {
			count += bytes.Count(said, []byte{' '}) + 1
		}
	}
	return string(s.text)
}

// say appends a sentence with a capital letter.
func (s *speaker) say(t *template) {
	start := len(s.text)
	for i, slot := range t.slots {
		s.text = append(s.text, t.literals[i]...)
		s.fill(slot)
	}
	s.text = append(s.text, t.literals[len(t.slots)]...)
	s.text = capitalize(s.text, start)
}

func capitalize(text []byte, at int) []byte {
	if c := text[at]; c < utf8.RuneSelf {
		if c >= 'a' && c <= 'z' {
			text[at] = c - 'a' + 'A'
		}
		return text
	}
	first, size := utf8.DecodeRune(text[at:])
	if upper := unicode.ToUpper(first); utf8.RuneLen(upper) == size {
		utf8.EncodeRune(text[at:], upper)
	}
	return text
}

func (s *speaker) fill(slot byte) {
	switch slot {
	case 'f':
		s.text = append(s.text, s.area.nouns.list[s.focus]...)
	case 'F':
		s.text = append(s.text, s.area.plurals[s.focus]...)
	case 'g':
		s.text = append(s.text, s.area.nouns.list[s.second]...)
	case 'G':
		s.text = append(s.text, s.area.plurals[s.second]...)
	case 'n':
		area, noun := s.another()
		s.text = append(s.text, area.nouns.list[noun]...)
	case 'N':
		area, noun := s.another()
		s.text = append(s.text, area.plurals[noun]...)
	case 'a':
		s.text = append(s.text, s.area.adjectives.draw(s.rng)...)
	case 'w':
		s.text = append(s.text, s.locale.people.draw(s.rng)...)
	case 'p':
		s.text = s.locale.name(s.text, drawTail(s.rng))
	case 't':
		s.text = s.locale.term(s.text, drawTail(s.rng))
	case 'y':
		s.text = strconv.AppendInt(s.text, int64(1500+s.rng.IntN(520)), 10)
	case 'k':
		s.text = strconv.AppendInt(s.text, int64(2+s.rng.IntN(11)), 10)
	default:
		panic("generate: no such slot: " + string(slot))
	}
}

// another returns a noun that is neither a topic of the video nor the previous other noun: of the subject or, one time in
// eight, of the other one.
func (s *speaker) another() (from *lexicon, noun int) {
	if from = s.area; s.rng.Uint64()%8 == 0 {
		from = s.secondArea
	}
	topics := [...]string{s.area.nouns.list[s.focus], s.area.nouns.list[s.second], s.latest}
	noun = from.nouns.skewed.draw(s.rng)
	for slices.Contains(topics[:], from.nouns.list[noun]) {
		noun = (noun + 1) % len(from.nouns.list)
	}
	s.latest = from.nouns.list[noun]
	return from, noun
}
