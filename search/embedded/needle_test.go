package embedded

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// TestNeedle checks that needle finds the same places as bytes.Index, from any start.
func TestNeedle(t *testing.T) {
	few := rapid.SliceOfN(rapid.SampledFrom([]byte("ab \x00\x01\xff")), 0, 60)
	rapid.Check(t, func(rt *rapid.T) {
		blob := few.Draw(rt, "blob")
		text := rapid.SliceOfN(rapid.SampledFrom([]byte("ab \x00\x01\xff")), 1, 4).Draw(rt, "text")
		from := rapid.IntRange(0, len(blob)).Draw(rt, "from")
		needle := newNeedle(text)
		want := bytes.Index(blob[from:], text)
		if want >= 0 {
			want += from
		}
		if got := needle.in(blob, from); got != want {
			rt.Fatalf("%q stands in %q from %d on at %d, not at %d", text, blob, from, want, got)
		}
	})
}

// TestTheBestOfSeveralAreTheBest checks the shortcut that ranks only phrases of several documents. The shortcut applies
// only if no other phrase can be among the best.
func TestTheBestOfSeveralAreTheBest(t *testing.T) {
	words := []string{"Action", "action", "Nation", "Station A", "station a", "Ration", "Tion", "A tion", "Motion 1", "Motion 2", "Motion 3", "Motion 4"}
	settled := 0
	rapid.Check(t, func(rt *rapid.T) {
		index, err := Open(Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer index.Close()
		for batch, n := range rapid.SliceOfN(rapid.IntRange(1, 12), 1, 4).Draw(rt, "batches") {
			var put []search.Document
			for i := range n {
				var d search.Document
				d.ID, d.Version, d.Title = catalogue.ID(fmt.Sprintf("%024x", 100*batch+i)), 1, rapid.SampledFrom(words).Draw(rt, "title")
				d.Keywords = rapid.SliceOfN(rapid.SampledFrom(words), 0, 3).Draw(rt, "keywords")
				d.Retired = rapid.IntRange(0, 4).Draw(rt, "retired") == 0
				put = append(put, d)
			}
			if err := index.Apply(t.Context(), search.Batch{Put: put, Position: int64(batch + 1)}); err != nil {
				rt.Fatal(err)
			}
		}
		v := index.view.Load()
		f := finder{view: v, typed: []byte("tion"), visible: v.visibleParts(catalogue.Access{}, 1)}
		for i := range v.parts {
			f.starting(&v.parts[i].suggestions)
			f.inside(&v.parts[i].suggestions)
		}
		wantOther := append(f.bestOf(slices.Clone(f.found[startsWord]), 3, 0).phrases, f.bestOf(slices.Clone(f.found[insideWord]), 3, 0).phrases...)
		for limit := 1; limit <= 3; limit++ {
			other := finder{view: v, typed: f.typed, visible: f.visible, limit: limit}
			if other.takeCommon() {
				settled++
				if want := wantOther[:min(limit, len(wantOther))]; !slices.Equal(other.phrases, want) {
					rt.Errorf("of the common ones the first %d are %v, not %v", limit, other.phrases, want)
				}
			}
		}
		for class := range suggestionClasses {
			for limit := 1; limit < 6; limit++ {
				best, enough := f.bestOfSeveral(class, limit)
				want := f.bestOf(slices.Clone(f.found[class]), limit, 0)
				if enough && !slices.Equal(best.phrases, want.phrases) {
					rt.Errorf("of class %d the first %d are %v, not %v", class, limit, want.phrases, best.phrases)
				}
				if enough {
					settled++
				}
			}
		}
	})
	if settled == 0 {
		t.Error("it never was enough")
	}
}

// TestPhrasesAreMadeOfWordsOfTheIndex checks that the words of the index decide whether a word starts with the typed
// text.
func TestPhrasesAreMadeOfWordsOfTheIndex(t *testing.T) {
	index, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	var d search.Document
	d.ID, d.Version = "000000000000000000000001", 1
	d.Title = "The 2nd state-of-the-art O'Neill: C++ and C# at 3.14 \u00c6on \u6c34 x\u6c34y e-mail's " + strings.Repeat("long", 60)
	d.Keywords = []string{"a", "don't", "U.S.A.", "semi\u00addetached", "1,000 miles", "No. 5"}
	if err := index.Apply(t.Context(), search.Batch{Put: []search.Document{d}, Position: 1}); err != nil {
		t.Fatal(err)
	}
	for _, part := range index.view.Load().parts {
		for i := range part.suggestions.folded.Len() {
			for word := range strings.FieldsSeq(string(part.suggestions.folded.At(i))) {
				for end := 1; end <= len(word); end++ {
					if f := (finder{view: index.view.Load(), typed: []byte(word[:end])}); !f.mayStartAWord() {
						t.Errorf("%q is said to start no word, though there is %q", word[:end], word)
						break
					}
				}
			}
		}
	}
	if f := (finder{view: index.view.Load(), typed: []byte("tate")}); f.mayStartAWord() {
		t.Error("\"tate\" is said to start a word")
	}
}
