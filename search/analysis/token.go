package analysis

// tokenWriter turns the pieces of one document's text into tokens.
type tokenWriter struct {
	analyzer *Analyzer
	language stemmer
	tokens   []Token
	position int // of the next word

	compound compoundRun
	pending  []match // variants of synonyms whose first words have been met
}

// match is a variant that the last words spell as far as they go.
type match struct {
	variant *variant
	words   int // how many have been met
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
	if s.glue != compound || w.compound.parts == 0 {
		if s.glue == blank && w.compound.invites(e.exact) {
			w.compound.add(e.exact)
		}
		w.endCompound()
		w.compound.start(w.position)
	}
	w.compound.add(e.exact)
	w.add(e, isCountry(s.piece()))
}

// add writes a word at the next position and whatever synonyms end with it.
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

// writeRun writes a run of CJK characters: each, and each pair.
func (w *tokenWriter) writeRun(run string) {
	before := -1 // where the character before starts
	for at, r := range run {
		if before >= 0 {
			bigram := w.analyzer.folded(unstemmed, []byte(run[before:at+runeLength(r)]))
			w.insert(Token{Stem: bigram.stem, Position: w.position - 1})
		}
		w.add(w.analyzer.folded(unstemmed, []byte(run[at:at+runeLength(r)])), false)
		before = at
	}
}

// endCompound writes the whole of a compound with its first part.
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

// insert adds a token behind those of its position, unless it is there already.
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
	w.tokens = append(w.tokens, Token{})
	copy(w.tokens[i+1:], w.tokens[i:])
	w.tokens[i] = token
}

func runeLength(r rune) int {
	if r < 0x10000 {
		return 3 // every CJK character below is three bytes
	}
	return 4
}

// maxParts is how many parts a compound may have to be written together as well.
const maxParts = 4

// compoundRun collects the parts of a compound.
type compoundRun struct {
	position int
	parts    int
	whole    []byte
	numeric  bool // all parts are numbers
	single   bool // the only part is one letter, or a number
}

func (c *compoundRun) start(position int) {
	c.position, c.parts, c.whole, c.numeric = position, 0, c.whole[:0], true
}

func (c *compoundRun) add(exact string) {
	c.parts++
	c.numeric = c.numeric && isNumber(exact)
	c.single = c.parts == 1 && (isNumber(exact) || isInitial(exact))
	if len(c.whole) < MaxWordLength {
		c.whole = append(c.whole, exact...)
	}
}

// invites reports whether the word after a blank belongs to the one before: x ray, t shirt, 3 d.
func (c *compoundRun) invites(next string) bool {
	if c.parts != 1 || !c.single {
		return false
	}
	if c.numeric {
		return isInitial(next)
	}
	return !isNumber(next)
}

// end returns the parts written together, nil where that makes no word of its own.
func (c *compoundRun) end() []byte {
	if c.parts < 2 || c.parts > maxParts || c.numeric {
		c.parts = 0
		return nil
	}
	c.parts = 0
	return []byte(cut(string(c.whole), MaxWordLength))
}

// isInitial: one letter that is not a word.
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
