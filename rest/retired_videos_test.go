package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// chain stores n videos named prefix followed by a, b, and so on. Each is retired into the next, except for the last,
// to which the function last is applied.
func (w *world) chain(prefix string, n int, last func(*catalogue.Video)) (names []string) {
	for i := n - 1; i >= 0; i-- {
		names = append([]string{prefix + string(rune('a'+i))}, names...)
		v := videoOf(names[0], "One of a chain", "lab")
		if i < n-1 {
			v.Retired, v.RetiredInto = true, new(idOf(names[1]))
		} else {
			last(v)
		}
		w.put(v)
	}
	return names
}

// TestReplacementsAreNotDeleted proves that a replacement cannot be deleted while a retired video refers to it.
func TestReplacementsAreNotDeleted(t *testing.T) {
	w := newWorld(t, options{})
	remove := func(reference string) []string {
		t.Helper()
		return w.graph(t, operator, `mutation { hal: deleteVideo(id: "`+string(idOf(reference))+`") }`, nil)
	}
	if codes := remove("floating"); !slices.Equal(codes, []string{"CONFLICT"}) {
		t.Errorf("a twin is deleted: %q", codes)
	}
	if got := w.get(t, customer, pathOf("duplicate")); got.StatusCode != http.StatusPermanentRedirect {
		t.Errorf("the duplicate leads nowhere: %d", got.StatusCode)
	}
	for _, reference := range []string{"duplicate", "floating"} {
		if codes := remove(reference); codes != nil {
			t.Errorf("%s is not deleted: %s", reference, codes)
		}
	}
}

// TestReplacementsAreShown proves that no video can be retired into one that no caller sees.
func TestReplacementsAreShown(t *testing.T) {
	w := newWorld(t, options{})
	retire := func(into string) []string {
		t.Helper()
		return w.graph(t, operator, `mutation { hal: retireVideo(id: "`+string(idOf("boats"))+`", into: "`+string(idOf(into))+`") { id } }`, nil)
	}
	for _, into := range []string{"expired", "retired", "duplicate", "boats", "nothing"} {
		if codes := retire(into); !slices.Equal(codes, []string{"INVALID"}) {
			t.Errorf("into %s it is retired: %q", into, codes)
		}
		if got := w.get(t, customer, pathOf("boats")); got.StatusCode != http.StatusOK {
			t.Errorf("after %s it answers %d", into, got.StatusCode)
		}
	}
	if codes := retire("floating"); codes != nil {
		t.Errorf("it is not retired: %q", codes)
	}
}

// TestReplacementsOfReplacements proves that a request for any retired video of a chain is redirected to the last one, if the caller
// sees it.
func TestReplacementsOfReplacements(t *testing.T) {
	w := newWorld(t, options{})
	leads := func(as, from, to string) {
		t.Helper()
		got := w.get(t, as, pathOf(from))
		if got.StatusCode != http.StatusPermanentRedirect || got.Header.Get("Location") != base+pathOf(to) {
			t.Errorf("%s as %s: got %d to %s, want %s", from, as, got.StatusCode, got.Header.Get("Location"), pathOf(to))
		}
	}
	open := w.chain("open", catalogue.MaxReplacements+1, func(*catalogue.Video) {})
	for _, from := range open[:len(open)-1] {
		leads(customer, from, open[len(open)-1])
	}
	hidden := w.chain("hidden", 3, func(v *catalogue.Video) { v.ChannelID = idOf("private") })
	leads(operator, hidden[0], hidden[2])
	wantRejection(t, w.get(t, customer, pathOf(hidden[0])), http.StatusNotFound, string(idOf(hidden[0])))

	for name, chain := range map[string][]string{
		"longer than is followed":       w.chain("long", catalogue.MaxReplacements+2, func(*catalogue.Video) {}),
		"that ends with a retired one":  w.chain("ended", 3, func(v *catalogue.Video) { v.Retired = true }),
		"that ends with an expired one": w.chain("expired", 3, func(v *catalogue.Video) { v.AvailableUntil = new(day("2026-03-03")) }),
		"in a circle":                   w.chain("round", 3, func(v *catalogue.Video) { v.Retired, v.RetiredInto = true, new(idOf("rounda")) }),
		"into nothing":                  w.chain("void", 2, func(v *catalogue.Video) { v.Retired, v.RetiredInto = true, new(idOf("nothing")) }),
	} {
		got := w.get(t, customer, pathOf(chain[0]))
		if got.StatusCode != http.StatusNotFound || !strings.Contains(string(got.body), string(idOf(chain[0]))) {
			t.Errorf("a chain %s: got %d %s", name, got.StatusCode, got.body)
		}
	}
}

// TestListsShowReplacements proves that collections, themes and search rules that name a retired video show its replacement
// once, at the first place, to callers who see it, and that callers change the asset by either ID.
func TestListsShowReplacements(t *testing.T) {
	w := newWorld(t, options{})
	path := w.create(t, learner, fmt.Sprintf(`{"title":"Water","videos":[%q,%q,%q]}`, idOf("ending"), idOf("minimal"), idOf("boats")))
	remark := func(video, text string) string {
		return fmt.Sprintf(`{"comment":{"videoId":%q,"text":%q}}`, idOf(video), text)
	}
	for _, video := range []string{"minimal", "boats"} {
		if got := w.sendJSON(t, learner, "POST", path+"/comments", remark(video, video)); got.StatusCode != http.StatusOK {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
	}
	w.put(
		&catalogue.Theme{
			Meta: metaOf("streams"), ProviderID: idOf("openscience"), Title: "Streams",
			Topics: []catalogue.ThemeTopic{{Title: "Streams", Targets: []catalogue.ThemeTarget{{Title: "Name streams", VideoIDs: idsOf("ending", "minimal", "boats")}}}},
		},
		&catalogue.SearchRule{Meta: metaOf("rule"), Query: "float", PinnedIDs: idsOf("ending", "minimal", "boats")},
	)
	retire := func(video, into string) {
		t.Helper()
		w.mutate(t, fmt.Sprintf(`retireVideo(id: %q, into: %q) { id }`, idOf(video), idOf(into)))
		w.awaitSearch(t)
	}
	shows := func(as string, want ...string) {
		t.Helper()
		query := fmt.Sprintf(`{ hal: collection(id: %q) { references videos { id } assets { id { videoId } video { id } } } }`, path[strings.LastIndexByte(path, '/')+1:])
		overGraph, code := w.graphQL(t, as, query, nil)
		theme := w.ok(t, as, "/v1/alignments/openscience/themes/"+string(idOf("streams")))["topics"].([]any)[0].(map[string]any)["targets"].([]any)[0].(map[string]any)
		found := idsIn(t, w.ok(t, as, "/v1/videos?query=float")["_embedded"].(map[string]any)["videos"])
		for where, got := range map[string][]string{
			"list": idsIn(t, w.ok(t, as, path)["videos"]), "details": idsIn(t, w.ok(t, as, path+"?projection=details")["videos"]),
			"GraphQL": idsIn(t, overGraph.(map[string]any)["videos"]), "theme": idsIn(t, theme["videos"]), "pins": found[:min(len(found), len(want))],
		} {
			if code != "" || !slices.Equal(got, videoIDs(want...)) {
				t.Errorf("%s as %s: %v %s, want %v", where, as, got, code, videoIDs(want...))
			}
		}
		for i, asset := range w.ok(t, as, path)["assets"].([]any) {
			asset := asset.(map[string]any)
			if id := string(idOf(want[i])); asset["id"].(map[string]any)["videoId"] != id || asset["video"].(map[string]any)["id"] != id {
				t.Errorf("the asset %d is %v", i, asset)
			}
		}
		if ids := theme["videoIds"].([]any); len(ids) != len(want) {
			t.Errorf("the theme names %v", ids)
		}
	}
	stored := w.stored(t, path)
	retire("ending", "floating")
	shows(learner, "floating", "minimal", "boats")
	retire("minimal", "boats")
	shows(learner, "floating", "boats")
	retire("floating", "secretVideo")
	shows(learner, "boats")
	shows(operator, "secretVideo", "boats")
	w.mutate(t, fmt.Sprintf(`restoreVideo(id: %q) { id }`, idOf("floating")))
	w.awaitSearch(t)

	comments := func() (n int) {
		return len(w.ok(t, learner, path)["assets"].([]any)[1].(map[string]any)["comments"].([]any))
	}
	for _, video := range []string{"boats", "minimal"} {
		if got := w.sendJSON(t, learner, "POST", path+"/comments", remark(video, "either")); got.StatusCode != http.StatusOK {
			t.Errorf("a comment on %s: %d %s", video, got.StatusCode, got.body)
		}
	}
	if n := comments(); n != 4 {
		t.Errorf("of four comments, %d are shown", n)
	}
	// A client that sends back what it read keeps what is stored, with its comments.
	w.wantNoContent(t, learner, "PUT", path+"/videos/"+string(idOf("floating")), "")
	if got := w.stored(t, path); !slices.Equal(got, stored) {
		t.Errorf("stored are %v, want %v", got, stored)
	}
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"videos":[%q,%q]}`, idOf("floating"), idOf("boats")))
	if got := w.stored(t, path); !slices.Equal(got, []string{stored[0], stored[2]}) {
		t.Errorf("stored are %v", got)
	}
	shows(learner, "floating", "boats")
	w.wantNoContent(t, learner, "DELETE", path+"/videos/"+string(idOf("floating")), "")
	w.wantNoContent(t, learner, "DELETE", path+"/videos/"+string(idOf("minimal")), "")
	if got := w.stored(t, path); got != nil {
		t.Errorf("stored remain %v", got)
	}
}

// TestReplacementsWidenNoPackage proves that a content package with a collection does not show the replacement of a video of
// the collection, even if a user sends back what the collection shows.
func TestReplacementsWidenNoPackage(t *testing.T) {
	w := newWorld(t, options{})
	w.limitToCollection(t, "shared")
	w.mutate(t, fmt.Sprintf(`retireVideo(id: %q, into: %q) { id }`, idOf("floating"), idOf("battle")))
	path := pathOfCollection("shared")
	w.wantNoContent(t, classmate, "PATCH", path, fmt.Sprintf(`{"videos":[%q]}`, idOf("battle")))
	if got := idsIn(t, w.ok(t, classmate, path)["videos"]); !slices.Equal(got, videoIDs("battle")) {
		t.Errorf("the collection shows %v", got)
	}
	w.wantHidden(t, guest, "floating", "battle")
}
