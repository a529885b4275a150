package embedded

import (
	"bytes"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// suggestions are the distinct titles and keywords of a segment, sorted by their folded form.
type suggestions struct {
	folded stringTable
	texts  stringTable // as they are written
	first  []uint32    // where the documents of each start in docs, and the end
	docs   []uint16

	// What follows is derived. Most phrases are the title of one video, and few of them are ever among the best.
	// several holds the places of phrases that several documents carry; common are these phrases once, folded, and
	// runs where the spellings of each begin and end.
	several bitset
	common  stringTable
	runs    [][2]uint32
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

// derive finds the phrases of several documents.
func (s *suggestions) derive() {
	s.several, s.common, s.runs = newBitset(s.folded.len()), stringTable{}, nil
	for from := 0; from < s.folded.len(); {
		end := from + 1
		for end < s.folded.len() && bytes.Equal(s.folded.at(end), s.folded.at(from)) {
			end++
		}
		if s.first[end]-s.first[from] > 1 {
			s.several.addRange(from, end)
			s.common.append(string(s.folded.at(from)))
			s.runs = append(s.runs, [2]uint32{uint32(from), uint32(end)})
		}
		from = end
	}
	s.common.end()
}

// postings is the reverse of newSuggestions, less what only documents say that a mapping has no successor of.
func (s *suggestions) postings(docs []uint32) *postings {
	p := &postings{}
	for i := range s.texts.len() {
		of := s.docs[s.first[i]:s.first[i+1]]
		if !slices.ContainsFunc(of, func(doc uint16) bool { return docs[doc] != gone }) {
			continue
		}
		p.terms.append(string(s.folded.at(i)) + keySeparator + string(s.texts.at(i)))
		p.first = append(p.first, uint32(len(p.docs)))
		p.docs = append(p.docs, of...)
	}
	p.terms.end()
	p.first = append(p.first, uint32(len(p.docs)))
	p.impacts = make([]uint8, len(p.docs))
	return p
}
