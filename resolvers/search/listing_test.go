package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestListedVideos lists the videos of every state, in every order, with their flags and facets.
func TestListedVideos(t *testing.T) {
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	const fields = `{ total totalPages videos { video { title } hidden private expired missing } facets { subjects { hits } channels { name hits } } }`
	titles := func(arguments string) (all []string) {
		list := resolverstest.At(t, a.Do(t, `{ it: listedVideos`+arguments+` `+fields+` }`, nil), "it")
		for _, one := range resolverstest.At(t, list, "videos").([]any) {
			all = append(all, resolverstest.At(t, one, "video", "title").(string))
		}
		if total := fmt.Sprint(resolverstest.At(t, list, "total")); total != fmt.Sprint(len(all)) && !strings.Contains(arguments, "size") {
			t.Errorf("%s: the total is %s of %d", arguments, total, len(all))
		}
		return all
	}
	const floats, again, secrets, sinks = "Why things float", "Why things float, again", "Why secrets float", "Why things sink"
	for arguments, want := range map[string][]string{
		`(sortBy: TITLE)`:                    {secrets, floats, again, sinks},
		`(sortBy: TITLE, size: 2, page: 1)`:  {again, sinks},
		`(state: LIVE, sortBy: TITLE)`:       {floats, sinks},
		`(state: HIDDEN)`:                    {again},
		`(state: PRIVATE)`:                   {secrets},
		`(state: EXPIRED)`:                   nil,
		`(state: INCOMPLETE, sortBy: TITLE)`: {secrets, sinks},
		`(query: "secrets")`:                 {secrets},
		`(query: "float", state: HIDDEN)`:    {again},
		`(query: "absent")`:                  nil,
		`(filter: {subjects: ["` + string(resolverstest.Physics) + `"]}, sortBy: UPDATED)`: {floats},
		`(filter: {channels: ["Private Lab"]}, sortBy: RELEASED)`:                          {secrets},
	} {
		if got := titles(arguments); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", arguments, got, want)
		}
	}
	first := a.Do(t, `{ it: listedVideos(sortBy: TITLE, size: 1, facets: {channels: true}) `+fields+` }`, nil)
	resolverstest.WantAt(t, first, `{"facets":{"channels":[{"hits":3,"name":"Open Lab"},{"hits":1,"name":"Private Lab"}],"subjects":[{"hits":1}]},`+
		`"total":4,"totalPages":4,"videos":[{"expired":false,"hidden":false,"missing":["subjects","description"],"private":true,"video":{"title":"Why secrets float"}}]}`, "it")
	a.WantError(t, fault.Invalid, `"lessons"`, `{ listedVideos(filter: {contentPackage: "lessons"}) { total } }`, nil)
	a.WantError(t, fault.Invalid, "10000", `{ listedVideos(page: 200, size: 50) { total } }`, nil)
	// A video that was hidden a moment ago is still in the index as before, but not in the list.
	a.Do(t, `mutation($id: ID!) { retireVideo(id: $id) { id } }`, resolverstest.Object("id", resolverstest.IDOf(catalogue.KindVideo, "sinking")))
	resolverstest.WantAt(t, a.Do(t, `{ it: listedVideos(state: LIVE) { videos { video { title } } } }`, nil), `[{"video":{"title":"Why things float"}}]`, "it", "videos")
	if answer := resolverstest.Read(t, resolverstest.Post(t, a.Handler, resolverstest.Customer, resolverstest.RequestBody(`{ listedVideos { total } }`, nil))); len(answer.Errors) == 0 {
		t.Error("customers list hidden videos")
	}
}

func TestVideoCounts(t *testing.T) {
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	a.Do(t, `mutation($input: DisciplineInput!) { createDiscipline(input: $input) { id } }`,
		resolverstest.Object("input", resolverstest.Object("code", "science", "name", "Science", "subjects", []any{string(resolverstest.Physics)})))
	counts := func(kind string) string {
		return fmt.Sprint(resolverstest.At(t, a.Do(t, `{ it: videoCounts(kind: `+kind+`) { videos } }`, nil), "it"))
	}
	for kind, want := range map[string]string{
		"SUBJECT": "[map[videos:1]]", "CHANNEL": "[map[videos:3] map[videos:1]]", "DISCIPLINE": "[map[videos:1]]", "TAG": "[]", "TOPIC": "[]", "EDUCATION_LEVEL": "[]",
	} {
		if got := counts(kind); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
	a.WantError(t, fault.Invalid, `"video"`, `{ videoCounts(kind: VIDEO) { videos } }`, nil)
}

func TestPreviewContentPackage(t *testing.T) {
	a := &resolverstest.Administration{Handler: resolverstest.NewEndpoint(t)}
	preview := func(rules string) any {
		return resolverstest.At(t, a.Do(t, `{ it: previewContentPackage(rules: [`+rules+`]) { shown hidden shownExamples { title } hiddenExamples { title } } }`, nil), "it")
	}
	resolverstest.WantAt(t, preview(`{type: IncludedSubjects, values: ["`+string(resolverstest.Physics)+`"]}`),
		`{"hidden":1,"hiddenExamples":[{"title":"Why things sink"}],"shown":1,"shownExamples":[{"title":"Why things float"}]}`)
	resolverstest.WantAt(t, preview(``), `0`, "hidden")
	resolverstest.WantAt(t, preview(`{type: IncludeAllPrivateChannels}`), `3`, "shown")
	for rules, says := range map[string]string{
		`{type: IncludedSubjects, values: ["` + strings.Repeat("0", 24) + `"]}`:                       "there is no subject",
		`{type: ExcludedChannels, values: ["Open Lab"]}`:                                              "is not an id; the channel with this name has the id",
		`{type: ExcludedVideoTypes, values: ["FILM"]}`:                                                "FILM",
		`{type: ExcludedVideoTypes, values: ["NEWS"]}, {type: ExcludedVideoTypes, values: ["STOCK"]}`: "rules[1]",
	} {
		a.WantError(t, fault.Invalid, says, `{ previewContentPackage(rules: [`+rules+`]) { shown } }`, nil)
	}
}
