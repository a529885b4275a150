package typesense

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// encodingVersion changes whenever the encoding of any string changes.
const encodingVersion = 1

// The maximum length, in bytes, of a string that encode keeps as is (maxPlain) or writes in hexadecimal (maxEscaped).
// Typesense truncates tokens at 100 bytes. The values of facets are shorter: IDs have 24 bytes, codes at most 12, and other
// values are listed in package catalogue.
const (
	maxPlain   = 60
	maxEscaped = 30
)

// encode returns a token of a string that Typesense's tokenizer leaves alone: at most 61 lower-case ASCII letters and
// digits. Different strings have different tokens, so that a filter on a token is exact. decodeToken decodes the tokens
// of short strings; encode hashes all others.
func encode(s string) string {
	switch {
	case len(s) <= maxPlain && isPlain(s):
		return "0" + s
	case len(s) <= maxEscaped:
		return "2" + hex.EncodeToString([]byte(s))
	}
	return "1" + digest(s, 12)
}

// decodeToken returns the string of a token, or false if the token is a hash or not a token of encode.
func decodeToken(token string) (string, bool) {
	if token == "" {
		return "", false
	}
	switch rest := token[1:]; token[0] {
	case '0':
		return rest, true
	case '2':
		raw, err := hex.DecodeString(rest)
		return string(raw), err == nil
	}
	return "", false
}

// encodeID returns the document id of a video. The id is not a token; decodeID decodes it at any length.
func encodeID(id catalogue.ID) string {
	if isPlain(string(id)) {
		return "0" + string(id)
	}
	return "2" + hex.EncodeToString([]byte(id))
}

// readStoredText decodes the result of storedText.
func readStoredText(stored string) (string, bool) {
	if text, plain := strings.CutPrefix(stored, "0"); plain {
		return text, true
	}
	return decodeToken(stored)
}

// decodeID decodes the result of encodeID.
func decodeID(token string) (catalogue.ID, bool) {
	id, ok := decodeToken(token)
	return catalogue.ID(id), ok
}

// encodeAll returns the distinct tokens of the values that are not empty.
func encodeAll[T ~string](values []T) []string {
	var set tokenSet
	for _, value := range values {
		if value != "" {
			set.add(encode(string(value)))
		}
	}
	return set.tokens
}

// tokenSet collects distinct tokens in order of insertion.
type tokenSet struct {
	tokens []string
	seen   map[string]struct{}
}

func (s *tokenSet) add(token string) {
	if s.has(token) {
		return
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	s.seen[token] = struct{}{}
	s.tokens = append(s.tokens, token)
}

func (s *tokenSet) has(token string) bool {
	_, known := s.seen[token]
	return known
}

// joined returns the tokens as one text, separated by spaces. One text costs Typesense half as much as a list.
func (s *tokenSet) joined() string { return strings.Join(s.tokens, " ") }

// spellingToken returns the facet token of a spelling of a suggestion, or of its folded form.
func spellingToken(text string) string { return "k" + digest(text, 16) }

// digest returns the first bytes of the SHA-256 of a string, in hexadecimal.
func digest(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:bytes])
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
