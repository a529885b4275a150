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
		"/v1/videos", "/v1/videos/{id}", "/v1/videos/{id}/similar", "/v1/videos/{id}/transcript", "/v1/videos/metadata", "/v1/feed/videos", "/v1/suggestions",
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
	return mapped(list, func(one identified) string { return one.ID })
}

// mapped returns the results of a function for the elements of a list.
func mapped[T, R any](list []T, f func(T) R) []R {
	results := make([]R, len(list))
	for i, one := range list {
		results[i] = f(one)
	}
	return results
}

// document is a HAL document with the resources of one kind.
type document struct {
	Embedded struct {
		Videos, Subjects, Channels, Highlights []identified
		Collections                            []struct {
			identified
			Videos []identified
		}
		Disciplines []struct {
			ID       string
			Subjects []identified
		}
		Themes []foundTheme
	} `json:"_embedded"`
	Links struct {
		Next struct{ Href string }
	} `json:"_links"`
	Facets map[string]buckets
	Page   struct{ TotalElements int }
}

// list reads a document as the limited caller; it must exist.
func (p *probe) list(path string) (found document) {
	p.get(path, &found)
	return found
}

// read sends a request whose response must be a document with status 200.
func (p *probe) read(as Caller, method, path, body string, into any) {
	status, answer := p.send(as, method, path, body)
	if status != http.StatusOK {
		p.fault("%s %s: got %d %.300s", method, path, status, answer)
		return
	}
	p.fail(json.Unmarshal(answer, into))
}

// feed walks the feed to its end.
func (p *probe) feed() {
	var walked []string
	for path := "/v1/feed/videos?size=7"; path != ""; {
		page := p.list(path)
		walked = append(walked, idsIn(page.Embedded.Videos)...)
		path = ""
		if page.Links.Next.Href != "" {
			next, err := url.Parse(page.Links.Next.Href)
			if err != nil {
				p.fail(err)
				return
			}
			path = next.RequestURI()
		}
	}
	p.same("the feed", walked, p.seen.all())
}

// singleVideos requests each video by ID and by alias, and its transcript, and reports interactions with it.
func (p *probe) singleVideos() {
	for i, v := range p.world.videos {
		path := "/v1/videos/" + string(v.ID)
		sees, seesEnd := p.seen.sees(v), p.seen.sees(p.world.end(v))
		want := statusIf(seesEnd, http.StatusPermanentRedirect)
		if sees {
			want = http.StatusOK
		}
		for _, one := range []struct {
			method, path string
			want         int
		}{
			{"GET", path, want}, {"GET", "/v1/videos/" + legacyID(i), want},
			{"GET", path + "/transcript", statusIf(sees && (*v.Transcript != "" || captioned(i)), http.StatusOK)},
			{"POST", path + "/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", statusIf(seesEnd, http.StatusCreated)},
			{"POST", path + "/track-share-link", statusIf(seesEnd, http.StatusCreated)},
			// There is no embed URL for the visible videos either, because the account has no pages or the video no stream.
			{"POST", path + "/embeds", statusIf(seesEnd, http.StatusConflict)},
		} {
			p.status(one.method, one.path, one.want)
		}
		p.similar(v, path+"/similar?size=100", sees)
	}
}

// similar requests the videos like a video. All videos share words of their titles.
func (p *probe) similar(v *catalogue.Video, path string, sees bool) {
	if !sees {
		p.status("GET", path, http.StatusNotFound)
		return
	}
	var found document
	p.read(Limited, "GET", path, "", &found)
	p.same(path, idsIn(found.Embedded.Videos), p.seen.videoIDs(func(other *catalogue.Video) bool { return other != v }))
}

// statusIf returns the status of a response about something visible, or 404.
func statusIf(visible bool, status int) int {
	if visible {
		return status
	}
	return http.StatusNotFound
}

// status sends a request whose response must have a status.
func (p *probe) status(method, path string, want int) {
	if status, answer := p.send(Limited, method, path, ""); status != want {
		p.fault("%s: got %d %.200s, want %d", path, status, answer, want)
	}
}

// metadata requests all videos at once.
func (p *probe) metadata() {
	body, err := json.Marshal(map[string]any{"ids": videoIDs})
	p.fail(err)
	var found struct{ Metadata []identified }
	p.read(Limited, "POST", "/v1/videos/metadata", string(body), &found)
	p.same("the metadata", idsIn(found.Metadata), p.seen.all())
}

// suggestionDocument is the document of a suggestion.
type suggestionDocument struct {
	Channels, Subjects []identified
	Phrases            []string
}

// suggestions types the words of each video and channel.
func (p *probe) suggestions() {
	for i, v := range p.world.videos {
		var found suggestionDocument
		p.get("/v1/suggestions?query="+videoWord(i), &found)
		if p.seen.sees(v) != (len(found.Phrases) > 0) {
			p.fault("the word of %s suggests %q", v.ID, found.Phrases)
		}
	}
	for i, channel := range p.world.channels {
		var found suggestionDocument
		p.get("/v1/suggestions?query="+channelWord(i), &found)
		want := []string{}
		if p.seen.knows(channel.ID) {
			want = append(want, string(channel.ID))
		}
		p.same(fmt.Sprintf("the word of the channel %s", channel.ID), idsIn(found.Channels), want)
	}
	var found suggestionDocument
	p.get("/v1/suggestions?query=subject", &found)
	p.same("suggested subjects", idsIn(found.Subjects), p.seen.subjects())
}

// labels requests the subjects and disciplines that have videos.
func (p *probe) labels() {
	p.same("the subjects", idsIn(p.list("/v1/subjects").Embedded.Subjects), p.seen.subjects())
	var subjects []string
	for _, discipline := range p.list("/v1/disciplines").Embedded.Disciplines {
		if len(discipline.Subjects) == 0 {
			p.fault("the discipline %s is shown without subjects", discipline.ID)
		}
		subjects = append(subjects, idsIn(discipline.Subjects)...)
	}
	p.same("the subjects of disciplines", subjects, p.seen.subjects())
}

// channels requests all channels and each one.
func (p *probe) channels() {
	for _, path := range []string{"/v1/channels", "/v1/channels?projection=list"} {
		found := p.list(path)
		p.same(path, idsIn(found.Embedded.Channels), p.seen.channelIDs())
		if found.Page.TotalElements != len(p.seen.channels) {
			p.fault("%s: the total is %d, want %d", path, found.Page.TotalElements, len(p.seen.channels))
		}
	}
	for _, channel := range p.world.channels {
		p.status("GET", "/v1/channels/"+string(channel.ID), statusIf(p.seen.knows(channel.ID), http.StatusOK))
	}
}
