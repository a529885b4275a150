package embedded

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// builder makes a segment of documents. It notes the words of each document as they come and lays
// them out by word when all are there. What a document says of itself and a segment holds already is not
// taken apart again: it comes from there, when the words are laid out.
type builder struct {
	analyzer *analysis.Analyzer
	rows     []row
	byID     map[string]int // the place in rows
	origins  []origin       // of the texts of each document that was added
	titles   [][]uint32     // the words of each title, as terms of exact; none where it is kept

	exact, stems, suggestions inverter

	tally tally
	names map[name]nameTerms // that were met
}

// name is a name in the language of whatever shows it.
type name struct {
	language catalogue.Language
	text     string
}

// nameTerms are the terms of a name, and how many words it has.
type nameTerms struct {
	exact, stems []uint32
	words        int
}

// maxNotes is how many bytes of notes a segment may grow to, so that building needs a bounded amount
// of memory whatever the texts.
const maxNotes = 128 << 20

func newBuilder(analyzer *analysis.Analyzer) *builder {
	return &builder{
		analyzer:    analyzer,
		byID:        map[string]int{},
		names:       map[name]nameTerms{},
		exact:       newInverter(true, true),
		stems:       newInverter(true, false),
		suggestions: newInverter(false, false),
	}
}

// full reports whether no more documents should be added.
func (b *builder) full() bool {
	return len(b.rows) == maxSegment || len(b.exact.notes)+len(b.stems.notes) >= maxNotes
}

// add takes a document, whose own texts are of an origin. It replaces one with the same ID unless that is newer.
func (b *builder) add(d *search.Document, texts origin) {
	r := rowOf(d)
	r.texts, r.doc = texts.print, len(b.origins)
	if before, known := b.byID[r.id]; known {
		if b.rows[before].version > r.version {
			return
		}
		b.rows[before].doc = -1
	}
	r.id = strings.Clone(r.id)
	b.byID[r.id] = len(b.rows)
	b.rows = append(b.rows, r)
	b.origins = append(b.origins, texts)
	b.tally.start()
	b.suggestions.startDocument()
	var title []uint32
	if texts.segment == nil {
		title = b.addTexts(d)
		b.addSuggestions(d)
	}
	b.titles = append(b.titles, title)
	b.addNames(d)
	b.noteWords()
}

// addTexts takes what a document says of itself and returns the words of its title.
func (b *builder) addTexts(d *search.Document) []uint32 {
	t := &b.tally
	b.field(titleField, d.Language, d.Title)
	titleTokens := len(t.exactTokens)
	b.field(keywordField, d.Language, d.Keywords...)
	t.base += nearDistance // nothing of the description is near a keyword
	b.field(descriptionField, d.Language, d.Description)
	b.field(transcriptField, d.Language, d.Transcript)

	title := make([]uint32, 0, titleTokens)
	for i, token := range t.exactTokens[:titleTokens] {
		if i == 0 || token.position != t.exactTokens[i-1].position { // else the whole of a compound
			title = append(title, t.own.exact.terms[token.slot])
		}
	}
	return title
}

// addNames takes the names of what a document refers to.
func (b *builder) addNames(d *search.Document) {
	b.addName(subjectField, d.Language, d.SubjectNames...)
	b.addName(channelField, d.Language, d.ChannelName)
}

func (b *builder) addName(f field, language catalogue.Language, texts ...string) {
	words := 0
	for _, text := range texts {
		words += b.termsOf(name{language, text}).words
	}
	weight, t := f.weight(words), &b.tally
	for _, text := range texts {
		terms := b.termsOf(name{language, text})
		for _, term := range terms.exact {
			t.names.exact.add(term, weight)
		}
		for _, term := range terms.stems {
			t.names.stems.add(term, weight)
		}
	}
}

// termsOf takes a name apart, once: many documents show the same few.
func (b *builder) termsOf(n name) nameTerms {
	terms, known := b.names[n]
	if known {
		return terms
	}
	b.tally.tokens = b.analyzer.AppendText(b.tally.tokens[:0], n.text, n.language)
	for _, token := range b.tally.tokens {
		terms.words = token.Position + 1
		if token.Exact != "" {
			terms.exact = append(terms.exact, b.exact.term(token.Exact))
		}
		if token.Stem != "" {
			terms.stems = append(terms.stems, b.stems.term(token.Stem))
		}
	}
	b.names[n] = terms
	return terms
}

func (b *builder) noteWords() {
	t := &b.tally
	b.stems.startDocument()
	eachTerm(&t.own.stems, &t.names.stems, func(_ int, term uint32, own, named uint8) {
		b.stems.note(term, own, named, nil)
	})
	b.exact.startDocument()
	t.groupPositions()
	eachTerm(&t.own.exact, &t.names.exact, func(slot int, term uint32, own, named uint8) {
		var positions []byte
		if slot >= 0 {
			positions = t.positionsOf(slot)
		}
		b.exact.note(term, own, named, positions)
	})
}

// field takes the own texts of one field. They are set apart by a gap in the positions, so that no phrase
// reaches from one to the next.
func (b *builder) field(f field, language catalogue.Language, texts ...string) {
	t := &b.tally
	t.tokens, t.ends = t.tokens[:0], t.ends[:0]
	words := 0
	for _, text := range texts {
		before := len(t.tokens)
		t.tokens = b.analyzer.AppendText(t.tokens, text, language)
		t.ends = append(t.ends, len(t.tokens))
		if n := len(t.tokens); n > before {
			words += t.tokens[n-1].Position + 1
		}
	}
	weight := f.weight(words)
	from := 0
	for _, end := range t.ends {
		last := 0
		for _, token := range t.tokens[from:end] {
			last = token.Position
			if token.Exact != "" {
				slot := t.own.exact.add(b.exact.term(token.Exact), weight)
				t.exactTokens = append(t.exactTokens, exactToken{slot: slot, position: t.base + uint32(token.Position)})
			}
			if token.Stem != "" {
				t.own.stems.add(b.stems.term(token.Stem), weight)
			}
		}
		t.base += uint32(last) + 2
		from = end
	}
}

func (b *builder) addSuggestions(d *search.Document) {
	suggest := func(text string) {
		if key := suggestionKey(b.analyzer, text); key != "" {
			b.suggestions.note(b.suggestions.term(key), 0, 0, nil)
		}
	}
	suggest(d.Title)
	for i, keyword := range d.Keywords {
		if keyword != d.Title && !slices.Contains(d.Keywords[:i], keyword) {
			suggest(keyword)
		}
	}
}

// segment makes the segment of all documents that were added.
func (b *builder) segment() *segment {
	rows := slices.DeleteFunc(b.rows, func(r row) bool { return r.doc < 0 })
	slices.SortFunc(rows, compareRows)
	order := make([]int, len(rows))
	for doc, r := range rows {
		order[doc] = r.doc
	}
	s := newSegment(rows)
	var renamed []uint32
	s.exact, renamed = b.exact.invert(order)
	s.stems, _ = b.stems.invert(order)
	suggested, _ := b.suggestions.invert(order)
	for _, doc := range order {
		s.titleFirst = append(s.titleFirst, uint32(len(s.titleWords)))
		for _, term := range b.titles[doc] {
			s.titleWords = append(s.titleWords, renamed[term])
		}
	}
	s.titleFirst = append(s.titleFirst, uint32(len(s.titleWords)))
	s.suggestions = newSuggestions(s.addReused(suggested, func(doc int) origin { return b.origins[order[doc]] }))
	s.derive()
	return s
}
