package rest_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestGoldenCollections compares every collection document and every collection error with testdata/golden.
func TestGoldenCollections(t *testing.T) {
	w := newWorld(t, options{})
	tides, mine, shared := pathOfCollection("tides"), pathOfCollection("mine"), pathOfCollection("shared")
	video := string(idOf("boats"))
	write := func(name, as, method, path, body string) golden {
		return golden{name, apiRequest{as: as, method: method, path: path, body: body, header: map[string]string{"Content-Type": contentTypeOf(body)}}}
	}
	get := func(name, as, path string) golden { return golden{name, apiRequest{as: as, path: path}} }
	checkGolden(t, w, []golden{
		get("collections", learner, "/v1/collections?projection=list&discoverable=true&page=0&size=1&sort_by=TITLE"),
		get("collections-details", learner, "/v1/collections?projection=details&promoted=true"),
		get("collections-none", learner, "/v1/collections?query=zzzz"),
		get("collections-user", learner, "/v1/users/"+learnerID+"/collections?types=SERVICE_SHARED"),
		get("collection", learner, mine),
		get("collection-details", learner, mine+"?projection=details"),
		get("collection-operator", operator, tides),
		get("collection-school", school, tides),
		write("collection-bookmarked", classmate, "PATCH", tides+"?bookmarked=true", ""),
		write("collection-added", learner, "PUT", mine+"/videos/"+video, ""),
		write("collection-event", learner, "POST", tides+"/events", `{"subtype":"NAVIGATE_TO_COLLECTION_DETAILS"}`),
		write("event-collection-share", learner, "POST", tides+"/track-share-link", `{"userId":"pupil-7"}`),

		get("error-collection-404", learner, pathOfCollection("elsewhere")),
		get("error-collection-404-none", learner, "/v1/collections/x"),
		get("error-collection-400-projection", learner, tides+"?projection=full"),
		get("error-collections-400-sort", learner, "/v1/collections?sort_by=TITLE,AGE"),
		get("error-collections-400-size", learner, "/v1/collections?size=501"),
		get("error-collections-400-window", learner, "/v1/collections?size=500&page=20"),
		get("error-collections-400-types", learner, "/v1/users/"+learnerID+"/collections?types=MINE"),
		get("error-collections-400-lesson-plans", learner, "/v1/collections?has_lesson_plans=true&resource_types=ACTIVITY"),
		get("error-collections-403-all", learner, "/v1/collections?ignore_discoverable=true"),
		get("error-collections-403-user", classmate, "/v1/users/"+learnerID+"/collections"),
		get("error-collections-401", nobody, "/v1/collections"),
		write("error-collection-400-title", learner, "POST", "/v1/collections", `{"title":" "}`),
		write("error-collection-400-null", learner, "POST", "/v1/collections", `{"title":"x","videos":["a",null]}`),
		write("error-collection-400-video", learner, "POST", "/v1/collections", `{"title":"x","videos":["a b"]}`),
		write("error-collection-404-subject", learner, "POST", "/v1/collections", `{"title":"x","subjects":["5c54d6cdd8eafeecae2063b5"]}`),
		write("error-collection-400-nobody", school, "POST", "/v1/collections", `{"title":"x"}`),
		write("error-collection-400-attachment", learner, "PATCH", mine, `{"attachment":{"linkToResource":"https://files.example/","type":"POEM"}}`),
		write("error-collection-400-ages", learner, "PATCH", mine, `{"ageRange":{"min":2,"max":25}}`),
		write("error-collection-400-own", learner, "PATCH", mine+"?bookmarked=true", ""),
		write("error-collection-403-promote", learner, "PATCH", mine, `{"promoted":true}`),
		write("error-collection-403-edit", classmate, "PATCH", mine, `{"title":"x"}`),
		write("error-collection-403-remove", learner, "DELETE", shared, ""),
		write("error-collection-404-video", learner, "PUT", mine+"/videos/"+string(idOf("secretVideo")), ""),
		write("error-collection-409", learner, "PATCH", mine+"?last_updated_at=2020-01-01T00%3A00%3A00Z", `{"title":"x"}`),
		write("error-collection-400-permission", learner, "PATCH", mine+"/permissions", `{"anyone":"READ"}`),
		write("error-collection-400-comment", learner, "POST", mine+"/comments", `{"comment":{"videoId":"`+video+`"}}`),
		write("error-collection-404-comment", learner, "POST", mine+"/comments", `{"comment":{"videoId":"`+string(idOf("minimal"))+`","text":"x"}}`),
		{"error-collection-415", apiRequest{as: learner, method: "PATCH", path: mine, body: "title=x", header: formType}},
		{"error-collection-405", apiRequest{as: learner, method: "PUT", path: mine}},
	})
	create := apiRequest{as: learner, method: "POST", path: "/v1/collections", body: `{"title":"New","videos":["` + video + `"]}`, header: asJSON}
	created := w.send(t, create)
	if created.StatusCode != http.StatusCreated {
		t.Fatalf("got %d %s", created.StatusCode, created.body)
	}
	random := regexp.MustCompile(created.json(t)["id"].(string))
	compareGolden(t, "collection-created", random.ReplaceAll(render(create, created), []byte("5a0000000000000000000001")))
	checkGolden(t, w, []golden{
		write("collection-changed", learner, "PATCH", mine, `{"title":"Tides and waves","videos":["`+video+`"]}`),
		write("collection-permissions", learner, "PATCH", mine+"/permissions", `{"anyone":"VIEW_ONLY"}`),
	})
	commented := apiRequest{as: learner, method: "POST", path: mine + "/comments", body: `{"comment":{"videoId":"` + video + `","text":"From minute 3 on"}}`, header: asJSON}
	answered := w.send(t, commented)
	if answered.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s", answered.StatusCode, answered.body)
	}
	newest := regexp.MustCompile(`[0-9a-f]{24}(",\s+"userId": "` + learnerID + `")`)
	compareGolden(t, "collection-commented", newest.ReplaceAll(render(commented, answered), []byte("5a0000000000000000000002$1")))
	open := newWorld(t, options{config: func(c *wiring) { c.Anonymous = true }})
	checkGolden(t, open, []golden{get("collection-anonymous", nobody, tides)})
}

// TestBadCollections proves that malformed bodies are refused and that the message names the position of the error.
func TestBadCollections(t *testing.T) {
	w := newWorld(t, options{})
	mine, boats := pathOfCollection("mine"), string(idOf("boats"))
	many := strings.TrimSuffix(strings.Repeat(`"`+boats+`",`, 1001), ",")
	for _, bad := range []struct{ method, path, body, says string }{
		{"POST", "/v1/collections", `{}`, "title"},
		{"POST", "/v1/collections", ``, ""},
		{"POST", "/v1/collections", `[]`, "object"},
		{"POST", "/v1/collections", `{"title":null}`, "title"},
		{"POST", "/v1/collections", `{"title":7}`, "title"},
		{"POST", "/v1/collections", `{"title":"` + strings.Repeat("é", 201) + `"}`, "title"},
		{"POST", "/v1/collections", `{"title":"a\u0000b"}`, "title"},
		{"POST", "/v1/collections", `{"title":"x","description":"` + strings.Repeat("é", 5001) + `"}`, "description"},
		{"POST", "/v1/collections", `{"title":"x","videos":"` + boats + `"}`, "videos"},
		{"POST", "/v1/collections", `{"title":"x","videos":[7]}`, "videos[0]"},
		{"POST", "/v1/collections", `{"title":"x","videos":[` + many + `]}`, "videos"},
		{"POST", "/v1/collections", `{"title":"x","discoverable":"yes"}`, "discoverable"},
		{"POST", "/v1/collections", `{"title":"x","assets":[null]}`, "assets[0]"},
		{"POST", "/v1/collections", `{"title":"x","assets":[{"highlightId":"a"}]}`, "assets[0].videoId"},
		{"POST", "/v1/collections", `{"title":"x","assets":[{"videoId":"` + boats + `","highlightId":"a b"}]}`, "highlightId"},
		{"PATCH", mine, `{"title":null}`, "title"},
		{"PATCH", mine, `{"title":""}`, "title"},
		{"PATCH", mine, `{"discoverable":null}`, "discoverable"},
		{"PATCH", mine, `{"subjects":["x",null]}`, "subjects[1]"},
		{"PATCH", mine, `{"ageRange":7}`, "ageRange"},
		{"PATCH", mine, `{"ageRange":{"min":"7"}}`, "ageRange.min"},
		{"PATCH", mine, `{"ageRange":{"min":9,"max":5}}`, "ageRange"},
		{"PATCH", mine, `{"ageRange":{"min":1e30}}`, "ageRange.min"},
		{"PATCH", mine, `{"attachment":{}}`, "attachment.linkToResource"},
		{"PATCH", mine, `{"attachment":{"linkToResource":"x","type":"LESSON_PLAN"}}`, "attachment.linkToResource: "},
		{"PATCH", mine, `{"attachment":{"linkToResource":"javascript:alert(1)","type":"LESSON_PLAN"}}`, "attachment.linkToResource: "},
		{"PATCH", mine, `{"assets":[{"videoId":"` + boats + `","segment":{"start":1}}]}`, "assets[0].segment.end"},
		{"PATCH", mine, `{"assets":[{"videoId":"` + boats + `","segment":{"start":2,"end":1}}]}`, "assets[0].segment"},
		{"PATCH", mine, `{"assets":[{"videoId":"` + boats + `","segment":{"start":0,"end":1e300}}]}`, "assets[0].segment"},
		{"PATCH", mine, `{"subCollections":["` + string(collectionOf("mine")) + `"]}`, "subCollections[0]"},
		{"PATCH", mine + "/permissions", `{}`, "anyone"},
		{"PATCH", mine + "/permissions", `{"anyone":7}`, "anyone"},
		{"POST", mine + "/comments", `{}`, "comment"},
		{"POST", mine + "/comments", `{"comment":{"text":"x"}}`, "comment.videoId"},
		{"POST", mine + "/comments", `{"comment":{"videoId":"` + boats + `","text":" "}}`, "comment.text is "},
		{"POST", mine + "/comments", `{"comment":{"videoId":"` + boats + `","text":"x","name":"` + strings.Repeat("x", 201) + `"}}`, "comment.name has "},
		{"POST", "/v1/collections", `{"title":"x","videos":["` + boats + `","a b"],"assets":[{"videoId":"` + boats + `"}]}`, "videos[1]: "},
		{"POST", "/v1/collections", `{"title":"x","videos":["` + boats + `"],"assets":[{"videoId":"a b"}]}`, "assets[0].videoId: "},
		{"PATCH", mine, `{"videos":["` + boats + `"],"assets":[{"videoId":"` + boats + `"},{"videoId":"` + boats + `","note":"` + strings.Repeat("x", 5001) + `"}]}`, "assets[1].note has "},
		{"POST", mine + "/events", `{"subtype":7}`, "subtype"},
	} {
		wantRejection(t, w.sendJSON(t, learner, bad.method, bad.path, bad.body), http.StatusBadRequest, bad.says)
	}
	wantRejection(t, w.sendJSON(t, learner, "PATCH", mine, `{"promotedFor":["SPACE"]}`), http.StatusBadRequest, "promotedFor")
	wantRejection(t, w.sendJSON(t, learner, "PATCH", mine, `{"subCollections":["`+string(collectionOf("elsewhere"))+`"]}`), http.StatusNotFound)
	wantRejection(t, w.sendJSON(t, learner, "POST", "/v1/collections", `{"title":"x","unknown":"`+strings.Repeat("x", 1<<20)+`"}`), http.StatusRequestEntityTooLarge)
}
