package rest_test

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest"
)

// TestPunctuationIsNoQuery proves that every search answers a text without a letter, a digit or an emoji like an empty
// text.
func TestPunctuationIsNoQuery(t *testing.T) {
	w := shared()
	mine := "/v1/users/" + learnerID + "/collections?"
	for _, text := range []string{"!?", "\u2026 -- \u00a9", `"..." "'"`, "\ufe0f", "\U0001f3fd"} {
		query := "query=" + url.QueryEscape(text)
		for _, one := range []struct{ as, path string }{
			{customer, "/v1/videos?size=3&include_channel_facets=true&"},
			{customer, "/v1/videos?subject=" + string(idOf("physics")) + "&"},
			{learner, "/v1/collections?discoverable=true&"},
			{learner, mine}, {learner, mine + "partial_title_match=true&"},
			{customer, "/v1/schools?countryCode=USA&"}, {customer, "/v1/districts?countryCode=USA&state=CA&"},
		} {
			got, want := w.ok(t, one.as, one.path+query), w.ok(t, one.as, strings.TrimRight(one.path, "?&"))
			delete(got, "_links")
			delete(want, "_links")
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s%s differs from the answer without a query:\n%v\n%v", one.path, query, got, want)
			}
		}
		for _, list := range []string{"channels", "subjects", "phrases"} {
			if found := w.ok(t, customer, "/v1/suggestions?"+query)[list].([]any); len(found) != 0 {
				t.Errorf("%q suggests the %s %v", text, list, found)
			}
		}
		wantRejection(t, w.get(t, customer, "/v1/highlights?"+query), http.StatusBadRequest, "query is required")
		total := func(query string) any {
			data, _ := w.graphQL(t, customer, `query($q: String) { hal: searchVideos(query: $q) { total references } }`, map[string]any{"q": query})
			return data
		}
		if got, want := total(text), total(""); !reflect.DeepEqual(got, want) {
			t.Errorf("GraphQL: %q finds %v, no text %v", text, got, want)
		}
	}
	// The search ignores a phrase of punctuation beside words.
	if got := referencesOf(t, w.ok(t, customer, "/v1/videos?query=water+%22--%22")); len(got) != 3 {
		t.Error(got)
	}
}

// TestEmojiAreFound proves that searches find emoji in titles of videos and collections, and nowhere else.
func TestEmojiAreFound(t *testing.T) {
	w := newWorld(t, options{})
	w.put(videoOf("erupts", "It erupts \U0001f30b", "lab"), videoOf("loves", "We \u2764\ufe0f biology", "lab"))
	w.awaitSearch(t)
	made := w.create(t, learner, `{"title":"Fire \ud83d\udd25","videos":[]}`)
	for text, want := range map[string][]string{
		"\U0001f30b": {string(idOf("erupts"))}, "\u2764": {string(idOf("loves"))}, "\U0001f30a": {}, "\"\u2764\ufe0f biology\"": {string(idOf("loves"))},
	} {
		if got := referencesOf(t, w.ok(t, customer, "/v1/videos?query="+url.QueryEscape(text))); !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string][]string{"\U0001f525": {strings.TrimPrefix(made, "/v1/collections/")}, "\U0001f30a": nil} {
		got := w.listed(t, learner, "/v1/users/"+learnerID+"/collections?query="+url.QueryEscape(text))
		if !slices.Equal(got, want) {
			t.Errorf("collections: %q finds %v, want %v", text, got, want)
		}
	}
}

// TestListsWithoutValues proves that a list of commas only is an empty list, which matches nothing. Facets have no such
// list and return their standard buckets.
func TestListsWithoutValues(t *testing.T) {
	w := shared()
	for name, isList := range rest.SearchParameters() {
		if !isList || slices.Contains(notFilters, name) {
			continue
		}
		for _, value := range []string{",", "+,+,", ",&" + name + "="} {
			document := w.ok(t, customer, "/v1/videos?"+name+"="+value)
			if got := referencesOf(t, document); len(got) != 0 || document["page"].(map[string]any)["totalElements"] != float64(0) {
				t.Errorf("%s=%s finds %v", name, value, got)
			}
		}
	}
	all := w.ok(t, customer, "/v1/videos")
	if got := w.ok(t, customer, "/v1/videos?duration_facets=,&age_range_facets=,"); !reflect.DeepEqual(got["facets"], all["facets"]) {
		t.Error("facets without buckets differ from the standard ones")
	}
	for as, paths := range map[string][]string{
		learner: {
			"/v1/collections?subject=,", "/v1/collections?promotedFor=,", "/v1/collections?resource_types=,", "/v1/collections?age_range=,",
			"/v1/users/" + learnerID + "/collections?types=,",
		},
		customer: {"/v1/channels?categories=,", "/v1/channels?ingestType=,", "/v1/channels?education_levels=,", "/v1/alignments/themes?id=,",
			"/v1/highlights?query=water&threshold=0&channel=,", "/v1/highlights?query=water&threshold=0&education_level=,", "/v1/highlights?query=water&threshold=0&subtype=,"},
	} {
		for _, path := range paths {
			for list, found := range w.ok(t, as, path)["_embedded"].(map[string]any) {
				if found, isList := found.([]any); isList && len(found) > 0 {
					t.Errorf("%s finds %d %s", path, len(found), list)
				}
			}
		}
	}
}

// TestReversedRangesInGraphQL proves that a reversed range is INVALID and that the message names both ends.
func TestReversedRangesInGraphQL(t *testing.T) {
	w := shared()
	for query, parts := range map[string][]string{
		`{ hal: searchVideos(filter: {releasedFrom: "2022-01-01", releasedTo: "2021-12-31"}) { total } }`:                 {"releasedFrom", "releasedTo"},
		`{ hal: searchVideos(filter: {durations: [{min: "PT2M", max: "PT1M"}]}) { total } }`:                              {"min", "max"},
		`{ hal: searchVideos(filter: {ages: [{from: 9, to: 5}]}) { total } }`:                                             {"9-5"},
		`{ hal: searchVideos(filter: {ageMin: 9, ageMax: 5}) { total } }`:                                                 {"ageMin", "ageMax"},
		`{ hal: searchVideos(facets: {durations: [{min: "PT2M", max: "PT1M"}]}) { total facets { durations { key } } } }`: {"min", "max"},
		`{ hal: searchVideos(facets: {ages: [{from: 9, to: 5}]}) { total facets { ageRanges { key } } } }`:                {"9-5"},
		`{ hal: collections(filter: {ageMin: 9, ageMax: 5}) { total } }`:                                                  {"ageMin", "ageMax"},
		`{ hal: collections(filter: {ages: [{from: 9, to: 5}]}) { total } }`:                                              {"9-5"},
	} {
		answer := w.send(t, apiRequest{method: "POST", path: "/graphql", as: operator, header: map[string]string{"Content-Type": "application/json"}, body: `{"query":` + jsonOf(query) + `}`})
		body := string(answer.body)
		if !strings.Contains(body, string(fault.Invalid)) {
			t.Errorf("%s: %s", query, body)
		}
		for _, part := range parts {
			if !strings.Contains(body, part) {
				t.Errorf("%s: the error does not name %s: %s", query, part, body)
			}
		}
	}
}
