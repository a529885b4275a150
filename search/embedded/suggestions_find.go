package embedded

import (
	"bytes"
	"context"
	"slices"

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
