package rest_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/rest"
)

// badValue is a percent-encoded value that a parameter refuses. The message contains the parameter's name and says; if
// says is "", the message contains the value itself.
type badValue struct{ value, says string }

func bad(values ...string) []badValue {
	list := make([]badValue, len(values))
	for i, value := range values {
		list[i].value = value
	}
	return list
}

var (
	badNumbers   = bad("x", "1.5", "-1", "1e2", "%D9%A1", "99999999999999999999", "0x1", "1,2")
	badBooleans  = bad("maybe", "2", "truee", "true,false")
	badDates     = bad("2026-02-30", "2026-13-01", "26-1-1", "2026-01-01T00:00:00Z", "yesterday", "01/02/2026")
	badDurations = bad("P1M", "P1Y", "-PT1M", "PT-1M", "PT", "P", "5", "PT1M30", "T1M", "PT1M1H", "PT1.5M1S", "P9999999999D", "PT1M%00")
	badRanges    = append(bad("PT2M-PT1M", "PT1M-", "-PT1M", "PT1M-PT2M-PT3M", "PT1M%E2%80%93PT2M", "120", "PT1M-x"), badDurations...)
	badAges      = bad("5", "5-", "-5", "11-5", "5-11-14", "a-b", "5%E2%80%9311", "0-151", "%2B5-11", "5.5-11")
)

// badValues returns invalid values of each parameter.
func badValues() map[string][]badValue {
	table := map[string][]badValue{
		"sort_by":          bad("TITLE_ASC", "DATE", "RELEASE_DATE,RELEASE_DATE"),
		"duration_min":     badDurations,
		"duration_max":     badDurations,
		"duration":         badRanges,
		"duration_facets":  append([]badValue{{strings.Repeat("PT1M-PT2M,", 21), "21 ranges"}}, badRanges...),
		"age_range":        badAges,
		"age_range_facets": append([]badValue{{strings.Repeat("5-11,", 21), "21 ranges"}}, badAges...),
		"source":           bad("ELSEWHERE", "SERVICE,YOUTUBE"),
		"age_range_min":    append(bad("151"), badNumbers...),
		"age_range_max":    append(bad("151"), badNumbers...),
		"size":             append(bad("0", "501"), badNumbers...),
		"page":             append(bad("10001"), badNumbers...),
		"type":             bad("FILM", "NEWS|STOCK"),
		"resource_types":   bad("EXAM"),
		"language":         bad("klingon", "e", "12"),
		"cefr_level":       bad("A0", "D1", "B1B2"),
		"subtype":          bad("CARTOON"),
	}
	for _, name := range []string{"released_date_from", "released_date_to", "updated_as_of"} {
		table[name] = badDates
	}
	for _, name := range []string{
		"subjects_set_manually", "promoted", "include_channel_facets", "include_education_level_facets", "include_topic_facets", "include_cefr_level_facets",
	} {
		table[name] = badBooleans
	}
	table["query"] = []badValue{{strings.Repeat("x", 2001), "2001 characters"}}
	return table
}

// anyText lists the parameters that accept any text: an unknown value matches nothing.
var anyText = []string{
	"best_for", "subject", "channel", "content_partner", "id", "category_code", "education_level", "content_package", "topics", "ngss_code", "ngss_grade",
}

// TestBadSearchParametersAreRefused proves that a bad value is refused with 400, that the message names parameter and
// value, and that no filter is applied in part.
func TestBadSearchParametersAreRefused(t *testing.T) {
	w := shared()
	table := badValues()
	for name, isList := range rest.SearchParameters() {
		t.Run(name, func(t *testing.T) {
			if len(table[name]) == 0 && !slices.Contains(anyText, name) {
				t.Error("no test gives it a bad value")
			}
			for _, bad := range table[name] {
				wantValueRejected(t, w, "/v1/videos?", name, bad)
				if isList { // one bad value invalidates the list
					for _, good := range filters()[name][:min(1, len(filters()[name]))] {
						wantValueRejected(t, w, "/v1/videos?"+good.query+"&", name, bad)
					}
				}
			}
			wantRejection(t, w.get(t, customer, "/v1/videos?"+name+"=%FF%FE"), http.StatusBadRequest, name, `\xff\xfe`)
			wantRejection(t, w.get(t, customer, "/v1/videos?"+name+"=%zz"), http.StatusBadRequest, "%zz")
			if isList {
				wantRejection(t, w.get(t, customer, "/v1/videos?"+name+"="+strings.Repeat("x,", 1001)), http.StatusBadRequest, name, "1001")
			} else {
				wantRejection(t, w.get(t, customer, "/v1/videos?"+name+"=first&"+name+"=second"), http.StatusBadRequest, name, "first", "second")
			}
		})
	}
}

func wantValueRejected(t *testing.T, w *world, path, name string, bad badValue) {
	t.Helper()
	says := bad.says
	if says == "" {
		says = strings.Trim(must(url.QueryUnescape(bad.value)), "\x00")
	}
	// The server splits a list first, so the message names the element.
	if strings.Contains(says, ",") && rest.SearchParameters()[name] {
		says, _, _ = strings.Cut(says, ",")
	}
	wantRejection(t, w.get(t, customer, path+name+"="+bad.value), http.StatusBadRequest, name, says)
}

func TestBadCombinationsAreRefused(t *testing.T) {
	w := shared()
	for query, parts := range map[string][]string{
		"size=500&page=20":                                          {"page 20", "size 500", "10000"},
		"size=1&page=10000":                                         {"page 10000", "size 1"},
		"page=100":                                                  {"page 100", "size 100"},
		"duration_min=PT2M&duration_max=PT1M":                       {"duration_min", "duration_max", "PT2M", "PT1M"},
		"age_range_min=12&age_range_max=11":                         {"age_range_min 12", "age_range_max 11"},
		"duration=PT1M&duration_min=PT2M&duration_max=PT1M":         {"duration_min", "duration_max"},
		"released_date_from=2022-01-01&released_date_to=2021-12-31": {"released_date_from 2022-01-01", "released_date_to 2021-12-31"},
		"duration=PT5M-PT1M":                                        {"duration:", "PT5M is longer than PT1M"},
		"duration=PT1M-PT6M-PT7M":                                   {"duration:", "PT1M-PT6M-PT7M", "a form like PT2M-PT5M"},
		"duration_facets=PT0S-PT1M,PT5M-PT1M":                       {"duration_facets:", "PT5M-PT1M"},
		"age_range=11-5":                                            {"age_range:", `"11-5"`, "11 is above 5"},
		"age_range=0-151":                                           {"age_range:", `"0-151"`, "at most 150"},
		"age_range_facets=3-5,11-5":                                 {"age_range_facets:", "11-5"},
		"size=x&page=1":                                             {"size", `"x"`},
		"query=a;b":                                                 {"semicolon"},
		"released_date_from=2026-01-01&query=%C3%28":                {"query", `\xc3`},
	} {
		wantRejection(t, w.get(t, customer, "/v1/videos?"+query), http.StatusBadRequest, parts...)
	}
	for _, good := range []string{"size=500&page=19", "size=1&page=9999", "size=499&page=19"} {
		w.ok(t, customer, "/v1/videos?"+good)
	}
}

// TestBadParametersElsewhere proves the same for the other routes.
func TestBadParametersElsewhere(t *testing.T) {
	w := shared()
	other := must(url.Parse(w.ok(t, customer, "/v1/feed/videos?size=1")["_links"].(map[string]any)["next"].(map[string]any)["href"].(string)))
	cursor := other.Query().Get("cursor_id")
	for path, parts := range map[string][]string{
		"/v1/feed/videos?size=0":                                       {"size", "0"},
		"/v1/feed/videos?size=1001":                                    {"size", "1001"},
		"/v1/feed/videos?size=ten":                                     {"size", "ten"},
		"/v1/feed/videos?updated_as_of=today":                          {"updated_as_of", "today"},
		"/v1/feed/videos?cursor_id=abc":                                {"cursor_id", "abc"},
		"/v1/feed/videos?cursor_id=" + cursor + "A":                    {"cursor_id", cursor + "A"},
		"/v1/feed/videos?cursor_id=" + cursor[:len(cursor)-1]:          {"cursor_id"},
		"/v1/feed/videos?cursor_id=%FF":                                {"cursor_id", `\xff`},
		"/v1/feed/videos?cursor_id=" + cursor + "&cursor_id=" + cursor: {"cursor_id", "2 times"},
		"/v1/subjects?visibility=some":                                 {"visibility", "some"},
		"/v1/subjects?marketSegment=K13":                               {"marketSegment", "K13"},
		"/v1/disciplines?visibility=no":                                {"visibility", "no"},
		"/v1/channels?projection=short":                                {"projection", "short"},
		"/v1/channels?sort_by=RANDOM":                                  {"sort_by", "RANDOM"},
		"/v1/channels?size=10001":                                      {"size", "10001"},
		"/v1/channels?page=-1":                                         {"page", "-1"},
		"/v1/channels?ingestType=FTP":                                  {"ingestType", "FTP"},
		"/v1/suggestions?query=":                                       {"query", "required"},
		"/v1/suggestions?query=" + strings.Repeat("x", 201):            {"query", "201"},
		pathOf("floating") + "?referer=a&referer=b":                    {"referer", "2 times"},
		pathOf("floating") + "/captions?language=x":                    {`language: "x"`},
		"/v1/schools?countryCode=US":                                   {`countryCode: "US"`},
		"/v1/schools?countryCode=USA&state=ZZ":                         {`state: "ZZ"`},
		"/v1/districts?countryCode=usa":                                {`countryCode: "usa"`},
	} {
		wantRejection(t, w.get(t, customer, path), http.StatusBadRequest, parts...)
	}
}

// TestChannelsAreFilteredAndOrdered proves that the channel list applies its filter and sort parameters.
func TestChannelsAreFilteredAndOrdered(t *testing.T) {
	w := shared()
	for query, want := range map[string]string{
		"":                                 "Harbour Films, Open Lab, Tube Class",
		"sort_by=NAME_DESC":                "Tube Class, Open Lab, Harbour Films",
		"sort_by=youtube_asc":              "Harbour Films, Open Lab, Tube Class",
		"sort_by=YOUTUBE_DESC":             "Tube Class, Harbour Films, Open Lab",
		"sort_by=CATEGORIES_ASC":           "Tube Class, Harbour Films, Open Lab",
		"sort_by=CATEGORIES_DESC":          "Open Lab, Harbour Films, Tube Class",
		"size=2":                           "Harbour Films, Open Lab",
		"size=2&page=1":                    "Tube Class",
		"size=2&page=2":                    "",
		"name=TUBE+class":                  "Tube Class",
		"name=tube":                        "",
		"name=private+lab":                 "",
		"categories=NH,PH":                 "Harbour Films, Open Lab",
		"categories=W&categories=x":        "Harbour Films",
		"ingestType=mrss,YOUTUBE":          "Harbour Films, Tube Class",
		"education_levels=4CL":             "Open Lab",
		"education_levels=4CA":             "",
		"education_levels=4CA&ingestType=": "",
	} {
		document := w.ok(t, customer, "/v1/channels?"+query)
		var names []string
		for _, channel := range document["_embedded"].(map[string]any)["channels"].([]any) {
			names = append(names, channel.(map[string]any)["name"].(string))
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if size := document["page"].(map[string]any)["size"]; size != float64(len(names)) {
			t.Errorf("%s: page.size is %v", query, size)
		}
	}
	var met []string
	for next := "/v1/channels?sort_by=NAME_DESC&size=1&projection=list"; next != ""; {
		document := w.ok(t, customer, next)
		links := linkNames(document)
		if links["self"] != base+next || !strings.HasSuffix(links["first"], "page=0") || !strings.HasSuffix(links["last"], "page=2") ||
			(links["prev"] != "") != (len(met) > 0) {
			t.Errorf("%s has the links %v", next, links)
		}
		met = append(met, document["_embedded"].(map[string]any)["channels"].([]any)[0].(map[string]any)["name"].(string))
		next = strings.TrimPrefix(links["next"], base)
	}
	if got := strings.Join(met, ", "); got != "Tube Class, Open Lab, Harbour Films" {
		t.Errorf("the links lead through %s", got)
	}
}
