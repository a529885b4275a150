package embedded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// someOf returns a random set that contains about one of every n documents.
func someOf(rng *rand.Rand, size, n int) (set bitset, docs []uint16) {
	set = newBitset(size)
	for doc := range size {
		if rng.IntN(n) == 0 {
			set.add(doc)
		}
	}
	return set, set.appendTo(nil)
}

// TestFacetsAreCountedEitherWay compares the counts of few and of many hits, which are counted in different ways, with a count of
// each document.
func TestFacetsAreCountedEitherWay(t *testing.T) {
	const size = 5000
	rng := rand.New(rand.NewPCG(1, 1))
	var attributes [attributeCount]attribute
	values := make([][]string, size)
	for doc := range values {
		for range rng.IntN(4) {
			values[doc] = append(values[doc], fmt.Sprint(rng.IntN(1+rng.IntN(300))))
		}
		values[doc] = distinct(values[doc])
	}
	for name := range attributes {
		attributes[name] = newAttribute(size, func(doc int) []string { return values[(doc+name)%size] })
	}
	tables := newTables(size, &attributes)
	for _, n := range []int{1, 2, 10, 1000} {
		hits, docs := someOf(rng, size, n)
		want, got := make([]uint32, tables.values()), make([]uint32, tables.values())
		for name := range facetAttributes {
			for _, doc := range docs {
				for _, value := range values[(int(doc)+int(name))%size] {
					ordinal, _ := slices.BinarySearch(attributes[name].values, value)
					want[tables.facets[name]+ordinal]++
				}
			}
		}
		if tables.count(hits, docs, got); !slices.Equal(got, want) {
			t.Errorf("one of %d documents: the counts are wrong", n)
		}
	}
}

// TestManyPostingsAreUnited compares the union of many postings with one that adds each document.
func TestManyPostingsAreUnited(t *testing.T) {
	rng, s := rand.New(rand.NewPCG(2, 2)), &scratch{}
	for _, size := range []int{maxSegment, 10_000, 64, 1} {
		for _, n := range []int{1, 3, 500} {
			got, want := newBitset(size), newBitset(size)
			var words [][]list
			for range 4 {
				set, docs := someOf(rng, size, n)
				want.or(set)
				words = append(words, []list{{docs: docs}, {docs: docs[:len(docs)/2]}})
			}
			if s.addForms(got, words...); !slices.Equal(got, want) || s.marks != [maxSegment]uint8{} {
				t.Errorf("%d documents, one of %d: the union is wrong, or marks remain", size, n)
			}
		}
	}
}

// TestPhrasesOfSomeDocuments looks for phrases in all documents, and in so few that their number determines the effort.
func TestPhrasesOfSomeDocuments(t *testing.T) {
	const size = 2000
	rng, words := rand.New(rand.NewPCG(3, 3)), []string{"of", "of", "of", "examples", "light", "planets"}
	x, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var batch search.Batch
	for n := range size {
		text := make([]string, 3+rng.IntN(80))
		for i := range text {
			text[i] = words[rng.IntN(len(words))]
		}
		d := search.Document{Description: strings.Join(text, " ")}
		d.ID, d.Version, d.Sequence = catalogue.ID(fmt.Sprintf("%024x", n)), 1, int64(size-n)
		batch.Put = append(batch.Put, d)
	}
	if err := x.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	few, _ := someOf(rng, size, 100)
	for _, phrase := range []string{"examples of", "of light", "light of planets", "of of of of", "planets planets", "of nothing"} {
		v := &view{parts: x.view.Load().parts} // has no cache
		among, err := v.holdingAmong(t.Context(), 0, strings.Fields(phrase), few)
		if err != nil {
			t.Fatal(err)
		}
		held, err := v.holding(t.Context(), 0, strings.Fields(phrase))
		if err != nil {
			t.Fatal(err)
		}
		want := newBitset(size)
		for n := range size {
			if strings.Contains(" "+batch.Put[n].Description+" ", " "+phrase+" ") {
				want.add(n)
			}
		}
		if !slices.Equal(held, want) {
			t.Errorf("%q: %d documents, want %d", phrase, held.count(), want.count())
		}
		among, held = among.clone(), held.clone()
		among.and(few)
		if held.and(few); !slices.Equal(among, held) {
			t.Errorf("%q: %d of some documents, want %d", phrase, among.count(), held.count())
		}
	}
}
