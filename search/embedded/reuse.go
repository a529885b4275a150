package embedded

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/filmstrip/filmstrip/search"
)

// A new name of a channel changes one field of all its videos, but not the documents' own text. The new segment copies
// the postings of that text term by term, as a merge does. This costs a fraction of analyzing the text again.

// origin identifies a segment that contains the postings of a document's own text.
type origin struct {
	print uint64 // fingerprint of the text
	// segment contains the postings, as those of its document doc. nil: no segment does.
	segment *segment
	doc     int
}

// reuseFrom limits reuse: a segment is reused only if at least one in reuseFrom of its documents is. Each reuse walks
// over all words of the segment.
const reuseFrom = 32

// originsOf returns the origin of each document's own text.
func originsOf(parts []part, documents []search.Document) []origin {
	origins := make([]origin, len(documents))
	for from := 0; from < len(documents); from += maxSegment {
		end := min(from+maxSegment, len(documents))
		findReusable(parts, documents[from:end], origins[from:end])
	}
	return origins
}

func findReusable(parts []part, documents []search.Document, origins []origin) {
	for i := range documents {
		origins[i].print = printOf(&documents[i])
	}
	asked := newIdentities(len(documents), func(i int) string { return string(documents[i].ID) })
	for _, p := range parts {
		if len(documents)*reuseFrom < p.size {
			continue
		}
		var found [][2]int
		common(&p.identities, &asked, func(doc, i int) {
			if origins[i].segment == nil && p.texts[doc] == origins[i].print {
				found = append(found, [2]int{doc, i})
			}
		})
		if len(found)*reuseFrom < p.size {
			continue
		}
		for _, f := range found {
			origins[f[1]].segment, origins[f[1]].doc = p.segment, f[0]
		}
	}
}

// printOf returns a fingerprint of a document's own text and language: 64 bits of a SHA-256 hash. Finding another text
// with the same fingerprint is infeasible.
func printOf(d *search.Document) uint64 {
	texts := make([]byte, 0, 128+len(d.Title)+len(d.Description)+len(d.Transcript)+32*len(d.Keywords))
	write := func(text string) {
		texts = binary.AppendUvarint(texts, uint64(len(text)))
		texts = append(texts, text...)
	}
	write(string(d.Language))
	write(d.Title)
	write(d.Description)
	write(d.Transcript)
	for _, keyword := range d.Keywords {
		write(keyword)
	}
	sum := sha256.Sum256(texts)
	return binary.LittleEndian.Uint64(sum[:])
}

// addReused adds the reused postings to a segment that contains all new ones. It returns suggested, extended with the
// suggestions of the reused documents.
func (s *segment) addReused(suggested postings, originOf func(doc int) origin) postings {
	from := []*segment{s}
	docs := [][]uint32{make([]uint32, s.size)}
	for doc := range s.size {
		docs[0][doc] = uint32(doc)
		texts := originOf(doc)
		if texts.segment == nil {
			continue
		}
		i := slices.Index(from, texts.segment)
		if i < 0 {
			i = len(from)
			from = append(from, texts.segment)
			docs = append(docs, slices.Repeat([]uint32{gone}, texts.segment.size))
		}
		docs[i][texts.doc] = uint32(doc)
	}
	if len(from) == 1 {
		return suggested
	}
	exact, stems, phrases := []*postings{&s.exact}, []*postings{&s.stems}, []*postings{&suggested}
	for i, kept := range from[1:] {
		exact = append(exact, kept.exact.ownTexts())
		stems = append(stems, kept.stems.ownTexts())
		phrases = append(phrases, kept.suggestions.postings(docs[i+1]))
	}
	titles := func(doc int) (int, []uint32) {
		texts := originOf(doc)
		if texts.segment == nil {
			return 0, s.titleOf(doc)
		}
		return slices.Index(from, texts.segment), texts.segment.titleOf(texts.doc)
	}
	var words [][]uint32
	s.exact, words = mergePostings(exact, docs)
	s.stems, _ = mergePostings(stems, docs)
	s.titleFirst, s.titleWords = mergeTitles(s.size, titles, words)
	suggested, _ = mergePostings(phrases, docs)
	return suggested
}
