package embedded

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"
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
		f.starting(i)
	}
	f.take(startsText)
	if len(f.phrases) < limit {
		for i := range v.parts {
			if err := ctx.Err(); err != nil {
				return nil, unavailable("the search was interrupted", err)
			}
			f.inside(i)
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

	found   [suggestionClasses][]suggestion
	phrases []search.Phrase
}

// suggestion is one of a part's suggestions.
type suggestion struct{ part, ordinal int }

// starting finds the suggestions that start with what was typed; they stand together.
func (f *finder) starting(part int) {
	s := &f.view.parts[part].suggestions
	from, _ := s.folded.find(string(f.typed))
	for i := from; i < s.folded.len() && bytes.HasPrefix(s.folded.at(i), f.typed); i++ {
		f.found[startsText] = append(f.found[startsText], suggestion{part, i})
	}
}

// inside finds the others that hold what was typed, by one walk through all of them.
func (f *finder) inside(part int) {
	s := &f.view.parts[part].suggestions
	for at := 0; ; {
		n := bytes.Index(s.folded.blob[at:], f.typed)
		if n < 0 {
			return
		}
		at += n
		i := sort.Search(s.folded.len(), func(i int) bool { return int(s.folded.starts[i+1]) > at })
		end := int(s.folded.starts[i+1])
		switch folded := s.folded.at(i); {
		case at+len(f.typed) > end || bytes.HasPrefix(folded, f.typed):
		case f.startsWord(folded):
			f.found[startsWord] = append(f.found[startsWord], suggestion{part, i})
		default:
			f.found[insideWord] = append(f.found[insideWord], suggestion{part, i})
		}
		if at+len(f.typed) > end {
			at++
		} else {
			at = end
		}
	}
}

func (f *finder) startsWord(folded []byte) bool {
	for at := 0; ; {
		n := bytes.Index(folded[at:], f.typed)
		if n < 0 {
			return false
		}
		if at += n; at > 0 && folded[at-1] == ' ' {
			return true
		}
		at++
	}
}

// take adds the best of a class as far as there is room.
func (f *finder) take(class int) {
	room := f.limit - len(f.phrases)
	if room == 0 {
		return
	}
	phrases := f.counted(f.found[class])
	slices.SortFunc(phrases, func(a, b search.Phrase) int {
		return cmp.Or(
			cmp.Compare(b.Videos, a.Videos),
			cmp.Compare(utf8.RuneCountInString(a.Text), utf8.RuneCountInString(b.Text)),
			cmp.Compare(a.Text, b.Text))
	})
	f.phrases = append(f.phrases, phrases[:min(room, len(phrases))]...)
}

// counted counts the videos of suggestions over all parts and leaves out what nobody may see.
func (f *finder) counted(found []suggestion) []search.Phrase {
	places := make(map[string]int, len(found))
	var phrases []search.Phrase
	for _, candidate := range found {
		s := &f.view.parts[candidate.part].suggestions
		docs := s.docs[s.first[candidate.ordinal]:s.first[candidate.ordinal+1]]
		videos := f.visible[candidate.part].countOf(docs)
		if videos == 0 {
			continue
		}
		text := s.texts.at(candidate.ordinal)
		if i, known := places[string(text)]; known {
			phrases[i].Videos += videos
			continue
		}
		phrase := search.Phrase{Text: string(text), Videos: videos}
		places[phrase.Text] = len(phrases)
		phrases = append(phrases, phrase)
	}
	return phrases
}
