package typesense

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestTokensAreExact checks that each string becomes one token of lower-case letters and digits, that different strings
// have different tokens, and that unhashed tokens decode to their strings.
func TestTokensAreExact(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]{1,61}$`)
	text := rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-z0-9]{0,70}`), rapid.StringMatching(`[aAá ,&|\x60:\x00]{0,40}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		token := encode(a)
		if !form.MatchString(token) {
			t.Fatalf("%q is %q", a, token)
		}
		if (token == encode(b)) != (a == b) {
			t.Fatalf("%q and %q are %q and %q", a, b, token, encode(b))
		}
		if back, ok := decodeToken(token); ok == strings.HasPrefix(token, "1") || ok && back != a {
			t.Fatalf("%q comes back as %q (%v)", a, back, ok)
		}
		if back, ok := decodeID(encodeID(catalogue.ID(a))); !ok || string(back) != a {
			t.Fatalf("the id %q comes back as %q", a, back)
		}
		if back, ok := readStoredText(storedText(a)); !ok || back != a {
			t.Fatalf("the text %q comes back as %q", a, back)
		}
	})
}

func TestForeignTokensAreNotRead(t *testing.T) {
	for _, token := range []string{"", "1" + strings.Repeat("0", 24), "2xyz", "2a", "k00", "all"} {
		if text, ok := decodeToken(token); ok {
			t.Errorf("%q is read as %q", token, text)
		}
	}
}
