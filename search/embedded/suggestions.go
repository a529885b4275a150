package embedded

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// suggestions are the distinct titles and keywords of a segment, sorted by their folded form.
type suggestions struct {
	folded stringTable
	texts  stringTable // as they are written
	first  []uint32    // where the documents of each start in docs, and the end
	docs   []uint16
}

// suggestionKey names a title or keyword in an inverter, "" where it has no letter or digit.
func suggestionKey(analyzer *analysis.Analyzer, text string) string {
	folded := analyzer.Fold(text)
	if folded == "" {
		return ""
	}
	return folded + keySeparator + text
}

// keySeparator ends the folded form, which holds only letters, digits and blanks.
const keySeparator = "\x00"

// newSuggestions makes suggestions of postings whose terms are keys.
func newSuggestions(p postings) suggestions {
	s := suggestions{first: p.first, docs: p.docs}
	for i := range p.terms.len() {
		folded, text, _ := strings.Cut(string(p.terms.at(i)), keySeparator)
		s.folded.append(folded)
		s.texts.append(text)
	}
	s.folded.end()
	s.texts.end()
	return s
}

// postings is the reverse of newSuggestions.
func (s *suggestions) postings() *postings {
	p := &postings{first: s.first, docs: s.docs, impacts: make([]uint8, len(s.docs))}
	for i := range s.texts.len() {
		p.terms.append(string(s.folded.at(i)) + keySeparator + string(s.texts.at(i)))
	}
	p.terms.end()
	return p
}

// The ways in which a suggestion can hold what was typed, the best first.
const (
	startsText = iota
	startsWord
	insideWord
	suggestionClasses
)

// Phrases is that of search.Index. Texts that are equal up to case and marks are suggestions of
// their own.
func (x *Index) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	typed := x.analyzer.Fold(text)
	if typed == "" || limit <= 0 {
		return nil, nil
	}
	v := x.view.Load()
	f := finder{view: v, typed: []byte(typed), visible: v.visibleParts(visibility{access, today}), limit: limit}
	for i := range v.parts {
		f.starting(&v.parts[i].suggestions)
	}
	f.take(startsText)
	if len(f.phrases) < limit {
		for i := range v.parts {
			if err := ctx.Err(); err != nil {
				return nil, unavailable("the search was interrupted", err)
			}
			f.inside(&v.parts[i].suggestions)
		}
		f.take(startsWord)
		f.take(insideWord)
	}
	return f.phrases, nil
}

// finder looks for suggestions.
type finder struct {
	view    *view
	typed   []byte
	visible []bitset
	limit   int

	// found are by class and part the places of suggestions, ascending.
	found   [suggestionClasses][][]uint32
	phrases []search.Phrase
}

// starting finds the suggestions that start with what was typed; they stand together.
func (f *finder) starting(s *suggestions) {
	var found []uint32
	from, _ := s.folded.find(string(f.typed))
	for i := from; i < s.folded.len() && bytes.HasPrefix(s.folded.at(i), f.typed); i++ {
		found = append(found, uint32(i))
	}
	f.found[startsText] = append(f.found[startsText], found)
}

// inside finds the others that hold what was typed, by one walk through all of them.
func (f *finder) inside(s *suggestions) {
	var words, insides []uint32
	blob, starts := s.folded.blob, s.folded.starts
	for at, i := 0, 0; ; {
		n := bytes.Index(blob[at:], f.typed)
		if n < 0 {
			break
		}
		at += n
		for int(starts[i+1]) <= at {
			i++
		}
		if at+len(f.typed) > int(starts[i+1]) { // half of it stands in the next one
			at++
			continue
		}
		switch folded := s.folded.at(i); {
		case at == int(starts[i]):
		case startsAWord(folded, f.typed, at-int(starts[i])):
			words = append(words, uint32(i))
		default:
			insides = append(insides, uint32(i))
		}
		at = int(starts[i+1])
	}
	f.found[startsWord] = append(f.found[startsWord], words)
	f.found[insideWord] = append(f.found[insideWord], insides)
}

// startsAWord reports whether a word starts with what was typed; it stands at first and maybe again.
func startsAWord(folded, typed []byte, first int) bool {
	for at := first; ; at++ {
		n := bytes.Index(folded[at:], typed)
		if n < 0 {
			return false
		}
		if at += n; folded[at-1] == ' ' {
			return true
		}
	}
}

// take adds the best of a class as far as there is room. The parts' suggestions are walked side by
// side, so that equal ones meet.
func (f *finder) take(class int) {
	best := bestPhrases{room: f.limit - len(f.phrases)}
	rest := slices.Clone(f.found[class])
	var first []int // the parts whose next suggestion is the first of all
	for best.room > 0 {
		first = first[:0]
		for i := range rest {
			if len(rest[i]) == 0 {
				continue
			}
			order := -1
			if len(first) > 0 {
				order = f.compare(i, rest[i][0], first[0], rest[first[0]][0])
			}
			if order < 0 {
				first = first[:0]
			}
			if order <= 0 {
				first = append(first, i)
			}
		}
		if len(first) == 0 {
			break
		}
		text := f.view.parts[first[0]].suggestions.texts.at(int(rest[first[0]][0]))
		videos := 0
		for _, i := range first {
			s := &f.view.parts[i].suggestions
			videos += f.visible[i].countOf(s.docs[s.first[rest[i][0]]:s.first[rest[i][0]+1]])
			rest[i] = rest[i][1:]
		}
		if videos > 0 {
			best.add(text, videos)
		}
	}
	f.phrases = append(f.phrases, best.phrases...)
}

// compare is the order of suggestions: that of their keys.
func (f *finder) compare(partA int, a uint32, partB int, b uint32) int {
	s, t := &f.view.parts[partA].suggestions, &f.view.parts[partB].suggestions
	if order := bytes.Compare(s.folded.at(int(a)), t.folded.at(int(b))); order != 0 {
		return order
	}
	return bytes.Compare(s.texts.at(int(a)), t.texts.at(int(b)))
}

// bestPhrases keeps the best of what is added, as many as there is room for, the best first.
type bestPhrases struct {
	room    int
	phrases []search.Phrase
}

func (b *bestPhrases) add(text []byte, videos int) {
	full := len(b.phrases) == b.room
	if full {
		worst := b.phrases[len(b.phrases)-1]
		if videos < worst.Videos || videos == worst.Videos && utf8.RuneCount(text) > utf8.RuneCountInString(worst.Text) {
			return
		}
	}
	phrase := search.Phrase{Text: string(text), Videos: videos}
	at, _ := slices.BinarySearchFunc(b.phrases, phrase, comparePhrases)
	switch {
	case !full:
		b.phrases = slices.Insert(b.phrases, at, phrase)
	case at < len(b.phrases):
		copy(b.phrases[at+1:], b.phrases[at:])
		b.phrases[at] = phrase
	}
}

func comparePhrases(a, b search.Phrase) int {
	return cmp.Or(
		cmp.Compare(b.Videos, a.Videos),
		cmp.Compare(utf8.RuneCountInString(a.Text), utf8.RuneCountInString(b.Text)),
		cmp.Compare(a.Text, b.Text))
}
