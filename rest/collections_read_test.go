package rest_test

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// TestCollectionsShowVideos proves that a list shows each video by ID and links, and details show it as its own
// document does. Both leave out videos that the caller may not see.
func TestCollectionsShowVideos(t *testing.T) {
	w := shared()
	for as, want := range map[string][]string{
		school: {"floating", "boats"}, operator: {"floating", "secretVideo", "boats"}, academy: {"boats"},
	} {
		listed := w.ok(t, as, pathOfCollection("tides"))
		for _, video := range listed["videos"].([]any) {
			video := video.(map[string]any)
			if len(video) != 2 || len(video["_links"].(map[string]any)) != 3 {
				t.Errorf("as %s a list shows of a video %v", as, video)
			}
		}
		details := w.ok(t, as, pathOfCollection("tides")+"?projection=details")
		for name, document := range map[string]map[string]any{"list": listed, "details": details} {
			if got := idsIn(t, document["videos"]); !slices.Equal(got, videoIDs(want...)) {
				t.Errorf("as %s, %s shows %v, want %v", as, name, got, want)
			}
			for i, asset := range document["assets"].([]any) {
				asset := asset.(map[string]any)
				if video := document["videos"].([]any)[i]; jsonOf(asset["video"]) != jsonOf(video) {
					t.Errorf("as %s, %s: the asset %d shows %s, not %s", as, name, i, jsonOf(asset["video"]), jsonOf(video))
				}
				if id := asset["id"].(map[string]any); id["videoId"] != videoIDs(want...)[i] || id["highlightId"] != nil {
					t.Errorf("as %s, %s: the asset %d is %v", as, name, i, id)
				}
			}
		}
		for i, reference := range want {
			if alone := w.ok(t, as, pathOf(reference)); jsonOf(details["videos"].([]any)[i]) != jsonOf(alone) {
				t.Errorf("as %s: details show of %s\n%s\nand not\n%s", as, reference, jsonOf(details["videos"].([]any)[i]), jsonOf(alone))
			}
		}
	}
}

// TestWhoReadsCollections proves that callers read the collections of their own account and of the operator by ID,
// discoverable or not. Lists show the discoverable ones of these and the caller's own.
func TestWhoReadsCollections(t *testing.T) {
	w := newWorld(t, options{})
	all := []string{"tides", "draft", "mine", "shared", "hers", "elsewhere"}
	for as, want := range map[string]struct{ read, discovered, kept []string }{
		school:    {[]string{"tides", "draft", "mine", "shared", "hers"}, []string{"tides", "shared"}, nil},
		learner:   {[]string{"tides", "draft", "mine", "shared", "hers"}, []string{"tides", "shared"}, []string{"mine"}},
		classmate: {[]string{"tides", "draft", "mine", "shared", "hers"}, []string{"tides", "shared"}, []string{"hers"}},
		guest:     {[]string{"tides", "draft", "elsewhere"}, []string{"tides", "elsewhere"}, nil},
		stranger:  {[]string{"tides", "draft"}, nil, nil},
		operator:  {all, []string{"tides", "shared", "elsewhere"}, []string{"draft", "mine", "hers"}},
	} {
		for _, name := range all {
			status := http.StatusNotFound
			if slices.Contains(want.read, name) {
				status = http.StatusOK
			}
			if got := w.get(t, as, pathOfCollection(name)); got.StatusCode != status {
				t.Errorf("%s as %s: got %d %s", name, as, got.StatusCode, got.body)
			}
		}
		if as == stranger {
			wantRejection(t, w.get(t, as, "/v1/collections"), http.StatusForbidden)
			continue
		}
		sameSet(t, as+" discovers", w.listed(t, as, "/v1/collections"), collectionIDs(want.discovered...))
		sameSet(t, as+" finds not discoverable", w.listed(t, as, "/v1/collections?discoverable=false"), collectionIDs(want.kept...))
	}
	sameSet(t, "the operator finds", w.listed(t, operator, "/v1/collections?ignore_discoverable=true"), collectionIDs(all...))
	sameSet(t, "of one owner", w.listed(t, operator, "/v1/collections?ignore_discoverable=true&owner="+classmateID), collectionIDs("shared", "hers"))
	sameSet(t, "of oneself", w.listed(t, classmate, "/v1/collections?discoverable=false&owner="+classmateID), collectionIDs("hers"))
	for parameter, value := range map[string]string{"ignore_discoverable": "true", "owner": classmateID} {
		wantRejection(t, w.get(t, learner, "/v1/collections?"+parameter+"="+value), http.StatusForbidden, parameter, "VIEW_ANY_COLLECTION")
	}
	for _, id := range []string{"x", "ffffffffffffffffffffffff", strings.ToUpper(string(collectionOf("tides"))), "%22"} {
		wantRejection(t, w.get(t, operator, "/v1/collections/"+id), http.StatusNotFound)
	}
}

// TestCollectionsWithoutAToken proves that, if anonymous access is enabled, callers without a token read only
// discoverable collections of the operator, by ID.
func TestCollectionsWithoutAToken(t *testing.T) {
	w := newWorld(t, options{config: func(c *wiring) { c.Anonymous = true }})
	document := w.ok(t, nobody, pathOfCollection("tides")+"?projection=details&referer="+ownerID)
	if got := idsIn(t, document["videos"]); !slices.Equal(got, videoIDs("floating", "boats")) {
		t.Errorf("anybody sees %v", got)
	}
	if links := linkNames(document); len(links) != 1 || links["self"] == "" {
		t.Errorf("anybody is shown %v", links)
	}
	for _, name := range []string{"draft", "mine", "shared", "elsewhere"} {
		wantRejection(t, w.get(t, nobody, pathOfCollection(name)), http.StatusNotFound)
	}
	for _, path := range []string{"/v1/collections", "/v1/users/" + learnerID + "/collections"} {
		wantRejection(t, w.get(t, nobody, path), http.StatusUnauthorized)
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		wantRejection(t, w.send(t, apiRequest{method: method, path: pathOfCollection("tides")}), http.StatusUnauthorized)
	}
	wantRejection(t, w.send(t, apiRequest{method: "POST", path: "/v1/collections", body: `{"title":"x"}`, header: jsonType}), http.StatusUnauthorized)
	closed := shared()
	wantRejection(t, closed.get(t, nobody, pathOfCollection("tides")), http.StatusUnauthorized)
}

// TestCollectionSearch proves that each parameter of the collection search finds the expected collections.
func TestCollectionSearch(t *testing.T) {
	w := newWorld(t, options{})
	physics := string(idOf("physics"))
	for query, want := range map[string][]string{
		"":                                     {"elsewhere", "shared", "tides"},
		"query=tide":                           {"elsewhere", "tides"},
		"query=current+tide":                   {},
		"query=tides+and+the":                  {},
		"query=sea+moves":                      {"tides"},
		"query=ide&partial_title_match=true":   {"elsewhere", "tides"},
		"query=ide":                            {},
		"query=%20":                            {"elsewhere", "shared", "tides"},
		"subject=x," + physics:                 {"tides"},
		"subject=x":                            {},
		"promoted=true":                        {"tides"},
		"promoted=false":                       {"elsewhere", "shared"},
		"promotedFor=CLASSROOM":                {"tides"},
		"promotedFor=library,classroom":        {"tides"},
		"promotedFor=LIBRARY":                  {},
		"resource_types=LESSON_PLAN,ACTIVITY":  {"tides"},
		"resource_types=ACTIVITY":              {},
		"has_lesson_plans=true":                {"tides"},
		"has_lesson_plans=false":               {"elsewhere", "shared", "tides"},
		"age_range=7-9":                        {"tides"},
		"age_range=3-5&age_range=5-7":          {},
		"age_range_min=7":                      {"tides"},
		"age_range_min=8":                      {},
		"age_range_min=3&age_range_max=11":     {"tides"},
		"age_range_max=10":                     {},
		"bookmarked=true":                      {"shared", "tides"},
		"bookmarked=false":                     {"elsewhere", "shared", "tides"},
		"bookmarked=true&promoted=true":        {"tides"},
		"sort_by=TITLE":                        {"shared", "tides", "elsewhere"},
		"sort_by=HAS_ATTACHMENT,TITLE":         {"tides", "shared", "elsewhere"},
		"sort_by=has_attachment&size=1":        {"tides"},
		"sort_by=TITLE&size=2&page=1":          {"elsewhere"},
		"sort_by=TITLE&page=3":                 {},
		"discoverable=true&sort_by=UPDATED_AT": {"elsewhere", "shared", "tides"},
		"unknown=1&page=&size=&owner=":         {"elsewhere", "shared", "tides"},
	} {
		as := operator
		if strings.HasPrefix(query, "bookmarked=true") {
			as = learner
		}
		got := w.listed(t, as, "/v1/collections?"+query)
		if !strings.Contains(query, "sort_by") {
			slices.Sort(got)
			sorted := collectionIDs(want...)
			slices.Sort(sorted)
			if !slices.Equal(got, sorted) {
				t.Errorf("%s finds %v, want %v", query, got, want)
			}
			continue
		}
		if strings.Contains(query, "UPDATED_AT") { // all have the same update time, so they are ordered by ID
			continue
		}
		if !slices.Equal(got, collectionIDs(want...)) {
			t.Errorf("%s finds %v, want %v", query, got, want)
		}
	}
}

// TestCollectionPages proves that a page describes itself and links to the next page and to both projections.
func TestCollectionPages(t *testing.T) {
	w := newWorld(t, options{}) // on other worlds, users who list their collections get a default one
	const path = "/v1/collections?ignore_discoverable=true&sort_by=TITLE&size=2"
	var met []string
	for next := path; next != ""; {
		document := w.ok(t, operator, next)
		links, page := linkNames(document), document["page"].(map[string]any)
		ids := idsIn(t, document["_embedded"].(map[string]any)["collections"])
		met = append(met, ids...)
		if page["totalElements"] != 6.0 || page["totalPages"] != 3.0 || page["size"] != float64(len(ids)) || page["number"] != float64(len(met)/2-1) {
			t.Errorf("%s: the page is %v", next, page)
		}
		if links["self"] != base+next {
			t.Errorf("%s calls itself %s", next, links["self"])
		}
		for _, projection := range []string{"list", "details"} {
			address := must(url.Parse(links[projection]))
			query := must(url.Parse(next)).Query()
			query.Set("projection", projection)
			if address.Path != "/v1/collections" || !maps.EqualFunc(address.Query(), query, slices.Equal) {
				t.Errorf("%s: %s leads to %s", next, projection, links[projection])
			}
			other := w.listed(t, operator, strings.TrimPrefix(links[projection], base))
			if !slices.Equal(other, ids) {
				t.Errorf("%s: %s shows %v", next, projection, other)
			}
		}
		next = strings.TrimPrefix(links["next"], base)
	}
	if slices.Sort(met); len(slices.Compact(met)) != 6 {
		t.Errorf("the walk met %v", met)
	}
	empty := w.ok(t, operator, "/v1/collections?query=zzzz")
	if list := empty["_embedded"].(map[string]any)["collections"].([]any); len(list) != 0 || empty["page"].(map[string]any)["totalPages"] != 0.0 || linkNames(empty)["next"] != "" {
		t.Errorf("nothing is found as %v", empty)
	}
}

// TestUserCollections proves that a user's collections are the owned and the saved ones. The user's first request
// creates the default collection.
func TestUserCollections(t *testing.T) {
	w := newWorld(t, options{})
	mine := "/v1/users/" + learnerID + "/collections"
	first := w.ok(t, learner, mine+"?sort_by=IS_DEFAULT,TITLE")["_embedded"].(map[string]any)["collections"].([]any)
	standard := first[0].(map[string]any)
	if standard["title"] != collection.DefaultTitle || standard["mine"] != true || standard["owner"] != learnerID || standard["ownerName"] != "Ada Lovelace" {
		t.Fatalf("the first collection is %v", standard)
	}
	links := linkNames(standard)
	for _, rel := range []string{"edit", "safeEdit", "remove", "bookmark", "unbookmark"} {
		if links[rel] != "" {
			t.Errorf("the default one shows %s", rel)
		}
	}
	if links["addVideo"] == "" || links["removeVideo"] == "" {
		t.Errorf("the default one shows %v", links)
	}
	watchLater := standard["id"].(string)
	names := map[string]string{watchLater: "default"}
	for _, name := range []string{"tides", "draft", "mine", "shared", "hers", "elsewhere"} {
		names[string(collectionOf(name))] = name
	}
	for query, want := range map[string]string{
		"":                                     "default mine shared tides",
		"bookmarked=false":                     "default mine",
		"bookmarked=false&types=OWNED":         "default mine",
		"types=SERVICE_SHARED":                 "tides",
		"types=USER_SHARED":                    "shared",
		"types=user_shared,SERVICE_SHARED":     "shared tides",
		"types=USER_SHARED&bookmarked=false":   "",
		"can_edit=true":                        "default mine shared",
		"can_edit=false&bookmarked=true":       "default mine shared tides",
		"query=tide":                           "tides",
		"query=floats":                         "shared",
		"query=LATE&partial_title_match=true":  "default",
		"query=late":                           "",
		"bookmarked=true&types=OWNED&query=my": "mine",
	} {
		var got []string
		for _, id := range w.listed(t, learner, mine+"?"+query) {
			got = append(got, names[id])
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	if got := w.listed(t, learner, mine+"?sort_by=TITLE"); names[got[0]] != "shared" || names[got[1]] != "mine" || names[got[3]] != "default" {
		t.Errorf("by title: %v", got)
	}
	w.advance(time.Hour)
	w.wantNoContent(t, learner, "PATCH", pathOfCollection("mine"), `{"description":"newer"}`)
	if got := w.listed(t, learner, mine); names[got[0]] != "mine" {
		t.Errorf("the newest is %s", names[got[0]])
	}
	for _, as := range []string{classmate, school, guest} {
		wantRejection(t, w.get(t, as, mine), http.StatusForbidden)
	}
	others := w.ok(t, operator, mine+"?types=OWNED")["_embedded"].(map[string]any)["collections"].([]any)
	if len(others) != 2 || others[0].(map[string]any)["mine"] != false {
		t.Errorf("the operator sees %v", others)
	}
	if got := w.listed(t, operator, "/v1/users/"+guestID+"/collections"); !slices.Equal(got, collectionIDs("elsewhere")) {
		t.Errorf("a look of another's makes %v", got)
	}
}

// TestDefaultCollectionIsMadeOnce proves that concurrent first requests create one default collection.
func TestDefaultCollectionIsMadeOnce(t *testing.T) {
	w := newWorld(t, options{})
	w.token(t, guest)
	met := make([][]string, 20)
	together(len(met), func(i int) { met[i] = w.listed(t, guest, "/v1/users/"+guestID+"/collections?sort_by=IS_DEFAULT") })
	for _, ids := range met {
		if len(ids) != 2 || ids[0] != met[0][0] {
			t.Errorf("one look shows %v, another %v", ids, met[0])
		}
	}
}

// TestDetailsComeFromTheCache proves that a list with details reads no video from the catalogue once its videos have
// been rendered.
func TestDetailsComeFromTheCache(t *testing.T) {
	w := newWorld(t, options{})
	const path = "/v1/collections?projection=details"
	cold := w.get(t, school, path)
	before := w.documents.put.Load()
	for _, as := range []string{school, learner} { // learner sees other links and the same videos
		if got := w.get(t, as, path); got.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	}
	if after := w.documents.put.Load(); after != before {
		t.Errorf("%d documents are rendered again", after-before)
	}
	again := w.send(t, apiRequest{as: school, path: path, header: map[string]string{"If-None-Match": cold.Header.Get("Etag")}})
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("what has not changed is answered with %d", again.StatusCode)
	}
	w.advance(time.Minute)
	w.put(videoOf("boats", "Boats, renamed", "harbour"))
	if body := string(w.get(t, school, path).body); !strings.Contains(body, "Boats, renamed") {
		t.Error("a page that is kept hides a change")
	}
	check(w.collections.ForgetVideos(t.Context(), []catalogue.ID{idOf("boats")}))
	if body := string(w.get(t, school, path).body); strings.Contains(body, "Boats, renamed") {
		t.Error("a video stays that was forgotten")
	}
}

func sameSet(t *testing.T, what string, got, want []string) {
	t.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s %v, want %v", what, got, want)
	}
}
