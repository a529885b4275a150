package catalogue

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func (c cursor) equal(other cursor) bool {
	return c.after == other.after && (c.updatedAsOf == nil) == (other.updatedAsOf == nil) &&
		(c.updatedAsOf == nil || *c.updatedAsOf == *other.updatedAsOf)
}

func TestCursorRoundTrip(t *testing.T) {
	feed := cursors{keys: [][]byte{key(1)}}
	rapid.Check(t, func(t *rapid.T) {
		want := cursor{after: rapid.Int64Range(0, math.MaxInt64).Draw(t, "after")}
		if rapid.Bool().Draw(t, "filtered") {
			day := catalogue.Date(rapid.Int32().Draw(t, "day"))
			want.updatedAsOf = &day
		}
		text := feed.write(want)
		if got, err := feed.read(text); err != nil || !got.equal(want) {
			t.Fatalf("%+v is read as %+v, %v", want, got, err)
		}
		// A cursor contains only characters that need no escaping in a URL.
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("the cursor is %q", text)
		}
	})
}

// TestCursorTampered proves that a cursor is refused if any character is replaced or any bit is flipped.
func TestCursorTampered(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n\x00\xff"
	feed := cursors{keys: [][]byte{key(1)}}
	day := catalogue.Date(20_000)
	text := feed.write(cursor{after: 17, updatedAsOf: &day})
	var changed []string
	for i := range len(text) {
		for _, c := range []byte(alphabet) {
			if c != text[i] {
				changed = append(changed, text[:i]+string([]byte{c})+text[i+1:])
			}
		}
		changed = append(changed, text[:i], text[:i]+"\n"+text[i:], text[:i]+"A"+text[i:])
	}
	changed = append(changed, text+"A", text+"=", text+"\n", text+text, strings.ToLower(text), strings.Repeat("A", 10_000))
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(raw) {
		other := bytes.Clone(raw)
		other[bit/8] ^= 1 << (bit % 8)
		changed = append(changed, base64.RawURLEncoding.EncodeToString(other))
	}
	for _, other := range changed {
		at, err := feed.read(other)
		if fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("%q is read as %+v, %v", other, at, err)
		}
		if len(err.Error()) > 500 {
			t.Errorf("a cursor of %d characters makes a message of %d", len(other), len(err.Error()))
		}
	}
}

// TestCursorKeys proves that the first key signs and every key verifies, so that keys can be rotated.
func TestCursorKeys(t *testing.T) {
	before, during, after := cursors{keys: [][]byte{key(1)}}, cursors{keys: [][]byte{key(2), key(1)}}, cursors{keys: [][]byte{key(2)}}
	old, recent := before.write(cursor{after: 1}), during.write(cursor{after: 2})
	for name, c := range map[string]struct {
		by    cursors
		text  string
		after int64
	}{
		"the old one, before": {before, old, 1}, "the old one, during": {during, old, 1}, "the old one, after": {after, old, 0},
		"the new one, before": {before, recent, 0}, "the new one, during": {during, recent, 2}, "the new one, after": {after, recent, 2},
	} {
		if at, err := c.by.read(c.text); at.after != c.after || (err == nil) != (c.after > 0) {
			t.Errorf("%s: got %+v, %v", name, at, err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	feed := cursors{keys: [][]byte{key(1), key(2)}}
	day := catalogue.Date(-1)
	for _, seed := range []string{
		feed.write(cursor{}), feed.write(cursor{after: math.MaxInt64, updatedAsOf: &day}), cursors{keys: [][]byte{key(2)}}.write(cursor{after: 3}),
		"", "AAAA", strings.Repeat("A", 44), "\xff", feed.write(cursor{}) + "\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := feed.read(text)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if text != feed.write(at) && text != (cursors{keys: feed.keys[1:]}).write(at) {
			t.Fatalf("%q is accepted as %+v, and nobody has written it", text, at)
		}
	})
}
