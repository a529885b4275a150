package analysis

import (
	"slices"
	"unicode/utf8"
)

// tokenWriter converts the pieces of one document's text into tokens.
type tokenWriter struct {
	analyzer *Analyzer
	language stemmer
	tokens   []Token
	position int // of the next word

	compound compoundRun
	pending  []match // variants of synonyms whose first words match so far
}

// match is a variant whose first words match the last words of the text.
type match struct {
	variant *variant
	words   int // the number of words that match
	start   int // the position of the first
}

func (w *tokenWriter) write(s *scanner) {
	if s.cjk {
		w.endCompound()
		w.writeRun(foldCJK(s.piece()))
		return
	}
	e := w.analyzer.word(w.language, s)
	if e.exact == "" {
		w.endCompound()
		return
	}
	if s.emoji {
		w.endCompound()
		w.add(e, false)
		return
	}
	if s.gap != compound || w.compound.parts == 0 {
		if s.gap == blank && w.compound.invites(e) {
			w.compound.add(e)
		}
		w.endCompound()
		w.compound.start(w.position)
	}
	w.compound.add(e)
	w.add(e, isCountry(s.piece()))
}

// add appends a word at the next position, and the synonyms that end with it.
func (w *tokenWriter) add(e *entry, country bool) {
	w.tokens = append(w.tokens, Token{Exact: e.exact, Stem: e.stem, Position: w.position})
	if len(w.pending) > 0 {
		w.advance(e.exact)
	}
	if len(e.variants) > 0 {
		w.begin(e.variants)
	}
	if country {
		w.begin(w.analyzer.synonyms.byFirst[countryWord])
	}
	w.position++
}

// writeRun appends the tokens of a run of CJK characters: each character and each pair.
func (w *tokenWriter) writeRun(run string) {
	before := -1 // start of the previous character
	for at, r := range run {
		if before >= 0 {
			bigram := w.analyzer.folded(unstemmed, []byte(run[before:at+utf8.RuneLen(r)]))
			w.insert(Token{Stem: bigram.stem, Position: w.position - 1})
		}
		w.add(w.analyzer.folded(unstemmed, []byte(run[at:at+utf8.RuneLen(r)])), false)
		before = at
	}
}

// endCompound appends the whole of a compound at the position of its first part.
func (w *tokenWriter) endCompound() {
	if whole := w.compound.end(); whole != nil {
		e := w.analyzer.folded(w.language, whole)
		w.insert(Token{Exact: e.exact, Stem: e.stem, Position: w.compound.position})
	}
}

func (w *tokenWriter) begin(variants []*variant) {
	for _, v := range variants {
		if len(v.words) == 1 {
			w.insert(Token{Stem: v.canonical, Position: w.position})
		} else {
			w.pending = append(w.pending, match{variant: v, words: 1, start: w.position})
		}
	}
}

func (w *tokenWriter) advance(exact string) {
	kept := w.pending[:0]
	for _, m := range w.pending {
		if m.variant.words[m.words] != exact {
			continue
		}
		if m.words++; m.words < len(m.variant.words) {
			kept = append(kept, m)
		} else {
			w.insert(Token{Stem: m.variant.canonical, Position: m.start})
		}
	}
	w.pending = kept
}

// insert adds a token after the others at its position, unless an equal token exists.
func (w *tokenWriter) insert(token Token) {
	i := len(w.tokens)
	for i > 0 && w.tokens[i-1].Position > token.Position {
		i--
	}
	for j := i - 1; j >= 0 && w.tokens[j].Position == token.Position; j-- {
		if w.tokens[j] == token {
			return
		}
	}
	w.tokens = slices.Insert(w.tokens, i, token)
}

// maxParts is the greatest number of parts of a compound that is also written together.
const maxParts = 4

// compoundRun collects the parts of a compound.
type compoundRun struct {
	position int
	parts    int
	first    *entry
	whole    []byte // empty for one part
	numeric  bool   // all parts are numbers
}

func (c *compoundRun) start(position int) {
	c.position, c.parts, c.whole, c.numeric = position, 0, c.whole[:0], true
}

func (c *compoundRun) add(e *entry) {
	c.parts++
	c.numeric = c.numeric && e.number
	switch c.parts {
	case 1:
		c.first = e
		return
	case 2:
		c.whole = append(c.whole, c.first.exact...)
	}
	if len(c.whole) < MaxWordLength {
		c.whole = append(c.whole, e.exact...)
	}
}

// invites reports whether the first word and the word after a space form a compound: x ray, t shirt, 3 d.
func (c *compoundRun) invites(next *entry) bool {
	if c.parts != 1 {
		return false
	}
	if c.first.number {
		return next.initial
	}
	return c.first.initial && !next.number
}

// end ends the compound. It returns the parts written together, or nil if they do not form a word.
func (c *compoundRun) end() []byte {
	parts := c.parts
	c.parts = 0
	if parts < 2 || parts > maxParts || c.numeric {
		return nil
	}
	return []byte(cut(string(c.whole), MaxWordLength))
}

// isInitial reports whether exact is a single letter that is not a word by itself.
func isInitial(exact string) bool {
	return len(exact) == 1 && exact[0] >= 'b' && exact[0] <= 'z' && exact[0] != 'i'
}

func isNumber(exact string) bool {
	for i := range len(exact) {
		if c := exact[i]; (c < '0' || c > '9') && c != '.' {
			return false
		}
	}
	return true
}
