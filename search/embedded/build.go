package embedded

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/relevance"
)

// builder creates a segment from documents. It records the words of each document as it is added, and groups them by
// term when all documents have been added. If an existing segment already has the same text of a document, the builder
// does not analyze that text again: it copies the postings from that segment when it groups the words.
type builder struct {
	analyzer *analysis.Analyzer
	rows     []row
	byID     map[string]int // index in rows
	origins  []origin       // of the text of each added document
	titles   [][]uint32     // the words of each title, as terms of exact; empty if the title is reused

	exact, stems, suggestions inverter

	terms termCounter
	names map[name]nameTerms // the names analyzed so far
}

// name is the name of a subject or channel, and the language of the document that shows it.
type name struct {
	language catalogue.Language
	text     string
}

// nameTerms contains the terms of a name and its number of words.
type nameTerms struct {
	exact, stems []uint32
	words        int
}

// maxNotes is the number of bytes of notes at which a segment is full, so that each builder needs a bounded amount of
// memory regardless of the size of the texts.
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

// full reports whether the segment has reached its limit of documents or notes.
func (b *builder) full() bool {
	return len(b.rows) == maxSegment || len(b.exact.notes)+len(b.stems.notes) >= maxNotes
}

// add adds a document and the origin of its text. The document replaces an added document with the same ID, unless that
// one is newer.
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
	b.terms.start()
	b.suggestions.startDocument()
	var title []uint32
	if texts.segment == nil {
		title = b.addTexts(d)
	}
	b.titles = append(b.titles, title)
	b.addNames(d)
	b.noteWords()
}

// addTexts records the document's own text and returns the words of its title.
func (b *builder) addTexts(d *search.Document) []uint32 {
	t := &b.terms
	b.field(relevance.Title, d.Language, d.Title)
	titleTokens := len(t.exactTokens)
	b.addSuggestions(nil, d.Title)
	b.field(relevance.Keywords, d.Language, d.Keywords...)
	b.addSuggestions([]string{d.Title}, d.Keywords...)
	t.base += nearDistance // no word of the description is near a keyword
	b.field(relevance.Description, d.Language, d.Description)
	b.field(relevance.Transcript, d.Language, d.Transcript)

	title := make([]uint32, 0, titleTokens)
	for i, token := range t.exactTokens[:titleTokens] {
		if i == 0 || token.position != t.exactTokens[i-1].position { // otherwise the token is the whole of a compound
			title = append(title, t.own.exact.terms[token.slot])
		}
	}
	return title
}

// addNames records the names of the document's subjects and channel.
func (b *builder) addNames(d *search.Document) {
	b.addName(relevance.Subjects, d.Language, d.SubjectNames...)
	b.addName(relevance.Channel, d.Language, d.ChannelName)
}

func (b *builder) addName(f relevance.Field, language catalogue.Language, texts ...string) {
	words := 0
	for _, text := range texts {
		words += b.termsOf(name{language, text}).words
	}
	weight, t := f.Weight(words), &b.terms
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

// termsOf analyzes a name. It analyzes each name once, because many documents share a few names.
func (b *builder) termsOf(n name) nameTerms {
	terms, known := b.names[n]
	if known {
		return terms
	}
	b.terms.tokens = b.analyzer.AppendText(b.terms.tokens[:0], n.text, n.language)
	for _, token := range b.terms.tokens {
		terms.words = token.Position + 1
		if token.Exact != "" {
			terms.exact = append(terms.exact, b.exact.word(token.Exact))
		}
		if token.Stem != "" {
			terms.stems = append(terms.stems, b.stems.word(token.Stem))
		}
	}
	b.names[n] = terms
	return terms
}

func (b *builder) noteWords() {
	t := &b.terms
	b.stems.startDocument()
	eachTerm(&t.own.stems, &t.names.stems, func(_ int, term uint32, own, named uint8) {
		b.stems.note(term, own, named, nil)
	})
	b.exact.startDocument()
	t.groupPositions()
	eachTerm(&t.own.exact, &t.names.exact, func(slot int, term uint32, own, named uint8) {
		positions := noPositions
		if slot >= 0 {
			positions = t.positionsOf(slot)
		}
		b.exact.note(term, own, named, positions)
	})
}

// field records the document's own text in one field. A gap in the positions separates the values, so that no phrase
// extends from one value to the next.
func (b *builder) field(f relevance.Field, language catalogue.Language, texts ...string) {
	t := &b.terms
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
	weight := f.Weight(words)
	from := 0
	for _, end := range t.ends {
		last := 0
		for _, token := range t.tokens[from:end] {
			last = token.Position
			if token.Exact != "" {
				slot := t.own.exact.add(b.exact.word(token.Exact), weight)
				t.exactTokens = append(t.exactTokens, exactToken{slot: slot, position: t.base + uint32(token.Position)})
			}
			if token.Stem != "" {
				t.own.stems.add(b.stems.word(token.Stem), weight)
			}
		}
		t.base += uint32(last) + 2
		from = end
	}
}

// addSuggestions records the texts of the field that was recorded last, except those that are among others.
func (b *builder) addSuggestions(others []string, texts ...string) {
	t, from := &b.terms, 0
	for i, text := range texts {
		t.folded = analysis.AppendFolded(t.folded[:0], t.tokens[from:t.ends[i]])
		from = t.ends[i]
		if len(t.folded) > 0 && !slices.Contains(texts[:i], text) && !slices.Contains(others, text) {
			b.suggestions.note(b.suggestions.term(suggestionKey(t.folded, text)), 0, 0, nil)
		}
	}
}

// segment creates the segment of all added documents.
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
	titles := func(doc int) (int, []uint32) { return 0, b.titles[order[doc]] }
	s.titleFirst, s.titleWords = mergeTitles(len(order), titles, [][]uint32{renamed})
	s.suggestions = newSuggestions(s.addReused(suggested, func(doc int) origin { return b.origins[order[doc]] }))
	s.derive()
	return s
}
