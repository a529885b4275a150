package analysis

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldASCII appends the folded form of an ASCII piece, at most cap(dst) bytes of it.
func foldASCII(dst []byte, piece string) []byte {
	for i := 0; i < len(piece) && len(dst) < cap(dst); i++ {
		c := piece[i]
		switch classes[c] {
		case letter:
			dst = append(dst, c|0x20)
		case digit, plus, hash:
			dst = append(dst, c)
		case dot:
			if i > 0 && classes[piece[i-1]] == digit {
				dst = append(dst, c)
			}
		}
	}
	return dst
}

// foldForeign returns the folded form of a piece that is not ASCII. The result may be empty.
func foldForeign(piece string) string {
	decomposed := norm.NFKD.String(cut(piece, 8*MaxWordLength))
	folded := make([]byte, 0, len(decomposed))
	var before rune
	for i, r := range decomposed {
		r = unicode.ToLower(r)
		switch {
		case isDropped(r, before):
			continue
		case r == '.':
			if !unicode.IsDigit(before) || i+1 == len(decomposed) || classes[decomposed[i+1]] != digit {
				continue
			}
			folded = append(folded, '.')
		case r == '+' || r == '#':
			folded = append(folded, byte(r))
		case !startsWord(r) && !isEmoji(r):
			continue
		default:
			folded = appendPlain(folded, r)
		}
		before = r
	}
	return cut(norm.NFC.String(string(folded)), MaxWordLength)
}

// appendPlain appends a lower-case letter. It replaces special letters that have no Unicode decomposition with their
// plain form.
func appendPlain(folded []byte, r rune) []byte {
	switch r {
	case 'ß':
		return append(folded, "ss"...)
	case 'æ':
		return append(folded, "ae"...)
	case 'œ':
		return append(folded, "oe"...)
	case 'þ':
		return append(folded, "th"...)
	case 'ø':
		r = 'o'
	case 'ł':
		r = 'l'
	case 'đ', 'ð':
		r = 'd'
	case 'ħ':
		r = 'h'
	case 'ı':
		r = 'i'
	case 'ς':
		r = 'σ'
	}
	return utf8.AppendRune(folded, r)
}

// isDropped reports whether folding removes a mark, because people omit it when they type. It keeps the breve of й,
// which makes a different letter, and the marks of scripts that write vowels as marks.
func isDropped(r, before rune) bool {
	switch {
	case r < 0x0300:
		return false
	case r <= 0x036f:
		return r != 0x0306 || before != 'и'
	}
	return r >= 0x0483 && r <= 0x0489 || // Cyrillic
		r >= 0x0591 && r <= 0x05bd || r >= 0x05bf && r <= 0x05c7 || // Hebrew
		r >= 0x0610 && r <= 0x061a || r == 0x0640 || r >= 0x064b && r <= 0x065f || r == 0x0670 ||
		r >= 0x06d6 && r <= 0x06ed && unicode.IsMark(r) || // Arabic
		r >= 0x1ab0 && r <= 0x1aff || r >= 0x1dc0 && r <= 0x1dff || r >= 0x20d0 && r <= 0x20ff
}

// foldCJK folds a CJK run: it unifies half and full width and compatibility forms, and composes Hangul letters.
func foldCJK(run string) string {
	for _, r := range run {
		if (r < 0x3040 || r > 0x3096) && (r < 0x30a1 || r > 0x30fa) && (r < 0x4e00 || r > 0x9fff) &&
			(r < 0xac00 || r > 0xd7a3) {
			return foldRareCJK(run)
		}
	}
	return run
}

func foldRareCJK(run string) string {
	composed := norm.NFKC.String(run)
	folded := make([]byte, 0, len(composed))
	for _, r := range composed {
		if startsWord(r) {
			folded = utf8.AppendRune(folded, unicode.ToLower(r))
		}
	}
	return string(folded)
}

// cut returns the longest prefix of at most length bytes that ends with a character.
func cut(text string, length int) string {
	if len(text) <= length {
		return text
	}
	for length > 0 && !utf8.RuneStart(text[length]) {
		length--
	}
	return text[:length]
}
