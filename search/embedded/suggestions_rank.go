package embedded

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/search"
)

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
	full := len(b.phrases) == b.limit
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
