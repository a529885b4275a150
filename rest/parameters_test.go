package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/rest"
)

// filtered is a query string of the search and the videos that it finds, in any order.
type filtered struct {
	query string
	want  []string
}

func refs(references ...string) []string { return references }

// filters returns valid values of each filter parameter, with the videos of visible() that each finds.
func filters() map[string][]filtered {
	floatingID, boatsID := string(idOf("floating")), string(idOf("boats"))
	lab, harbour, private := string(idOf("lab")), string(idOf("harbour")), string(idOf("private"))
	physics, history := string(idOf("physics")), string(idOf("history"))
	ofLab := refs("floating", "ending", "hostile")
	ofHarbour := refs("boats", "battle", "minimal")
	return map[string][]filtered{
		"query": {
			{"query=water", refs("floating", "boats", "battle")},
			{"query=%22wooden+boats%22", refs("boats")},
			{"query=%22boats+wooden%22", nil},
			{"query=++", visible()},
			{"query=%3F%21+%E2%80%A6+%22-%22+%C2%A9", visible()}, // no letter, digit or emoji
			{"query=%F0%9F%8C%8B", nil},                          // an emoji
			{"query=%E6%B0%B4", refs("hostile")},                 // in title and transcript
		},
		"best_for": {
			{"best_for=hook", refs("floating", "boats")},
			{"best_for=HOOK,Explainer", refs("floating")}, // all values
			{"best_for=hook&best_for=explainer", refs("floating")},
			{"best_for=hook,unheard", nil},
		},
		"duration": {
			{"duration=PT0S-PT2M", refs("floating", "battle", "minimal", "ending", "hostile")}, // both bounds
			{"duration=PT2M", refs("battle", "boats", "onYouTube")},
			{"duration=PT1M14S-PT1M14S,PT12M-PT12M", refs("floating", "boats")},
			{"duration=PT1M14S-PT1M14S&duration=pt12m-pt720s", refs("floating", "boats")},
			{"duration=P1W", nil},
		},
		"duration_min": {
			{"duration_min=PT12M", refs("boats", "onYouTube")},
		},
		"duration_max": {
			{"duration_max=PT1M14S", refs("floating")},
			{"duration_min=PT90S&duration_max=PT2M", refs("battle", "minimal", "ending", "hostile")},
			{"duration=PT12M-PT12M&duration_min=PT1H&duration_max=PT2H", refs("boats")}, // overridden
		},
		"released_date_from": {{"released_date_from=2022-02-02", refs("boats", "onYouTube")}},
		"released_date_to": {
			{"released_date_to=2019-09-09", refs("battle")},
			{"released_date_from=2021-05-17&released_date_to=2022-02-01", refs("floating")},
		},
		"source": {
			{"source=YOUTUBE", refs("onYouTube")},
			{"source=service", slices.DeleteFunc(visible(), func(r string) bool { return r == "onYouTube" })},
		},
		"age_range_min": {
			{"age_range_min=6", refs("boats")}, // the video's own bound must be known
			{"age_range_min=5", refs("floating", "boats")},
		},
		"age_range_max": {
			{"age_range_max=11", refs("floating", "battle")},
			{"age_range_min=5&age_range_max=11", refs("floating")},
		},
		"age_range": {
			{"age_range=10-20", refs("floating", "boats")},
			{"age_range=11-14", nil},                         // a single shared age does not suffice
			{"age_range=3-4", refs("battle")},                // an unknown lower bound counts as 3
			{"age_range=3-4,90-99", refs("battle", "boats")}, // an unknown upper bound counts as 99
		},
		"subject": {
			{"subject=" + physics, refs("floating", "onYouTube")},
			{"subject=" + physics + "," + history + "&subject=x", refs("floating", "onYouTube", "boats", "battle")},
			{"subject=Physics", nil},
		},
		"subjects_set_manually": {
			{"subjects_set_manually=true", refs("floating", "battle")},
			{"subjects_set_manually=No", refs("boats", "minimal", "ending", "hostile", "onYouTube")},
		},
		"promoted": {
			{"promoted=1", refs("floating")},
			{"promoted=off", slices.DeleteFunc(visible(), func(r string) bool { return r == "floating" })},
		},
		"channel": {
			{"channel=" + lab, ofLab},
			{"channel=harbour+FILMS", ofHarbour}, // a name, deprecated
			{"channel=" + lab + "&channel=Tube+Class", append(slices.Clone(ofLab), "onYouTube")},
			{"channel=" + private, nil},
			{"channel=unheard", nil},
		},
		"content_partner": {
			{"content_partner=" + harbour, ofHarbour},
			{"content_partner=Open+Lab&channel=Tube+Class", append(slices.Clone(ofLab), "onYouTube")},
		},
		"type": {
			{"type=news", refs("battle")},
			{"type=NEWS,STOCK", refs("battle", "boats")},
			{"type=INSTRUCTIONAL_CLIPS", refs("floating", "minimal", "ending", "hostile", "onYouTube")},
			{"type=PODCAST", nil},
		},
		"id": {
			{"id=" + floatingID, refs("floating")},
			{"id=" + floatingID + "," + boatsID + ",ffffffffffffffffffffffff", refs("floating", "boats")},
			{"id=1001", refs("floating")},
			{"id=malformed", nil},
			{"id=malformed,ALSO-malformed&id=7", nil},
			{"id=" + string(idOf("secretVideo")) + "," + string(idOf("expired")), nil},
		},
		"resource_types": {
			{"resource_types=LESSON_PLAN", refs("floating")},
			{"resource_types=Lesson+Guide,final_project", refs("floating", "boats")},
		},
		"category_code": {
			{"category_code=PHD", refs("floating")},
			{"category_code=P", ofLab}, // by an ancestor, and by the channel's codes
			{"category_code=PHD,NH", refs("floating", "boats", "battle", "minimal")},
		},
		"updated_as_of": {
			{"updated_as_of=2026-02-22", visible()},
			{"updated_as_of=2026-02-23", refs("onYouTube")},
			{"updated_as_of=2026-03-05", nil},
		},
		"language": {
			{"language=fra", refs("boats")},
			{"language=fre", refs("boats")}, // ISO 639-2/B
			{"language=fr,EN", refs("boats", "floating")},
			{"language=deu", nil},
		},
		"education_level": {
			{"education_level=4CA", refs("floating")},
			{"education_level=4CL&education_level=4CA", refs("floating", "boats")},
			{"education_level=9ZZ", nil},
		},
		"cefr_level": {
			{"cefr_level=b1", refs("floating")},
			{"cefr_level=B1,C1", refs("floating", "boats")},
		},
		"subtype": {
			{"subtype=ANIMATION", refs("floating")},
			{"subtype=demonstration,DOCUMENTARY", refs("floating", "boats")},
		},
		"topics": {
			{"topics=" + string(idOf("density")), refs("floating")},
			{"topics=" + string(idOf("density")) + "," + string(idOf("buoyancy")), refs("floating", "boats")},
			{"topics=x", nil},
		},
		"content_package": {{"content_package=anything", nil}, {"content_package=seaside", refs("boats", "minimal", "battle")}},
		"ngss_code":       {{"ngss_code=MS-PS1-1", nil}, {"ngss_code=a,PS2&ngss_code=c", refs("floating")}},
		"ngss_grade":      {{"ngss_grade=K-2", refs("floating")}, {"ngss_grade=6-8,K", refs("floating", "boats")}, {"ngss_grade=K", nil}},
	}
}

// notFilters lists the parameters that do not filter videos. Other tests cover them.
var notFilters = []string{
	"sort_by", "size", "page", "duration_facets", "age_range_facets", "include_channel_facets",
	"include_education_level_facets", "include_topic_facets", "include_cefr_level_facets",
}

func TestFilters(t *testing.T) {
	w := shared()
	table := filters()
	for name := range rest.SearchParameters() {
		if _, ok := table[name]; !ok && !slices.Contains(notFilters, name) {
			t.Errorf("no test gives %s a good value", name)
		}
	}
	for name, list := range table {
		for _, one := range list {
			t.Run(name+"/"+one.query, func(t *testing.T) {
				as := customer
				if name == "content_package" { // for the operator only
					as = operator
				}
				document := w.ok(t, as, "/v1/videos?"+one.query)
				got, want := referencesOf(t, document), slices.Sorted(slices.Values(one.want))
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("got %v, want %v", got, want)
				}
				if total := document["page"].(map[string]any)["totalElements"]; total != float64(len(want)) {
					t.Errorf("the total is %v, there are %d", total, len(want))
				}
			})
		}
	}
}

// TestFiltersNarrowTogether proves that different parameters are and-ed.
func TestFiltersNarrowTogether(t *testing.T) {
	got := referencesOf(t, shared().ok(t, customer, "/v1/videos?query=water&language=eng,fra&best_for=hook&duration_max=PT5M&type=INSTRUCTIONAL"))
	if !slices.Equal(got, refs("floating")) {
		t.Error(got)
	}
}

// TestEmptyParametersAreNotGiven proves that empty parameters count as absent and that unknown ones are ignored.
func TestEmptyParametersAreNotGiven(t *testing.T) {
	w := shared()
	var all []string
	for name := range rest.SearchParameters() {
		all = append(all, name+"=")
		all = append(all, name+"=+")
	}
	slices.Sort(all)
	for _, query := range []string{strings.Join(all, "&"), "unknown=1&SIZE=0&cursor_id=x", "duration_facets=,,&age_range_facets=,", "&&=&=x"} {
		got := referencesOf(t, w.ok(t, customer, "/v1/videos?"+query))
		slices.Sort(got)
		if !slices.Equal(got, slices.Sorted(slices.Values(visible()))) {
			t.Errorf("%s: %v", query, got)
		}
	}
	for _, path := range []string{
		"/v1/feed/videos?size=&updated_as_of=&cursor_id=&x=1", "/v1/subjects?visibility=&marketSegment=", "/v1/channels?size=&sort_by=&projection=&name=",
		"/v1/disciplines?visibility=", pathOf("floating") + "?referer=&projection=full",
	} {
		w.ok(t, customer, path)
	}
}

// TestValuesWithCommas proves that a value with commas is not split if it exists as a whole, and is split otherwise, first
// at the commas that are not percent-encoded. Hidden channels count as absent.
func TestValuesWithCommas(t *testing.T) {
	w := newWorld(t, options{})
	comma := &catalogue.Channel{Meta: metaOf("comma"), Name: "Smith, Jones & Co", IngestType: "MANUAL"}
	both := &catalogue.Channel{Meta: metaOf("both"), Name: "open lab, Harbour Films", IngestType: "MANUAL", Private: true}
	tag := &catalogue.Tag{Meta: metaOf("commaTag"), Label: "Start, middle"}
	video := videoOf("inComma", "By two people", "comma")
	video.BestForIDs = idsOf("commaTag", "hook")
	hidden := videoOf("inBoth", "In private", "both")
	w.put(comma, both, tag, video, hidden)
	w.awaitSearch(t)
	in := string(idOf("inComma"))
	lab, harbour := string(idOf("lab")), string(idOf("harbour"))
	inBoth := referencesOf(t, w.ok(t, customer, "/v1/videos?channel="+lab+"&channel="+harbour))
	withHook := referencesOf(t, w.ok(t, customer, "/v1/videos?best_for=hook&best_for=explainer"))
	for _, test := range []struct {
		query string
		want  []string
	}{
		{"channel=smith,+jones+%26+CO", []string{in}},
		{"channel=Smith%2C+Jones+%26+Co", []string{in}},
		{"content_partner=Smith,+Jones+%26+Co", []string{in}},
		{"channel=open+lab,harbour+films", inBoth},
		{"content_partner=" + lab + "," + harbour, inBoth},
		{"channel=Smith,+Jones+%26+Co&channel=" + lab + ",+" + harbour, append([]string{in}, inBoth...)},
		{"channel=Smith,Nobody", nil},
		{"best_for=start,+Middle", []string{in}},
		{"best_for=start,+Middle&best_for=hook", []string{in}},
		{"best_for=hook,explainer", withHook},
		{"best_for=start,hook", nil},
		{"best_for=Start%2C%20middle,hook", []string{in}}, // as RFC 6570 expands the list
		{"channel=" + lab + ",smith%2c+jones+%26+co," + harbour, append([]string{in}, inBoth...)},
		{"content_partner=" + lab + "%2C" + harbour + ",Smith%2C+Jones+%26+Co", append([]string{in}, inBoth...)},
		{"best_for=hook%2Cexplainer", withHook},
		{"id=" + in + "%2Cx,y", []string{in}}, {"duration=PT89%2C5S-PT90%2C5S,PT9H&channel=" + string(idOf("comma")), []string{in}},
		{"id=,,&id=", nil}, {"channel=,&channel=" + lab + "," + harbour, inBoth},
		{"id=" + in + ",", []string{in}},
	} {
		got := referencesOf(t, w.ok(t, customer, "/v1/videos?"+test.query))
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(test.want)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", test.query, got, want)
		}
	}
	// The operator sees the private channel with exactly that name.
	if got := referencesOf(t, w.ok(t, operator, "/v1/videos?channel=Open+Lab,+Harbour+Films")); !slices.Equal(got, []string{string(idOf("inBoth"))}) {
		t.Errorf("as the operator: %v", got)
	}
	// GraphQL lists are never split.
	for text, want := range map[string]float64{"Smith, Jones & Co": 1, lab + "," + harbour: 0} {
		data, code := w.graphQL(t, customer, `query($c: [String!]) { hal: searchVideos(filter: {channels: $c}) { total } }`, map[string]any{"c": []string{text}})
		if total := data.(map[string]any)["total"]; code != "" || total != want {
			t.Errorf("GraphQL finds %v of %q", total, text)
		}
	}
	if found := w.ok(t, customer, "/v1/alignments/themes?id=,"); len(found["_embedded"].(map[string]any)["themes"].([]any)) != 0 {
		t.Error("no theme has none of no ids")
	}
	wantRejection(t, w.get(t, customer, "/v1/videos?channel="+strings.Repeat("x,", catalogue.MaxFilterValues+1)), http.StatusBadRequest, "channel has 1001 values")
}

func TestSortAndPages(t *testing.T) {
	w := shared()
	byDate := refs("onYouTube", "boats", "floating", "hostile", "ending", "minimal", "battle")
	if got := referencesOf(t, w.ok(t, customer, "/v1/videos?sort_by=RELEASE_DATE")); !slices.Equal(got, byDate) {
		t.Errorf("by date: %v", got)
	}
	if got := referencesOf(t, w.ok(t, customer, "/v1/videos?sort_by=release_date&query=water")); !slices.Equal(got, refs("boats", "floating", "battle")) {
		t.Errorf("by date, with a text: %v", got)
	}
	for size := 1; size <= len(byDate)+1; size++ {
		var walked []string
		for page := 0; ; page++ {
			document := w.ok(t, customer, fmt.Sprintf("/v1/videos?sort_by=RELEASE_DATE&size=%d&page=%d", size, page))
			here := referencesOf(t, document)
			pages := (len(byDate) + size - 1) / size
			want := map[string]any{
				"size": float64(len(here)), "totalElements": float64(len(byDate)), "totalPages": float64(pages), "number": float64(page),
			}
			for name, value := range want {
				if got := document["page"].(map[string]any)[name]; got != value {
					t.Errorf("size %d, page %d: %s is %v, not %v", size, page, name, got, value)
				}
			}
			if page >= pages {
				if len(here) > 0 {
					t.Errorf("size %d: there are %v behind the last page", size, here)
				}
				break
			}
			walked = append(walked, here...)
		}
		if !slices.Equal(walked, byDate) {
			t.Errorf("pages of %d: %v", size, walked)
		}
	}
}

// TestAccountSubjectsReorderOnly proves that a history teacher sees history videos first, and as many videos as any
// other caller.
func TestAccountSubjectsReorderOnly(t *testing.T) {
	w := shared()
	anybody, theirs := w.ok(t, customer, "/v1/videos"), w.ok(t, teacher, "/v1/videos")
	got := referencesOf(t, theirs)
	if !slices.Equal(got[:2], refs("boats", "battle")) || len(got) != len(visible()) {
		t.Error(got)
	}
	if fmt.Sprint(anybody["facets"]) != fmt.Sprint(theirs["facets"]) {
		t.Error("the account's subjects change the facets")
	}
}

// hitsOf returns the hits of each bucket of a facet.
func hitsOf(t testing.TB, document map[string]any, facet string) map[string]float64 {
	t.Helper()
	if fmt.Sprint(document["facets"]) != fmt.Sprint(document["_embedded"].(map[string]any)["facets"]) {
		t.Error("the facets beside and inside _embedded differ")
	}
	hits := map[string]float64{}
	for key, bucket := range document["facets"].(map[string]any)[facet].(map[string]any) {
		hits[key] = bucket.(map[string]any)["hits"].(float64)
	}
	return hits
}

func TestFacets(t *testing.T) {
	w := shared()
	lab, harbour := string(idOf("lab")), string(idOf("harbour"))
	type counts = map[string]float64
	for _, test := range []struct {
		query, facet string
		want         counts
	}{
		{"", "channels", counts{}}, {"", "educationLevels", counts{}}, {"", "topics", counts{}}, {"", "cefrLevels", counts{}},
		{"include_channel_facets=true", "channels", counts{lab: 3, harbour: 3, string(idOf("tube")): 1}},
		{"include_channel_facets=false", "channels", counts{}},
		{"include_education_level_facets=yes", "educationLevels", counts{"4CA": 1, "4CL": 2}},
		{"include_topic_facets=on", "topics", counts{string(idOf("buoyancy")): 2, string(idOf("density")): 1}},
		{"include_cefr_level_facets=1", "cefrLevels", counts{"B1": 1, "C1": 1}},
		{"", "durations", counts{"PT0S-PT2M": 4, "PT2M-PT5M": 1, "PT5M-PT10M": 0, "PT10M-PT20M": 1, "PT20M-PT24H": 1}},
		{"duration_facets=PT60S-PT90S,PT90S-P1D&duration_facets=PT720S", "durations", counts{"PT1M-PT1M30S": 1, "PT1M30S-PT24H": 6, "PT12M-PT24H": 2}},
		{"", "ageRanges", counts{"3-5": 1, "5-9": 1, "9-11": 1, "11-14": 0, "14-16": 1, "16-99": 1}},
		{"age_range_facets=5-7,11-13", "ageRanges", counts{"5-7": 1, "11-13": 0}},
		{"", "resourceTypes", counts{"Lesson Guide": 1, "Activity": 1, "Final Project": 1}},
		{"", "videoTypes", counts{"INSTRUCTIONAL": 5, "NEWS": 1, "STOCK": 1}},
		{"", "bestForTags", counts{"Hook": 2, "Explainer": 1}},
		{"", "languages", counts{"eng": 1, "fra": 1, "und": 5}},
		{"", "videoSubtypes", counts{"ANIMATION": 1, "DEMONSTRATION": 1, "DOCUMENTARY": 1}},
		{"", "subjects", counts{string(idOf("physics")): 2, string(idOf("chemistry")): 1, string(idOf("history")): 2}},
		// A facet ignores its own filter and applies all others.
		{"type=NEWS", "videoTypes", counts{"INSTRUCTIONAL": 5, "NEWS": 1, "STOCK": 1}},
		{"type=NEWS", "languages", counts{"und": 1}},
		{"language=fra", "languages", counts{"eng": 1, "fra": 1, "und": 5}},
		{"language=fra&query=float", "languages", counts{"eng": 1}},
		{"duration=PT10M-PT1H", "durations", counts{"PT0S-PT2M": 4, "PT2M-PT5M": 1, "PT5M-PT10M": 0, "PT10M-PT20M": 1, "PT20M-PT24H": 1}},
		{"duration=PT10M-PT1H", "videoTypes", counts{"INSTRUCTIONAL": 1, "STOCK": 1}},
		{"age_range=5-9", "ageRanges", counts{"3-5": 1, "5-9": 1, "9-11": 1, "11-14": 0, "14-16": 1, "16-99": 1}},
		{"best_for=hook", "bestForTags", counts{"Hook": 2, "Explainer": 1}},
		// A selected channel is shown even without hits.
		{"include_channel_facets=true&channel=" + lab + "&type=STOCK", "channels", counts{harbour: 1, lab: 0}},
		{"include_channel_facets=true&channel=" + string(idOf("private")), "channels", counts{lab: 3, harbour: 3, string(idOf("tube")): 1}},
	} {
		t.Run(test.facet+"/"+test.query, func(t *testing.T) {
			got := hitsOf(t, w.ok(t, customer, "/v1/videos?size=1&"+test.query), test.facet)
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestBucketKeysAreFilters proves that a facet's key, used as a filter, finds as many videos as its bucket counts.
// Duration keys are only tested for validity.
func TestBucketKeysAreFilters(t *testing.T) {
	w := shared()
	facets := w.ok(t, customer, "/v1/videos?size=1&include_channel_facets=true&include_education_level_facets=true&include_topic_facets=true&include_cefr_level_facets=true")["facets"].(map[string]any)
	for facet, parameter := range map[string]string{
		"subjects": "subject", "bestForTags": "best_for", "resourceTypes": "resource_types", "videoTypes": "type", "channels": "channel",
		"educationLevels": "education_level", "topics": "topics", "languages": "language", "cefrLevels": "cefr_level", "videoSubtypes": "subtype",
	} {
		buckets := facets[facet].(map[string]any)
		if len(buckets) == 0 {
			t.Errorf("there are no buckets of %s", facet)
		}
		for key, bucket := range buckets {
			page := w.ok(t, customer, "/v1/videos?size=1&"+parameter+"="+url.QueryEscape(key))["page"].(map[string]any)
			if hits := bucket.(map[string]any)["hits"]; page["totalElements"] != hits {
				t.Errorf("%s %s: %v hits lead to %v videos", facet, key, hits, page["totalElements"])
			}
		}
	}
	if status := w.get(t, customer, "/v1/videos?duration=PT0S-PT2M%2CPT20M-PT24H").StatusCode; status != http.StatusOK {
		t.Errorf("bucket keys as a duration: %d", status)
	}
}
