package accesstest

import (
	"fmt"
	"net/http"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Every video has learning material, and highlights or else captions, which contain a word that no other video has; a
// theme lists all videos.

// captioned reports whether a video has captions; the others have a highlight.
func captioned(i int) bool { return i%2 == 1 }

// providerSlug is the slug of the only provider.
const providerSlug = "accesstest"

var (
	theme = meta(catalogue.KindTheme, 0)
	// level is the level of every video.
	level = catalogue.CEFRLevel("B1")
)

// pieceID is the ID of the one segment of a video: its highlight, or the passage of its captions.
func pieceID(i int) string {
	if captioned(i) {
		return string(videoIDs[i]) + "0000000000004e20"
	}
	return string(meta(catalogue.KindHighlight, i).ID)
}

// learning lists all learning material.
func learning() []catalogue.Item {
	provider := &catalogue.Provider{Meta: meta(catalogue.KindProvider, 0), Name: "Provider", Slug: providerSlug}
	items := []catalogue.Item{provider, &catalogue.Theme{
		Meta: theme, ProviderID: provider.ID, Title: "Theme",
		Topics: []catalogue.ThemeTopic{{Title: "Topic", Targets: []catalogue.ThemeTarget{{Title: "Target", VideoIDs: videoIDs}}}},
	}}
	for i, video := range videoIDs {
		text := "The water of " + videoWord(i)
		material := &catalogue.Material{
			Meta: meta(catalogue.KindMaterial, i), VideoID: video, LearningOutcomes: []string{text}, AssessmentQuestions: []string{text},
		}
		material.ID = catalogue.MaterialID(video)
		items = append(items, material)
		if !captioned(i) {
			items = append(items, &catalogue.Highlight{Meta: meta(catalogue.KindHighlight, i), VideoID: video, Start: 0, End: 20_000, Title: text})
			continue
		}
		captions := &catalogue.Captions{
			Meta: meta(catalogue.KindCaptions, i), VideoID: video, Language: "eng", Cues: []catalogue.Cue{{Start: 0, End: 20_000, Text: text}},
		}
		captions.ID = catalogue.CaptionsID(video, "eng")
		items = append(items, captions)
	}
	return items
}

// learningOf requests the learning material of each video, its segments by words, and the theme.
func (p *probe) learningOf() {
	var all []string
	for i, v := range p.world.videos {
		sees := p.seen.sees(v)
		if sees {
			all = append(all, pieceID(i))
		}
		path := "/v1/videos/" + string(v.ID)
		for _, one := range []struct {
			path string
			is   bool
		}{
			{path + "/learning-outcomes", true}, {path + "/assessment-questions", true}, {path + "/cefr-level", true},
			{path + "/captions", captioned(i)}, {path + "/captions?format=srt&download=true", captioned(i)},
			{"/v1/highlights/" + pieceID(i), true},
		} {
			p.status("GET", one.path, statusIf(sees && one.is, http.StatusOK))
		}
		want := []string{}
		if sees {
			want = []string{pieceID(i)}
		}
		p.highlights(videoWord(i), want)
	}
	p.highlights("water&size=500&hyper_relevance=true&max_overlap=0", all)
	p.themes()
}

func (p *probe) highlights(query string, want []string) {
	path := "/v1/highlights?query=" + query
	p.same(path, idsIn(p.list(path).Embedded.Highlights), want)
}

// foundTheme is a theme in a response.
type foundTheme struct {
	Topics []struct {
		Targets []struct {
			VideoIDs   []string `json:"videoIds"`
			Videos     []identified
			References []string
		}
	}
}

func (p *probe) themes() {
	one := fmt.Sprintf("/v1/alignments/%s/themes/%s", providerSlug, theme.ID)
	var whole foundTheme
	if p.get(one, &whole); p.err != nil {
		return
	}
	p.sameTheme(one, whole)
	p.same(one+" videos", idsIn(whole.Topics[0].Targets[0].Videos), p.seen.all())
	for _, path := range []string{
		"/v1/alignments/themes", "/v1/alignments/themes?id=" + string(theme.ID), "/v1/alignments/" + providerSlug + "/themes",
	} {
		for _, theme := range p.list(path).Embedded.Themes {
			p.sameTheme(path, theme)
		}
	}
}

func (p *probe) sameTheme(where string, theme foundTheme) {
	p.same(where, theme.Topics[0].Targets[0].VideoIDs, p.seen.all())
}

// graphLearning requests the same over GraphQL.
func (p *probe) graphLearning() {
	const fields = `topics { targets { videoIds references videos { id } } }`
	var found struct {
		Theme      foundTheme
		Themes     []foundTheme
		Highlights []identified
	}
	codes := p.ask(`query($slug: String!, $id: String!) {
		theme(provider: $slug, id: $id) { `+fields+` } themes { `+fields+` }
		highlights(query: "water", size: 500, hyperRelevance: true) { id videoId title caption createdBy links }
	}`, map[string]any{"slug": providerSlug, "id": theme.ID}, &found)
	if len(codes) > 0 || len(found.Themes) != 1 {
		p.fault("GraphQL: themes and highlights: %v, %d themes", codes, len(found.Themes))
		return
	}
	for _, theme := range append(found.Themes, found.Theme) {
		p.sameTheme("GraphQL: theme", theme)
		target := theme.Topics[0].Targets[0]
		p.same("GraphQL: theme.videos", idsIn(target.Videos), p.seen.all())
		p.same("GraphQL: theme.references", withoutVersions(target.References), p.seen.all())
	}
	pieces := []string{}
	for i, v := range p.world.videos {
		if p.seen.sees(v) {
			pieces = append(pieces, pieceID(i))
		}
	}
	p.same("GraphQL: highlights", idsIn(found.Highlights), pieces)
	for i, v := range p.world.videos {
		p.graphLearningOf(i, p.seen.sees(v))
	}
}

func (p *probe) graphLearningOf(i int, sees bool) {
	var found struct{ LearningMaterial, Captions, Highlight *struct{} }
	codes := p.ask(`query($video: String!, $piece: String!) {
		learningMaterial(videoId: $video) { learningOutcomes assessmentQuestions cefrLevel }
		captions(videoId: $video) { fileName cues { text } webVtt subRip }
		highlight(id: $piece) { id title caption createdBy }
	}`, map[string]any{"video": videoIDs[i], "piece": pieceID(i)}, &found)
	if len(codes) > 0 || (found.LearningMaterial != nil) != sees || (found.Highlight != nil) != sees ||
		(found.Captions != nil) != (sees && captioned(i)) {
		p.fault("GraphQL shows these items of %s, which is seen: %v: %+v %v", videoIDs[i], sees, found, codes)
	}
}
