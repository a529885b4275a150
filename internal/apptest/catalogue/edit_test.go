package catalogue_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestOperatorsEditTheCatalogue verifies that customers see over HAL what an operator changes over GraphQL.
func TestOperatorsEditTheCatalogue(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h, e := startEditing(t, engine)
			e.addAndRename()
			e.retireAndDelete()
			e.checkAuditLog(h)
			e.rejectCustomers()
		})
	}
}

// editSession is an operator who edits, and a customer who reads.
type editSession struct {
	*apptest.Server
	operator, customer string
	channel, other     string
	video, duplicate   string
}

// startEditing starts a server on engines, for an operator and a customer.
func startEditing(t *testing.T, engine apptest.Engines) (apptest.Installation, *editSession) {
	t.Helper()
	h := apptest.NewInstallation(t, engine)
	h.Account("staff", "--operator")
	h.Account("school")
	console, lms := h.Client("console", "staff"), h.Client("lms", "school")
	s := h.Serve()
	return h, &editSession{Server: s, operator: s.Access("console", console), customer: s.Access("lms", lms)}
}

// edit runs an operation of the operator and returns its result, whose root field has the alias "it".
func (e *editSession) edit(query string, variables map[string]any) (it map[string]any, code string) {
	e.Helper()
	body := apptest.Must(json.Marshal(map[string]any{"query": query, "variables": variables}))(e)
	_, text := e.Send("POST", "/graphql", e.operator, string(body), "Content-Type", "application/json")
	var answer struct {
		Data   struct{ It json.RawMessage }
		Errors []struct {
			Message    string
			Extensions struct {
				Code    string
				Reasons []string
			}
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		e.Fatalf("%v in %s", err, text)
	}
	if len(answer.Errors) > 0 {
		fault := answer.Errors[0]
		return map[string]any{"message": fault.Message, "reasons": strings.Join(fault.Extensions.Reasons, "; ")}, fault.Extensions.Code
	}
	_ = json.Unmarshal(answer.Data.It, &it) // the ID that a deletion returns is not an object
	return it, ""
}

// mustEdit runs an operation that must succeed.
func (e *editSession) mustEdit(query string, variables map[string]any) map[string]any {
	e.Helper()
	it, code := e.edit(query, variables)
	if code != "" {
		e.Fatalf("%s: %s %v", query, code, it)
	}
	return it
}

// wantError runs an operation that must be refused.
func (e *editSession) wantError(code, says, query string, variables map[string]any) {
	e.Helper()
	it, got := e.edit(query, variables)
	if reported := fmt.Sprint(it["message"], it["reasons"]); got != code || !strings.Contains(reported, says) {
		e.Errorf("%s: got %s %s, want %s %q", query, got, reported, code, says)
	}
}

// get returns the response to a customer.
func (e *editSession) get(path string) (int, string) {
	e.Helper()
	response, body := e.Send("GET", path, e.customer, "")
	return response.StatusCode, string(body)
}

// awaitText waits until the response to a customer contains a text, or no longer contains it.
func (e *editSession) awaitText(path, text string, holds bool) {
	e.Helper()
	var body string
	for end := time.Now().Add(apptest.LearnTime); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, body = e.get(path); strings.Contains(body, text) == holds {
			return
		}
	}
	e.Errorf("%s: %q is expected: %t, in %s", path, text, holds, body)
}

const (
	addVideo    = `mutation($input: VideoInput!, $origin: OriginInput) { it: createVideo(input: $input, origin: $origin) { id version body source reference } }`
	changeVideo = `mutation($id: ID!, $version: Int, $input: VideoInput!) { it: updateVideo(id: $id, version: $version, input: $input) { id version body } }`
)

func (e *editSession) addAndRename() {
	e.Helper()
	channel := e.mustEdit(`mutation { it: createChannel(input: {name: "Open Lab"}) { id version body } }`, nil)
	e.channel = channel["id"].(string)
	e.other = e.mustEdit(`mutation { it: createChannel(input: {name: "Other"}, origin: {source: "cms", reference: "o"}) { id } }`, nil)["id"].(string)
	subject := e.mustEdit(`mutation { it: createSubject(input: {name: "Physics"}) { id } }`, nil)["id"].(string)
	video := func(title string) map[string]any {
		return map[string]any{
			"title": title, "channel": e.channel, "subjects": []string{subject}, "releasedOn": "2024-02-03",
			"playback":   map[string]any{"duration": "PT1M14S", "stream": "demo:colours"},
			"transcript": "Ships float on salty water.", "keywords": []string{"buoyancy"},
		}
	}
	e.wantError("INVALID", "there is no subject", addVideo, map[string]any{"input": with(video("x"), "subjects", []string{strings.Repeat("0", 24)})})
	e.wantError("INVALID", "releasedOn: is required", addVideo, map[string]any{"input": map[string]any{"title": "x"}})
	made := e.mustEdit(addVideo, map[string]any{"input": video("Why things float"), "origin": map[string]any{"source": "cms", "reference": "4711"}})
	e.video = made["id"].(string)
	if made["source"] != "cms" || made["reference"] != "4711" {
		e.Errorf("made %v", made)
	}
	e.duplicate = e.mustEdit(addVideo, map[string]any{"input": video("Why boats float")})["id"].(string)
	e.wantError("CONFLICT", "already", addVideo, map[string]any{"input": video("x"), "origin": map[string]any{"id": e.video}})
	if status, body := e.get("/v1/videos/" + e.video); status != http.StatusOK || !strings.Contains(body, "Open Lab") {
		e.Errorf("the video: %d %s", status, body)
	}
	e.awaitText("/v1/videos?query=salty", e.video, true)

	version := made["version"]
	e.wantError("INVALID", "title: must not be null", changeVideo, map[string]any{"id": e.video, "input": map[string]any{"title": nil}})
	changed := e.mustEdit(changeVideo, map[string]any{"id": e.video, "version": version, "input": map[string]any{"title": "How things float", "keywords": nil}})
	body := changed["body"].(map[string]any)
	if body["title"] != "How things float" || body["keywords"] != nil || body["hasTranscript"] != true || body["releasedOn"] != "2024-02-03" {
		e.Errorf("an omitted field was changed, or a cleared field was kept: %v", body)
	}
	e.wantError("CONFLICT", "version", changeVideo, map[string]any{"id": e.video, "version": version, "input": map[string]any{"title": "Late"}})
	again := e.mustEdit(changeVideo, map[string]any{"id": e.video, "input": map[string]any{"title": "How things float"}})
	if again["version"] != changed["version"] {
		e.Errorf("an update without changes made version %v, want %v", again["version"], changed["version"])
	}
	read := e.mustEdit(`query($id: ID!) { it: catalogueItem(kind: VIDEO, id: $id) { body } }`, map[string]any{"id": e.video})["body"].(map[string]any)
	if read["transcript"] != "Ships float on salty water." {
		e.Errorf("an operator reads %v", read)
	}

	e.mustEdit(`mutation($id: ID!) { it: updateChannel(id: $id, input: {name: "Closed Lab", contentType: "series"}) { id } }`, map[string]any{"id": e.channel})
	e.wantError("INVALID", `"closed lab" is that of`, `mutation($id: ID!) { it: updateChannel(id: $id, input: {name: "CLOSED lab"}) { id } }`, map[string]any{"id": e.other})
	e.awaitText("/v1/videos/"+e.video, "Closed Lab", true)
	e.awaitText("/v1/videos?include_channel_facets=true", "Open Lab", false)
	e.awaitText("/v1/videos?include_channel_facets=true", "Closed Lab", true)
	e.wantError("CONFLICT", "refer to the channel", `mutation($id: ID!) { it: deleteChannel(id: $id) }`, map[string]any{"id": e.channel})
}

// with returns an object with another member.
func with(object map[string]any, name string, value any) map[string]any {
	object[name] = value
	return object
}

func (e *editSession) retireAndDelete() {
	e.Helper()
	const retire = `mutation($id: ID!, $into: ID) { it: retireVideo(id: $id, into: $into) { version } }`
	e.wantError("INVALID", "into: there is no video", retire, map[string]any{"id": e.video, "into": e.channel})
	e.wantError("INVALID", "retiredInto", retire, map[string]any{"id": e.video, "into": e.video})
	e.mustEdit(retire, map[string]any{"id": e.video, "into": e.duplicate})
	response, _ := e.Send("GET", "/v1/videos/"+e.video, e.customer, "")
	if response.StatusCode != http.StatusPermanentRedirect || !strings.HasSuffix(response.Header.Get("Location"), "/v1/videos/"+e.duplicate) {
		e.Errorf("a retired duplicate: %d, to %s", response.StatusCode, response.Header.Get("Location"))
	}
	e.wantError("INVALID", "retired itself", retire, map[string]any{"id": e.duplicate, "into": e.video})
	e.awaitText("/v1/videos?query=float", e.video, false)
	if _, body := e.get("/v1/feed/removed-videos"); !strings.Contains(body, `"id":"`+e.video+`"`) || !strings.Contains(body, "RETIRED") {
		e.Errorf("removed videos: %s", body)
	}
	e.mustEdit(`mutation($id: ID!) { it: restoreVideo(id: $id) { version } }`, map[string]any{"id": e.video})
	e.awaitText("/v1/videos?query=float", e.video, true)
	if _, body := e.get("/v1/feed/removed-videos"); strings.Contains(body, e.video) {
		e.Errorf("a video that came back is among the removed: %s", body)
	}

	e.mustEdit(`mutation($id: ID!) { it: deleteVideo(id: $id) }`, map[string]any{"id": e.video})
	if status, body := e.get("/v1/videos/" + e.video); status != http.StatusNotFound {
		e.Errorf("a deleted video: %d %s", status, body)
	}
	e.awaitText("/v1/videos", e.video, false)
	e.awaitText("/v1/feed/videos", e.video, false)
	e.wantError("NOT_FOUND", e.video, `mutation($id: ID!) { it: deleteVideo(id: $id) }`, map[string]any{"id": e.video})
	today := time.Now().UTC().Format(time.DateOnly)
	if _, body := e.get("/v1/feed/removed-videos?size=1&updated_as_of=" + today); !strings.Contains(body, e.video) || !strings.Contains(body, "DELETED") {
		e.Errorf("removed videos: %s", body)
	}
	if status, body := e.get("/v1/feed/removed-videos?cursor_id=x"); status != http.StatusBadRequest || !strings.Contains(body, "cursor_id") {
		e.Errorf("an invalid cursor: %d %s", status, body)
	}
}

func (e *editSession) checkAuditLog(h apptest.Installation) {
	e.Helper()
	trail := e.mustEdit(`query($id: ID!) { it: catalogueAuditLog(kind: VIDEO, id: $id) { nodes { number client kind id before after } pageInfo { hasNextPage } } }`, map[string]any{"id": e.video})
	var reported []string
	for _, node := range trail["nodes"].([]any) {
		entry := node.(map[string]any)
		before, _ := entry["before"].(map[string]any)
		after, _ := entry["after"].(map[string]any)
		reported = append(reported, fmt.Sprint(entry["client"], " ", before["title"], "/", before["retired"], " ", after["title"], "/", after["retired"]))
	}
	want := []string{
		"console How things float/false <nil>/<nil>",
		"console How things float/true How things float/false",
		"console How things float/false How things float/true",
		"console Why things float/false How things float/false",
		"console <nil>/<nil> Why things float/false",
	}
	if strings.Join(reported, "\n") != strings.Join(want, "\n") {
		e.Errorf("the trail of the video reports\n%s\nwant\n%s", strings.Join(reported, "\n"), strings.Join(want, "\n"))
	}
	if printed := h.Filmstrip("audit", "--catalogue", "--kind", "channel"); !strings.Contains(printed, `name = Closed Lab`) || !strings.Contains(printed, "added") {
		e.Errorf("the command prints %s", printed)
	}
	items := e.mustEdit(`{ it: catalogueItems(kind: CHANNEL, first: 1) { nodes { id body } pageInfo { hasNextPage endCursor } } }`, nil)
	rest := e.mustEdit(`query($after: String) { it: catalogueItems(kind: CHANNEL, after: $after) { nodes { id } pageInfo { hasNextPage } } }`,
		map[string]any{"after": items["pageInfo"].(map[string]any)["endCursor"]})
	if len(items["nodes"].([]any)) != 1 || len(rest["nodes"].([]any)) != 1 {
		e.Errorf("two channels are read as %v and %v", items, rest)
	}
}

func (e *editSession) rejectCustomers() {
	e.Helper()
	operator := e.operator
	e.operator = e.customer
	e.wantError("FORBIDDEN", "", `mutation { it: createTag(input: {label: "mine"}) { id } }`, nil)
	e.wantError("FORBIDDEN", "", `{ it: catalogueItems(kind: VIDEO) { nodes { id } } }`, nil)
	e.wantError("FORBIDDEN", "", `{ it: catalogueAuditLog { nodes { id } } }`, nil)
	e.operator = operator
}
