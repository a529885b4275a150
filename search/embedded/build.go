package embedded

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// builder makes a segment of documents. It notes the words of each document as they come and lays
// them out by word when all are there.
type builder struct {
	analyzer *analysis.Analyzer
	rows     []row
	byID     map[string]int // the place in rows
	titles   [][]uint32     // the words of each title, as terms of exact

	exact, stems, suggestions inverter

	tally tally
}

// maxNotes is how many bytes of notes a segment may grow to, so that building needs a bounded amount
// of memory whatever the texts.
const maxNotes = 128 << 20

func newBuilder(analyzer *analysis.Analyzer) *builder {
	return &builder{
		analyzer:    analyzer,
		byID:        map[string]int{},
		exact:       newInverter(true),
		stems:       newInverter(false),
		suggestions: newInverter(false),
	}
}

// full reports whether no more documents should be added.
func (b *builder) full() bool {
	return len(b.rows) == maxSegment || len(b.exact.notes)+len(b.stems.notes) >= maxNotes
}

// add takes a document. It replaces one with the same ID unless that is newer.
func (b *builder) add(d *search.Document) {
	r := rowOf(d)
	r.doc = len(b.rows)
	if before, known := b.byID[r.id]; known {
		if b.rows[before].version > r.version {
			return
		}
		b.rows[before].doc = -1
	}
	r.id = strings.Clone(r.id)
	b.byID[r.id] = len(b.rows)
	b.rows = append(b.rows, r)
	b.addTexts(d)
	b.addSuggestions(d)
}

func (b *builder) addTexts(d *search.Document) {
	t := &b.tally
	t.start()
	b.field(titleField, d.Language, d.Title)
	titleTokens := len(t.exactTokens)
	b.field(keywordField, d.Language, d.Keywords...)
	b.field(subjectField, d.Language, d.SubjectNames...)
	b.field(channelField, d.Language, d.ChannelName)
	b.field(descriptionField, d.Language, d.Description)
	b.field(transcriptField, d.Language, d.Transcript)

	title := make([]uint32, 0, titleTokens)
	for i, token := range t.exactTokens[:titleTokens] {
		if i == 0 || token.position != t.exactTokens[i-1].position { // else the whole of a compound
			title = append(title, t.exact.terms[token.slot])
		}
	}
	b.titles = append(b.titles, title)

	b.stems.startDocument()
	for slot, term := range t.stems.terms {
		b.stems.note(term, impactOf(t.stems.weights[slot]), nil)
	}
	b.exact.startDocument()
	t.groupPositions()
	for slot, term := range t.exact.terms {
		b.exact.note(term, impactOf(t.exact.weights[slot]), t.positionsOf(slot))
	}
}

// field takes the texts of one field. Texts are set apart by a gap in the positions, so that no
// phrase reaches from one to the next.
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
			position := noPosition
			if f.hasPhrases() {
				position = t.base + uint32(token.Position)
			}
			if token.Exact != "" {
				t.addExact(b.exact.term(token.Exact), weight, position)
			}
			if token.Stem != "" {
				t.stems.add(b.stems.term(token.Stem), weight)
			}
		}
		t.base += uint32(last) + 2
		from = end
	}
}

func (b *builder) addSuggestions(d *search.Document) {
	b.suggestions.startDocument()
	suggest := func(text string) {
		if key := suggestionKey(b.analyzer, text); key != "" {
			b.suggestions.note(b.suggestions.term(key), 0, nil)
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
	s.suggestions = newSuggestions(suggested)
	for _, doc := range order {
		s.titleFirst = append(s.titleFirst, uint32(len(s.titleWords)))
		for _, term := range b.titles[doc] {
			s.titleWords = append(s.titleWords, renamed[term])
		}
	}
	s.titleFirst = append(s.titleFirst, uint32(len(s.titleWords)))
	s.derive()
	return s
}

// noPosition stands for the position of a word that no phrase can hold.
const noPosition = ^uint32(0)

// tally gathers the words of one document.
type tally struct {
	base   uint32 // the position of the next text's first word
	tokens []analysis.Token
	ends   []int // of each text in tokens

	stems, exact weightedTerms
	exactTokens  []exactToken
	starts       []uint32 // of each slot's positions in positions, and the end
	positions    []uint32
	encoded      []byte
}

// exactToken is one place of an exact word.
type exactToken struct{ slot, position uint32 }

func (t *tally) start() {
	t.base = 0
	t.stems.start()
	t.exact.start()
	t.exactTokens = t.exactTokens[:0]
}

func (t *tally) addExact(term uint32, weight float32, position uint32) {
	t.exactTokens = append(t.exactTokens, exactToken{slot: t.exact.add(term, weight), position: position})
}

// groupPositions sorts the positions by slot.
func (t *tally) groupPositions() {
	t.starts = append(t.starts[:0], make([]uint32, len(t.exact.terms)+2)...)
	for _, token := range t.exactTokens {
		if token.position != noPosition {
			t.starts[token.slot+2]++
		}
	}
	for i := 2; i < len(t.starts); i++ {
		t.starts[i] += t.starts[i-1]
	}
	t.positions = slices.Grow(t.positions[:0], len(t.exactTokens))[:len(t.exactTokens)]
	for _, token := range t.exactTokens {
		if token.position != noPosition {
			t.positions[t.starts[token.slot+1]] = token.position
			t.starts[token.slot+1]++
		}
	}
}

// positionsOf encodes the positions of a slot; the bytes are good until the next call.
func (t *tally) positionsOf(slot int) []byte {
	t.encoded = t.encoded[:0]
	before := uint32(0)
	for _, position := range t.positions[t.starts[slot]:t.starts[slot+1]] {
		t.encoded = binary.AppendUvarint(t.encoded, uint64(position-before))
		before = position
	}
	return t.encoded
}

// weightedTerms are the distinct terms of one document, each in a slot, with their weights.
type weightedTerms struct {
	terms   []uint32
	weights []float32
	slots   []uint32 // by term, where documents says so
	seen    []uint32 // by term: the last document that had it
	current uint32
}

func (w *weightedTerms) start() {
	w.current++
	w.terms, w.weights = w.terms[:0], w.weights[:0]
}

// add adds to the weight of a term and returns its slot.
func (w *weightedTerms) add(term uint32, weight float32) uint32 {
	if int(term) >= len(w.seen) {
		grown := max(2*len(w.seen), int(term)+1, 1024)
		w.seen = append(w.seen, make([]uint32, grown-len(w.seen))...)
		w.slots = append(w.slots, make([]uint32, grown-len(w.slots))...)
	}
	if w.seen[term] != w.current {
		w.seen[term] = w.current
		w.slots[term] = uint32(len(w.terms))
		w.terms = append(w.terms, term)
		w.weights = append(w.weights, 0)
	}
	slot := w.slots[term]
	w.weights[slot] += weight
	return slot
}

// inverter takes notes by document and lays them out by term.
type inverter struct {
	withPositions bool
	ids           map[string]uint32
	names         []string
	documents     []uint32 // by term: how many notes
	bytes         []uint32 // by term: of encoded positions
	notes         []byte   // term, impact and, with positions, their length and they themselves
	starts        []int    // of each document in notes
}

func newInverter(withPositions bool) inverter {
	return inverter{withPositions: withPositions, ids: map[string]uint32{}}
}

// term returns the number of a term.
func (v *inverter) term(name string) uint32 {
	id, known := v.ids[name]
	if !known {
		id = uint32(len(v.names))
		name = strings.Clone(name)
		v.ids[name] = id
		v.names = append(v.names, name)
		v.documents = append(v.documents, 0)
		v.bytes = append(v.bytes, 0)
	}
	return id
}

func (v *inverter) startDocument() { v.starts = append(v.starts, len(v.notes)) }

// note says that the document started last has a term, at most once for each.
func (v *inverter) note(term uint32, impact uint8, positions []byte) {
	v.notes = binary.AppendUvarint(v.notes, uint64(term))
	v.notes = append(v.notes, impact)
	if v.withPositions {
		v.notes = binary.AppendUvarint(v.notes, uint64(len(positions)))
		v.notes = append(v.notes, positions...)
	}
}

// notesOf walks the notes of a document.
func (v *inverter) notesOf(doc int, visit func(term uint32, impact uint8, positions []byte)) {
	end := len(v.notes)
	if doc+1 < len(v.starts) {
		end = v.starts[doc+1]
	}
	notes := v.notes[v.starts[doc]:end]
	for len(notes) > 0 {
		term, n := uvarint(notes)
		impact := notes[n]
		notes = notes[n+1:]
		var positions []byte
		if v.withPositions {
			length, n := uvarint(notes)
			positions, notes = notes[n:n+int(length)], notes[n+int(length):]
		}
		visit(term, impact, positions)
	}
}

// invert lays the notes out by term, the documents renumbered: order says which one takes each
// number. It also returns how the terms are renumbered; those that no document in order has are
// gone.
func (v *inverter) invert(order []int) (postings, []uint32) {
	total := 0
	for _, doc := range order {
		v.notesOf(doc, func(term uint32, _ uint8, positions []byte) {
			total++
			v.documents[term]++
			v.bytes[term] += uint32(len(positions) + uvarintLength(len(positions)))
		})
	}
	sorted := make([]uint32, 0, len(v.names))
	renamed := make([]uint32, len(v.names))
	for term := range v.names {
		renamed[term] = gone
		if v.documents[term] > 0 {
			sorted = append(sorted, uint32(term))
		}
	}
	slices.SortFunc(sorted, func(a, b uint32) int { return strings.Compare(v.names[a], v.names[b]) })

	p := postings{
		first:   make([]uint32, 0, len(sorted)+1),
		docs:    make([]uint16, total),
		impacts: make([]uint8, total),
	}
	place, offset := uint32(0), uint32(0)
	for ordinal, term := range sorted {
		renamed[term] = uint32(ordinal)
		p.terms.append(v.names[term])
		p.first = append(p.first, place)
		// From here on the counters are where the term's next note goes.
		place, v.documents[term] = place+v.documents[term], place
		offset, v.bytes[term] = offset+v.bytes[term], offset
	}
	p.terms.end()
	p.first = append(p.first, place)
	if v.withPositions {
		p.positions = make([]byte, offset)
		p.skips = make([]uint32, (total+skipEvery-1)/skipEvery)
	}
	for doc, source := range order {
		v.notesOf(source, func(term uint32, impact uint8, positions []byte) {
			place := v.documents[term]
			v.documents[term]++
			p.docs[place], p.impacts[place] = uint16(doc), impact
			if v.withPositions {
				at := v.bytes[term]
				if place%skipEvery == 0 {
					p.skips[place/skipEvery] = at
				}
				at += uint32(binary.PutUvarint(p.positions[at:], uint64(len(positions))))
				v.bytes[term] = at + uint32(copy(p.positions[at:], positions))
			}
		})
	}
	return p, renamed
}

func uvarintLength(n int) int {
	length := 1
	for ; n >= 0x80; n >>= 7 {
		length++
	}
	return length
}
