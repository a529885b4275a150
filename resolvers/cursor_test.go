package resolvers

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

var (
	newKey = bytes.Repeat([]byte{1}, 32)
	oldKey = bytes.Repeat([]byte{2}, 32)
)

func same(a, b cursor) bool {
	return a.after == b.after && (a.updatedAsOf == nil) == (b.updatedAsOf == nil) && (a.updatedAsOf == nil || *a.updatedAsOf == *b.updatedAsOf)
}

func someCursor(t *rapid.T) cursor {
	at := cursor{after: rapid.Int64().Draw(t, "after")}
	if rapid.Bool().Draw(t, "filtered") {
		date := catalogue.Date(rapid.Int64Range(math.MinInt32, math.MaxInt32).Draw(t, "day"))
		at.updatedAsOf = &date
	}
	return at
}

// TestCursorsComeBackAsTheyWent, also once their key has been replaced by a newer one.
func TestCursorsComeBackAsTheyWent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := someCursor(t)
		for _, by := range []cursors{{keys: [][]byte{newKey}}, {keys: [][]byte{newKey, oldKey}}} {
			for _, writer := range by.keys {
				text := cursors{keys: [][]byte{writer}}.write(at)
				got, err := by.read(text)
				if err != nil || !same(got, at) {
					t.Fatalf("%v became %v, %v", at, got, err)
				}
			}
		}
	})
}

// TestChangedCursorsAreRefused: with any one character changed, added or taken away.
func TestChangedCursorsAreRefused(t *testing.T) {
	by := cursors{keys: [][]byte{newKey}}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ \n"
	rapid.Check(t, func(t *rapid.T) {
		text := by.write(someCursor(t))
		place := rapid.IntRange(0, len(text)-1).Draw(t, "place")
		with := string(alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "with")])
		for _, changed := range []string{text[:place] + with + text[place+1:], text[:place] + with + text[place:], text[:place] + text[place+1:], text + with} {
			if changed == text {
				continue
			}
			if at, err := by.read(changed); err == nil {
				t.Fatalf("%q, changed from %q, reads as %v", changed, text, at)
			}
		}
	})
}

// TestCursorsOfForeignKeysAreRefused.
func TestCursorsOfForeignKeysAreRefused(t *testing.T) {
	text := cursors{keys: [][]byte{oldKey}}.write(cursor{after: 5})
	_, err := cursors{keys: [][]byte{newKey}}.read(text)
	var fault *catalogue.Error
	if !errors.As(err, &fault) || fault.Code != catalogue.Invalid || fault.Label != "Invalid cursor id" {
		t.Errorf("got %v", err)
	}
}

// FuzzCursors: a text is refused, or it is the very one that its cursor is written as.
func FuzzCursors(f *testing.F) {
	by := cursors{keys: [][]byte{newKey, oldKey}}
	date := catalogue.Date(20_000)
	f.Add(by.write(cursor{}))
	f.Add(by.write(cursor{after: math.MaxInt64, updatedAsOf: &date}))
	f.Add(cursors{keys: [][]byte{oldKey}}.write(cursor{after: 1}))
	f.Add("")
	f.Add("AAAA")
	f.Add("\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := by.read(text)
		if err != nil {
			if catalogue.CodeOf(err) != catalogue.Invalid || len(err.Error()) > 1000 {
				t.Errorf("%q is refused with %v", text, err)
			}
			return
		}
		if by.write(at) != text && (cursors{keys: [][]byte{oldKey}}).write(at) != text {
			t.Errorf("%q reads as %v, which is written differently", text, at)
		}
	})
}
