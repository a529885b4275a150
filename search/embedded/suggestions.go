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

// Phrases is that of search.Index.
func (x *Index) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	typed := x.analyzer.Fold(text)
	if typed == "" || limit <= 0 {
		return nil, nil
	}
	v := x.view.Load()
	f := finder{view: v, typed: []byte(typed), visible: v.visibleParts(access, today), limit: limit}
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

	// phrase is the one that is being looked at, in each part that has it; the others are room for it.
	phrase   []spellings
	written  []written
	carrying []uint16
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
// side, so that the spellings of a phrase, which stand together in each part, meet.
func (f *finder) take(class int) {
	best := bestPhrases{room: f.limit - len(f.phrases)}
	rest := slices.Clone(f.found[class])
	for best.room > 0 && f.next(rest) {
		if f.carriers() < best.least() {
			continue
		}
		if text, videos := f.count(); videos > 0 {
			best.add(text, videos)
		}
	}
	f.phrases = append(f.phrases, best.phrases...)
}

// spellings are the places of a phrase in a part: one for each way in which it is written there.
type spellings struct {
	*suggestions
	visible bitset
	part    int
	places  []uint32
}

// documents returns those that carry the spelling at a place.
func (s *suggestions) documents(place uint32) []uint16 {
	return s.docs[s.first[place]:s.first[place+1]]
}

// next moves f.phrase to the first of what is left in the parts; false where nothing is.
func (f *finder) next(rest [][]uint32) bool {
	f.phrase = f.phrase[:0]
	var first []byte
	for part, places := range rest {
		if len(places) == 0 {
			continue
		}
		s := &f.view.parts[part].suggestions
		folded, order := s.folded.at(int(places[0])), -1
		if len(f.phrase) > 0 {
			order = bytes.Compare(folded, first)
		}
		if order < 0 {
			f.phrase, first = f.phrase[:0], folded
		}
		if order <= 0 {
			f.phrase = append(f.phrase, spellings{s, f.visible[part], part, places})
		}
	}
	for i := range f.phrase {
		s, n := &f.phrase[i], 1
		for n < len(s.places) && bytes.Equal(s.folded.at(int(s.places[n])), first) {
			n++
		}
		s.places, rest[s.part] = s.places[:n], s.places[n:]
	}
	return len(f.phrase) > 0
}

// carriers is at least the number of videos that carry the phrase, and quickly known.
func (f *finder) carriers() (n int) {
	for _, s := range f.phrase {
		for _, place := range s.places {
			n += len(s.documents(place))
		}
	}
	return n
}

// written is one spelling of a phrase and the number of its videos.
type written struct {
	text   []byte
	videos int
}

// count returns the commonest spelling of the phrase and how many videos carry any.
func (f *finder) count() (commonest []byte, videos int) {
	f.written = f.written[:0]
	for _, s := range f.phrase {
		f.carrying = f.carrying[:0]
		for _, place := range s.places {
			docs := s.documents(place)
			f.write(s.texts.at(int(place)), s.visible.countOf(docs))
			f.carrying = append(f.carrying, docs...)
		}
		if len(s.places) > 1 { // a video may carry several spellings
			slices.Sort(f.carrying)
			f.carrying = slices.Compact(f.carrying)
		}
		videos += s.visible.countOf(f.carrying)
	}
	best := f.written[0]
	for _, w := range f.written[1:] {
		if w.videos > best.videos || w.videos == best.videos && bytes.Compare(w.text, best.text) < 0 {
			best = w
		}
	}
	return best.text, videos
}

// write adds the videos of a spelling in one part.
func (f *finder) write(text []byte, videos int) {
	for i := range f.written {
		if bytes.Equal(f.written[i].text, text) {
			f.written[i].videos += videos
			return
		}
	}
	f.written = append(f.written, written{text, videos})
}

// bestPhrases keeps the best of what is added, as many as there is room for, the best first.
type bestPhrases struct {
	room    int
	phrases []search.Phrase
}

// least is how many videos a phrase must have to be added.
func (b *bestPhrases) least() int {
	if len(b.phrases) < b.room {
		return 1
	}
	return b.phrases[len(b.phrases)-1].Videos
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
