package catalogue

import (
	"bytes"
	"encoding/base64"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

func TestRemovalCursorRoundTrip(t *testing.T) {
	old, now := cursors{keys: [][]byte{key(1)}}, cursors{keys: [][]byte{key(2), key(1)}}
	rapid.Check(t, func(t *rapid.T) {
		want := removalCursor{place: store.RemovalPlace{
			At: rapid.Int64().Draw(t, "at"), Position: rapid.Int64Range(0, math.MaxInt64).Draw(t, "position"),
		}}
		if rapid.Bool().Draw(t, "has met one whose day had passed") {
			want.place.Until = catalogue.Date(rapid.Int32().Draw(t, "until"))
			want.place.ID = catalogue.DeriveID(catalogue.KindVideo, "test", rapid.String().Draw(t, "id"))
		}
		if rapid.Bool().Draw(t, "filtered") {
			day := catalogue.Date(rapid.Int32Range(-1_000_000, 3_000_000).Draw(t, "day"))
			want.updatedAsOf = &day
		}
		text := old.writeRemoval(want)
		for _, reader := range []cursors{old, now} {
			if got, err := reader.readRemoval(text); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v is read as %+v, %v", want, got, err)
			}
		}
		if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("the cursor is %q", text)
		}
	})
}

// TestRemovalCursorTampered proves that a cursor is refused if any character is replaced or any bit is flipped, and
// that each feed refuses the cursors of the other.
func TestRemovalCursorTampered(t *testing.T) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= \n\x00\xff"
	feed := cursors{keys: [][]byte{key(1)}}
	text := feed.writeRemoval(removalCursor{place: store.RemovalPlace{At: 17, Position: 4}})
	changed := []string{"", text + "A", text + "=", text + "\n", strings.Repeat("A", 10_000), feed.write(cursor{after: 17})}
	for i := range len(text) {
		for _, c := range []byte(alphabet) {
			if c != text[i] {
				changed = append(changed, text[:i]+string([]byte{c})+text[i+1:])
			}
		}
		changed = append(changed, text[:i])
	}
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
		if at, err := feed.readRemoval(other); fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("%q is read as %+v, %v", other, at, err)
		}
	}
	if at, err := feed.read(text); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("the feed of videos reads %+v, %v", at, err)
	}
	stranger := cursors{keys: [][]byte{key(3)}}
	if at, err := stranger.readRemoval(text); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a stranger reads %+v, %v", at, err)
	}
}
