package rest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/rest"
)

func embedding(as, reference, body string) apiRequest {
	return apiRequest{as: as, method: http.MethodPost, path: pathOf(reference) + "/embeds", body: body, header: map[string]string{"Content-Type": "application/json"}}
}

// TestEmbed proves that an embed address contains the requested values, that the HTML snippet contains that address,
// escaped, and that a request without a body gets the defaults.
func TestEmbed(t *testing.T) {
	w := shared()
	for body, want := range map[string]url.Values{
		"":   {"expires": {unix(begin.Add(24 * time.Hour))}},
		"{}": {"expires": {unix(begin.Add(24 * time.Hour))}},
		`{"expiresIn":null,"start":null,"end":null,"origins":null}`:                           {"expires": {unix(begin.Add(24 * time.Hour))}},
		`{"expiresIn":60,"start":0.5,"end":7,"origins":["` + seasideOrigin + `"],"other":[]}`: {"expires": {unix(begin.Add(time.Minute))}, "start": {"0.5"}, "end": {"7"}, "origin": {seasideOrigin}},
		`{"expiresIn":2678400}`: {"expires": {unix(begin.Add(31 * 24 * time.Hour))}},
	} {
		got := w.send(t, embedding(seaside, "boats", body))
		if got.StatusCode != http.StatusCreated {
			t.Errorf("%s: got %d %s", body, got.StatusCode, got.body)
			continue
		}
		document := got.json(t)
		if location := got.Header.Get("Location"); location != document["url"] {
			t.Errorf("%s: Location is %q, want %s", body, location, document["url"])
		}
		address := must(url.Parse(document["url"].(string)))
		query := address.Query()
		want["client"], want["issued"] = []string{seaside}, []string{unix(begin)}
		signature := query.Get("signature")
		query.Del("signature")
		if address.Path != "/embed/"+string(idOf("boats")) || query.Encode() != want.Encode() || len(signature) != 43 {
			t.Errorf("%s: the address is %s, want %s", body, address, want.Encode())
		}
		escaped := strings.ReplaceAll(address.String(), "&", "&amp;")
		if html := document["html"].(string); !strings.HasPrefix(html, `<iframe src="`+escaped+`" title="Building wooden boats"`) {
			t.Errorf("the snippet is %s", html)
		}
	}
	hostile := w.send(t, embedding(operator, "hostile", ""))
	if hostile.StatusCode != http.StatusConflict { // the operator's account has no allowed origins, and the video no stream
		t.Errorf("got %d %s", hostile.StatusCode, hostile.body)
	}
}

// of returns an event body with another video.
func of(body, reference string) string {
	return strings.Replace(body, "64d135150d3cc59d7c8a59a5", string(idOf(reference)), 1)
}

func unix(at time.Time) string { return fmt.Sprint(at.Unix()) }

// TestEmbedRefusals proves that each refusal names the invalid or missing value.
func TestEmbedRefusals(t *testing.T) {
	w := shared()
	for body, part := range map[string]string{
		`{"expiresIn":59}`: "59", `{"expiresIn":2678401}`: "2678401", `{"expiresIn":-1}`: "-1", `{"expiresIn":9007199254740993}`: "9007199254740993",
		`{"expiresIn":"60"}`: "expiresIn", `{"expiresIn":60.5}`: "expiresIn", `{"start":-1}`: "start", `{"start":1e9}`: "start",
		`{"start":5,"end":5}`: "end", `{"end":1e9}`: "end", `{"end":0}`: "end", `{"start":"0"}`: "start", `{"origins":[]}`: "origins",
		`{"origins":["https://evil.example"]}`: "evil.example", `{"origins":[null]}`: "origins[0]", `{"origins":"x"}`: "origins",
		`{"origins":[` + strings.Repeat(`"`+seasideOrigin+`",`, 20) + `"` + seasideOrigin + `"]}`: "21",
		`[]`: "object", `{`: "not valid JSON",
	} {
		wantRejection(t, w.send(t, embedding(seaside, "boats", body)), http.StatusBadRequest, part)
	}
	wantRejection(t, w.send(t, embedding(customer, "boats", "")), http.StatusConflict, "allowedOrigins")
	wantRejection(t, w.send(t, embedding(customer, "onYouTube", "")), http.StatusConflict, "stream")
	wantRejection(t, w.send(t, embedding(seaside, "floating", "")), http.StatusNotFound)
	wantRejection(t, w.send(t, embedding(stranger, "boats", "")), http.StatusForbidden, "VIEW_VIDEOS")
	wantRejection(t, w.send(t, embedding(nobody, "boats", "")), http.StatusUnauthorized)
	typed := embedding(seaside, "boats", "{}")
	typed.header = map[string]string{"Content-Type": "text/html"}
	wantRejection(t, w.send(t, typed), http.StatusUnsupportedMediaType)
}

// TestBothAPIsMakeTheSameEmbed proves that HAL and GraphQL create the same embed, except for the base address, which
// POST /graphql gets from the server around it.
func TestBothAPIsMakeTheSameEmbed(t *testing.T) {
	w := shared()
	data, code := w.graphQL(t, seaside, `mutation($id: String!) { hal: createEmbed(videoId: $id, input: {start: 2}) { url html expiresAt } }`,
		map[string]any{"id": idOf("boats")})
	got := w.send(t, embedding(seaside, "boats", `{"start":2}`)).json(t)
	if code != "" || base+data.(map[string]any)["url"].(string) != got["url"] || data.(map[string]any)["expiresAt"] != got["expiresAt"] {
		t.Errorf("GraphQL says %v %s, HAL %v", data, code, got)
	}
	if _, code := w.graphQL(t, stranger, `mutation($id: String!) { createEmbed(videoId: $id) { url } }`, map[string]any{"id": idOf("boats")}); code != "FORBIDDEN" {
		t.Errorf("a stranger gets %q", code)
	}
}

// oneVideo is the caller with an embed token for floating() only, issued to the customer.
const oneVideo = "one video"

func newEmbeddedWorld(t testing.TB) *world {
	t.Helper()
	w := newWorld(t, options{})
	token, ends, err := w.auth.EmbedToken(customer, account.Embed{Video: idOf("floating"), Address: "an address", Viewing: account.Viewing{ID: "v", Opened: begin}}, begin.Add(time.Hour))
	if err != nil || !ends.Equal(begin.Add(10*time.Minute)) {
		t.Fatalf("ends at %s, %v", ends, err)
	}
	w.tokens[oneVideo] = token
	return w
}

// TestTokensOfOneVideoOpenNothingElse proves that only the routes that read the token's video and report its playback
// accept an embed token. Every other route, method and video is refused.
func TestTokensOfOneVideoOpenNothingElse(t *testing.T) {
	w := newEmbeddedWorld(t)
	opened := map[string]int{
		"GET /v1/videos/{id}": http.StatusOK, "GET /v1/videos/{id}/transcript": http.StatusOK, "GET /v1/videos/{id}/captions": http.StatusOK,
		"POST /v1/events/playback": http.StatusCreated, "POST /v1/events/player-interaction": http.StatusCreated,
	}
	bodies := map[string]string{"/v1/events/playback": of(playbackBody, "floating"), "/v1/events/player-interaction": of(playerBody, "floating")}
	met := map[string]bool{}
	for _, route := range rest.Routes() {
		path := pathVariable.ReplaceAllString(route.Path, string(idOf("floating")))
		for _, method := range []string{route.Method, "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			key := method + " " + route.Path
			if met[key] {
				continue
			}
			met[key] = true
			a := apiRequest{as: oneVideo, method: method, path: path, body: bodies[route.Path], header: map[string]string{"Content-Type": "application/json"}}
			if method == "GET" || method == "HEAD" {
				a.body = ""
			}
			want := opened[strings.Replace(key, "HEAD", "GET", 1)]
			if want == 0 {
				want = http.StatusForbidden
			}
			if got := w.sendUnchecked(t, a); got.StatusCode != want {
				t.Errorf("%s: got %d %.200s, want %d", key, got.StatusCode, got.body, want)
			}
		}
	}
	for key := range opened {
		if !met[key] {
			t.Errorf("there is no route %s", key)
		}
	}
	for _, a := range []apiRequest{
		{path: pathOf("boats")}, {path: pathOf("boats") + "/captions"}, {path: pathOf("boats") + "/transcript"}, {path: "/v1/videos/1001"},
		{path: pathOf("secretVideo")}, {path: "/v1/videos/ffffffffffffffffffffffff"}, {path: "/v1/nothing"}, {path: "/nothing"},
		{path: "/v1/events/playback", method: http.MethodPost, body: of(playbackBody, "boats")},
		{path: "/v1/events/player-interaction", method: http.MethodPost, body: of(playerBody, "boats")},
		{path: "/graphql", method: http.MethodPost, body: `{"query":"{ video(id: \"` + string(idOf("floating")) + `\") { id } }"}`},
		{path: "/graphql", method: http.MethodPost, body: `{"query":"{ __typename }"}`},
	} {
		a.as = oneVideo
		if a.body != "" {
			a.header = map[string]string{"Content-Type": "application/json"}
		}
		wantRejection(t, w.send(t, a), http.StatusForbidden)
	}
}

// TestWhatTheDocumentShowsToTokensOfOneVideo proves that the document shows an embed token exactly the links that it
// may use.
func TestWhatTheDocumentShowsToTokensOfOneVideo(t *testing.T) {
	w := newEmbeddedWorld(t)
	document := w.ok(t, oneVideo, pathOf("floating"))
	var rels []string
	for _, link := range linksOf(t, pathOf("floating"), document) {
		if link.rel != "download" { // attachments are hosted elsewhere
			rels = append(rels, link.rel)
		}
	}
	slices.Sort(rels)
	// The second self is that of the content warning, which every token sees.
	want := []string{"captions", "createPlaybackEvent", "createPlayerInteractedWithEvent", "hlsStream", "self", "self", "thumbnail", "transcript", "videoPreview"}
	if !slices.Equal(rels, want) {
		t.Errorf("shown are %v", rels)
	}
}

// TestEventsOfTokensOfOneVideo proves that events with an embed token belong to the account and the client that created
// the address, and to no user.
func TestEventsOfTokensOfOneVideo(t *testing.T) {
	w := newEmbeddedWorld(t)
	got := w.send(t, apiRequest{
		as: oneVideo, method: http.MethodPost, path: "/v1/events/playback", body: of(playbackBody, "floating"),
		header: map[string]string{"Content-Type": "application/json", "Service-User-Id": "somebody"},
	})
	if got.StatusCode != http.StatusCreated {
		t.Fatalf("got %d %s", got.StatusCode, got.body)
	}
	if len(w.reported.submissions) != 1 || len(w.reported.submissions[0].Events) != 1 {
		t.Fatalf("the reported events are %+v", w.reported.submissions)
	}
	e := w.reported.submissions[0].Events[0]
	if e.Account != customer || e.Client != customer || e.User != "" || e.ExternalUser != "" || e.Video != string(idOf("floating")) {
		t.Errorf("kept is %+v", e)
	}
}

// TestTokensOfOneVideoEnd proves that an embed token ends when it expires and when its client is disabled.
func TestTokensOfOneVideoEnd(t *testing.T) {
	w := newEmbeddedWorld(t)
	w.ok(t, oneVideo, pathOf("floating"))
	client := authtest.Client(customer, customer, secret)
	client.Disabled = true
	check(authtest.Put(t.Context(), w.accounts, client))
	check(w.auth.Refresh(t.Context()))
	wantRejection(t, w.get(t, oneVideo, pathOf("floating")), http.StatusUnauthorized)

	w = newEmbeddedWorld(t)
	w.clock.set(begin.Add(10*time.Minute + time.Second))
	wantRejection(t, w.get(t, oneVideo, pathOf("floating")), http.StatusUnauthorized, "expired")
}
