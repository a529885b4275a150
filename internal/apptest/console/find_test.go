//go:build system

package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestConsoleKnowsWhatCustomersFind asks on the pages of videos whether customers find them. The customers are not among
// the first 50, and the title has a quoted phrase.
func TestConsoleKnowsWhatCustomersFind(t *testing.T) {
	s, program := startDemo(t, t.TempDir())
	video := func(private bool) string {
		channel := idIn(t, program.run(t, fmt.Sprintf(`mutation { createChannel(input: {name: "Astronomers, private: %v", private: %[1]v}) { id } }`, private)))
		return idIn(t, program.run(t, `mutation { createVideo(input: {title: "The “big bang” explained", channel: "`+channel+`", type: INSTRUCTIONAL, releasedOn: "2020-01-01",
			playback: {id: "big bang", provider: "HLS", duration: "PT1M", stream: "demo:colours"}}) { id } }`))
	}
	open, private := video(false), video(true)
	for i := range 60 {
		program.run(t, fmt.Sprintf(`mutation { createAccount(input: {id: "school-%d", name: "School %[1]d", tier: "basic"}) { id } }`, i))
	}
	program.run(t, `mutation { a: createAccount(input: {id: "willow", name: "Willow School", tier: "basic"}) { id }
		b: createAccount(input: {id: "yew", name: "Yew School", tier: "basic", status: SUSPENDED}) { id } }`)
	apptest.Await(t, "the new videos in the index", func() bool {
		found := program.run(t, `{ searchVideos(query: "big bang explained", size: 9) { videos { id } } }`)
		return strings.Contains(found, open) && strings.Contains(found, private)
	})
	var answers map[string]string
	apptest.RunBrowserScriptFrom(t, apptest.Path("web", "docs"), "console-find.mjs", &answers, s.Base+"/console", open, private)
	for question, want := range map[string]string{
		"open Willow":    "Willow School finds it, at place 1 for its title.",
		"open Yew":       "Yew School cannot find it: the customer is suspended",
		"private Willow": "Willow School cannot find it: the video is hidden, has expired, belongs to a private channel",
	} {
		if got := answers[question]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
