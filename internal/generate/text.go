package generate

import (
	"bytes"
	"math/rand/v2"
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
	tongue *tongue
	area   *lexicon
	// aside is a second lexicon, from which a word is drawn now and then.
	aside *lexicon
	// focus and second are indexes of the nouns that the video is about.
	focus, second int
	text          []byte
}

// about sets the subject, and draws the topic of the next video.
func (s *speaker) about(tongue *tongue, area, aside int) {
	s.tongue, s.area, s.aside = tongue, tongue.lexicons[area], tongue.lexicons[aside]
	s.focus = s.rng.IntN(len(s.area.nouns.list))
	s.second = s.area.nouns.skewed.draw(s.rng)
	if s.second == s.focus {
		s.second = (s.focus + 1) % len(s.area.nouns.list)
	}
}

// title returns a sentence of 3 to 9 words (in Chinese, of a few more characters).
func (s *speaker) title() string {
	s.text = s.text[:0]
	s.say(&s.tongue.titles[s.rng.IntN(len(s.tongue.titles))])
	return string(s.text)
}

// description returns 20 to 80 words.
func (s *speaker) description() string {
	return s.sentences(s.tongue.sentences, 20+s.rng.IntN(45))
}

// transcript returns about the given number of words.
func (s *speaker) transcript(words int) string {
	return s.sentences(s.tongue.speech, words)
}

// sentences returns sentences with at least the given number of words; in Chinese, a character has three bytes, and two
// characters count as a word.
func (s *speaker) sentences(from []template, words int) string {
	s.text = s.text[:0]
	for count, at := 0, s.rng.IntN(len(from)); count < words; {
		if len(s.text) > 0 {
			s.text = append(s.text, s.tongue.gap...)
		}
		start := len(s.text)
		s.say(&from[at])
		at = (at + 1 + s.rng.IntN(len(from)-1)) % len(from) // never the same twice in a row
		if said := s.text[start:]; s.tongue.gap == "" {
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
	s.text = capitalise(s.text, start)
}

func capitalise(text []byte, at int) []byte {
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
		from := s.either()
		s.text = append(s.text, from.nouns.draw(s.rng)...)
	case 'N':
		from := s.either()
		s.text = append(s.text, from.plurals[from.nouns.skewed.draw(s.rng)]...)
	case 'a':
		from := s.area.adjectives
		if s.rng.Uint64()%2 == 0 {
			from = s.tongue.adjectives
		}
		s.text = append(s.text, from.draw(s.rng)...)
	case 'v':
		s.text = append(s.text, s.verb().base...)
	case 's':
		s.text = append(s.text, s.verb().third...)
	case 'i':
		s.text = append(s.text, s.verb().ing...)
	case 'w':
		s.text = append(s.text, s.tongue.people.draw(s.rng)...)
	case 'p':
		s.text = s.tongue.name(s.text, drawTail(s.rng))
	case 't':
		s.text = s.tongue.term(s.text, drawTail(s.rng))
	case 'y':
		s.text = strconv.AppendInt(s.text, int64(1500+s.rng.IntN(520)), 10)
	case 'k':
		s.text = strconv.AppendInt(s.text, int64(2+s.rng.IntN(11)), 10)
	default:
		panic("generate: no such slot: " + string(slot))
	}
}

// either returns the lexicon of the subject, or, one time in eight, the other one.
func (s *speaker) either() *lexicon {
	if s.rng.Uint64()%8 == 0 {
		return s.aside
	}
	return s.area
}

func (s *speaker) verb() *verb { return &s.tongue.verbs[s.tongue.verbOrder.draw(s.rng)] }
