package media_test

import (
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/media"
)

// cards are the title cards of these tests.
func cards(name string) (media.Card, bool) {
	card := media.Card{Title: "Why ice floats", Channel: "Bench Time", Subject: "Chemistry", Color: color.RGBA{31, 111, 139, 255}}
	switch name {
	case "card-ice":
	case "card-bond":
		card.Title = "Hydrogen bonds"
	case "card-long":
		card.Title = strings.Repeat("A title that does not end. ", 20)
	case "card-word":
		card.Title = strings.Repeat("Donaudampfschifffahrt", 20)
	case "card-empty":
		card.Title = ""
	default:
		return media.Card{}, false
	}
	return card, true
}

// TestCardsShowTheirContent verifies that a card has the size that its path asks for, its background, and a title.
func TestCardsShowTheirContent(t *testing.T) {
	f := newFixture(t, media.Options{Card: cards})
	pictures := map[string]image.Image{}
	for _, name := range []string{"card-ice", "card-bond", "card-long", "card-word", "card-empty"} {
		picture := f.image(t, name+"/width/600/vid_slices/3/vid_slice/1")
		if size := picture.Bounds().Size(); size != image.Pt(640, 360) {
			t.Errorf("%s has the size %s", name, size)
		}
		r, g, b, _ := picture.At(3, 3).RGBA()
		if r, g, b := int(r>>8), int(g>>8), int(b>>8); max(r-31, 31-r, g-111, 111-g, b-139, 139-b) > 8 {
			t.Errorf("the background of %s is #%02x%02x%02x", name, r, g, b)
		}
		pictures[name] = picture
	}
	// The title is all that distinguishes these cards.
	for _, name := range []string{"card-bond", "card-long", "card-word", "card-empty"} {
		if distance(pictures["card-ice"], pictures[name], 0) < 1 {
			t.Errorf("%s shows what card-ice shows", name)
		}
	}
}

// TestCardsArePostersOnly verifies that a card has no preview, and that only known cards exist.
func TestCardsArePostersOnly(t *testing.T) {
	for path, options := range map[string]media.Options{
		"card-ice/width/320/vid_slices/3":                    {Card: cards},
		"card-none/width/320/vid_slices/3/vid_slice/1":       {Card: cards},
		"card-ice/width/320/vid_slices/3/vid_slice/1":        {},
		"card-ice/width/320/vid_slices/3/vid_slice/1/more/1": {Card: cards},
	} {
		f := newFixture(t, options)
		expectError(t, f.get("GET", media.ImagesPath+path), 404)
	}
}
