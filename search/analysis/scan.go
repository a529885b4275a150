package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap describes the text between a piece and the previous one.
type gap uint8

const (
	apart    gap = iota // any other text, or no previous piece
	blank               // white space only
	compound            // one hyphen or ampersand
)

// scanner splits a text into pieces: words (not yet folded), emoji, and runs of CJK characters.
type scanner struct {
	text string
	at   int

	// The current piece, found by next.
	start, end        int
	gap               gap
	ascii, cjk, emoji bool
}

type class uint8

const (
	other class = iota
	letter
	digit
	space
	apostrophe
	dot
	comma
	hyphen
	plus
	hash
	high // not ASCII
)

var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			table[c] = letter
		case c >= '0' && c <= '9':
			table[c] = digit
		case c == ' ' || c >= '\t' && c <= '\r':
			table[c] = space
		case c >= utf8.RuneSelf:
			table[c] = high
		}
	}
	table['\''], table['.'], table[','] = apostrophe, dot, comma
	table['-'], table['&'], table['+'], table['#'] = hyphen, hyphen, plus, hash
	return table
}()

func (s *scanner) piece() string { return s.text[s.start:s.end] }

// next advances to the next piece and reports whether there is one.
func (s *scanner) next() bool {
	s.skip()
	if s.at >= len(s.text) {
		return false
	}
	s.start = s.at
	if s.text[s.at] >= utf8.RuneSelf {
		switch r, size := utf8.DecodeRuneInString(s.text[s.at:]); {
		case isCJK(r):
			s.cjk, s.ascii, s.emoji = true, false, false
			s.run()
			return true
		case isEmoji(r):
			s.cjk, s.ascii, s.emoji = false, false, true
			s.picture(r, size)
			return true
		}
	}
	s.cjk, s.ascii, s.emoji = false, true, false
	s.word()
	s.trimElision()
	return true
}

// skip advances to the start of the next piece and sets its gap.
func (s *scanner) skip() {
	from, blanks := s.at, true
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch classes[c] {
		case letter, digit:
			s.gap = s.gapOf(from, blanks)
			return
		case high:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if isCJK(r) || startsWord(r) || isEmoji(r) {
				s.gap = s.gapOf(from, blanks)
				return
			}
			blanks = blanks && unicode.IsSpace(r)
			s.at += size
		case space:
			s.at++
		default:
			blanks = false
			s.at++
		}
	}
}

func (s *scanner) gapOf(from int, blanks bool) gap {
	switch between := s.text[from:s.at]; {
	case from == 0 || between == "":
		return apart
	case blanks:
		return blank
	case between == "-" || between == "&" || between == "\u2010" || between == "\u2011":
		return compound
	}
	return apart
}

// picture scans one emoji. A flag has two characters. The parts of a joined emoji (a scientist is a person and a
// microscope) are separate emoji, and the selectors between them belong to no piece.
func (s *scanner) picture(first rune, size int) {
	s.at += size
	if isFlagLetter(first) {
		if second, size := utf8.DecodeRuneInString(s.text[s.at:]); isFlagLetter(second) {
			s.at += size
		}
	}
	s.end = s.at
}

// run scans CJK characters and their variation selectors.
func (s *scanner) run() {
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if !isCJK(r) && !isVariation(r) {
			break
		}
		s.at += size
	}
	s.end = s.at
}

// word scans a word: letters, digits and the characters that may occur between them.
func (s *scanner) word() {
	initial := s.at // start of the letters since the last dot
	for s.at < len(s.text) {
		switch c := s.text[s.at]; classes[c] {
		case letter, digit:
			s.at++
			continue
		case high:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if isApostrophe(r) {
				if s.possessive(size) {
					return
				}
				if s.betweenLetters(size) {
					s.ascii = false
					s.at += size
					continue
				}
			} else if !isCJK(r) && isWord(r) {
				s.ascii = false
				s.at += size
				continue
			}
		case apostrophe:
			if s.possessive(1) {
				return
			}
			if s.betweenLetters(1) {
				s.at++
				continue
			}
		case dot:
			if s.betweenDigits() || s.betweenInitials(initial) {
				s.at++
				initial = s.at
				continue
			}
		case comma:
			if s.betweenThousands() {
				s.at++
				continue
			}
		case plus:
			if s.classAt(s.at+1) == plus && s.classAt(s.at+2) != plus {
				s.at += 2
			}
		case hash:
			if s.at-s.start == 1 && !s.wordAt(s.at+1) {
				s.at++
			}
		}
		break
	}
	s.end = s.at
}

// possessive reports whether a possessive 's starts here. If so, it ends the word before the apostrophe and skips the
// 's.
func (s *scanner) possessive(size int) bool {
	after := s.at + size
	if s.at == s.start || after >= len(s.text) || s.text[after]|0x20 != 's' || s.wordAt(after+1) {
		return false
	}
	s.end, s.at = s.at, after+1
	return true
}

func (s *scanner) betweenLetters(size int) bool {
	return s.at > s.start && classes[s.text[s.at-1]] != digit &&
		s.wordAt(s.at+size) && s.classAt(s.at+size) != digit
}

func (s *scanner) betweenDigits() bool {
	return s.at > s.start && classes[s.text[s.at-1]] == digit && s.classAt(s.at+1) == digit
}

// betweenInitials reports whether the dot separates single letters, as in U.S.A.
func (s *scanner) betweenInitials(initial int) bool {
	return s.at-initial == 1 && classes[s.text[initial]] == letter &&
		s.classAt(s.at+1) == letter && !s.wordAt(s.at+2)
}

// betweenThousands reports whether the comma follows a digit and precedes exactly three digits.
func (s *scanner) betweenThousands() bool {
	if s.at == s.start || classes[s.text[s.at-1]] != digit {
		return false
	}
	for i := 1; i <= 3; i++ {
		if s.classAt(s.at+i) != digit {
			return false
		}
	}
	return s.classAt(s.at+4) != digit
}

func (s *scanner) classAt(i int) class {
	if i >= len(s.text) {
		return other
	}
	return classes[s.text[i]]
}

// wordAt reports whether a word could continue at i.
func (s *scanner) wordAt(i int) bool {
	switch s.classAt(i) {
	case letter, digit:
		return true
	case high:
		r, _ := utf8.DecodeRuneInString(s.text[i:])
		return !isCJK(r) && isWord(r)
	}
	return false
}

// trimElision removes an elided word, such as the l' of l'eau, at the start of a French or Italian word.
func (s *scanner) trimElision() {
	if s.end-s.start < 5 {
		return
	}
	head := 1
	if s.text[s.start]|0x20 == 'q' && s.text[s.start+1]|0x20 == 'u' {
		head = 2
	} else if strings.IndexByte("cdjlmnst", s.text[s.start]|0x20) < 0 {
		return
	}
	written := s.text[s.start+head : s.end]
	rest, elided := strings.CutPrefix(written, "'")
	if !elided {
		rest, elided = strings.CutPrefix(written, "’")
	}
	if elided && len(rest) >= 3 {
		s.start = s.end - len(rest)
	}
}

// isWord reports whether a character that is not ASCII may occur in a word. Words may contain joiners, soft hyphens and
// variation selectors; folding removes them.
func isWord(r rune) bool {
	return startsWord(r) || r == '\u00ad' || r == '\u200c' || r == '\u200d' || isVariation(r)
}

func startsWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) && !isApostrophe(r) && !isVariation(r)
}

// isApostrophe reports whether a character is the typographic apostrophe or a letter that looks like it (Hawaiʻi).
func isApostrophe(r rune) bool { return r == '’' || r == 'ʼ' || r == 'ʻ' }

// isCJK reports whether a character belongs to a script that is divided into bigrams.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r < 0x2e80:
		return r < 0x1200 // Hangul letters
	case r < 0xa000:
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
			r == 'ー' || r == 0x3099 || r == 0x309a
	case r < 0xa960:
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		r == 0xff70 || r == 0xff9e || r == 0xff9f
}
