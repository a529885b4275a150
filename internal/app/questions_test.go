package app

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// TestQuestionsFindTheirVideo verifies that the questions of a lesson find the right video of the demo among the first
// three, although no video contains all their words.
func TestQuestionsFindTheirVideo(t *testing.T) {
	p := admitDemo(t)
	for question, want := range map[string]string{
		"Why does a lake freeze from the top down and not from the bottom up in winter?":                             "Why ice floats: hydrogen bonds in water",
		"How could people in ancient times prove how many sheep somebody owed them?":                                 "How writing began: counting sheep in Uruk",
		"Can you show me a trick to look up one name in a list of a million names quickly?":                          "Binary search: find any name in twenty steps",
		"I am looking for a film about why soap can remove grease although oil and water do not mix":                 "How soap gets between oil and water",
		"Which experiment shows that a feather falls as fast as a hammer when there is no air?":                      "Feather and hammer: why things fall together",
		"My class asks why the sun looks red in the evening while the sky is blue during the day":                    "Why the sky is blue, and sunsets are red",
		"What is the difference between the mean and the median when one person is very rich?":                       "Mean, median and the billionaire in the bus",
		"How do engineers keep a tall building from falling down during an earthquake?":                              "How a tower survives an earthquake",
		"Is it right to sacrifice one person in order to save five others from a tram?":                              "The trolley problem: may one be sacrificed for five?",
		"Warum kann ein Baum so schwer werden, wenn er doch fast alles aus der Luft nimmt?":                          "Fotosynthese: Zucker aus Licht und Luft",
		"How does a vaccine protect somebody against a virus that the body has never met before?":                    "How vaccines teach the body",
		"Teachers want to know what to do about the curve of forgetting before an exam, spread reviews or cramming?": "The forgetting curve: why you forget, and how not to",
	} {
		titles, total := p.titles(question)
		if !slices.Contains(titles[:min(3, len(titles))], want) || total < 10 {
			t.Errorf("%s\n  finds %d videos, the first are %q, want %q", question, total, titles[:min(5, len(titles))], want)
		}
	}
	// Nobody has made a video with this phrase. A short text finds nothing, a long one the videos that it describes.
	if _, total := p.titles(`"outer product expansions" images`); total != 0 {
		t.Errorf("a phrase that does not occur finds %d videos", total)
	}
	if titles, total := p.titles(`An article like "outer product expansions" that explains how pictures are compressed, so that a photo needs less space`); total < 10 || titles[0] != "How a picture gets ten times smaller" {
		t.Errorf("a long text with a phrase finds %d videos, the first are %q", total, titles)
	}
}

// titles returns the titles of the first results for a text, and their total.
func (p *demoServer) titles(text string) (titles []string, total int) {
	p.Helper()
	var page struct {
		Embedded struct{ Videos []struct{ Title string } } `json:"_embedded"`
		Page     struct{ TotalElements int }
	}
	if err := json.Unmarshal(p.want(http.StatusOK, p.get("/v1/videos?size=10&query="+url.QueryEscape(text))).Body, &page); err != nil {
		p.Fatal(err)
	}
	for _, video := range page.Embedded.Videos {
		titles = append(titles, video.Title)
	}
	return titles, page.Page.TotalElements
}
