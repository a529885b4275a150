package accesstest

import (
	"maps"
	"net/http"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// buckets are a facet of a document.
type buckets map[string]struct {
	Hits int
}

// searches compares totals, videos and facets of searches with what may be seen: of all videos, by each filter with a
// value that rules can name, and by the words of single videos.
func (p *probe) searches() {
	everything := func(*catalogue.Video) bool { return true }
	p.search(Limited, "include_channel_facets=true&include_education_level_facets=true&include_topic_facets=true", everything)
	for _, id := range channelIDs {
		inChannel := func(v *catalogue.Video) bool { return v.ChannelID == id }
		p.search(Limited, "include_channel_facets=true&channel="+string(id), inChannel)
	}
	for i, v := range p.world.videos {
		p.search(Limited, "id="+string(v.ID)+","+legacyID((i+1)%videoCount), func(other *catalogue.Video) bool {
			return other == v || other == p.world.videos[(i+1)%videoCount]
		})
	}
	p.words()
}

// search requests all videos that a filter keeps, and compares them with the visible videos that have the property.
func (p *probe) search(as Caller, filter string, kept func(*catalogue.Video) bool) {
	var found document
	path := "/v1/videos?size=500&" + filter
	p.read(as, "GET", path, "", &found)
	want := p.seen.videoIDs(kept)
	p.same(path, idsIn(found.Embedded.Videos), want)
	if found.Page.TotalElements != len(want) {
		p.fault("%s: the total is %d, want %d", path, found.Page.TotalElements, len(want))
	}
	if len(want) == len(p.seen.videos) { // the filter kept everything, so facets must agree
		p.facets(path, found.Facets)
	}
	p.knownChannels(path, found.Facets["channels"])
}

// facets checks the facets of a search that finds everything.
func (p *probe) facets(path string, facets map[string]buckets) {
	for facet, values := range map[string]func(*catalogue.Video) []string{
		"subjects":        func(v *catalogue.Video) []string { return texts(v.SubjectIDs) },
		"topics":          func(v *catalogue.Video) []string { return texts(v.TopicIDs) },
		"videoTypes":      func(v *catalogue.Video) []string { return []string{string(v.Type)} },
		"channels":        func(v *catalogue.Video) []string { return []string{string(v.ChannelID)} },
		"educationLevels": func(v *catalogue.Video) []string { return v.EducationLevels },
		"languages": func(v *catalogue.Video) []string {
			if v.Language == nil {
				return []string{"und"}
			}
			return []string{string(*v.Language)}
		},
	} {
		got := map[string]int{}
		for key, bucket := range facets[facet] {
			if bucket.Hits > 0 { // a channel named by a filter appears without hits too
				got[key] = bucket.Hits
			}
		}
		if want := p.seen.count(values); strings.Contains(path, facetFlags[facet]) && !maps.Equal(got, want) {
			p.fault("%s: the facet %s is %v, want %v", path, facet, got, want)
		}
	}
}

// facetFlags are the parameters that request facets; "" if they are always present.
var facetFlags = map[string]string{
	"topics": "include_topic_facets", "channels": "include_channel_facets", "educationLevels": "include_education_level_facets",
}

// knownChannels compares the channels of a facet, including those without hits, with those that may be known.
func (p *probe) knownChannels(path string, channels buckets) {
	for id := range channels {
		if !p.seen.knows(catalogue.ID(id)) {
			p.fault("%s: the facet shows the channel %s", path, id)
		}
	}
}

// words searches for the words of each video, at any match level: the results may contain other videos, but never
// hidden ones.
func (p *probe) words() {
	for i, v := range p.world.videos {
		path := "/v1/videos?query=lesson+" + videoWord(i)
		found := p.list(path)
		first := ""
		for at, one := range found.Embedded.Videos {
			if at == 0 {
				first = one.ID
			}
			if video := p.world.video(catalogue.ID(one.ID)); video == nil || !p.seen.sees(video) {
				p.fault("%s: finds %s, which is hidden", path, one.ID)
			}
		}
		if p.seen.sees(v) && first != string(v.ID) {
			p.fault("%s: finds %q first, want %s", path, first, v.ID)
		}
		if found.Page.TotalElements > len(p.seen.videos) {
			p.fault("%s: the total is %d of %d", path, found.Page.TotalElements, len(p.seen.videos))
		}
	}
}

// previews views the catalogue through the package as the operator, which nobody else may.
func (p *probe) previews(rules []catalogue.AccessRule) func() {
	return func() {
		if rules == nil {
			return
		}
		const preview = "content_package=" + PackageID
		p.search(Operator, preview+"&include_channel_facets=true", func(*catalogue.Video) bool { return true })
		if status, _ := p.send(Limited, "GET", "/v1/videos?"+preview, ""); status != http.StatusForbidden {
			p.fault("a customer's preview is answered %d", status)
		}
	}
}
