package accesstest

import (
	"encoding/json"
	"fmt"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Fields are the root fields of the schema that the test requests. The others show no videos, or are the operator's.
func Fields() []string {
	return []string{
		"video", "videoReference", "videosById", "searchVideos", "similarVideos", "videoFeed", "videoMetadata", "transcript", "subjects", "disciplines",
		"channels", "channel", "collection", "collections", "suggestions", "themes", "theme", "learningMaterial", "highlights", "highlight", "captions",
	}
}

// videoFields are the fields read of each video.
const videoFields = `fragment V on Video {
	id title description keywords createdBy channel { id name description } subjects { id }
	educationLevels { code } contentWarnings { id } links playback { id links }
}`

// graphVideo is a video in a response.
type graphVideo struct {
	ID      string
	Channel identified
}

func (p *probe) sameVideos(where string, list []graphVideo, want []string) {
	found := make([]string, len(list))
	for i, video := range list {
		found[i] = video.ID
		if !p.seen.knows(catalogue.ID(video.Channel.ID)) {
			p.fault("%s: %s names the channel %s", where, video.ID, video.Channel.ID)
		}
	}
	p.same(where, found, want)
}

// ask sends a request to POST /graphql, decodes the data, and returns the codes of errors.
func (p *probe) ask(query string, variables map[string]any, data any) (codes []string) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	p.fail(err)
	answer := struct {
		Data   any
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
	}{Data: data}
	_, text := p.send(Limited, "POST", "/graphql", string(body))
	if err := json.Unmarshal(text, &answer); err != nil {
		p.fail(fmt.Errorf("%w in %.300s", err, text))
	}
	for _, fault := range answer.Errors {
		codes = append(codes, fault.Extensions.Code)
	}
	return codes
}

// graphLists requests every list of videos and of their attachments.
func (p *probe) graphLists() {
	var found struct {
		SearchVideos struct {
			Total      int
			References []string
			Videos     []graphVideo
			FacetMap   map[string]buckets
			Facets     struct{ Channels []struct{ Key string } }
		}
		VideoFeed struct {
			References []string
			Nodes      []graphVideo
			Edges      []struct{ Node graphVideo }
		}
		VideosByID    []graphVideo `json:"videosById"`
		VideoMetadata []identified
		Subjects      []identified
		Disciplines   []struct{ Subjects []identified }
		Channels      struct {
			Total    int
			Channels []identified
		}
	}
	codes := p.ask(`query($ids: [ID!]!, $texts: [String!]!) {
		searchVideos(size: 50, facets: { channels: true, educationLevels: true, topics: true }) {
			total references videos { ...V } facetMap facets { channels { key } }
		}
		videoFeed(first: 50) { references nodes { ...V } edges { node { id channel { id } } } }
		videosById(ids: $ids) { ...V }
		videoMetadata(ids: $texts) { id title description keywords }
		subjects { id } disciplines { subjects { id } }
		channels(size: 50) { total channels { id name } }
	} `+videoFields, map[string]any{"ids": videoIDs, "texts": videoIDs}, &found)
	if len(codes) > 0 {
		p.fault("GraphQL: %v", codes)
		return
	}
	want := p.seen.all()
	p.sameVideos("searchVideos.videos", found.SearchVideos.Videos, want)
	p.same("searchVideos.references", withoutVersions(found.SearchVideos.References), want)
	if found.SearchVideos.Total != len(want) {
		p.fault("searchVideos.total is %d, want %d", found.SearchVideos.Total, len(want))
	}
	p.facets("searchVideos.facetMap include_channel_facets include_education_level_facets include_topic_facets", found.SearchVideos.FacetMap)
	for _, bucket := range found.SearchVideos.Facets.Channels {
		if !p.seen.knows(catalogue.ID(bucket.Key)) {
			p.fault("searchVideos.facets.channels shows %s", bucket.Key)
		}
	}
	p.sameVideos("videoFeed.nodes", found.VideoFeed.Nodes, want)
	p.same("videoFeed.references", withoutVersions(found.VideoFeed.References), want)
	edges := mapped(found.VideoFeed.Edges, func(edge struct{ Node graphVideo }) graphVideo { return edge.Node })
	p.sameVideos("videoFeed.edges", edges, want)
	p.sameVideos("videosById", found.VideosByID, want)
	p.same("videoMetadata", idsIn(found.VideoMetadata), want)
	p.same("subjects", idsIn(found.Subjects), p.seen.subjects())
	var subjects []string
	for _, discipline := range found.Disciplines {
		subjects = append(subjects, idsIn(discipline.Subjects)...)
	}
	p.same("disciplines.subjects", subjects, p.seen.subjects())
	p.same("channels", idsIn(found.Channels.Channels), p.seen.channelIDs())
	if found.Channels.Total != len(p.seen.channels) {
		p.fault("channels.total is %d, want %d", found.Channels.Total, len(p.seen.channels))
	}
}

func withoutVersions(references []string) []string {
	return mapped(references, func(text string) string {
		ref, _ := catalogue.ParseRef(text)
		return string(ref.ID)
	})
}

// graphVideos requests each video and each channel.
func (p *probe) graphVideos() {
	for i, v := range p.world.videos {
		var found struct {
			Video, Alias *graphVideo
			Transcript   *struct{ Text string }
			Suggestions  suggestionDocument
			Similar      *struct{ Videos []graphVideo }
		}
		codes := p.ask(`query($id: String!, $legacy: String!, $word: String!) {
			video(id: $id) { ...V } alias: video(id: $legacy) { ...V } transcript(videoId: $id) { fileName text }
			suggestions(query: $word) { phrases } similar: similarVideos(videoId: $id, size: 50) { videos { ...V } }
		} `+videoFields, map[string]any{"id": v.ID, "legacy": legacyID(i), "word": videoWord(i)}, &found)
		sees := p.seen.sees(v)
		if len(codes) > 0 || (found.Video != nil) != sees || (found.Alias != nil) != sees ||
			(found.Transcript != nil) != (sees && (*v.Transcript != "" || captioned(i))) || (len(found.Suggestions.Phrases) > 0) != sees {
			p.fault("GraphQL shows of %s, which is seen: %v: %+v %v", v.ID, sees, found, codes)
		}
		if (found.Similar != nil) != sees {
			p.fault("GraphQL shows videos like %s, which is seen: %v: %+v", v.ID, sees, found.Similar)
		} else if sees {
			p.sameVideos("similarVideos", found.Similar.Videos, p.seen.videoIDs(func(other *catalogue.Video) bool { return other != v }))
		}
		codes = p.ask(`query($id: String!) { videoReference(id: $id) }`, map[string]any{"id": v.ID}, nil)
		if sees != (len(codes) == 0) {
			p.fault("videoReference of %s, which is seen: %v: %v", v.ID, sees, codes)
		}
	}
	for _, channel := range p.world.channels {
		var found struct{ Channel *identified }
		p.ask(`query($id: String!) { channel(id: $id) { id name } }`, map[string]any{"id": channel.ID}, &found)
		if (found.Channel != nil) != p.seen.knows(channel.ID) {
			p.fault("channel(%s) is %v", channel.ID, found.Channel)
		}
	}
}
