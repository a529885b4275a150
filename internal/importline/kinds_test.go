package importline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importline"
)

// TestNewThingsWithEveryField reads each of the kinds, other than videos, that have more than a name.
func TestNewThingsWithEveryField(t *testing.T) {
	video := derived(catalogue.KindVideo, "v1")
	meta := func(kind catalogue.Kind, ref string) catalogue.Meta {
		return catalogue.Meta{ID: derived(kind, ref), Source: "s", Reference: ref}
	}
	cues := []catalogue.Cue{{Start: 1_000, End: 2_500, Text: "A\nB"}, {Start: 2_000, End: 60_001, Text: "C"}}
	district := derived(catalogue.KindDistrict, "0600001")
	for line, want := range map[string]catalogue.Item{
		`"kind":"contract-legal-restriction","ref":"r","text":"No cuts"`: &catalogue.LegalRestriction{
			Meta: meta(catalogue.KindLegalRestriction, "r"), Text: "No cuts",
		},
		`"kind":"phrase","ref":"r","text":"water cycle"`: &catalogue.Phrase{Meta: meta(catalogue.KindPhrase, "r"), Text: "water cycle"},
		`"kind":"synonym","ref":"r","words":["car","motor car"]`: &catalogue.Synonym{
			Meta: meta(catalogue.KindSynonym, "r"), Words: []string{"car", "motor car"},
		},
		`"kind":"search-rule","ref":"r","query":"Water cycle","pinned":["v2","v1"],"buried":["v3"]`: &catalogue.SearchRule{
			Meta: meta(catalogue.KindSearchRule, "r"), Query: "Water cycle",
			PinnedIDs: []catalogue.ID{derived(catalogue.KindVideo, "v2"), video}, BuriedIDs: []catalogue.ID{derived(catalogue.KindVideo, "v3")},
		},
		`"kind":"provider","ref":"r","name":"N","slug":"n-1","types":["Book","Standard","Book"],"description":"D",
			"logoUrl":"https://a.example/l","defaultThemeLogoUrl":"https://a.example/t","hidden":true`: &catalogue.Provider{
			Meta: meta(catalogue.KindProvider, "r"), Name: "N", Slug: "n-1", Types: []string{"Book", "Standard"},
			Description: "D", LogoURL: "https://a.example/l", DefaultThemeLogoURL: "https://a.example/t", Hidden: true,
		},
		`"kind":"theme","ref":"r","provider":"p","type":"Book","title":"T","logoUrl":"https://a.example/t","topics":[
			{"index":7,"title":"last"},{"title":"first","targets":[{"title":"b","videos":["v1","v2","v1"]},{"index":0,"title":"c"}]}]`: &catalogue.Theme{
			Meta: meta(catalogue.KindTheme, "r"), ProviderID: derived(catalogue.KindProvider, "p"), Type: "Book", Title: "T",
			LogoURL: "https://a.example/t",
			Topics: []catalogue.ThemeTopic{
				{Index: 1, Title: "first", Targets: []catalogue.ThemeTarget{
					{Index: 0, Title: "b", VideoIDs: []catalogue.ID{video, derived(catalogue.KindVideo, "v2")}},
					{Index: 0, Title: "c"},
				}},
				{Index: 7, Title: "last"},
			},
		},
		`"kind":"captions","video":"v1","language":"de","humanGenerated":true,"cues":[
			{"start":1,"end":2.5,"text":"A\nB"},{"start":"PT2S","end":60.001,"text":"C"}]`: &catalogue.Captions{
			Meta: catalogue.Meta{ID: catalogue.CaptionsID(video, "deu"), Source: "s"}, VideoID: video, Language: "deu", HumanGenerated: true, Cues: cues,
		},
		`"kind":"captions","video":"v1","language":"de","text":"WEBVTT\r\n\r\n00:02.000 --> 01:00.001\r\n<i>C</i>\r\n\r\n00:01.000 --> 00:02.500\r\nA\r\nB"`: &catalogue.Captions{
			Meta: catalogue.Meta{ID: catalogue.CaptionsID(video, "deu"), Source: "s"}, VideoID: video, Language: "deu", Cues: cues,
		},
		`"kind":"captions","ref":"r","video":"v1","language":"de","text":"1\n00:00:01,000 --> 00:00:02,500\nA\nB\n2\n00:02,000 --> 01:00,001\nC"`: &catalogue.Captions{
			Meta: catalogue.Meta{ID: catalogue.CaptionsID(video, "deu"), Source: "s", Reference: "r"}, VideoID: video, Language: "deu", Cues: cues,
		},
		`"kind":"learning-material","video":"v1","learningOutcomes":["Names it"],"assessmentQuestions":["What?","Why?"]`: &catalogue.Material{
			Meta: catalogue.Meta{ID: catalogue.MaterialID(video), Source: "s"}, VideoID: video,
			LearningOutcomes: []string{"Names it"}, AssessmentQuestions: []string{"What?", "Why?"},
		},
		`"kind":"highlight","ref":"r","video":"v1","start":0,"end":12.25,"title":"T","caption":"C","contentCategories":["animation"]`: &catalogue.Highlight{
			Meta: meta(catalogue.KindHighlight, "r"), VideoID: video, End: 12_250, Title: "T", Caption: "C", ContentCategories: []catalogue.Subtype{"ANIMATION"},
		},
		`"kind":"district","externalId":"0600001","name":"D","country":"usa","state":"ca","city":"C"`: &catalogue.District{
			Meta: meta(catalogue.KindDistrict, "0600001"), ExternalID: "0600001", Name: "D", Country: "USA", State: "CA", City: "C",
		},
		`"kind":"school","ref":"r","externalId":"060000100001","name":"S","country":"USA","state":"CA","city":"C","district":"0600001"`: &catalogue.School{
			Meta: meta(catalogue.KindSchool, "r"), ExternalID: "060000100001", Name: "S", Country: "USA", State: "CA", City: "C", DistrictID: &district,
		},
		`"kind":"school","externalId":"S-1","name":"S","country":"DEU","district":null`: &catalogue.School{
			Meta: meta(catalogue.KindSchool, "S-1"), ExternalID: "S-1", Name: "S", Country: "DEU",
		},
	} {
		if diff := cmp.Diff(want, apply(t, nil, `{"format":1,"source":"s",`+line+`}`)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestEachFaultOfOwnedThings(t *testing.T) {
	const (
		captions  = `{"format":1,"kind":"captions","video":"v","language":"eng",`
		material  = `{"format":1,"kind":"learning-material",`
		highlight = `{"format":1,"kind":"highlight","ref":"a",`
		other     = `"id":"0123456789abcdef01234567"`
	)
	for name, test := range map[string]struct{ line, want string }{
		"no video":       {`{"format":1,"kind":"captions","language":"eng"}`, `video: is required: lines of the kind captions are known by it`},
		"no language":    {`{"format":1,"kind":"captions","video":"v"}`, `language: is required: lines of the kind captions are known by it`},
		"neither":        {`{"format":1,"kind":"captions","ref":"a",` + other + `}`, `video: is required: lines of the kind captions are known by it; language: is required: lines of the kind captions are known by it`},
		"another id":     {captions + other + `}`, `id: "0123456789abcdef01234567" does not belong to the video and language: leave it out`},
		"material's id":  {material + `"video":"v",` + other + `}`, `id: "0123456789abcdef01234567" does not belong to the video: leave it out`},
		"of no video":    {material + `"learningOutcomes":["a"]}`, `video: is required: lines of the kind learning-material are known by it`},
		"both forms":     {captions + `"text":"WEBVTT\n\n00:01.000 --> 00:02.000\nx","cues":[{"start":0,"end":1,"text":"x"}]}`, `text: must not be given beside "cues"`},
		"a file's fault": {captions + `"text":"WEBVTT\n\n00:01.000 --> 00:02\nx"}`, `text: line 3: "00:02" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"no text":        {captions + `"text":null}`, `text: must not be null`},
		"no cues":        {captions + `"cues":[]}`, `cues: has 0 elements, 1 to 50000 are allowed`},
		"a cue's end":    {captions + `"cues":[{"start":5,"end":5,"text":"x"}]}`, `cues[0].end: 5 seconds are not between the start and 24 hours`},
		"order":          {captions + `"cues":[{"start":5,"end":6,"text":"x"},{"start":4,"end":6,"text":"y"}]}`, `cues[1].start: starts before the previous cue`},
		"part of a cue":  {captions + `"cues":[{"start":5,"text":""}]}`, `cues[0].end: is required`},
		"many cues":      {captions + `"cues":[` + strings.Repeat(`{"start":1,"end":2,"text":"x"},`, 50_000) + `{}]}`, `cues: has more than 50000 elements`},
		"negative":       {highlight + `"start":-1}`, `start: -1 is not a number of seconds`},
		"after a day":    {highlight + `"start":86400.001,"end":86401}`, `start: 86400.001 seconds are not between 0 and 24 hours; end: 86401 seconds are not between the start and 24 hours`},
		"backwards":      {highlight + `"start":2,"end":1}`, `end: 1 seconds are not between the start and 24 hours`},
		"no subtype":     {highlight + `"contentCategories":["film"]}`, `contentCategories[0]: "film" is not one of ANIMATION, CHALK_AND_TALK_PRESENTATION, DEMONSTRATION, DOCUMENTARY, HISTORICAL_ARCHIVE, INTERVIEW, LIVE_ARTS_PERFORMANCES, TALKING_HEAD`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, strings.Join(importline.Decode([]byte(test.line)).Faults.Reasons(), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEachFaultOfCurriculaAndPlaces(t *testing.T) {
	const (
		theme  = `{"format":1,"kind":"theme","ref":"a",`
		school = `{"format":1,"kind":"school",`
	)
	targets := func(n int) string {
		return theme + `"topics":[{"title":"T","targets":[` + strings.TrimSuffix(strings.Repeat(`{"title":"x"},`, n), ",") + `]}]}`
	}
	for name, test := range map[string]struct{ line, want string }{
		"slug":              {`{"format":1,"kind":"provider","ref":"a","slug":"A b"}`, `slug: "A b" is not 1 to 50 characters of a-z, 0-9 and hyphen`},
		"logo":              {`{"format":1,"kind":"provider","ref":"a","logoUrl":"logo.png"}`, `logoUrl: "logo.png" is not an absolute http or https address`},
		"a target's title":  {theme + `"topics":[{"title":"T"},{"title":"T","targets":[{"title":"x"},{"videos":[]}]}]}`, `topics[1].targets[1].title: is required`},
		"a target's video":  {theme + `"topics":[{"title":"T","targets":[{"title":"x","videos":["v",7]}]}]}`, `topics[0].targets[0].videos[1]: 7 is not an id, a reference or {"source": …, "ref": …}`},
		"a topic's number":  {theme + `"topics":[{"title":"T","index":null}]}`, `topics[0].index: must not be null`},
		"many targets":      {targets(5001), `topics[0].targets: has more than 5000 elements`},
		"country":           {school + `"externalId":"x","country":"US","state":"CA"}`, `country: "US" is not an ISO 3166-1 alpha-3 code`},
		"state":             {school + `"externalId":"x","country":"USA","state":"XX"}`, `state: "XX" is not a state of United States`},
		"state elsewhere":   {school + `"externalId":"x","country":"DEU","state":"BY"}`, `state: Germany has no states`},
		"no name":           {school + `"name":"S"}`, `ref: is required where there is no "id"`},
		"a name like an id": {school + `"externalId":"0123456789abcdef01234567"}`, `externalId: "0123456789abcdef01234567" has the form of an id, which other lines could not refer to: give a "ref" too`},
		"a blank name":      {school + `"externalId":" "}`, `ref: is required where there is no "id"`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, strings.Join(importline.Decode([]byte(test.line)).Faults.Reasons(), "; ")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if faults := importline.Decode([]byte(targets(5000))).Faults; len(faults) > 0 {
		t.Error(faults)
	}
}

// TestCaptionsKeepTheirCues checks that a line that omits the cues leaves them unchanged, whichever form they came in,
// and that a line with either form replaces them.
func TestCaptionsKeepTheirCues(t *testing.T) {
	const head = `{"format":1,"kind":"captions","video":"v","language":"eng"`
	stored := apply(t, nil, head+`,"text":"WEBVTT\n\n00:01.000 --> 00:02.000\nx"}`)
	kept := apply(t, stored, head+`,"humanGenerated":true}`).(*catalogue.Captions)
	if len(kept.Cues) != 1 || !kept.HumanGenerated {
		t.Errorf("%+v", kept)
	}
	for _, form := range []string{`"cues":[{"start":3,"end":4,"text":"y"}]`, `"text":"1\n00:03,000 --> 00:04,000\ny"`} {
		changed := apply(t, kept, head+","+form+`}`).(*catalogue.Captions)
		if diff := cmp.Diff([]catalogue.Cue{{Start: 3_000, End: 4_000, Text: "y"}}, changed.Cues); diff != "" {
			t.Errorf("%s: %s", form, diff)
		}
	}
}

// TestAPieceThatMovesIsJudgedWhole checks that a new end is validated against the stored start, and a new start against
// the stored end.
func TestAPieceThatMovesIsJudgedWhole(t *testing.T) {
	stored := apply(t, nil, `{"format":1,"kind":"highlight","ref":"a","video":"v","start":10,"end":20,"title":"T"}`)
	for field, want := range map[string]string{
		`"end":15`:   "",
		`"end":10`:   "end: 10 seconds are not between the start and 24 hours",
		`"start":20`: "end: 20 seconds are not between the start and 24 hours",
	} {
		_, faults := decode(t, fmt.Sprintf(`{"format":1,"kind":"highlight","ref":"a",%s}`, field)).Apply(stored)
		if strings.Join(faults.Reasons(), "; ") != want {
			t.Errorf("%s: %v", field, faults)
		}
	}
}
