package projection_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestTraitsReachTheIndex checks that every property of a video that access rules use reaches the index soon after the
// video or its channel has changed.
func TestTraitsReachTheIndex(t *testing.T) {
	w := open(t)
	warning := &catalogue.ContentWarning{Meta: meta(catalogue.KindContentWarning, "warning"), Label: "A warning"}
	level := &catalogue.EducationLevel{Meta: catalogue.Meta{ID: catalogue.EducationLevelID("4CA"), Source: "test", Reference: "4CA"}, Code: "4CA", Label: "A level"}
	w.put(warning, level, newVideo("v", "A title"), newVideo("untouched", "Another"))
	w.put(&catalogue.Channel{Meta: meta(catalogue.KindChannel, "second"), Name: "Second", Categories: []string{"YP"}})
	f, _ := w.run()
	w.eventually("ready", f.Ready)
	v, channel := newVideo("v", "A title"), newChannel("channel", "A channel")
	video := func(change func()) func() catalogue.Item {
		return func() catalogue.Item { change(); return v }
	}
	for _, step := range []struct {
		name   string
		change func() catalogue.Item
	}{
		{"warning", video(func() { v.ContentWarningIDs = []catalogue.ID{warning.ID} })},
		{"no warning is needed", video(func() { v.ContentWarningIDs = []catalogue.ID{} })},
		{"type", video(func() { v.Type = catalogue.Stock })},
		{"subjects", video(func() { v.SubjectIDs = nil })},
		{"levels", video(func() { v.EducationLevels = []string{"4CA"} })},
		{"language", video(func() { v.Language = new(catalogue.Language("nob")) })},
		{"YouTube", video(func() { v.Playback.Provider, v.Playback.Stream = catalogue.ProviderYouTube, "" })},
		{"categories", video(func() { v.Categories = []string{"AB"} })},
		{"channel's categories", func() catalogue.Item { channel.Categories = []string{"JN"}; return channel }},
		{"channel's distribution methods", func() catalogue.Item { channel.DistributionMethods = catalogue.DistributionMethods(); return channel }},
		{"channel's privacy", func() catalogue.Item { channel.Private = true; return channel }},
		{"another channel", video(func() { v.ChannelID = id(catalogue.KindChannel, "second") })},
		{"availability", video(func() { v.AvailableUntil = new(catalogue.Date(20_000)) })},
		{"retired", video(func() { v.Retired = true })},
	} {
		before := w.indexed(v.ID).Version
		w.put(step.change())
		w.eventually(step.name, func() bool {
			return w.indexed(v.ID).Version > before && maps.Equal(w.states(), w.indexedStates())
		})
	}
}

// states returns the states in the store without their versions. The store applies a change of a channel to the states
// of its videos before it propagates the change to their versions.
func (w *world) states() map[catalogue.ID]string {
	w.Helper()
	all := map[catalogue.ID]string{}
	states, err := w.other.States(w.Context(), []catalogue.ID{id(catalogue.KindVideo, "v"), id(catalogue.KindVideo, "untouched")})
	if err != nil {
		w.Fatal(err)
	}
	for _, s := range states {
		all[s.ID] = accessOf(s)
	}
	return all
}

func (w *world) indexedStates() map[catalogue.ID]string {
	all := map[catalogue.ID]string{}
	for _, name := range []string{"v", "untouched"} {
		s := w.indexed(id(catalogue.KindVideo, name))
		all[s.ID] = accessOf(s)
	}
	return all
}

func (w *world) indexed(video catalogue.ID) catalogue.State {
	w.index.mu.Lock()
	defer w.index.mu.Unlock()
	return w.index.documents[video].State
}

// accessOf summarizes the fields of a state that decide who may see a video.
func accessOf(s catalogue.State) string {
	until := catalogue.Date(-1)
	if s.AvailableUntil != nil {
		until = *s.AvailableUntil
	}
	return fmt.Sprintf("%t %t %d %+v", s.Private, s.Retired, until, s.Traits)
}
