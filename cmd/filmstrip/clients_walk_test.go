package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yosida95/uritemplate/v3"
)

// TestClientsWalk is a client of a user of the demo, which knows relations and what it fills in, and nothing of
// addresses: it follows every link of the index, and works with what they lead to.
func TestClientsWalk(t *testing.T) {
	c := &client{server: startServer(t, "--demo")}
	c.awaitPrinted("query=")
	c.token = c.access("demo", demoSecret, "Service-User-Id", "walking-teacher")
	c.gather()
	c.followsTheIndex("/v1/")
	c.playsAsBrowsersDo()
	c.keepsACollection()
	c.sendsListsAsClientsDo()
	c.readsErrors()
	c.token = c.access(demoOperator, demoSecret)
	c.followsTheIndex("/v1/admin")
}

// client is what a client of the API knows.
type client struct {
	*server
	known map[string]string // values for templates, by the name of the variable, or relation and variable
	video document
}

// gather reads what the templates of the index are filled with, from documents that links lead to.
func (c *client) gather() {
	c.Helper()
	index := c.index()
	c.video = c.document(c.document(index.link("searchVideos", map[string]string{"query": "water", "size": "5"})).videos()[0].link("self", nil))
	channels, _ := c.document(index.link("channels", nil)).at("_embedded", "channels").([]any)
	var collections []any
	awaitFor(c.TB, "collections are found", func() bool { // they are made after the server answers
		collections, _ = c.document(index.link("discoverCollections", nil)).at("_embedded", "collections").([]any)
		return len(collections) > 0
	})
	providers, _ := c.document(index.link("getAllProviders", nil)).at("_embedded", "providers").([]any)
	pieces, _ := c.document(index.link("getHighlights", map[string]string{"query": "water"})).at("_embedded", "highlights").([]any)
	if len(channels) == 0 || len(collections) == 0 || len(providers) == 0 || len(pieces) == 0 {
		c.Fatalf("the demo shows %d channels, %d collections, %d providers, %d highlights", len(channels), len(collections), len(providers), len(pieces))
	}
	provider := lastSegment(document{c.server, providers[0].(map[string]any)}.link("themes", nil), "/themes")
	themes, _ := c.document(index.link("getThemesByProvider", map[string]string{"provider": provider})).at("_embedded", "themes").([]any)
	if len(themes) == 0 {
		c.Fatalf("the provider %s has no themes", provider)
	}
	idOf := func(list []any) string { return list[0].(map[string]any)["id"].(string) }
	video := c.video.at("id").(string)
	c.known = map[string]string{
		"query": "water", "provider": provider, "referer": "walking-teacher",
		"state": "CA", "trackPlatformInteractedWith subtype": "SEARCH_BAR_CLICKED", "videoId": video, "highlightId": idOf(pieces),
		"video id": video, "channel id": idOf(channels), "collection id": idOf(collections), "getThemesByProviderAndId id": idOf(themes),
		"isUserActive id": c.document(index.link("currentUser", nil)).at("id").(string),
	}
}

// lastSegment is the last segment of an address before an ending.
func lastSegment(address, ending string) string {
	address = strings.TrimSuffix(address, ending)
	return address[strings.LastIndex(address, "/")+1:]
}

// filled is the address of a relation of the index, of whose template only what is known is filled in.
func (c *client) filled(index document, relation string) string {
	c.Helper()
	href, _ := index.at("_links", relation, "href").(string)
	if index.at("_links", relation, "templated") != true {
		return href
	}
	template := must(uritemplate.New(href))(c)
	values := uritemplate.Values{}
	for _, name := range template.Varnames() {
		if value, known := c.known[relation+" "+name]; known {
			values.Set(name, uritemplate.String(value))
		} else if value, known := c.known[name]; known && !strings.Contains(href, "{?"+name+"}") {
			values.Set(name, uritemplate.String(value))
		}
	}
	return must(template.Expand(values))(c)
}

// posted are the bodies of the relations of the index that are posted to, and what the answer is.
func (c *client) posted() map[string]struct {
	body   string
	status int
} {
	video := c.known["videoId"]
	return map[string]struct {
		body   string
		status int
	}{
		"getMetadata":          {`{"ids":["` + video + `"]}`, 200},
		"createCollection":     {`{"title":"Walked","videos":["` + video + `"]}`, 201},
		"createPlaybackEvents": {`[{"videoId":"` + video + `","segmentStartSeconds":0,"segmentEndSeconds":2.5,"captureTime":"2026-01-02T03:04:05Z"}]`, 201},
		"createSearchQueryCompletionsSuggestedEvent": {`{"searchQuery":"wat","impressions":["water"],"componentId":"bar","completionId":"1"}`, 201},
		"trackPageRendered":                          {`{"url":"https://school.example/","viewport":{"width":1280,"height":720},"isResize":false}`, 201},
		"trackPlatformInteractedWith":                {`{}`, 201},
	}
}

// mayBeMissing are relations whose video may have nothing of the kind: then the answer is 404.
var mayBeMissing = []string{"learningOutcomes", "assessmentQuestions", "CefrLevel"}

// followsTheIndex asks at each relation of an index, as the relation is meant, and wants each of the
// specification's to be there.
func (c *client) followsTheIndex(path string) {
	c.Helper()
	index := c.document(c.base + path)
	links := index.at("_links").(map[string]any)
	table := string(must(os.ReadFile("../../rest/testdata/specified-index.md"))(c))
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| /v1`).FindAllStringSubmatch(table, -1) {
		if path == "/v1/" && links[row[1]] == nil {
			c.Errorf("the index has no %s", row[1])
		}
	}
	for _, relation := range slices.Sorted(maps.Keys(links)) {
		address := c.filled(index, relation)
		if !strings.HasPrefix(address, c.base+"/v1/") {
			c.Errorf("%s leads to %q", relation, address)
			continue
		}
		method, contentType, want := "GET", "", http.StatusOK
		post, posts := c.posted()[relation]
		if posts {
			method, contentType, want = "POST", "application/json", post.status
		}
		response, body := c.request(method, address, contentType, post.body)
		if response.StatusCode == http.StatusNotFound && slices.Contains(mayBeMissing, relation) {
			continue
		}
		if response.StatusCode != want {
			c.Errorf("%s: %s %s is answered %d %.200s", relation, method, address, response.StatusCode, body)
		}
		if len(body) > 0 && !json.Valid(body) {
			c.Errorf("%s: %s is answered %.200s", relation, address, body)
		}
	}
}

// playsAsBrowsersDo reads a video and tells of it as the players of clients do: with credentials from another
// origin, with more in the bodies than the API knows, with fractions of seconds and an end beyond the video's.
func (c *client) playsAsBrowsersDo() {
	c.Helper()
	const origin = "http://127.0.0.1:5173"
	playback := document{c.server, c.video.at("playback").(map[string]any)}
	path := func(address string) string { return strings.TrimPrefix(address, c.base) }
	wantsOrigin := func(what string, response *http.Response, status int) {
		c.Helper()
		header := response.Header
		if response.StatusCode != status || header.Get("Access-Control-Allow-Origin") != origin ||
			header.Get("Access-Control-Allow-Credentials") != "true" || !strings.Contains(header.Get("Vary"), "Origin") {
			c.Errorf("%s from another origin: %d %v", what, response.StatusCode, header)
		}
	}
	response, _ := c.ask("OPTIONS", path(playback.link("createPlaybackEvent", nil)), "", "", "Origin", origin,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,service-referer,service-user-id")
	wantsOrigin("a preflight", response, response.StatusCode)
	for _, header := range []string{"service-referer", "service-user-id"} {
		if allowed := strings.ToLower(response.Header.Get("Access-Control-Allow-Headers")); response.StatusCode >= 300 || !strings.Contains(allowed, header) {
			c.Errorf("a preflight for %s: %d %s", header, response.StatusCode, allowed)
		}
	}
	response, _ = c.ask("GET", path(c.video.link("self", nil)), c.token, "", "Origin", origin, "Accept", "application/json, text/plain, */*")
	wantsOrigin("a video", response, http.StatusOK)
	exposed := strings.Split(strings.ReplaceAll(strings.ToLower(response.Header.Get("Access-Control-Expose-Headers")), " ", ""), ",")
	for _, name := range []string{"location", "content-disposition", "x-service-trace-id"} {
		if !slices.Contains(exposed, name) {
			c.Errorf("%s is not exposed: %v", name, exposed)
		}
	}
	response, _ = c.ask("GET", "/v1/videos/nothing", c.token, "", "Origin", origin)
	wantsOrigin("an error", response, http.StatusNotFound)
	about := `"videoId":"` + c.known["videoId"] + `","videoDurationSeconds":74.2,"playerId":"c9bf9e57","lesson":{"unit":3}`
	response, _ = c.ask("POST", path(playback.link("createPlaybackEvent", nil)), c.token,
		`{`+about+`,"segmentStartSeconds":0.105628,"segmentEndSeconds":99999.5}`, "Origin", origin, "Content-Type", "application/json")
	wantsOrigin("a playback event", response, http.StatusCreated)
	response, _ = c.ask("POST", path(playback.link("createPlayerInteractedWithEvent", nil)), c.token,
		`{`+about+`,"currentTime":3.25,"subtype":"captionsEnabled","payload":{"kind":"subtitles"}}`, "Content-Type", "application/json")
	if response.StatusCode != http.StatusCreated {
		c.Errorf("an interaction with the player: %d", response.StatusCode)
	}
	for relation, values := range map[string]map[string]string{"logInteraction": {"type": "VIDEO_LINK_COPIED"}, "trackVideoShareLink": nil} {
		if response, body := c.request("POST", c.video.link(relation, values), "application/json", "{}"); response.StatusCode != http.StatusCreated {
			c.Errorf("%s: %d %s", relation, response.StatusCode, body)
		}
	}
	for _, relation := range []string{"transcript", "captions"} {
		if address := c.video.link(relation, nil); address != "" {
			if response, body := c.request("GET", address, "", ""); response.StatusCode != http.StatusOK || len(body) == 0 {
				c.Errorf("%s: %d, %d bytes", relation, response.StatusCode, len(body))
			}
		}
	}
	c.playSomething()
}

// keepsACollection makes a collection and does all that its links allow; without bodies where clients send none.
func (c *client) keepsACollection() {
	c.Helper()
	made, body := c.request("POST", c.index().link("createCollection", nil), "application/json", `{"title":"My walk","description":"Where it leads"}`)
	if made.StatusCode != http.StatusCreated {
		c.Fatalf("no collection is made: %d %s", made.StatusCode, body)
	}
	id := lastSegment(made.Header.Get("Location"), "")
	read := func() document {
		c.Helper()
		return c.document(c.index().link("collection", map[string]string{"id": id, "projection": "details"}))
	}
	steps := []struct {
		relation, method, contentType, body string
		status                              int
	}{
		{"addVideo", "PUT", "application/x-www-form-urlencoded", "", http.StatusNoContent},
		{"edit", "PATCH", "application/json", `{"title":"My longer walk"}`, http.StatusNoContent},
		{"safeEdit", "PATCH", "application/json", `{"discoverable":true}`, http.StatusNoContent},
		{"updatePermissions", "PATCH", "application/json", `{"anyone":"EDIT"}`, http.StatusNoContent},
		{"addComment", "POST", "application/json", `{"comment":{"videoId":"` + c.known["videoId"] + `","text":"Stop here"}}`, http.StatusOK},
		{"interactedWith", "POST", "application/json", `{"subtype":"NAVIGATE_TO_COLLECTION_DETAILS"}`, http.StatusOK},
		{"trackCollectionShareLink", "POST", "application/json", `{}`, http.StatusCreated},
		{"removeVideo", "DELETE", "", "", http.StatusNoContent},
		{"remove", "DELETE", "", "", http.StatusNoContent},
	}
	for _, step := range steps {
		collection := read()
		href, _ := collection.at("_links", step.relation, "href").(string)
		address := must(must(uritemplate.New(href))(c).Expand(uritemplate.Values{"video_id": uritemplate.String(c.known["videoId"])}))(c)
		response, body := c.request(step.method, address, step.contentType, step.body)
		if href == "" || response.StatusCode != step.status {
			c.Errorf("%s: %s %q is answered %d %s", step.relation, step.method, address, response.StatusCode, body)
		}
		if step.relation == "addVideo" && len(read().at("videos").([]any)) != 1 {
			c.Errorf("the video that was added is not there")
		}
	}
	if response, _ := c.request("GET", c.index().link("collection", map[string]string{"id": id}), "", ""); response.StatusCode != http.StatusNotFound {
		c.Errorf("a collection that was removed: %d", response.StatusCode)
	}
	others := c.document(c.index().link("collection", map[string]string{"id": c.known["collection id"]}))
	for _, relation := range []string{"bookmark", "unbookmark"} {
		response, body := c.request("PATCH", others.link(relation, nil), "application/x-www-form-urlencoded", "")
		if response.StatusCode != http.StatusOK {
			c.Fatalf("%s: %d %s", relation, response.StatusCode, body)
		}
		others = c.document(others.link("self", nil))
	}
}

// sendsListsAsClientsDo sends lists joined by commas, spaces as plus, and keys of facets back as filters.
func (c *client) sendsListsAsClientsDo() {
	c.Helper()
	search := func(query string) document { return c.document(c.base + "/v1/videos?size=1&" + query) }
	all := search("")
	facets, _ := all.at("_embedded", "facets").(map[string]any)
	if len(facets) == 0 || all.at("facets") == nil {
		c.Fatalf("facets are %v and %v", facets, all.at("facets"))
	}
	durations := slices.Sorted(maps.Keys(facets["durations"].(map[string]any)))
	joined := search("duration=" + strings.Join(durations[:2], "%2C")).total()
	repeated := search("duration=" + durations[0] + "&duration=" + durations[1]).total()
	if joined != repeated || joined > all.total() || len(durations) < 2 {
		c.Errorf("two durations, joined: %d videos, repeated: %d", joined, repeated)
	}
	if plus, percent := search("query=running+water").total(), search("query=running%20water").total(); plus != percent {
		c.Errorf("a space as plus finds %d videos, as %%20 %d", plus, percent)
	}
	href, _ := c.index().at("_links", "searchVideos", "href").(string)
	for _, name := range []string{"ngss_code", "ngss_grade", "content_partner"} {
		if !strings.Contains(href, name) {
			c.Errorf("the template of searchVideos does not name %s", name)
		}
	}
	if feed, _ := c.index().at("_links", "videoFeed", "href").(string); !strings.Contains(feed, "updated_as_of") {
		c.Errorf("the template of videoFeed does not name updated_as_of: %s", feed)
	}
}

// readsErrors: an error says what is wrong in JSON, whatever the client accepts.
func (c *client) readsErrors() {
	c.Helper()
	response, body := c.ask("GET", "/v1/videos?size=501", c.token, "", "Accept", "application/hal+json")
	var fault struct {
		Error, Message, Path string
		Status               int
	}
	if err := json.Unmarshal(body, &fault); err != nil || response.StatusCode != http.StatusBadRequest || fault.Status != response.StatusCode ||
		!strings.Contains(fault.Message, "501") || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		c.Errorf("a size that is too large: %d %s", response.StatusCode, body)
	}
	for user, want := range map[string]bool{c.known["isUserActive id"]: true, strings.Repeat("0", 24): false} {
		response, _ := c.request("GET", c.index().link("isUserActive", map[string]string{"id": user}), "", "")
		if active := response.StatusCode == http.StatusOK; active != want {
			c.Errorf("the user %s is active: %d", user, response.StatusCode)
		}
	}
}
