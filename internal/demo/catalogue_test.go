package demo

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/sfnt"
)

// TestCatalogueIsComplete verifies that the catalogue has the promised size and variety, and that the texts of videos
// have the lengths that people read.
func TestCatalogueIsComplete(t *testing.T) {
	c := contents()
	refs, languages, channels, titles := map[string]bool{}, map[string]int{}, map[string]int{}, map[string]bool{}
	transcripts, highlights, subjects := 0, 0, map[string]int{}
	for i := range c.videos {
		v := &c.videos[i]
		if refs[v.Ref] || titles[v.Title] {
			t.Errorf("video %s, or its title, exists twice", v.Ref)
		}
		refs[v.Ref], titles[v.Title] = true, true
		languages[v.Language]++
		channels[v.Channel]++
		subjects[v.Subjects[0]]++
		if v.Transcript != "" {
			transcripts++
		}
		highlights += len(v.Highlights)
		if length, err := v.length(); err != nil || length < 30*time.Second || length > 30*time.Minute || length%segmentLength != 0 {
			t.Errorf("video %s lasts %s (%v)", v.Ref, length, err)
		}
		if words := len(strings.Fields(v.Description)); words < 15 || words > 80 {
			t.Errorf("the description of video %s has %d words", v.Ref, words)
		}
		if released, err := time.Parse(time.DateOnly, v.Released); err != nil || released.After(time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("video %s was released on %q", v.Ref, v.Released)
		}
	}
	if len(refs) < 300 || len(languages) != 5 || len(channels) < 12 || len(subjects) < 25 || transcripts < 60 || highlights < 25 {
		t.Errorf("%d videos, languages %v, %d channels, subjects %v, %d transcripts, %d highlights", len(refs), languages, len(channels), subjects, transcripts, highlights)
	}
	for _, theme := range c.themes {
		for _, topic := range theme.Topics {
			for _, target := range topic.Targets {
				for _, ref := range target.Videos {
					if !refs[ref] {
						t.Errorf("theme %s refers to the video %s, which does not exist", theme.Title, ref)
					}
				}
			}
		}
	}
	for _, list := range c.collections {
		for _, video := range list.Videos {
			if !refs[video.Ref] {
				t.Errorf("collection %s refers to the video %s, which does not exist", list.Name, video.Ref)
			}
		}
	}
	if len(c.collections) < 4 || !refs[featured] || len(c.collections[0].Videos) < shownVideos {
		t.Errorf("%d collections, of which the first has %d videos; %s is featured", len(c.collections), len(c.collections[0].Videos), featured)
	}
}

// TestCardsAreReadable verifies that white text is readable on each card, and that the font has each character.
func TestCardsAreReadable(t *testing.T) {
	bold, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		t.Fatal(err)
	}
	var buffer sfnt.Buffer
	for name, card := range contents().cards {
		channels := []float64{luminance(card.Color.R), luminance(card.Color.G), luminance(card.Color.B)}
		contrast := 1.05 / (0.2126*channels[0] + 0.7152*channels[1] + 0.0722*channels[2] + 0.05) // WCAG 2.2
		if contrast < 4.5 || card.Channel == "" || card.Subject == "" {
			t.Errorf("%s: contrast %.1f, channel %q, subject %q", name, contrast, card.Channel, card.Subject)
		}
		for _, character := range card.Title + card.Channel + card.Subject {
			if glyph, err := bold.GlyphIndex(&buffer, character); err != nil || glyph == 0 {
				t.Errorf("%s: the font lacks %q of %q", name, character, card.Title)
			}
		}
	}
}

// TestCuesFollowTheTranscript verifies that the captions contain each sentence of a transcript, one after the other, from
// the beginning of a video to its end.
func TestCuesFollowTheTranscript(t *testing.T) {
	for i := range contents().videos {
		v := &contents().videos[i]
		if v.Transcript == "" {
			continue
		}
		length, _ := v.length()
		var said []string
		end := 0.0
		for _, cue := range cues(v.Transcript, length) {
			start, text := cue["start"].(float64), cue["text"].(string)
			if start < end || cue["end"].(float64) <= start || utf8.RuneCountInString(text) > 300 {
				t.Errorf("video %s: cue %v follows one that ends at %g", v.Ref, cue, end)
			}
			end = cue["end"].(float64)
			said = append(said, text)
		}
		if strings.Join(said, " ") != v.Transcript || end > length.Seconds() || end < length.Seconds()*0.9 {
			t.Errorf("video %s: the cues end at %g of %g, and say %q", v.Ref, end, length.Seconds(), said)
		}
	}
}

// TestCatalogueIsDeterministic verifies that every process writes the same catalogue.
func TestCatalogueIsDeterministic(t *testing.T) {
	var first, second bytes.Buffer
	parsed, err := parse(files)
	if err != nil {
		t.Fatal(err)
	}
	for to, content := range map[*bytes.Buffer]*content{&first: contents(), &second: parsed} {
		if err := content.write(to); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) || first.Len() < 200_000 {
		t.Errorf("the catalogue is written differently, in %d and %d bytes", first.Len(), second.Len())
	}
	if names := slices.Sorted(maps.Keys(contents().cards)); len(names) != len(contents().videos) {
		t.Errorf("%d cards for %d videos", len(names), len(contents().videos))
	}
}

// luminance returns the linear value of an sRGB channel.
func luminance(channel uint8) float64 {
	c := float64(channel) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}
