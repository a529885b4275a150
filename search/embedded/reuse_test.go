//go:build !race

package embedded_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// sameContent checks that an index has the same content as a new index of the given documents.
func sameContent(t *testing.T, index *embedded.Index, all []search.Document) {
	t.Helper()
	built := openIndex(t, embedded.Options{})
	if err := built.Rebuild(t.Context(), 1, each(all)); err != nil {
		t.Fatal(err)
	}
	want, err := built.Content()
	if err != nil {
		t.Fatal(err)
	}
	got, err := index.Content()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		sameAnswers(t, index, built, questions(11, 150))
		t.Fatalf("the index (%d bytes) answers as one that is built anew (%d bytes), but holds something else", len(got), len(want))
	}
}

// TestReusedTextsEqualNewOnes repeatedly changes names, days, attributes and some texts. Most documents keep their own
// texts, so the index reuses these from segments of all ages. The index is closed now and then, so that it also reads
// and merges segments that come from a snapshot.
func TestReusedTextsEqualNewOnes(t *testing.T) {
	all, options := sample(), embedded.Options{Dir: t.TempDir()}
	index := openIndex(t, options)
	if err := index.Rebuild(t.Context(), 1, each(all)); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	kept := 0
	for n := range 40 {
		batch := search.Batch{Position: int64(n + 2)}
		from := rng.IntN(len(all))
		for i := range 1 + rng.IntN(700) {
			d := &all[(from+i)%len(all)]
			d.Version = int64(len(all) + 1000*n + i)
			change(rng, d)
			batch.Put = append(batch.Put, *d)
		}
		kept += index.Kept(batch.Put)
		apply(t, batch, index)
		if n%8 == 7 {
			sameContent(t, index, all)
		}
		if n%5 == 4 {
			if _, err := index.Save(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := index.Close(); err != nil {
				t.Fatal(err)
			}
			index = openIndex(t, options)
		}
	}
	index.Settle()
	sameContent(t, index, all)
	if kept < 5000 {
		t.Errorf("the texts of %d documents were kept, want most of some 14,000", kept)
	}
}

// change gives a document other names. They share words with its own texts, and sometimes add words.
func change(rng *rand.Rand, d *search.Document) {
	words := []string{"Water", "renamed", "The", "Physics", "x-ray", "élan", "水循環", "U.S.A.", d.Title, d.Description}
	name := func() string { return words[rng.IntN(len(words))] + " " + words[rng.IntN(len(words))] }
	switch rng.IntN(8) {
	case 0:
		d.ChannelName = ""
	case 1:
		d.SubjectNames = []string{name(), "", name()}
	case 2:
		d.ReleasedOn = catalogue.Date(rng.IntN(3000))
	case 3:
		d.Title = fmt.Sprintf("%s %d", d.Title, rng.IntN(3))
	case 4:
		d.Keywords = append(slices.Clone(d.Keywords), d.ChannelName)
	case 5:
		d.Language = []catalogue.Language{"eng", "fra", "zho", ""}[rng.IntN(4)]
	default:
		d.ChannelName = name()
	}
}

// TestARenamedChannelKeepsTheTextsOfItsVideos checks that renaming a channel reuses the texts of its videos. Without
// reuse, a rename takes as long as an import. A small batch reuses none, because finding the texts requires a scan of
// all documents.
func TestARenamedChannelKeepsTheTextsOfItsVideos(t *testing.T) {
	all := sample()
	index := openIndex(t, embedded.Options{})
	if err := index.Rebuild(t.Context(), 1, each(all)); err != nil {
		t.Fatal(err)
	}
	renamed := all[:len(all)/2]
	for i := range renamed {
		renamed[i].ChannelName, renamed[i].SubjectNames = "Another name", nil
		renamed[i].Version += int64(len(all))
	}
	if kept := index.Kept(renamed); kept != len(renamed) {
		t.Errorf("the texts of %d of %d documents are kept", kept, len(renamed))
	}
	few := renamed[:len(all)/50]
	if kept := index.Kept(few); kept != 0 {
		t.Errorf("a walk over %d documents for the texts of %d", len(all), kept)
	}
}

// TestTextsAreReusedOnlyTogether changes one text after the other.
func TestTextsAreReusedOnlyTogether(t *testing.T) {
	d := search.Document{
		Title: "a", Keywords: []string{"b", "c"}, Description: "d", Transcript: "e",
		SubjectNames: []string{"f"}, ChannelName: "g",
	}
	d.ID, d.Language, d.Version = "000000000000000000000001", "eng", 1
	index := openIndex(t, embedded.Options{})
	apply(t, search.Batch{Put: []search.Document{d}, Position: 1}, index)
	kept := map[string]func(*search.Document){
		"nothing":      func(*search.Document) {},
		"subject":      func(d *search.Document) { d.SubjectNames = nil },
		"channel":      func(d *search.Document) { d.ChannelName = "d" },
		"no text":      func(d *search.Document) { d.Retired, d.Version = true, 2 },
		"older":        func(d *search.Document) { d.Version = 0 },
		"other topics": func(d *search.Document) { d.Topics = []catalogue.ID{d.ID} },
	}
	lost := map[string]func(*search.Document){
		"language":           func(d *search.Document) { d.Language = "fra" },
		"title":              func(d *search.Document) { d.Title = "d" },
		"keyword":            func(d *search.Document) { d.Keywords = []string{"b"} },
		"keywords as one":    func(d *search.Document) { d.Keywords = []string{"bc"} },
		"order of keywords":  func(d *search.Document) { d.Keywords = []string{"c", "b"} },
		"description":        func(d *search.Document) { d.Description = "" },
		"description moved":  func(d *search.Document) { d.Description, d.Transcript = "", "de" },
		"transcript":         func(d *search.Document) { d.Transcript = "E" },
		"another's identity": func(d *search.Document) { d.ID = "000000000000000000000002" },
	}
	for want, changes := range map[int]map[string]func(*search.Document){1: kept, 0: lost} {
		for name, change := range changes {
			changed := d
			change(&changed)
			if got := index.Kept([]search.Document{changed}); got != want {
				t.Errorf("%s: %d kept, want %d", name, got, want)
			}
		}
	}
}
