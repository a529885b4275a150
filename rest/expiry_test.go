package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// departing returns a video whose last day is the day on which the world begins, with everything that can belong to a
// video. Each of its texts contains the word "zephyr", which occurs nowhere else.
func departing() []catalogue.Item {
	v := videoOf("departing", "The zephyr departs", "lab")
	v.Description, v.Keywords = "A zephyr is a wind", []string{"zephyr"}
	v.SubjectIDs, v.SubjectsSetManually = idsOf("zephyrs"), true
	v.Transcript, v.HasTranscript = new("The zephyr blows."), true
	v.AvailableUntil = new(day("2026-03-04"))
	v.LegacyID = "4242"
	theme := &catalogue.Theme{
		Meta: metaOf("winds"), ProviderID: idOf("openscience"), Title: "Winds",
		Topics: []catalogue.ThemeTopic{{Title: "Winds", Targets: []catalogue.ThemeTarget{{Title: "Name winds", VideoIDs: idsOf("departing")}}}},
	}
	return []catalogue.Item{
		&catalogue.Subject{Meta: metaOf("zephyrs"), Name: "Zephyrs"}, v,
		materialOf("departing", "Learners can name a zephyr.", "What is a zephyr?"),
		captionsOf("departing", "eng", true, "A zephyr is a wind from the west."),
		highlightOf("breeze", "departing", 0, 10_000, "The zephyr", "A zephyr comes up."),
		theme,
	}
}

// TestWhatHasExpiredIsGoneEverywhere proves that an expired video disappears from every answer without any write.
func TestWhatHasExpiredIsGoneEverywhere(t *testing.T) {
	w := newWorld(t, options{})
	w.put(departing()...)
	w.awaitSearch(t)
	collection := w.create(t, operator, `{"title":"Air","videos":["`+string(idOf("departing"))+`"],"discoverable":true}`)
	w.clock.set(day("2026-03-05").Start().Add(-time.Microsecond))
	links := w.ok(t, customer, pathOf("departing"))["playback"].(map[string]any)["_links"].(map[string]any)
	stream := strings.TrimPrefix(links["hlsStream"].(map[string]any)["href"].(string), base)
	const facets = "/v1/videos?sort_by=RELEASE_DATE&size=1" // this page shows another video
	places := []string{
		pathOf("departing"), "/v1/videos/4242", pathOf("departing") + "/transcript", pathOf("departing") + "/captions",
		pathOf("departing") + "/learning-outcomes", pathOf("departing") + "/assessment-questions",
		"/v1/videos", "/v1/videos?query=wind", "/v1/videos?id=" + string(idOf("departing")), facets, "/v1/feed/videos",
		"/v1/suggestions?query=zeph", "/v1/highlights?query=zephyr&threshold=0", "/v1/highlights/" + string(idOf("breeze")),
		"/v1/subjects", collection, collection + "?projection=details", "/v1/alignments/openscience/themes/" + string(idOf("winds")),
	}
	shows := func(path string) bool {
		text := string(w.send(t, apiRequest{as: customer, path: path}).body)
		return strings.Contains(strings.ToLower(text), "zephyr") || path == collection && strings.Contains(text, string(idOf("departing")))
	}
	for _, path := range places {
		if !shows(path) {
			t.Errorf("%s does not mention the video in its last moment", path)
		}
	}
	if got := w.send(t, apiRequest{path: stream}).StatusCode; got != http.StatusOK {
		t.Errorf("the stream is %d in the last moment", got)
	}

	w.clock.set(day("2026-03-05").Start())
	for _, path := range places {
		if shows(path) {
			t.Errorf("%s mentions the video when its last day is over", path)
		}
	}
	if got := w.send(t, apiRequest{path: stream}).StatusCode; got != http.StatusNotFound {
		t.Errorf("the stream is %d when the last day is over", got)
	}
}
