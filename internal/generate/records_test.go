package generate_test

import (
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
)

// TestMaterialLeavesNothingEmpty checks that a catalogue of the demo's size contains records of every kind, and that
// each playable video has everything that a video can have.
func TestMaterialLeavesNothingEmpty(t *testing.T) {
	for _, words := range []int{0, 120} {
		counts := map[catalogue.Kind]int{}
		of := map[catalogue.Kind]map[catalogue.ID]int{}
		videos := map[catalogue.ID]*catalogue.Video{}
		var playing []catalogue.ID
		hidden, filled, languages := map[catalogue.ID]bool{}, 0, map[catalogue.Language]int{}
		for item := range generate.Items(generate.Options{Videos: 1000, Seed: 1, TranscriptWords: words, Material: true}) {
			counts[item.Kind()]++
			if record, ok := item.(catalogue.OwnedItem); ok {
				if of[item.Kind()] == nil {
					of[item.Kind()] = map[catalogue.ID]int{}
				}
				of[item.Kind()][record.Owner().ID]++
			}
			switch item := item.(type) {
			case *catalogue.Video:
				videos[item.ID] = item
				if len(playing) < 12 {
					playing = append(playing, item.ID)
				}
			case *catalogue.Provider:
				hidden[item.ID] = item.Hidden
			case *catalogue.Captions:
				languages[item.Language]++
				fitsVideo(t, item.Cues[0].Start, item.Cues[len(item.Cues)-1].End, videos[item.VideoID])
			case *catalogue.Highlight:
				fitsVideo(t, item.Start, item.End, videos[item.VideoID])
			case *catalogue.Theme:
				for _, topic := range item.Topics {
					for _, target := range topic.Targets {
						filled += len(target.VideoIDs)
						if slices.ContainsFunc(target.VideoIDs, func(id catalogue.ID) bool { return videos[id] == nil || videos[id].Retired }) {
							t.Fatalf("%s points to videos that do not exist", target.Title)
						}
					}
				}
			}
		}
		for _, kind := range []catalogue.Kind{catalogue.KindCaptions, catalogue.KindMaterial, catalogue.KindHighlight} {
			if n := len(of[kind]); n < 200 || n > 500 {
				t.Errorf("%d of 1000 videos have %s", n, kind)
			}
			for _, id := range playing {
				if of[kind][id] == 0 {
					t.Errorf("the video %s plays and has no %s", id, kind)
				}
			}
		}
		for kind, least := range map[catalogue.Kind]int{
			catalogue.KindLegalRestriction: 5, catalogue.KindPhrase: 100, catalogue.KindProvider: 3, catalogue.KindTheme: 60,
		} {
			if counts[kind] < least {
				t.Errorf("there are %d of %s", counts[kind], kind)
			}
		}
		shown := 0
		for _, is := range hidden {
			if !is {
				shown++
			}
		}
		if shown != 2 || len(hidden) != 3 || filled < 500 || len(languages) < 5 {
			t.Errorf("%d of %d providers are shown, themes point to %d videos, captions have %d languages", shown, len(hidden), filled, len(languages))
		}
	}
}

func fitsVideo(t *testing.T, start, end catalogue.Millis, v *catalogue.Video) {
	t.Helper()
	if v == nil || v.Retired || start < 0 || end <= start || end > catalogue.Millis(v.Playback.Duration) {
		t.Fatalf("%d to %d is no piece of %+v", start, end, v)
	}
}

func TestPlacesSpreadOverStates(t *testing.T) {
	for schools, want := range map[int]struct{ districts, states int }{
		0: {0, 0}, 1: {1, 1}, 200: {20, 2}, 130_000: {13_000, -1},
	} {
		districts, found, private, states, externalIDs := 0, 0, 0, map[string]int{}, map[string]bool{}
		for item := range generate.Items(generate.Options{Schools: schools, Seed: 1}) {
			switch item := item.(type) {
			case *catalogue.District:
				districts++
				states[item.State]++
				externalIDs[item.ExternalID] = true
			case *catalogue.School:
				found++
				externalIDs[item.ExternalID] = true
				if item.DistrictID == nil {
					private++
				}
			}
		}
		country, _ := catalogue.CountryOf(catalogue.UnitedStates)
		if want.states < 0 {
			want.states = len(country.States)
		}
		if found != schools || districts != want.districts || len(states) != want.states ||
			len(externalIDs) != schools+districts || private != schools/50 {
			t.Errorf("%d schools of %d districts in %d states, %d of them private, under %d external ids",
				found, districts, len(states), private, len(externalIDs))
		}
	}
}
