package embedded_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// TestNeighboursComeFirst checks ranking by proximity. Of two videos with the same words in a text, the one with the
// words near each other and in the typed order comes first, although the other is newer.
func TestNeighboursComeFirst(t *testing.T) {
	const near, far = "light is bent by a curved glass while students watch and the teacher talks on",
		"glass is bent by a curved teacher while students watch and the light talks on"
	for name, in := range map[string]func(d *search.Document, text string){
		"description": func(d *search.Document, text string) { d.Description = text },
		"transcript":  func(d *search.Document, text string) { d.Transcript = text },
	} {
		t.Run(name, func(t *testing.T) {
			index := open(t)
			var documents []search.Document
			for i, text := range []string{near, far} {
				d := search.Document{State: catalogue.State{Traits: catalogue.Traits{Language: "eng"}}, Title: "a lesson"}
				d.ID = catalogue.DeriveID(catalogue.KindVideo, "t", text)
				d.Version, d.Sequence, d.ReleasedOn = int64(i+1), int64(i+1), catalogue.Date(i)
				in(&d, text)
				documents = append(documents, d)
			}
			if err := index.Apply(t.Context(), search.Batch{Put: documents, Position: 2}); err != nil {
				t.Fatal(err)
			}
			result, err := index.Search(t.Context(), search.Query{Text: search.ParseText("curved glass"), Size: 10})
			if err != nil || len(result.Refs) != 2 {
				t.Fatalf("%v, %v", result, err)
			}
			if result.Refs[0].ID != documents[0].ID {
				t.Error("the video in which the words stand apart comes first")
			}
		})
	}
}
