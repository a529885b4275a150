package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// together runs n calls of a function concurrently.
func together(n int, do func(i int)) {
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { do(i) })
	}
	running.Wait()
}

// TestCreateCollection proves that a new collection is shown in the answer, with details, and at the address in
// Location.
func TestCreateCollection(t *testing.T) {
	w := newWorld(t, options{})
	body := fmt.Sprintf(`{"title":"Ships","description":"d","videos":[%q,%q,"1001","ffffffffffffffffffffffff"],"subjects":[%q,%q],"discoverable":true,`+
		`"assets":[{"videoId":%q},{"videoId":%q,"note":"n","segment":{"start":0.5,"end":2.25}}],"unknown":[null]}`,
		idOf("boats"), base+pathOf("boats")+"?x=1", idOf("physics"), idOf("physics"), idOf("floating"), idOf("minimal"))
	got := w.sendJSON(t, learner, "POST", "/v1/collections", body)
	if got.StatusCode != http.StatusCreated || got.Header.Get("Content-Type") != "application/hal+json" {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	document := got.json(t)
	path := strings.TrimPrefix(got.Header.Get("Location"), base)
	if jsonOf(document) != jsonOf(w.ok(t, learner, path+"?projection=details")) {
		t.Errorf("what is created is shown as %s", got.body)
	}
	if ids := idsIn(t, document["videos"]); !slices.Equal(ids, videoIDs("boats", "floating", "minimal")) {
		t.Errorf("it has the videos %v", ids)
	}
	last := document["assets"].([]any)[2].(map[string]any)
	if last["note"] != "n" || jsonOf(last["segment"]) != `{"end":2.25,"start":0.5}` {
		t.Errorf("its last asset is %v", last)
	}
	for field, want := range map[string]any{
		"title": "Ships", "description": "d", "discoverable": true, "public": true, "promoted": false, "mine": true, "createdBy": "Teacher",
		"owner": learnerID, "ownerName": "Ada Lovelace", "ageRange": nil,
	} {
		if document[field] != want {
			t.Errorf("%s is %v, want %v", field, document[field], want)
		}
	}
	if subjects := idsIn(t, document["subjects"]); !slices.Equal(subjects, []string{string(idOf("physics"))}) {
		t.Errorf("its subjects are %v", subjects)
	}
	if found := w.listed(t, classmate, "/v1/collections?query=ships"); len(found) != 1 {
		t.Errorf("it is found as %v", found)
	}
	for as, want := range map[string][3]any{operator: {"Service", operator, operator}, owner: {"Service", ownerID, operator}} {
		document := w.sendJSON(t, as, "POST", "/v1/collections", `{"title":"Ours"}`).json(t)
		if document["createdBy"] != want[0] || document["owner"] != want[1] || document["ownerName"] == "" || document["discoverable"] != false {
			t.Errorf("as %s: %v", as, document)
		}
	}
	wantRejection(t, w.sendJSON(t, school, "POST", "/v1/collections", `{"title":"Whose"}`), http.StatusBadRequest, "no user")
}

// TestUpdateCollection proves that an update changes the given fields, keeps absent ones, and clears those that are
// null or empty lists.
func TestUpdateCollection(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("mine")
	shown := func() map[string]any { return w.ok(t, learner, path+"?projection=details") }
	before := shown()
	w.wantNoContent(t, learner, "PATCH", path, "")
	w.wantNoContent(t, learner, "PATCH", path, "{}")
	if jsonOf(shown()) != jsonOf(before) {
		t.Error("nothing changes something")
	}
	w.advance(time.Minute)
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"title":"T","description":"D","subjects":[%q],"discoverable":true,"ageRange":{"min":5,"max":7},`+
		`"attachment":{"linkToResource":"https://files.example/a?b=1&c=2","type":"LESSON_PLAN","description":"Plan"},"subCollections":[%q]}`,
		idOf("history"), collectionOf("hers")))
	after := shown()
	for field, want := range map[string]string{
		"title": `"T"`, "description": `"D"`, "discoverable": "true", "ageRange": `{"label":"5-7","max":7,"min":5}`, "videos": jsonOf(before["videos"]),
		"assets": jsonOf(before["assets"]),
	} {
		if jsonOf(after[field]) != want {
			t.Errorf("%s is %s, want %s", field, jsonOf(after[field]), want)
		}
	}
	attachment := after["attachments"].([]any)[0].(map[string]any)
	if attachment["type"] != "LESSON_PLAN" || attachment["description"] != "Plan" || linkNames(attachment)["download"] != "https://files.example/a?b=1&c=2" {
		t.Errorf("the attachment is %v", attachment)
	}
	if parts := idsIn(t, after["subCollections"]); !slices.Equal(parts, collectionIDs("hers")) {
		t.Errorf("the parts are %v", parts)
	}
	if after["updatedAt"] == before["updatedAt"] {
		t.Error("updatedAt stays")
	}
	// A video that stays keeps its note, segment and comments; others are added and removed.
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"videos":[%q,%q,%q]}`, idOf("minimal"), idOf("boats"), idOf("minimal")))
	assets := shown()["assets"].([]any)
	if ids := idsIn(t, shown()["videos"]); !slices.Equal(ids, videoIDs("minimal", "boats")) {
		t.Errorf("the videos are %v", ids)
	}
	if kept := assets[1].(map[string]any); kept["note"] != "From the harbour on" || len(kept["comments"].([]any)) != 1 {
		t.Errorf("what stays is %v", kept)
	}
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"assets":[{"videoId":%q,"note":"new"}]}`, idOf("boats")))
	if kept := shown()["assets"].([]any)[0].(map[string]any); kept["note"] != "new" || kept["segment"] != nil || len(kept["comments"].([]any)) != 1 {
		t.Errorf("what is said anew is %v", kept)
	}
	w.wantNoContent(t, learner, "PATCH", path, `{"videos":[],"subjects":[],"description":null,"ageRange":null,"attachment":null,"subCollections":[]}`)
	cleared := shown()
	for _, field := range []string{"videos", "assets", "subjects", "attachments", "subCollections"} {
		if len(cleared[field].([]any)) != 0 {
			t.Errorf("%s is %v", field, cleared[field])
		}
	}
	if cleared["description"] != nil || cleared["ageRange"] != nil || cleared["title"] != "T" {
		t.Errorf("what is cleared shows %v", cleared)
	}
	w.wantNoContent(t, learner, "PATCH", path, `{"ageRange":{"max":9}}`)
	if shown()["ageRange"] != nil {
		t.Error("a range without min counts")
	}
}

// TestOptimisticLock proves that a change based on an outdated version is refused, and that one of several concurrent
// changes succeeds.
func TestOptimisticLock(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("mine")
	safe := func() string { return strings.TrimPrefix(linkNames(w.ok(t, learner, path))["safeEdit"], base) }
	stale := safe()
	if strings.ContainsAny(strings.SplitN(stale, "?", 2)[1], ":+") {
		t.Errorf("%s is not escaped", stale)
	}
	w.wantNoContent(t, learner, "PATCH", stale, `{"title":"One"}`)
	wantRejection(t, w.sendJSON(t, learner, "PATCH", stale, `{"title":"Two"}`), http.StatusConflict)
	if title := w.ok(t, learner, path)["title"]; title != "One" {
		t.Errorf("the title is %v", title)
	}
	w.wantNoContent(t, learner, "PATCH", safe(), `{"title":"Three"}`)
	for _, moment := range []string{"2126-01-01T00:00:00Z", "2126-01-01T00:00:00.123456789+01:00"} {
		w.wantNoContent(t, learner, "PATCH", path+"?last_updated_at="+url.QueryEscape(moment), "{}")
	}
	w.wantNoContent(t, learner, "PATCH", path+"?last_updated_at=2126-01-01T00:00:00+01:00", "{}")
	wantRejection(t, w.sendJSON(t, learner, "PATCH", path+"?last_updated_at=yesterday", "{}"), http.StatusBadRequest, "last_updated_at", "yesterday")

	for round := range 5 {
		var won, lost atomic.Int64
		address := safe()
		together(8, func(i int) {
			switch got := w.sendJSON(t, learner, "PATCH", address, fmt.Sprintf(`{"title":"By %d in %d"}`, i, round)); got.StatusCode {
			case http.StatusNoContent:
				won.Add(1)
			case http.StatusConflict:
				lost.Add(1)
			}
		})
		if won.Load() != 1 || lost.Load() != 7 {
			t.Errorf("%d win, %d lose", won.Load(), lost.Load())
		}
	}
}

// TestVideosComeAndGo proves that adding and removing a video are idempotent and need no body, and that concurrent
// additions are all kept.
func TestVideosComeAndGo(t *testing.T) {
	w := newWorld(t, options{})
	path := w.create(t, learner, `{"title":"Empty"}`)
	videos := func() []string { return idsIn(t, w.ok(t, learner, path)["videos"]) }
	of := func(reference string) string { return path + "/videos/" + string(idOf(reference)) }
	for range 2 {
		w.wantNoContent(t, learner, "PUT", of("floating"), "")
		w.wantNoContent(t, learner, "PUT", of("boats"), "")
		w.wantNoContent(t, learner, "PUT", path+"/videos/1001", "") // another ID of floating
		w.wantNoContent(t, learner, "PUT", of("duplicate"), "")     // a video that floating replaces
	}
	if got := videos(); !slices.Equal(got, videoIDs("floating", "boats")) {
		t.Errorf("the videos are %v", got)
	}
	for _, video := range []string{"secretVideo", "expired", "retired"} {
		wantRejection(t, w.send(t, apiRequest{as: learner, method: "PUT", path: of(video)}), http.StatusNotFound)
	}
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "PUT", path: path + "/videos/x"}), http.StatusNotFound)
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "PUT", path: of("boats") + "?highlight_id=x"}), http.StatusNotFound, "highlight")
	for range 2 {
		w.wantNoContent(t, learner, "DELETE", path+"/videos/1001", "")
		w.wantNoContent(t, learner, "DELETE", path+"/videos/nothing", "")
	}
	if got := videos(); !slices.Equal(got, videoIDs("boats")) {
		t.Errorf("the videos are %v", got)
	}
	for i := range 20 {
		w.put(videoOf(fmt.Sprintf("many-%d", i), "Many", "lab"))
	}
	together(20, func(i int) {
		if got := w.send(t, apiRequest{as: learner, method: "PUT", path: of(fmt.Sprintf("many-%d", i))}); got.StatusCode != http.StatusNoContent {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	})
	got := videos()
	if len(got) != 21 || got[0] != string(idOf("boats")) {
		t.Errorf("of 20 at once there are %d: %v", len(got)-1, got)
	}
}

// TestBookmarks proves that saving a collection answers with the collection and the opposite link, and does not change
// the collection.
func TestBookmarks(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("hers")
	before := w.ok(t, learner, path)
	w.advance(time.Hour)
	for _, saved := range []bool{true, true, false, false, true} {
		got := w.send(t, apiRequest{as: learner, method: "PATCH", path: fmt.Sprintf("%s?bookmarked=%v", path, saved), header: formType})
		if got.StatusCode != http.StatusOK {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
		document := got.json(t)
		links := linkNames(document)
		if (links["unbookmark"] != "") != saved || (links["bookmark"] != "") == saved {
			t.Errorf("bookmarked=%v shows %v", saved, links)
		}
		if document["updatedAt"] != before["updatedAt"] || len(document["videos"].([]any)) != 0 {
			t.Errorf("bookmarked=%v: %v", saved, document)
		}
		listed := w.listed(t, learner, "/v1/users/"+learnerID+"/collections")
		if slices.Contains(listed, string(collectionOf("hers"))) != saved {
			t.Errorf("bookmarked=%v lists %v", saved, listed)
		}
	}
	tides := w.send(t, apiRequest{as: learner, method: "PATCH", path: pathOfCollection("tides") + "?bookmarked=true", body: "{}", header: jsonType}).json(t)
	if len(tides["videos"].([]any)) != 0 || len(tides["assets"].([]any)) != 0 {
		t.Errorf("a bookmark shows %v", tides)
	}
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "PATCH", path: pathOfCollection("mine") + "?bookmarked=true"}), http.StatusBadRequest)
	wantRejection(t, w.send(t, apiRequest{as: school, method: "PATCH", path: path + "?bookmarked=true"}), http.StatusBadRequest, "no user")
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "PATCH", path: pathOfCollection("elsewhere") + "?bookmarked=true"}), http.StatusNotFound)
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "PATCH", path: path + "?bookmarked=perhaps"}), http.StatusBadRequest, "bookmarked")
}

// TestComments proves who may comment, who sees comments, and who may delete them.
func TestComments(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("mine")
	remark := func(video, text string) string {
		return fmt.Sprintf(`{"comment":{"videoId":%q,"text":%q}}`, idOf(video), text)
	}
	got := w.sendJSON(t, learner, "POST", path+"/comments", remark("boats", "Thank you"))
	if got.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	said := func(as, path string) (texts []string) {
		for _, asset := range w.ok(t, as, path)["assets"].([]any) {
			for _, comment := range asset.(map[string]any)["comments"].([]any) {
				comment := comment.(map[string]any)
				texts = append(texts, fmt.Sprintf("%s <%s>: %s", comment["name"], comment["email"], comment["text"]))
			}
		}
		return texts
	}
	theirs, ours := "Grace <grace@school.example>: Nice boats", "Ada Lovelace <ada@school.example>: Thank you"
	if texts := said(learner, path); !slices.Equal(texts, []string{theirs, ours}) {
		t.Errorf("the owner sees %v", texts)
	}
	if texts := said(classmate, path); !slices.Equal(texts, []string{theirs, "Ada Lovelace <>: Thank you"}) {
		t.Errorf("who saved it sees %v", texts)
	}
	if texts := said(school, path); texts != nil {
		t.Errorf("others see %v", texts)
	}
	if texts := said(learner, pathOfCollection("tides")); texts != nil {
		t.Errorf("of the operator's a learner sees %v", texts)
	}
	if texts := said(operator, pathOfCollection("tides")); len(texts) != 1 {
		t.Errorf("the operator sees %v", texts)
	}
	wantRejection(t, w.sendJSON(t, learner, "POST", path+"/comments", remark("minimal", "x")), http.StatusNotFound)
	wantRejection(t, w.sendJSON(t, school, "POST", path+"/comments", remark("boats", "x")), http.StatusForbidden)
	wantRejection(t, w.sendJSON(t, guest, "POST", path+"/comments", remark("boats", "x")), http.StatusNotFound)
	ownID := got.json(t)["assets"].([]any)[0].(map[string]any)["comments"].([]any)[1].(map[string]any)["id"].(string)
	wantRejection(t, w.send(t, apiRequest{as: classmate, method: "DELETE", path: path + "/comments/" + ownID}), http.StatusForbidden)
	for range 2 {
		w.wantNoContent(t, classmate, "DELETE", path+"/comments/"+string(collectionOf("remark")), "")
		w.wantNoContent(t, learner, "DELETE", path+"/comments/"+ownID, "")
	}
	if texts := said(learner, path); texts != nil {
		t.Errorf("there remain %v", texts)
	}
}

// TestUserDeletedMeanwhile checks that nothing of a user remains who is deleted while a request stores it.
func TestUserDeletedMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		user, id, name, method, path, body string
	}{
		"a collection":            {learner, learnerID, "Ada Lovelace", "POST", "/v1/collections", `{"title":"Ships"}`},
		"a comment":               {classmate, classmateID, "Grace Hopper", "POST", pathOfCollection("mine") + "/comments", fmt.Sprintf(`{"comment":{"videoId":%q,"text":"Thank you"}}`, idOf("boats"))},
		"a bookmark":              {learner, learnerID, "Ada Lovelace", "PATCH", pathOfCollection("hers") + "?bookmarked=true", `{}`},
		"the default collection":  {guest, guestID, "Gus Guest", "GET", "/v1/users/" + guestID + "/collections", ``},
		"a bookmark that is gone": {learner, learnerID, "Ada Lovelace", "PATCH", pathOfCollection("shared") + "?bookmarked=false", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, options{})
			w.collections.(*indexedCollections).meanwhile = func() {
				if _, code := w.graphQL(t, operator, `mutation { hal: deleteUser(id: "`+c.id+`") }`, nil); code != "" {
					t.Error(code)
				}
			}
			header := jsonType
			if c.method == "GET" {
				header = nil
			}
			wantRejection(t, w.send(t, apiRequest{as: c.user, method: c.method, path: c.path, body: c.body, header: header}), http.StatusForbidden, "has been deleted")
			of := must(w.collections.UserCollections(t.Context(), c.id))
			if len(of.Own)+len(of.Saved) > 0 {
				t.Errorf("there remain %+v", of)
			}
			all := must(w.collections.Scan(t.Context(), "", 100))
			if text := jsonOf(all); strings.Contains(text, c.name) {
				t.Errorf("%s remains in %s", c.name, text)
			}
		})
	}
}

// TestDeletedUserStoresNothing checks that a user who was deleted before a request, whose token still counts, can store
// nothing, and that the request deletes nothing: the users, and not the collections, may come from an older backup.
func TestDeletedUserStoresNothing(t *testing.T) {
	w := newWorld(t, options{})
	w.ok(t, learner, pathOfCollection("mine")) // gets the token
	check(w.accounts.Edit(t.Context(), account.Actor{}, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.KindUser.Key(learnerID))
	}))
	before := jsonOf(must(w.collections.UserCollections(t.Context(), learnerID)))
	for _, a := range []apiRequest{
		{method: "POST", path: "/v1/collections", body: `{"title":"Ships"}`},
		{method: "POST", path: pathOfCollection("mine") + "/comments", body: fmt.Sprintf(`{"comment":{"videoId":%q,"text":"Thank you"}}`, idOf("boats"))},
		{method: "PATCH", path: pathOfCollection("hers") + "?bookmarked=true", body: `{}`},
	} {
		a.as, a.header = learner, jsonType
		wantRejection(t, w.send(t, a), http.StatusForbidden, "has been deleted")
	}
	if after := jsonOf(must(w.collections.UserCollections(t.Context(), learnerID))); after != before {
		t.Errorf("got %s, had %s", after, before)
	}
}

// TestWhoChangesCollections proves that a change of a collection that the caller cannot read is answered with 404, and
// of another user's collection with 403.
func TestWhoChangesCollections(t *testing.T) {
	w := newWorld(t, options{})
	video := string(idOf("boats"))
	for _, operation := range []struct {
		method, path, body string
		allowed            []string // the callers who may change "mine"; classmate saved it without permission to edit
	}{
		{"PATCH", "", `{"title":"x"}`, []string{learner, operator}},
		{"PATCH", "", `{}`, []string{learner, operator}},
		{"PUT", "/videos/" + video, "", []string{learner, operator}},
		{"DELETE", "/videos/" + video, "", []string{learner, operator}},
		{"PATCH", "/permissions", `{"anyone":"VIEW_ONLY"}`, []string{learner}},
		{"PATCH", "", `{"promoted":true}`, []string{operator}},
		{"PATCH", "", `{"promotedFor":["LIBRARY"]}`, []string{operator}},
		{"DELETE", "", "", []string{operator}},
	} {
		for as, refusal := range map[string]int{
			learner: http.StatusForbidden, classmate: http.StatusForbidden, school: http.StatusForbidden, operator: http.StatusForbidden,
			guest: http.StatusNotFound, stranger: http.StatusForbidden,
		} {
			if operation.method == "DELETE" && operation.path == "" && as == learner {
				continue // the owner may delete it
			}
			if slices.Contains(operation.allowed, as) {
				continue // tested below
			}
			got := w.send(t, apiRequest{as: as, method: operation.method, path: pathOfCollection("mine") + operation.path, body: operation.body, header: map[string]string{"Content-Type": contentTypeOf(operation.body)}})
			if got.StatusCode != refusal {
				t.Errorf("%s %s %s as %s: got %d %s", operation.method, operation.path, operation.body, as, got.StatusCode, got.body)
			}
		}
		for _, as := range operation.allowed {
			w.wantNoContent(t, as, operation.method, pathOfCollection("mine")+operation.path, operation.body)
		}
	}
	wantRejection(t, w.get(t, learner, pathOfCollection("mine")), http.StatusNotFound)
	wantRejection(t, w.send(t, apiRequest{as: learner, method: "DELETE", path: pathOfCollection("mine")}), http.StatusNotFound)
	if found := w.listed(t, learner, "/v1/collections?discoverable=false"); len(found) != 0 {
		t.Errorf("what is deleted is found: %v", found)
	}
	if _, err := w.catalogue.Videos(t.Context(), idsOf("boats")); err != nil || w.get(t, learner, pathOf("boats")).StatusCode != http.StatusOK {
		t.Error("its videos went with it")
	}
	w.wantNoContent(t, learner, "DELETE", w.create(t, learner, `{"title":"Short"}`), "")
}

// TestSharedEditing proves that users who saved a collection may change its content if the owner permits editing, and
// nothing else.
func TestSharedEditing(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("shared")
	links := linkNames(w.ok(t, learner, path))
	for _, rel := range []string{"edit", "safeEdit", "addVideo", "removeVideo", "addComment", "unbookmark"} {
		if links[rel] == "" {
			t.Errorf("%s is not shown", rel)
		}
	}
	for _, rel := range []string{"remove", "updatePermissions", "bookmark"} {
		if links[rel] != "" {
			t.Errorf("%s is shown", rel)
		}
	}
	w.wantNoContent(t, learner, "PATCH", path, fmt.Sprintf(`{"title":"Ours","description":"d","subjects":[],"videos":[%q]}`, idOf("boats")))
	w.wantNoContent(t, learner, "PUT", path+"/videos/"+string(idOf("minimal")), "")
	if name := w.ok(t, learner, path)["ownerName"]; name != "Grace Hopper" {
		t.Errorf("it is called %v's", name)
	}
	for _, body := range []string{
		`{"discoverable":false}`, `{"ageRange":{"min":5}}`, `{"attachment":null}`, `{"subCollections":[]}`, `{"promoted":true}`,
	} {
		wantRejection(t, w.sendJSON(t, learner, "PATCH", path, body), http.StatusForbidden)
	}
	w.wantNoContent(t, classmate, "PATCH", path+"/permissions", `{"anyone":"view_only"}`)
	wantRejection(t, w.sendJSON(t, learner, "PATCH", path, `{"title":"x"}`), http.StatusForbidden)
	if anyone := w.ok(t, learner, path)["permissions"].(map[string]any)["anyone"]; anyone != "VIEW_ONLY" {
		t.Errorf("the permission is %v", anyone)
	}
	w.wantNoContent(t, classmate, "PATCH", path+"/permissions", `{"anyone":"EDIT"}`)
	w.send(t, apiRequest{as: learner, method: "PATCH", path: path + "?bookmarked=false"})
	wantRejection(t, w.sendJSON(t, learner, "PATCH", path, `{"title":"x"}`), http.StatusForbidden)
}

// TestDefaultCollectionStays proves that the default collection can neither be edited nor deleted, while its videos can
// be added and removed.
func TestDefaultCollectionStays(t *testing.T) {
	w := newWorld(t, options{})
	path := "/v1/collections/" + w.listed(t, guest, "/v1/users/"+guestID+"/collections?sort_by=IS_DEFAULT")[0]
	for _, as := range []string{guest, operator} {
		wantRejection(t, w.sendJSON(t, as, "PATCH", path, `{"title":"Mine"}`), http.StatusBadRequest, "default")
		wantRejection(t, w.send(t, apiRequest{as: as, method: "DELETE", path: path}), http.StatusBadRequest, "default")
	}
	w.wantNoContent(t, guest, "PUT", path+"/videos/"+string(idOf("boats")), "")
	w.wantNoContent(t, guest, "PATCH", path, fmt.Sprintf(`{"videos":[%q]}`, idOf("boats")))
	if ids := idsIn(t, w.ok(t, guest, path)["videos"]); !slices.Equal(ids, videoIDs("boats")) {
		t.Errorf("it has %v", ids)
	}
	w.wantNoContent(t, guest, "DELETE", path+"/videos/"+string(idOf("boats")), "")
}

// TestCollectionInteractions proves that an interaction with a collection is stored once, with the collection's ID.
func TestCollectionInteractions(t *testing.T) {
	w := newWorld(t, options{})
	path := pathOfCollection("tides") + "/events"
	for range 2 {
		got := w.send(t, apiRequest{as: learner, method: "POST", path: path, body: `{"subtype":"NAVIGATE_TO_COLLECTION_DETAILS"}`, header: map[string]string{
			"Content-Type": "application/json", "Idempotency-Key": "k",
		}})
		if got.StatusCode != http.StatusOK || len(got.body) != 0 {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	}
	reported := w.reported.submissions
	if len(reported) == 0 || reported[0].Events[0].Subtype != "NAVIGATE_TO_COLLECTION_DETAILS" || reported[0].Events[0].User != learnerID ||
		string(reported[0].Events[0].Details) != `{"collectionId":"`+string(collectionOf("tides"))+`"}` {
		t.Errorf("it is reported %+v", reported)
	}
	wantRejection(t, w.sendJSON(t, learner, "POST", path, `{}`), http.StatusBadRequest, "subtype")
	wantRejection(t, w.sendJSON(t, learner, "POST", path, ``), http.StatusBadRequest)
	wantRejection(t, w.sendJSON(t, learner, "POST", pathOfCollection("elsewhere")+"/events", `{"subtype":"X"}`), http.StatusNotFound)
	wantRejection(t, w.sendJSON(t, stranger, "POST", path, `{"subtype":"X"}`), http.StatusForbidden)
}
