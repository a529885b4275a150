package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// explainedSearch is the result of explainSearch.
type explainedSearch struct {
	Words []struct {
		Word                         string
		Stems, Synonyms, Corrections []string
		Videos                       int
	}
	Phrases     []string
	MatchLevels []struct {
		TyposForgiven bool
		OptionalWords int
		Matches       *int
		Chosen        bool
	}
	ByMeaning      bool
	Pinned, Buried []string
	Total          int
	Video          *struct {
		Place               *int
		Missing, ExcludedBy []string
		Words               []struct {
			Word  string
			Texts []string
		}
		Similarity              *float64
		Pinned, Buried, Boosted bool
	}
}

const explainSearchQuery = `query($query: String!, $filter: VideoFilter, $video: ID) { hal: explainSearch(query: $query, filter: $filter, video: $video) {
	words { word stems synonyms corrections videos } phrases matchLevels { typosForgiven optionalWords matches chosen } byMeaning pinned buried total
	video { place missing excludedBy words { word texts } similarity pinned buried boosted } } }`

func (w *world) explain(t *testing.T, query string, filter map[string]any, reference string) explainedSearch {
	t.Helper()
	variables := map[string]any{"query": query, "filter": filter}
	if reference != "" {
		variables["video"] = idOf(reference)
	}
	data, code := w.graphQL(t, operator, explainSearchQuery, variables)
	if code != "" {
		t.Fatalf("%q is not explained: %s", query, code)
	}
	var explained explainedSearch
	check(json.Unmarshal(must(json.Marshal(data)), &explained))
	return explained
}

func TestSearchIsExplained(t *testing.T) {
	w := shared()
	e := w.explain(t, `the boats baots "by the water"`, nil, "")
	if len(e.Words) != 3 || e.Words[0].Word != "boats" || fmt.Sprint(e.Words[0].Stems) != "[boat boats]" || e.Words[0].Videos < 1 || e.Words[1].Videos != 0 || !slices.Contains(e.Words[1].Corrections, "boats") {
		t.Errorf("the words are %+v", e.Words)
	}
	if fmt.Sprint(e.Phrases) != "[by the water]" || e.ByMeaning || e.Video != nil {
		t.Errorf("%+v", e)
	}
	if len(e.MatchLevels) < 3 || e.MatchLevels[0].TyposForgiven || *e.MatchLevels[0].Matches != 0 || e.MatchLevels[0].Chosen || !e.MatchLevels[1].Chosen || e.Total != *e.MatchLevels[1].Matches {
		t.Errorf("the match levels are %+v, of %d results", e.MatchLevels, e.Total)
	}
	if _, code := w.graphQL(t, customer, explainSearchQuery, map[string]any{"query": "boats"}); code != "FORBIDDEN" {
		t.Errorf("a customer gets the code %q", code)
	}
}

// TestMissingVideosAreExplained checks each reason for which a search does not find a video, and the place of one that it
// finds.
func TestMissingVideosAreExplained(t *testing.T) {
	w := newWorld(t, options{})
	if _, code := w.graphQL(t, operator, `mutation($boats: String!) { hal: createContentPackage(
		input: {id: "dry", name: "Dry", rules: [{type: ExcludedVideos, values: [$boats]}]}) { id } }`, map[string]any{"boats": idOf("boats")}); code != "" {
		t.Fatal(code)
	}
	found := w.explain(t, "wooden boats", nil, "boats").Video
	if found.Place == nil || *found.Place != 1 || len(found.Missing) > 0 || fmt.Sprint(found.Words) != "[{wooden [TITLE]} {boats [TITLE]}]" {
		t.Errorf("a video that is found: %+v", found)
	}
	for name, test := range map[string]struct {
		query, video       string
		filter             map[string]any
		missing, excluding string
	}{
		"words":            {"volcanoes", "boats", nil, "[WORDS]", "[]"},
		"a filter":         {"boats", "boats", map[string]any{"ageMin": 90, "promoted": nil}, "[FILTER]", "[ageMin]"},
		"two filters":      {"boats", "boats", map[string]any{"ids": []string{string(idOf("floating"))}, "ageMin": 90}, "[FILTER]", "[ids ageMin]"},
		"words and filter": {"volcanoes", "boats", map[string]any{"ageMin": 90}, "[WORDS FILTER]", "[ageMin]"},
		"no such video":    {"boats", "nowhere", nil, "[NOT_INDEXED]", "[]"},
		"a package":        {"boats", "boats", map[string]any{"contentPackage": "dry"}, "[NOT_VISIBLE]", "[]"},
		"retired":          {"withdrawn", "retired", nil, "[NOT_VISIBLE]", "[]"},
	} {
		got := w.explain(t, test.query, test.filter, test.video).Video
		if fmt.Sprint(got.Missing) != test.missing || fmt.Sprint(got.ExcludedBy) != test.excluding || got.Place != nil {
			t.Errorf("%s: missing for %v, excluded by %v, place %v; want %s and %s", name, got.Missing, got.ExcludedBy, got.Place, test.missing, test.excluding)
		}
	}
}
