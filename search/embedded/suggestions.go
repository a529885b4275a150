package embedded

import (
	"bytes"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/search/analysis"
)

// suggestions contains the distinct titles and keywords of a segment, sorted by their folded form and then by spelling.
type suggestions struct {
	folded analysis.Table
	texts  analysis.Table // the original spellings
	first  []uint32       // the index in docs of each phrase's first document, and the end
	docs   []uint16

	// The following fields are derived. Most phrases are the title of one video, and few of those are ever among the
	// best. several contains the places of the phrases that several documents have. common contains the folded form of
	// each such phrase once, and runs contains the first place and the end of its spellings.
	several bitset
	common  analysis.Table
	runs    [][2]uint32
}

// suggestionKey returns the term of a title or keyword in an inverter.
func suggestionKey(folded []byte, text string) string { return string(folded) + keySeparator + text }

// keySeparator separates the folded form from the spelling. It occurs in no folded form.
const keySeparator = "\x00"

// newSuggestions creates suggestions from postings whose terms are keys of suggestionKey.
func newSuggestions(p postings) suggestions {
	s := suggestions{first: p.first, docs: p.docs}
	for i := range p.terms.Len() {
		folded, text, _ := strings.Cut(string(p.terms.At(i)), keySeparator)
		s.folded.Append(folded)
		s.texts.Append(text)
	}
	s.folded.End()
	s.texts.End()
	return s
}

// derive computes several, common and runs.
func (s *suggestions) derive() {
	s.several, s.common, s.runs = newBitset(s.folded.Len()), analysis.Table{}, nil
	for from := 0; from < s.folded.Len(); {
		end := from + 1
		for end < s.folded.Len() && bytes.Equal(s.folded.At(end), s.folded.At(from)) {
			end++
		}
		if s.first[end]-s.first[from] > 1 {
			s.several.addRange(from, end)
			s.common.Append(string(s.folded.At(from)))
			s.runs = append(s.runs, [2]uint32{uint32(from), uint32(end)})
		}
		from = end
	}
	s.common.End()
}

// postings is the inverse of newSuggestions. It omits phrases whose documents are all gone in the mapping docs.
func (s *suggestions) postings(docs []uint32) *postings {
	p := &postings{}
	for i := range s.texts.Len() {
		of := s.docs[s.first[i]:s.first[i+1]]
		if !slices.ContainsFunc(of, func(doc uint16) bool { return docs[doc] != gone }) {
			continue
		}
		p.terms.Append(string(s.folded.At(i)) + keySeparator + string(s.texts.At(i)))
		p.first = append(p.first, uint32(len(p.docs)))
		p.docs = append(p.docs, of...)
	}
	p.terms.End()
	p.first = append(p.first, uint32(len(p.docs)))
	p.impacts = make([]uint8, len(p.docs))
	return p
}
