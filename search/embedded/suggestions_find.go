package embedded

import (
	"bytes"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

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
	words, insides := f.within(&s.folded)
	f.found[startsWord] = append(f.found[startsWord], words)
	f.found[insideWord] = append(f.found[insideWord], insides)
}

// within finds those of a table that hold what was typed, but do not start with it: with a word that does, and others.
func (f *finder) within(table *stringTable) (words, insides []uint32) {
	if table.len() == 0 {
		return nil, nil
	}
	blob, starts := table.blob, table.starts
	needle := newNeedle(f.typed)
	i := 0
	for at := needle.in(blob, 0); at >= 0; {
		for int(starts[i+1]) <= at {
			i++
		}
		half := at+len(f.typed) > int(starts[i+1]) // the rest stands in the next one
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

// takeCommon adds the best of those that do not start with what was typed, where looking at phrases of several
// documents is enough to know them, and reports whether it is.
func (f *finder) takeCommon() bool {
	var words, insides [][]uint32
	for i := range f.view.parts {
		s := &f.view.parts[i].suggestions
		starting, other := f.within(&s.common)
		words, insides = append(words, s.places(starting)), append(insides, s.places(other))
	}
	room := f.limit - len(f.phrases)
	best := f.bestOf(words, room, 1)
	if !best.beatsSingle(len(words)) {
		if f.mayStartAWord() {
			return false
		}
		if best = f.bestOf(insides, room, 1); !best.beatsSingle(len(insides)) {
			return false
		}
	}
	f.phrases = append(f.phrases, best.phrases...)
	return true
}

// places are those of all spellings of common phrases.
func (s *suggestions) places(common []uint32) (places []uint32) {
	for _, i := range common {
		for place := s.runs[i][0]; place < s.runs[i][1]; place++ {
			places = append(places, place)
		}
	}
	return places
}

// mayStartAWord reports whether a word of any phrase could start with what was typed. The words of the index tell of one
// word in plain letters and digits: phrases are made of them.
func (f *finder) mayStartAWord() bool {
	for _, b := range f.typed {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') {
			return true
		}
	}
	for i := range f.view.parts {
		terms := &f.view.parts[i].exact.terms
		if at, _ := terms.find(string(f.typed)); at < terms.len() && bytes.HasPrefix(terms.at(at), f.typed) {
			return true
		}
	}
	return false
}

// take adds the best of a class as far as there is room.
func (f *finder) take(class int) {
	room := f.limit - len(f.phrases)
	if room == 0 {
		return
	}
	best, enough := f.bestOfSeveral(class, room)
	if !enough {
		best = f.bestOf(slices.Clone(f.found[class]), room, 0)
	}
	f.phrases = append(f.phrases, best.phrases...)
}

// bestOfSeveral is bestOf for phrases that several documents of a part carry, and reports whether these are the best of
// all: any other has one document in each part at most.
func (f *finder) bestOfSeveral(class, room int) (best bestPhrases, enough bool) {
	rest := make([][]uint32, len(f.found[class]))
	for part, places := range f.found[class] {
		several := f.view.parts[part].suggestions.several
		for _, place := range places {
			if several.has(int(place)) {
				rest[part] = append(rest[part], place)
			}
		}
	}
	best = f.bestOf(rest, room, 1)
	return best, best.beatsSingle(len(rest))
}

// bestOf finds the best phrases. The parts' suggestions are walked side by side, so that the spellings of a phrase,
// which stand together in each part, meet. leftOut is how many documents of a phrase a part may have whose list does
// not hold it; its spellings are looked up.
func (f *finder) bestOf(rest [][]uint32, room, leftOut int) bestPhrases {
	best := bestPhrases{room: room}
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

// complete adds the spellings of a phrase in parts whose lists leave it out.
func (f *finder) complete(parts int) {
	if len(f.phrase) == parts {
		return
	}
	s := f.phrase[0]
	folded := string(s.folded.at(int(s.places[0])))
	for part := range parts {
		if slices.ContainsFunc(f.phrase, func(s spellings) bool { return s.part == part }) {
			continue
		}
		other := &f.view.parts[part].suggestions
		if place, there := other.folded.find(folded); there {
			f.phrase = append(f.phrase, spellings{other, f.visible[part], part, []uint32{uint32(place)}})
		}
	}
}
