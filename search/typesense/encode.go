package typesense

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// encodingVersion changes whenever a string would be encoded otherwise.
const encodingVersion = 1

// The most bytes of a string that is encoded as it is, or byte by byte. Typesense cuts tokens at 100.
const (
	maxPlain   = 60
	maxEscaped = 30
)

// encode makes of any string one token that Typesense's tokeniser leaves alone: lower-case ASCII letters
// and digits, at most 61. Different strings give different tokens, so that a filter on a token is exact.
// Short strings can be read back (decodeToken); the rest is hashed.
func encode(s string) string {
	switch {
	case len(s) <= maxPlain && isPlain(s):
		return "0" + s
	case len(s) <= maxEscaped:
		return "2" + hex.EncodeToString([]byte(s))
	}
	return "1" + digest(s, 12)
}

// isHashed reports whether a token does not say which string it was made of.
func isHashed(token string) bool { return strings.HasPrefix(token, "1") }

// decodeToken reads back what encode wrote; false where the token is a hash or none of ours.
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

// encodeID makes the id of a document. It is no token, and read back whatever its length.
func encodeID(id catalogue.ID) string {
	if isPlain(string(id)) {
		return "0" + string(id)
	}
	return "2" + hex.EncodeToString([]byte(id))
}

// readStoredText reads back what storedText wrote.
func readStoredText(stored string) (string, bool) {
	if text, plain := strings.CutPrefix(stored, "0"); plain {
		return text, true
	}
	return decodeToken(stored)
}

// decodeID reads back what encodeID wrote.
func decodeID(token string) (catalogue.ID, bool) {
	id, ok := decodeToken(token)
	return catalogue.ID(id), ok
}

// encodeAll encodes the values that are not empty, each once.
func encodeAll[T ~string](values []T) []string {
	var set tokenSet
	for _, value := range values {
		if value != "" {
			set.add(encode(string(value)))
		}
	}
	return set.tokens
}

// tokenSet gathers distinct tokens in the order in which they come.
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

// joined makes of the tokens a text. As one text they cost Typesense half of what a list of them does.
func (s *tokenSet) joined() string { return strings.Join(s.tokens, " ") }

// spellingToken names a spelling of a suggestion, or its folded form, in a facet.
func spellingToken(text string) string { return "k" + digest(text, 16) }

// digest is the start of the SHA-256 of a string, so many bytes of it in hexadecimal.
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
