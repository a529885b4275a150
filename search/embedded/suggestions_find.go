package embedded

import (
	"bytes"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// The ways in which a suggestion can contain the typed text, from best to worst.
const (
	startsText = iota
	startsWord
	insideWord
	suggestionClasses
)

// Phrases implements search.Reader.
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
	if len(f.phrases) < limit && !f.takeCommon() {
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

// finder is the state of one search for suggestions.
type finder struct {
	view    *view
	typed   []byte
	visible []bitset
	limit   int

	// found contains, by class and part, the places of matching suggestions in ascending order.
	found   [suggestionClasses][][]uint32
	phrases []search.Phrase

	// phrase is the current phrase in each part that contains it. written and carrying are buffers for it.
	phrase   []spellings
	written  []written
	carrying []uint16
}

// starting finds the suggestions that start with the typed text. They are adjacent in sorted order.
func (f *finder) starting(s *suggestions) {
	var found []uint32
	from, _ := s.folded.Find(string(f.typed))
	for i := from; i < s.folded.Len() && bytes.HasPrefix(s.folded.At(i), f.typed); i++ {
		found = append(found, uint32(i))
	}
	f.found[startsText] = append(f.found[startsText], found)
}

// inside finds the suggestions that contain the typed text but do not start with it, in one pass over all suggestions.
func (f *finder) inside(s *suggestions) {
	words, insides := f.within(&s.folded)
	f.found[startsWord] = append(f.found[startsWord], words)
	f.found[insideWord] = append(f.found[insideWord], insides)
}

// within finds the strings of a table that contain the typed text but do not start with it: words are those with a word
// that starts with it, insides are the others.
func (f *finder) within(table *analysis.Table) (words, insides []uint32) {
	if table.Len() == 0 {
		return nil, nil
	}
	blob, starts := table.Blob, table.Starts
	needle := newNeedle(f.typed)
	i := 0
	for at := needle.in(blob, 0); at >= 0; {
		for int(starts[i+1]) <= at {
			i++
		}
		half := at+len(f.typed) > int(starts[i+1]) // the match extends into the next string
		known := len(insides) > 0 && insides[len(insides)-1] == uint32(i)
		switch {
		case half:
			at = needle.in(blob, at+1)
			continue
		case at > int(starts[i]) && blob[at-1] != ' ': // a word of the same phrase may still start with it
			if !known {
				insides = append(insides, uint32(i))
			}
			at = needle.in(blob, at+1)
			continue
		case at > int(starts[i]):
			if known {
				insides = insides[:len(insides)-1]
			}
			words = append(words, uint32(i))
		}
		at = needle.in(blob, int(starts[i+1]))
	}
	return words, insides
}

// takeCommon adds the best suggestions that do not start with the typed text, if the phrases of several documents are
// sufficient to determine them. It reports whether they are.
func (f *finder) takeCommon() bool {
	var words, insides [][]uint32
	for i := range f.view.parts {
		s := &f.view.parts[i].suggestions
		starting, other := f.within(&s.common)
		words, insides = append(words, s.places(starting)), append(insides, s.places(other))
	}
	limit := f.limit - len(f.phrases)
	best := f.bestOf(words, limit, 1)
	if !best.beatsSingle(len(words)) {
		if f.mayStartAWord() {
			return false
		}
		if best = f.bestOf(insides, limit, 1); !best.beatsSingle(len(insides)) {
			return false
		}
	}
	f.phrases = append(f.phrases, best.phrases...)
	return true
}

// places returns the places of all spellings of common phrases.
func (s *suggestions) places(common []uint32) (places []uint32) {
	for _, i := range common {
		for place := s.runs[i][0]; place < s.runs[i][1]; place++ {
			places = append(places, place)
		}
	}
	return places
}

// mayStartAWord reports whether a word of any phrase could start with the typed text. If the typed text is one word of
// plain letters and digits, the words of the index decide, because phrases consist of them. Otherwise the answer is
// true.
func (f *finder) mayStartAWord() bool {
	for _, b := range f.typed {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') {
			return true
		}
	}
	for i := range f.view.parts {
		terms := &f.view.parts[i].exact.terms
		if at, _ := terms.Find(string(f.typed)); at < terms.Len() && bytes.HasPrefix(terms.At(at), f.typed) {
			return true
		}
	}
	return false
}

// take adds the best suggestions of a class, up to the limit.
func (f *finder) take(class int) {
	limit := f.limit - len(f.phrases)
	if limit == 0 {
		return
	}
	best, enough := f.bestOfSeveral(class, limit)
	if !enough {
		best = f.bestOf(slices.Clone(f.found[class]), limit, 0)
	}
	f.phrases = append(f.phrases, best.phrases...)
}

// bestOfSeveral is bestOf for phrases that several documents of a part have. It also reports whether the result
// contains the best of all phrases: any other phrase has at most one document in each part.
func (f *finder) bestOfSeveral(class, limit int) (best bestPhrases, enough bool) {
	rest := make([][]uint32, len(f.found[class]))
	for part, places := range f.found[class] {
		several := f.view.parts[part].suggestions.several
		for _, place := range places {
			if several.has(int(place)) {
				rest[part] = append(rest[part], place)
			}
		}
	}
	best = f.bestOf(rest, limit, 1)
	return best, best.beatsSingle(len(rest))
}

// bestOf returns the best phrases in rest, which contains places by part. It walks the parts in parallel, so that it
// meets all spellings of a phrase at once; they are adjacent in each part. leftOut is the greatest number of documents
// that a phrase may have in a part whose list omits it. If leftOut is not 0, bestOf looks up the spellings in those
// parts.
func (f *finder) bestOf(rest [][]uint32, limit, leftOut int) bestPhrases {
	best := bestPhrases{limit: limit}
	for f.next(rest) {
		if f.carriers()+leftOut*(len(rest)-len(f.phrase)) < best.least() {
			continue
		}
		if leftOut > 0 {
			f.complete(len(rest))
		}
		if text, videos := f.count(); videos > 0 {
			best.add(text, videos)
		}
	}
	return best
}

// complete adds the spellings of the current phrase in parts whose lists omit it.
func (f *finder) complete(parts int) {
	if len(f.phrase) == parts {
		return
	}
	s := f.phrase[0]
	folded := string(s.folded.At(int(s.places[0])))
	for part := range parts {
		if slices.ContainsFunc(f.phrase, func(s spellings) bool { return s.part == part }) {
			continue
		}
		other := &f.view.parts[part].suggestions
		if place, there := other.folded.Find(folded); there {
			f.phrase = append(f.phrase, spellings{other, f.visible[part], part, []uint32{uint32(place)}})
		}
	}
}

// spellings contains the places of a phrase in a part, one for each spelling.
type spellings struct {
	*suggestions
	visible bitset
	part    int
	places  []uint32
}

// documents returns the documents that contain the spelling at a place.
func (s *suggestions) documents(place uint32) []uint16 {
	return s.docs[s.first[place]:s.first[place+1]]
}

// next sets f.phrase to the first remaining phrase of the parts and removes it from rest. It returns false if no phrase
// remains.
func (f *finder) next(rest [][]uint32) bool {
	f.phrase = f.phrase[:0]
	var first []byte
	for part, places := range rest {
		if len(places) == 0 {
			continue
		}
		s := &f.view.parts[part].suggestions
		folded, order := s.folded.At(int(places[0])), -1
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
		for n < len(s.places) && bytes.Equal(s.folded.At(int(s.places[n])), first) {
			n++
		}
		s.places, rest[s.part] = s.places[:n], s.places[n:]
	}
	return len(f.phrase) > 0
}

// carriers returns a fast upper bound of the number of videos that have the phrase.
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

// count returns the most frequent spelling of the phrase, the first in binary order if several are equally frequent,
// and the number of videos that have any spelling.
func (f *finder) count() (commonest []byte, videos int) {
	f.written = f.written[:0]
	for _, s := range f.phrase {
		f.carrying = f.carrying[:0]
		for _, place := range s.places {
			docs := s.documents(place)
			f.write(s.texts.At(int(place)), s.visible.countOf(docs))
			f.carrying = append(f.carrying, docs...)
		}
		if len(s.places) > 1 { // a video may have several spellings
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

// write adds the number of videos of a spelling in one part.
func (f *finder) write(text []byte, videos int) {
	for i := range f.written {
		if bytes.Equal(f.written[i].text, text) {
			f.written[i].videos += videos
			return
		}
	}
	f.written = append(f.written, written{text, videos})
}

// bestPhrases keeps the best of the added phrases, best first. Their number is at most room.
type bestPhrases struct {
	limit   int
	phrases []search.Phrase
}

// least returns the number of videos that a phrase needs at least to be added.
func (b *bestPhrases) least() int {
	if len(b.phrases) < b.limit {
		return 1
	}
	return b.phrases[len(b.phrases)-1].Videos
}

// beatsSingle reports whether the list is full and each of its phrases has more videos than a phrase with at most one
// document in each part can have.
func (b *bestPhrases) beatsSingle(parts int) bool {
	return len(b.phrases) == b.limit && b.least() > parts
}

func (b *bestPhrases) add(text []byte, videos int) {
	if len(b.phrases) == b.limit {
		worst := b.phrases[len(b.phrases)-1]
		if videos < worst.Videos || videos == worst.Videos && utf8.RuneCount(text) > utf8.RuneCountInString(worst.Text) {
			return
		}
	}
	phrase := search.Phrase{Text: string(text), Videos: videos}
	at, _ := slices.BinarySearchFunc(b.phrases, phrase, search.Phrase.Compare)
	b.phrases = slices.Insert(b.phrases, at, phrase)
	b.phrases = b.phrases[:min(len(b.phrases), b.limit)]
}
