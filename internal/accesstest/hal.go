package accesstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Paths are the routes of the HAL facade that the test requests, as the router names them.
func Paths() []string {
	return []string{
		"/v1/videos", "/v1/videos/{id}", "/v1/videos/{id}/transcript", "/v1/videos/metadata", "/v1/feed/videos", "/v1/suggestions",
		"/v1/subjects", "/v1/disciplines", "/v1/channels", "/v1/channels/{id}",
		"/v1/videos/{id}/events", "/v1/videos/{id}/track-share-link", "/v1/videos/{id}/embeds", "/v1/collections", "/v1/collections/{id}",
		"/v1/videos/{id}/captions", "/v1/videos/{videoId}/learning-outcomes", "/v1/videos/{videoId}/assessment-questions",
		"/v1/videos/{videoId}/cefr-level", "/v1/highlights", "/v1/highlights/{highlightId}", "/v1/alignments/themes",
		"/v1/alignments/{provider}/themes", "/v1/alignments/{provider}/themes/{id}",
	}
}

// identified is anything with an ID.
type identified struct {
	ID string `json:"id"`
}

func idsIn(list []identified) []string {
	found := make([]string, len(list))
	for i, one := range list {
		found[i] = one.ID
	}
	return found
}

// read sends a request whose response must be a document with status 200.
func (p *probe) read(as Caller, method, path, body string, into any) error {
	status, answer, err := p.send(as, method, path, body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		p.fault("%s %s: got %d %.300s", method, path, status, answer)
		return nil
	}
	return json.Unmarshal(answer, into)
}

// feed walks the feed to its end.
func (p *probe) feed() error {
	var walked []string
	for path := "/v1/feed/videos?size=7"; path != ""; {
		var page struct {
			Embedded struct {
				Videos []identified
			} `json:"_embedded"`
			Links struct {
				Next struct{ Href string }
			} `json:"_links"`
		}
		if err := p.get(path, &page); err != nil {
			return err
		}
		walked = append(walked, idsIn(page.Embedded.Videos)...)
		path = ""
		if page.Links.Next.Href != "" {
			next, err := url.Parse(page.Links.Next.Href)
			if err != nil {
				return err
			}
			path = next.RequestURI()
		}
	}
	p.same("the feed", walked, p.seen.all())
	return nil
}

// singleVideos requests each video by ID and by alias, and its transcript, and reports interactions with it.
func (p *probe) singleVideos() error {
	for i, v := range p.world.videos {
		want := http.StatusNotFound
		switch {
		case p.seen.sees(v):
			want = http.StatusOK
		case p.seen.sees(p.world.end(v)):
			want = http.StatusPermanentRedirect
		}
		for _, id := range []string{string(v.ID), legacyID(i)} {
			if err := p.status("/v1/videos/"+id, want); err != nil {
				return err
			}
		}
		want = http.StatusNotFound
		if p.seen.sees(v) && (*v.Transcript != "" || captioned(i)) {
			want = http.StatusOK
		}
		if err := p.status("/v1/videos/"+string(v.ID)+"/transcript", want); err != nil {
			return err
		}
		for _, told := range []string{"/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", "/track-share-link"} {
			if err := p.interaction(v, told); err != nil {
				return err
			}
		}
		if err := p.embedding(v); err != nil {
			return err
		}
	}
	return nil
}

// interaction reports an interaction with a video, which must fail unless the video, or the one it was retired into, is
// visible.
func (p *probe) interaction(v *catalogue.Video, told string) error {
	path := "/v1/videos/" + string(v.ID) + told
	status, answer, err := p.send(Limited, "POST", path, "")
	want := http.StatusNotFound
	if p.seen.sees(p.world.end(v)) {
		want = http.StatusCreated
	}
	if err == nil && status != want {
		p.fault("%s: got %d %.200s, want %d", path, status, answer, want)
	}
	return err
}

// embedding requests an embed URL of a video. There is none for a hidden video, nor for the others, because the account
// has no pages or the video no stream.
func (p *probe) embedding(v *catalogue.Video) error {
	path := "/v1/videos/" + string(v.ID) + "/embeds"
	status, answer, err := p.send(Limited, "POST", path, "")
	want := http.StatusNotFound
	if p.seen.sees(p.world.end(v)) {
		want = http.StatusConflict
	}
	if err == nil && status != want {
		p.fault("%s: got %d %.200s, want %d", path, status, answer, want)
	}
	return err
}

func (p *probe) status(path string, want int) error {
	status, answer, err := p.send(Limited, "GET", path, "")
	if err == nil && status != want {
		p.fault("%s: got %d %.200s, want %d", path, status, answer, want)
	}
	return err
}

// metadata requests all videos at once.
func (p *probe) metadata() error {
	body, err := json.Marshal(map[string]any{"ids": videoIDs})
	if err != nil {
		return err
	}
	var found struct{ Metadata []identified }
	if err := p.read(Limited, "POST", "/v1/videos/metadata", string(body), &found); err != nil {
		return err
	}
	p.same("the metadata", idsIn(found.Metadata), p.seen.all())
	return nil
}

// suggestionDocument is the document of a suggestion.
type suggestionDocument struct {
	Channels, Subjects []identified
	Phrases            []string
}

// suggestions types the words of each video and channel.
func (p *probe) suggestions() error {
	for i, v := range p.world.videos {
		var found suggestionDocument
		if err := p.get("/v1/suggestions?query="+videoWord(i), &found); err != nil {
			return err
		}
		if p.seen.sees(v) != (len(found.Phrases) > 0) {
			p.fault("the word of %s suggests %q", v.ID, found.Phrases)
		}
	}
	for i, channel := range p.world.channels {
		var found suggestionDocument
		if err := p.get("/v1/suggestions?query="+channelWord(i), &found); err != nil {
			return err
		}
		want := []string{}
		if p.seen.knows(channel.ID) {
			want = append(want, string(channel.ID))
		}
		p.same(fmt.Sprintf("the word of the channel %s", channel.ID), idsIn(found.Channels), want)
	}
	var found suggestionDocument
	if err := p.get("/v1/suggestions?query=subject", &found); err != nil {
		return err
	}
	p.same("suggested subjects", idsIn(found.Subjects), p.seen.subjects())
	return nil
}

// labels requests the subjects and disciplines that have videos.
func (p *probe) labels() error {
	var document struct {
		Embedded struct {
			Subjects    []identified
			Disciplines []struct {
				ID       string
				Subjects []identified
			}
		} `json:"_embedded"`
	}
	if err := p.get("/v1/subjects", &document); err != nil {
		return err
	}
	p.same("the subjects", idsIn(document.Embedded.Subjects), p.seen.subjects())
	if err := p.get("/v1/disciplines", &document); err != nil {
		return err
	}
	var subjects []string
	for _, discipline := range document.Embedded.Disciplines {
		if len(discipline.Subjects) == 0 {
			p.fault("the discipline %s is shown without subjects", discipline.ID)
		}
		subjects = append(subjects, idsIn(discipline.Subjects)...)
	}
	p.same("the subjects of disciplines", subjects, p.seen.subjects())
	return nil
}

// channels requests all channels and each one.
func (p *probe) channels() error {
	for _, path := range []string{"/v1/channels", "/v1/channels?projection=list"} {
		var document struct {
			Embedded struct{ Channels []identified } `json:"_embedded"`
			Page     struct{ TotalElements int }
		}
		if err := p.get(path, &document); err != nil {
			return err
		}
		p.same(path, idsIn(document.Embedded.Channels), p.seen.channelIDs())
		if document.Page.TotalElements != len(p.seen.channels) {
			p.fault("%s: the total is %d, want %d", path, document.Page.TotalElements, len(p.seen.channels))
		}
	}
	for _, channel := range p.world.channels {
		want := http.StatusNotFound
		if p.seen.knows(channel.ID) {
			want = http.StatusOK
		}
		if err := p.status("/v1/channels/"+string(channel.ID), want); err != nil {
			return err
		}
	}
	return nil
}
