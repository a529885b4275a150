package rest_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// bucket returns the hits and the name of a facet's bucket in a search; the hits are -1 if there is no such bucket.
func (w *world) bucket(t testing.TB, as, path, facet, key string) (hits float64, name any) {
	t.Helper()
	facets := w.ok(t, as, path)["facets"].(map[string]any)
	one, ok := facets[facet].(map[string]any)[key].(map[string]any)
	if !ok {
		return -1, nil
	}
	return one["hits"].(float64), one["name"]
}

// TestFieldsKeepTheirTypes proves that object fields of videos remain objects in HAL if nothing is known. GraphQL
// returns null.
func TestFieldsKeepTheirTypes(t *testing.T) {
	w := newWorld(t, options{})
	below := videoOf("below", "For the young", "lab")
	below.AgeRange = catalogue.AgeRange{Max: new(11)}
	above := videoOf("above", "For the grown", "lab")
	above.AgeRange = catalogue.AgeRange{Min: new(16)}
	long := videoOf("aDay", "A whole day", "lab")
	long.Playback.Duration = catalogue.Day
	w.put(below, above, long)
	w.awaitSearch(t)
	for reference, want := range map[string]string{
		"minimal": `{"label":"","max":null,"min":null}`, "below": `{"label":"up to 11","max":11,"min":null}`,
		"above": `{"label":"16+","max":null,"min":16}`, "floating": `{"label":"5-11","max":11,"min":5}`,
	} {
		if got := jsonOf(w.ok(t, customer, pathOf(reference))["ageRange"]); got != want {
			t.Errorf("%s: the age range is %s, want %s", reference, got, want)
		}
	}
	const und = `{"code":"und","displayName":"Undetermined"}`
	if got := jsonOf(w.ok(t, customer, pathOf("minimal"))["language"]); got != und {
		t.Errorf("a language that is not known is %s", got)
	}
	data, code := w.graphQL(t, customer, `query($id: String!) { hal: video(id: $id) { language { code } spokenLanguage { code displayName } } }`,
		map[string]any{"id": string(idOf("minimal"))})
	if got := jsonOf(data); code != "" || got != `{"language":null,"spokenLanguage":`+und+`}` {
		t.Errorf("GraphQL: %s %s", got, code)
	}

	found := referencesOf(t, w.ok(t, customer, "/v1/videos?language=und"))
	known := len(referencesOf(t, w.ok(t, customer, "/v1/videos?language=eng,fra,deu")))
	all := len(referencesOf(t, w.ok(t, customer, "/v1/videos")))
	if len(found) == 0 || len(found)+known != all || !slices.Contains(found, "minimal") || slices.Contains(found, "floating") {
		t.Errorf("language=und finds %v; %d of %d are known", found, known, all)
	}
	if hits, name := w.bucket(t, customer, "/v1/videos", "languages", "und"); int(hits) != len(found) || name != "Undetermined" {
		t.Errorf("the bucket und has %v hits and the name %v, want %d", hits, name, len(found))
	}
	if both := referencesOf(t, w.ok(t, customer, "/v1/videos?language=UND,eng")); len(both) <= len(found) {
		t.Errorf("language=UND,eng finds %v", both)
	}

	if hits, _ := w.bucket(t, customer, "/v1/videos", "durations", "PT20M-PT24H"); hits < 1 {
		t.Errorf("the last bucket has %v hits", hits)
	}
	without, _ := w.bucket(t, customer, "/v1/videos?duration=PT0S-PT23H59M", "durations", "PT20M-PT24H")
	filtered := referencesOf(t, w.ok(t, customer, "/v1/videos?duration=PT20M-PT24H"))
	if !slices.Contains(filtered, string(idOf("aDay"))) || int(without) != len(filtered) {
		t.Errorf("the bucket has %v hits, its filter finds %v", without, filtered)
	}
	if got := referencesOf(t, w.ok(t, customer, "/v1/videos?duration=PT1.5M-PT1.5M")); !slices.Contains(got, "minimal") {
		t.Errorf("PT1.5M finds %v", got)
	}
	for text, reason := range map[string]string{"P1Y": "no fixed length", "P1M-P2M": "no fixed length", "-PT5M": "negative"} {
		wantRejection(t, w.get(t, customer, "/v1/videos?duration="+url.QueryEscape(text)), http.StatusBadRequest, "duration: ", text, reason)
	}

	for _, as := range []string{viewer, customer} {
		warning := w.ok(t, as, pathOf("floating"))["contentWarnings"].([]any)[0].(map[string]any)
		if self := linkNames(warning)["self"]; !strings.HasSuffix(self, "/v1/content-warnings/"+string(idOf("flashes"))) {
			t.Errorf("as %s a content warning has the self link %q", as, self)
		}
	}
}

// TestPlacesWithoutParameters proves that the links to schools and districts work without query and state.
func TestPlacesWithoutParameters(t *testing.T) {
	w := newWorld(t, options{})
	var items []catalogue.Item
	for i, state := range []string{"CA", "DC"} {
		meta := func(kind catalogue.Kind) catalogue.Meta {
			return catalogue.Meta{ID: catalogue.DeriveID(kind, "test", state), Source: "test", Reference: state}
		}
		name := []string{"Second", "First"}[i]
		items = append(items,
			&catalogue.District{Meta: meta(catalogue.KindDistrict), ExternalID: state, Name: name, Country: "USA", State: state},
			&catalogue.School{Meta: meta(catalogue.KindSchool), ExternalID: state, Name: name, Country: "USA", State: state})
	}
	w.put(items...)
	names := func(path, kind string) (list []string) {
		for _, place := range w.ok(t, customer, path)["_embedded"].(map[string]any)[kind].([]any) {
			list = append(list, place.(map[string]any)["name"].(string))
		}
		return list
	}
	for _, kind := range []string{"schools", "districts"} {
		path := "/v1/" + kind + "?countryCode=USA"
		for deadline := time.Now().Add(20 * time.Second); len(names(path, kind)) < 2 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		}
		if got := names(path, kind); !slices.Equal(got, []string{"First", "Second"}) {
			t.Errorf("of the USA: %v", got)
		}
		if got := names(path+"&state=CA", kind); !slices.Equal(got, []string{"Second"}) {
			t.Errorf("of California: %v", got)
		}
		if got := names(path+"&query=first", kind); !slices.Equal(got, []string{"First"}) {
			t.Errorf("called first: %v", got)
		}
		wantRejection(t, w.get(t, customer, "/v1/"+kind), http.StatusBadRequest, "countryCode")
	}
}

// TestCommentsAnswerInFull proves that adding a comment answers with the collection and its details.
func TestCommentsAnswerInFull(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("mine")
	got := w.sendJSON(t, learner, "POST", path+"/comments", `{"comment":{"videoId":"`+string(idOf("boats"))+`","text":"Look"}}`)
	if got.StatusCode != http.StatusOK || jsonOf(got.json(t)) != jsonOf(w.ok(t, learner, path+"?projection=details")) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	for _, name := range []string{"tides", "draft"} { // one of the operator, and one of an operator's user
		document := w.ok(t, customer, pathOfCollection(name))
		owner, _ := document["owner"].(string)
		ownerName, _ := document["ownerName"].(string)
		if owner == "" || ownerName == "" {
			t.Errorf("%s: the owner is %v, called %v", name, document["owner"], document["ownerName"])
		}
	}
}
