package projection_test

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// TestWordsOfRecords checks that a search finds a video by words of its highlights, and by words of its captions if it
// has no transcript. Once these are deleted, the search no longer finds it.
func TestWordsOfRecords(t *testing.T) {
	w, _, index := engines(t, t.TempDir())
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	transcript := "spoken plainly"
	silent, spoken := newVideo("silent", "One"), newVideo("spoken", "Two")
	spoken.Transcript = &transcript
	captionsOf := func(v *catalogue.Video, text string) *catalogue.Captions {
		captions := &catalogue.Captions{VideoID: v.ID, Language: "eng", Cues: []catalogue.Cue{{Start: 0, End: 1000, Text: text}}}
		captions.ID = catalogue.CaptionsID(v.ID, "eng")
		return captions
	}
	highlight := &catalogue.Highlight{VideoID: spoken.ID, Start: 0, End: 1000, Title: "A gyroscope", Caption: "precession"}
	highlight.ID = id(catalogue.KindHighlight, "h")
	w.put(newChannel("channel", "A channel"), silent, spoken)
	captions := captionsOf(silent, "a trebuchet")
	w.put(captions, captionsOf(spoken, "an astrolabe"), highlight)
	w.awaitPosition(index)

	finds := func(word string) int {
		result, err := index.Search(t.Context(), search.Query{Text: search.ParseText(word), Size: 5})
		if err != nil {
			t.Fatal(err)
		}
		return result.Total
	}
	for word, want := range map[string]int{"trebuchet": 1, "astrolabe": 0, "gyroscope": 1, "precession": 1, "plainly": 1} {
		if got := finds(word); got != want {
			t.Errorf("%s: found %d, want %d", word, got, want)
		}
	}
	err := w.store.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Delete(ctx, catalogue.KindCaptions, []catalogue.ID{captions.ID}); err != nil {
			return err
		}
		_, err := tx.Delete(ctx, catalogue.KindHighlight, []catalogue.ID{highlight.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f.Wake()
	w.awaitPosition(index)
	for word, want := range map[string]int{"trebuchet": 0, "precession": 0, "plainly": 1} {
		if got := finds(word); got != want {
			t.Errorf("%s, after the deletion: found %d, want %d", word, got, want)
		}
	}
}
