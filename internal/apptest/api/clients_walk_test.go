//go:build system

package api_test

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

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestClientsWalk verifies that a client of a demo user, which knows relations and template values but no URLs, can
// follow every link of the index and use the resources behind the links.
func TestClientsWalk(t *testing.T) {
	c := &client{Server: apptest.Start(t, "--demo")}
	c.AwaitPrinted("Read on")
	c.Token = c.Access("demo", demo.Secret, "Service-User-Id", "walking-teacher")
	c.gather()
	c.followIndex("/v1/")
	c.playInBrowser()
	c.useCollection()
	c.sendLists()
	c.readErrors()
	c.Token = c.Access(demo.OperatorAccount, demo.Secret)
	c.followIndex("/v1/admin")
	if c.attachments == 0 {
		t.Error("the walk met no attachment")
	}
}

// client contains what a client of the API knows.
type client struct {
	*apptest.Server
	known map[string]string // values for templates, by the name of the variable, or by relation and variable
	video apptest.Document

	attachments int // the number of attachments found
}

// gather reads the values for the templates of the index from linked documents.
func (c *client) gather() {
	c.Helper()
	index := c.Index()
	c.video = c.videoWithMaterial()
	channels, _ := c.document(index.Link("channels", nil)).At("_embedded", "channels").([]any)
	var collections []any
	apptest.Await(c.TB, "collections are found", func() bool { // the demo creates collections after the server has started to answer
		address := index.Link("discoverCollections", nil)
		if got, _ := c.Request(http.MethodGet, address, "", ""); got.StatusCode == http.StatusServiceUnavailable {
			return false // their index is being built
		}
		collections, _ = c.document(address).At("_embedded", "collections").([]any)
		return len(collections) > 0
	})
	apptest.Await(c.TB, "schools are found", func() bool { // the server reads schools from the store after the catalogue
		schools, _ := c.document(index.Link("searchSchools", map[string]string{"query": "school", "countryCode": "USA", "state": "AK"})).At("_embedded", "schools").([]any)
		return len(schools) > 0
	})
	providers, _ := c.document(index.Link("getAllProviders", nil)).At("_embedded", "providers").([]any)
	pieces, _ := c.document(index.Link("getHighlights", map[string]string{"query": "water"})).At("_embedded", "highlights").([]any)
	if len(channels) == 0 || len(collections) == 0 || len(providers) == 0 || len(pieces) == 0 {
		c.Fatalf("the demo shows %d channels, %d collections, %d providers, %d highlights", len(channels), len(collections), len(providers), len(pieces))
	}
	provider := lastSegment(apptest.Document{Server: c.Server, Fields: providers[0].(map[string]any)}.Link("themes", nil), "/themes")
	themes, _ := c.document(index.Link("getThemesByProvider", map[string]string{"provider": provider})).At("_embedded", "themes").([]any)
	if len(themes) == 0 {
		c.Fatalf("the provider %s has no themes", provider)
	}
	idOf := func(list []any) string { return list[0].(map[string]any)["id"].(string) }
	video, title := c.video.At("id").(string), collections[0].(map[string]any)["title"].(string)
	c.known = map[string]string{
		"discoverCollections query": title, "searchCollections query": title, "searchAllCollections query": title,
		"myCollections query": "walked", // the walk creates this collection
		"query":               "water", "provider": provider, "referer": "walking-teacher",
		"searchSchools query": "school", "searchDistricts query": "district", "state": "AK",
		"trackPlatformInteractedWith subtype": "SEARCH_BAR_CLICKED", "videoId": video, "highlightId": idOf(pieces),
		"video id": video, "channel id": idOf(channels), "collection id": idOf(collections), "getThemesByProviderAndId id": idOf(themes),
		"getProviderById providerId": idOf(providers),
		"isUserActive id":            c.document(index.Link("currentUser", nil)).At("id").(string),
	}
}

// videoWithMaterial returns a video that has every resource to which the index links for a video.
func (c *client) videoWithMaterial() apptest.Document {
	c.Helper()
	index := c.Index()
	for _, video := range c.document(index.Link("searchVideos", map[string]string{"cefr_level": "B1,B2", "language": "eng", "size": "100"})).Videos() {
		of := map[string]string{"videoId": video.At("id").(string)}
		response, _ := c.request("GET", index.Link("learningOutcomes", of), "", "")
		if response.StatusCode == http.StatusOK {
			return c.document(video.Link("self", nil))
		}
	}
	c.Fatal("no video of the demo has a CEFR level and learning outcomes")
	return apptest.Document{}
}

// request sends a request and verifies the assumptions of clients about the response.
func (c *client) request(method, address, contentType, body string) (*http.Response, []byte) {
	c.Helper()
	response, answer := c.Server.Request(method, address, contentType, body)
	var value any
	if json.Unmarshal(answer, &value) == nil {
		c.checkAssumptions(address, value)
	}
	return response, answer
}

// document reads a document and verifies the assumptions of clients about it.
func (c *client) document(address string) apptest.Document {
	c.Helper()
	read := c.Server.Document(address)
	c.checkAssumptions(address, read.Fields)
	return read
}

// checkAssumptions verifies that every link has a URL, and that no member is missing through which clients reach others.
func (c *client) checkAssumptions(address string, value any) {
	c.Helper()
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			c.checkAssumptions(address, element)
		}
	case map[string]any:
		for name, member := range value {
			switch name {
			case "_links":
				c.checkLinks(address, member)
			case "attachments":
				c.checkAttachments(address, member)
			case "videos":
				c.checkElementLinks(address, member)
			case "collections":
				c.checkElementLinks(address, member)
			case "playback":
				c.checkElementLinks(address, []any{member})
			}
			c.checkAssumptions(address, member)
		}
	}
}

// checkLinks verifies links. null in place of a link makes clients throw.
func (c *client) checkLinks(address string, links any) {
	c.Helper()
	list, isObject := links.(map[string]any)
	if !isObject {
		c.Errorf("%s: _links is %v", address, links)
	}
	for relation, link := range list {
		target, _ := link.(map[string]any)
		href, _ := target["href"].(string)
		if _, says := target["templated"].(bool); !says || !strings.Contains(href, "://") {
			c.Errorf("%s: the link %s is %v", address, relation, link)
		}
	}
}

// checkElementLinks verifies that each element of a list has _links. The list of facets is exempt.
func (c *client) checkElementLinks(address string, value any) {
	c.Helper()
	list, _ := value.([]any)
	for _, element := range list {
		if fields, isObject := element.(map[string]any); isObject && fields["_links"] == nil {
			c.Errorf("%s: there are no _links on %v", address, fields)
		}
	}
}

// checkAttachments verifies that attachments are a list, and that each one has a type and a download link.
func (c *client) checkAttachments(address string, value any) {
	c.Helper()
	list, isList := value.([]any)
	if !isList {
		c.Errorf("%s: attachments are %v", address, value)
	}
	for _, element := range list {
		c.attachments++
		attachment := apptest.Document{Server: c.Server, Fields: element.(map[string]any)}
		id, _ := attachment.At("id").(string)
		_, described := attachment.Fields["description"]
		download, _ := attachment.At("_links", "download", "href").(string)
		if !slices.Contains([]any{"LESSON_PLAN", "FINAL_PROJECT", "ACTIVITY"}, attachment.At("type")) ||
			id == "" || !described || !strings.Contains(download, "://") {
			c.Errorf("%s: an attachment is %v", address, element)
		}
	}
}

// lastSegment returns the last segment of a URL before a suffix.
func lastSegment(address, ending string) string {
	address = strings.TrimSuffix(address, ending)
	return address[strings.LastIndex(address, "/")+1:]
}

// linkURL returns the URL of a relation of the index. It fills only the known variables of the template.
func (c *client) linkURL(index apptest.Document, relation string) string {
	c.Helper()
	href, _ := index.At("_links", relation, "href").(string)
	if index.At("_links", relation, "templated") != true {
		return href
	}
	template := apptest.Must(uritemplate.New(href))(c)
	values := uritemplate.Values{}
	for _, name := range template.Varnames() {
		if value, known := c.known[relation+" "+name]; known {
			values.Set(name, uritemplate.String(value))
		} else if value, known := c.known[name]; known && !strings.Contains(href, "{?"+name+"}") {
			values.Set(name, uritemplate.String(value))
		}
	}
	return apptest.Must(template.Expand(values))(c)
}

// postBodies returns the bodies for the relations of the index that accept POST, with the expected status.
func (c *client) postBodies() map[string]struct {
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

// mayBeEmpty are the relations whose list is empty for this client. Every other list must contain something.
var mayBeEmpty = []string{"promotedForCollections", "removedVideos", "mySavedCollections", "serviceSharedCollections", "userSharedBookmarkedCollections"}

// hasEmptyList reports whether a document embeds an empty list.
func hasEmptyList(body []byte) bool {
	var page struct {
		Embedded map[string]json.RawMessage `json:"_embedded"`
	}
	if json.Unmarshal(body, &page) != nil {
		return false
	}
	for name, list := range page.Embedded {
		if name != "facets" && string(list) == "[]" {
			return true
		}
	}
	return false
}

// followIndex sends the intended request to each relation of an index, and verifies that each relation of the
// specification exists.
func (c *client) followIndex(path string) {
	c.Helper()
	index := c.document(c.Base + path)
	links := index.At("_links").(map[string]any)
	table := string(apptest.Must(os.ReadFile("../../../rest/testdata/specified-index.md"))(c))
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| /v1`).FindAllStringSubmatch(table, -1) {
		if path == "/v1/" && links[row[1]] == nil {
			c.Errorf("the index has no %s", row[1])
		}
	}
	for _, relation := range slices.Sorted(maps.Keys(links)) {
		address := c.linkURL(index, relation)
		if !strings.HasPrefix(address, c.Base+"/v1/") {
			c.Errorf("%s leads to %q", relation, address)
			continue
		}
		method, contentType, want := "GET", "", http.StatusOK
		post, posts := c.postBodies()[relation]
		if posts {
			method, contentType, want = "POST", "application/json", post.status
		}
		response, body := c.request(method, address, contentType, post.body)
		if relation == "isUserActive" && path != "/v1/" {
			want = http.StatusForbidden // the user does not belong to the operator's account
		}
		if response.StatusCode != want {
			c.Errorf("%s: %s %s is answered %d %.200s", relation, method, address, response.StatusCode, body)
		}
		if len(body) > 0 && !json.Valid(body) {
			c.Errorf("%s: %s is answered %.200s", relation, address, body)
		}
		if hasEmptyList(body) && !slices.Contains(mayBeEmpty, relation) {
			c.Errorf("%s: %s lists nothing", relation, address)
		}
	}
}

// playInBrowser reads a video and reports playback like the players of clients: with credentials from another
// origin, with unknown members in the bodies, with fractions of seconds, and with an end beyond the video's.
func (c *client) playInBrowser() {
	c.Helper()
	const origin = "http://127.0.0.1:5173"
	playback := apptest.Document{Server: c.Server, Fields: c.video.At("playback").(map[string]any)}
	path := func(address string) string { return strings.TrimPrefix(address, c.Base) }
	wantsOrigin := func(what string, response *http.Response, status int) {
		c.Helper()
		header := response.Header
		if response.StatusCode != status || header.Get("Access-Control-Allow-Origin") != origin ||
			header.Get("Access-Control-Allow-Credentials") != "true" || !strings.Contains(header.Get("Vary"), "Origin") {
			c.Errorf("%s from another origin: %d %v", what, response.StatusCode, header)
		}
	}
	response, _ := c.Send("OPTIONS", path(playback.Link("createPlaybackEvent", nil)), "", "", "Origin", origin,
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type,service-referer,service-user-id")
	wantsOrigin("a preflight", response, response.StatusCode)
	for _, header := range []string{"service-referer", "service-user-id"} {
		if allowed := strings.ToLower(response.Header.Get("Access-Control-Allow-Headers")); response.StatusCode >= 300 || !strings.Contains(allowed, header) {
			c.Errorf("a preflight for %s: %d %s", header, response.StatusCode, allowed)
		}
	}
	response, _ = c.Send("GET", path(c.video.Link("self", nil)), c.Token, "", "Origin", origin, "Accept", "application/json, text/plain, */*")
	wantsOrigin("a video", response, http.StatusOK)
	exposed := strings.Split(strings.ReplaceAll(strings.ToLower(response.Header.Get("Access-Control-Expose-Headers")), " ", ""), ",")
	for _, name := range []string{"location", "content-disposition", "x-service-trace-id"} {
		if !slices.Contains(exposed, name) {
			c.Errorf("%s is not exposed: %v", name, exposed)
		}
	}
	response, _ = c.Send("POST", "/v1/token", "", "grant_type=client_credentials&client_id=demo&client_secret="+demo.Secret,
		"Origin", origin, "Content-Type", "application/x-www-form-urlencoded")
	wantsOrigin("a token", response, http.StatusOK)
	response, _ = c.Send("POST", "/v1/token", "", "grant_type=client_credentials&client_id=demo&client_secret=wrong",
		"Origin", origin, "Content-Type", "application/x-www-form-urlencoded")
	wantsOrigin("no token", response, http.StatusUnauthorized)
	response, _ = c.Send("GET", "/v1/videos/nothing", c.Token, "", "Origin", origin)
	wantsOrigin("an error", response, http.StatusNotFound)
	about := `"videoId":"` + c.known["videoId"] + `","videoDurationSeconds":74.2,"playerId":"c9bf9e57","lesson":{"unit":3}`
	response, _ = c.Send("POST", path(playback.Link("createPlaybackEvent", nil)), c.Token,
		`{`+about+`,"segmentStartSeconds":0.105628,"segmentEndSeconds":99999.5}`, "Origin", origin, "Content-Type", "application/json")
	wantsOrigin("a playback event", response, http.StatusCreated)
	response, _ = c.Send("POST", path(playback.Link("createPlayerInteractedWithEvent", nil)), c.Token,
		`{`+about+`,"currentTime":3.25,"subtype":"captionsEnabled","payload":{"kind":"subtitles"}}`, "Content-Type", "application/json")
	if response.StatusCode != http.StatusCreated {
		c.Errorf("an interaction with the player: %d", response.StatusCode)
	}
	for relation, values := range map[string]map[string]string{"logInteraction": {"type": "VIDEO_LINK_COPIED"}, "trackVideoShareLink": nil} {
		if response, body := c.request("POST", c.video.Link(relation, values), "application/json", "{}"); response.StatusCode != http.StatusCreated {
			c.Errorf("%s: %d %s", relation, response.StatusCode, body)
		}
	}
	for _, relation := range []string{"transcript", "captions"} {
		if address := c.video.Link(relation, nil); address != "" {
			if response, body := c.request("GET", address, "", ""); response.StatusCode != http.StatusOK || len(body) == 0 {
				c.Errorf("%s: %d, %d bytes", relation, response.StatusCode, len(body))
			}
		}
	}
	c.PlayAnyVideo()
}

// useCollection creates a collection and uses all its links, without bodies where clients send none.
func (c *client) useCollection() {
	c.Helper()
	made, body := c.request("POST", c.Index().Link("createCollection", nil), "application/json", `{"title":"My walk","description":"Where it leads"}`)
	if made.StatusCode != http.StatusCreated {
		c.Fatalf("no collection is created: %d %s", made.StatusCode, body)
	}
	id := lastSegment(made.Header.Get("Location"), "")
	read := func() apptest.Document {
		c.Helper()
		return c.document(c.Index().Link("collection", map[string]string{"id": id, "projection": "details"}))
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
		href, _ := collection.At("_links", step.relation, "href").(string)
		address := apptest.Must(apptest.Must(uritemplate.New(href))(c).Expand(uritemplate.Values{"video_id": uritemplate.String(c.known["videoId"])}))(c)
		response, body := c.request(step.method, address, step.contentType, step.body)
		if href == "" || response.StatusCode != step.status {
			c.Errorf("%s: %s %q is answered %d %s", step.relation, step.method, address, response.StatusCode, body)
		}
		if step.relation == "addVideo" && len(read().At("videos").([]any)) != 1 {
			c.Errorf("the added video is not in the collection")
		}
	}
	if response, _ := c.request("GET", c.Index().Link("collection", map[string]string{"id": id}), "", ""); response.StatusCode != http.StatusNotFound {
		c.Errorf("a collection that was removed: %d", response.StatusCode)
	}
	others := c.document(c.Index().Link("collection", map[string]string{"id": c.known["collection id"]}))
	for _, relation := range []string{"bookmark", "unbookmark"} {
		response, body := c.request("PATCH", others.Link(relation, nil), "application/x-www-form-urlencoded", "")
		if response.StatusCode != http.StatusOK {
			c.Fatalf("%s: %d %s", relation, response.StatusCode, body)
		}
		others = c.document(others.Link("self", nil))
	}
}

// sendLists sends comma-separated lists, spaces as plus, and keys of facets as filters.
func (c *client) sendLists() {
	c.Helper()
	search := func(query string) apptest.Document { return c.document(c.Base + "/v1/videos?size=1&" + query) }
	all := search("")
	facets, _ := all.At("_embedded", "facets").(map[string]any)
	if len(facets) == 0 || all.At("facets") == nil {
		c.Fatalf("facets are %v and %v", facets, all.At("facets"))
	}
	durations := slices.Sorted(maps.Keys(facets["durations"].(map[string]any)))
	joined := search("duration=" + strings.Join(durations[:2], "%2C")).Total()
	repeated := search("duration=" + durations[0] + "&duration=" + durations[1]).Total()
	if joined != repeated || joined > all.Total() || len(durations) < 2 {
		c.Errorf("two durations, joined: %d videos, repeated: %d", joined, repeated)
	}
	if plus, percent := search("query=running+water").Total(), search("query=running%20water").Total(); plus != percent {
		c.Errorf("a space as plus finds %d videos, as %%20 %d", plus, percent)
	}
	c.explodeLists()
	href, _ := c.Index().At("_links", "searchVideos", "href").(string)
	for _, name := range []string{"ngss_code", "ngss_grade", "content_partner"} {
		if !strings.Contains(href, name) {
			c.Errorf("the template of searchVideos does not name %s", name)
		}
	}
	if feed, _ := c.Index().At("_links", "videoFeed", "href").(string); !strings.Contains(feed, "updated_as_of") {
		c.Errorf("the template of videoFeed does not name updated_as_of: %s", feed)
	}
}

// explodeLists verifies that an exploded variable of a template, sent as repeated parameters, finds the same as a
// comma-separated list.
func (c *client) explodeLists() {
	c.Helper()
	href, _ := c.Index().At("_links", "channels", "href").(string)
	levels := uritemplate.List("4CA", "4CL")
	exploded := apptest.Must(apptest.Must(uritemplate.New(href))(c).Expand(uritemplate.Values{"education_levels": levels}))(c)
	joined := apptest.Must(apptest.Must(uritemplate.New(strings.Replace(href, "*", "", 1)))(c).Expand(uritemplate.Values{"education_levels": levels}))(c)
	if strings.Count(exploded, "education_levels=") != 2 || strings.Count(joined, "education_levels=") != 1 {
		c.Fatalf("%s is filled as %s and %s", href, exploded, joined)
	}
	all, found := c.document(c.Index().Link("channels", nil)).Total(), c.document(exploded).Total()
	one := c.document(apptest.Must(apptest.Must(uritemplate.New(href))(c).Expand(uritemplate.Values{"education_levels": uritemplate.List("4CA")}))(c)).Total()
	if found != c.document(joined).Total() || found <= one || found >= all {
		c.Errorf("of %d channels one level finds %d, two exploded %d, two joined %d", all, one, found, c.document(joined).Total())
	}
}

// readErrors verifies that errors are JSON, whatever the client accepts.
func (c *client) readErrors() {
	c.Helper()
	response, body := c.Send("GET", "/v1/videos?size=501", c.Token, "", "Accept", "application/hal+json")
	var fault struct {
		Error, Message, Path string
		Status               int
	}
	if err := json.Unmarshal(body, &fault); err != nil || response.StatusCode != http.StatusBadRequest || fault.Status != response.StatusCode ||
		!strings.Contains(fault.Message, "501") || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		c.Errorf("a size that is too large: %d %s", response.StatusCode, body)
	}
	for user, want := range map[string]bool{c.known["isUserActive id"]: true, strings.Repeat("0", 24): false} {
		response, _ := c.request("GET", c.Index().Link("isUserActive", map[string]string{"id": user}), "", "")
		if active := response.StatusCode == http.StatusOK; active != want {
			c.Errorf("the user %s is active: %d", user, response.StatusCode)
		}
	}
}
