package rest_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/rest"
)

// protectedPaths returns the path of every GET route, and two paths that no route has.
func protectedPaths(t testing.TB) []string { return append(getRoutes(t), "/v1/nothing", "/") }

// TestInvalidTokens proves that an invalid token is answered with 401 on every path, before any other check, and
// that the challenge follows RFC 6750.
func TestInvalidTokens(t *testing.T) {
	w := shared()
	for name, authorization := range badTokens(t, w) {
		t.Run(name, func(t *testing.T) {
			for _, path := range protectedPaths(t) {
				got := w.send(t, apiRequest{path: path, header: map[string]string{"Authorization": authorization}})
				wantRejection(t, got, http.StatusUnauthorized)
				if challenge := got.Header.Get("WWW-Authenticate"); strings.HasPrefix(authorization, "Bearer ") != strings.Contains(challenge, "invalid_token") {
					t.Errorf("%s: the challenge is %s", path, challenge)
				}
			}
			graphQL := w.send(t, apiRequest{method: "POST", path: "/graphql", body: `{"query":"{index{links}}"}`, header: map[string]string{
				"Authorization": authorization, "Content-Type": "application/json",
			}})
			wantRejection(t, graphQL, http.StatusUnauthorized)
		})
	}
}

func badTokens(t testing.TB, w *world) map[string]string {
	t.Helper()
	good := w.token(t, customer)
	parts := strings.Split(good, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", good)
	}
	claims := parts[1]
	encode := func(header string) string { return base64.RawURLEncoding.EncodeToString([]byte(header)) }
	past := func() time.Time { return begin.AddDate(-1, 0, 0) }
	return map[string]string{
		"none":                  "",
		"empty":                 "Bearer ",
		"no JWT":                "Bearer abc",
		"another scheme":        "Basic " + encode("customer:"+secret),
		"expired":               "Bearer " + tokenOf(t, w.authentication(t.Context(), past).TokenHandler(), customer),
		"a foreign key":         "Bearer " + newWorld(t, options{empty: true}).token(t, customer),
		"alg none":              "Bearer " + encode(`{"alg":"none","typ":"at+jwt"}`) + "." + claims + ".",
		"alg none, signed":      "Bearer " + encode(`{"alg":"none"}`) + "." + claims + "." + parts[2],
		"alg HS256":             "Bearer " + encode(`{"alg":"HS256","typ":"at+jwt"}`) + "." + claims + "." + parts[2],
		"other claims":          "Bearer " + parts[0] + "." + encode(`{"sub":"operator","client_id":"operator","exp":99999999999}`) + "." + parts[2],
		"a cut signature":       "Bearer " + good[:len(good)-2],
		"a character added":     "Bearer " + good + "A",
		"without its signature": "Bearer " + parts[0] + "." + claims + ".",
		"very long":             "Bearer " + strings.Repeat("a", 30_000),
		"not UTF-8":             "Bearer \xff\xfe",
		"a refresh token":       "Bearer " + refreshToken(t, w),
	}
}

func tokenOf(t testing.TB, handler http.Handler, client string) string {
	return logIn(t, handler, client)
}

func refreshToken(t testing.TB, w *world) string {
	t.Helper()
	got := w.send(t, apiRequest{method: "POST", path: "/v1/token", body: "grant_type=client_credentials&client_id=customer&client_secret=open+sesame",
		header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}})
	token, _ := got.json(t)["refresh_token"].(string)
	if token == "" {
		t.Fatalf("%s", got.body)
	}
	return token
}

// TestPermissionsDecide proves that an endpoint refuses a caller without its permission and answers a caller with it. The
// permissions are those that the index relations require.
func TestPermissionsDecide(t *testing.T) {
	w := shared()
	open := map[string]map[string]bool{
		stranger: {
			"/v1/curriculum/ngss/codes": true, "/v1/curriculum/ngss/grades": true, "/v1/alignments/providers": true, "/v1/alignments/providers/{providerId}": true,
			"/v1/alignments/themes": true, "/v1/alignments/{provider}/themes": true, "/v1/alignments/{provider}/themes/{id}": true,
			"/v1/countries": true, "/v1/countries/{id}": true, "/v1/countries/{id}/states": true, "/v1/schools": true, "/v1/districts": true,
			"/v1/collections/{id}": true, "/v1/users/{id}/active": true, "/v1/videos/{id}": true, "/v1/": true, "/v1": true, "/v1/admin": true, "/v1/subjects": true, "/v1/subjects/{id}": true, "/v1/content-warnings/{id}": true, "/v1/education-levels": true,
		},
		viewer: {"/v1/videos": true, "/v1/videos/{id}/similar": true, "/v1/feed/videos": true, "/v1/feed/removed-videos": true, "/v1/suggestions": true, "/v1/video-types": true, "/v1/videos/metadata": true},
	}
	paths := getRoutes(t)
	var i int
	for _, route := range rest.Routes() {
		if route.Method != http.MethodGet {
			continue
		}
		path := paths[i]
		i++
		for _, caller := range []string{stranger, viewer, customer, operator} {
			allowed := caller == customer || caller == operator || open[stranger][route.Path] || open[caller][route.Path]
			switch {
			case route.Path == "/v1/users/_self": // needs a user, whatever the permissions
				allowed = false
			case route.Path == "/v1/users/{id}/active": // users of the caller's own account only
				allowed = caller == customer
			case route.Path == "/v1/users/{id}/collections" && caller != operator: // that user only
				allowed = false
			}
			want := http.StatusForbidden
			if allowed {
				want = http.StatusOK
			}
			if got := w.get(t, caller, path); got.StatusCode != want {
				t.Errorf("%s as %s: got %d %.200s, want %d", path, caller, got.StatusCode, got.body, want)
			}
		}
	}
}

// TestWhatIsPrivateIsNowhere proves that no request of a customer returns anything of a private channel.
func TestWhatIsPrivateIsNowhere(t *testing.T) {
	w := shared()
	hidden := []string{string(idOf("secretVideo")), string(idOf("private")), "Private Lab", "Secret water works"}
	paths := []string{
		"/v1/videos?query=secret&size=500", "/v1/videos?channel=" + hidden[1] + "&include_channel_facets=true", "/v1/videos?id=" + hidden[0],
		"/v1/videos?subject=" + string(idOf("covert")), "/v1/feed/videos", "/v1/channels", "/v1/channels?name=Private+Lab", "/v1/channels?education_levels=4CA",
		"/v1/videos?query=%22Private+Lab%22", "/v1/videos?include_channel_facets=true", "/v1/videos?sort_by=RELEASE_DATE",
	}
	for _, path := range paths {
		_, query, _ := strings.Cut(path, "?")
		body := strings.ReplaceAll(string(w.get(t, customer, path).body), query, "") // links repeat what was asked for
		for _, text := range hidden {
			if strings.Contains(body, text) {
				t.Errorf("%s reports a customer of %s", path, text)
			}
		}
	}
	for _, prefix := range []string{"sec", "Priv", "works", "cov"} {
		got := w.ok(t, customer, "/v1/suggestions?query="+prefix)
		for _, list := range []string{"channels", "subjects", "phrases"} {
			if found := got[list].([]any); len(found) > 0 {
				t.Errorf("%q suggests %v to a customer", prefix, found)
			}
		}
	}
	for _, path := range []string{pathOf("secretVideo"), pathOf("secretVideo") + "/transcript", "/v1/channels/" + hidden[1]} {
		wantRejection(t, w.get(t, customer, path), http.StatusNotFound)
	}
	for path, needle := range map[string]string{"/v1/videos?query=secret": hidden[0], "/v1/feed/videos": hidden[0], "/v1/channels": hidden[1], "/v1/suggestions?query=priv": hidden[1]} {
		if !strings.Contains(string(w.get(t, operator, path).body), needle) {
			t.Errorf("%s hides it from the operator too", path)
		}
	}
}

// TestBodies proves that POST /v1/videos/metadata refuses malformed bodies.
func TestBodies(t *testing.T) {
	w := shared()
	post := func(contentType, body string) *answer {
		return w.send(t, apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: body, header: map[string]string{"Content-Type": contentType}})
	}
	quoted, err := json.Marshal(idOf("floating"))
	check(err)
	many := `{"ids":[` + strings.Repeat(string(quoted)+",", 999) + string(quoted) + `]}`
	for _, test := range []struct {
		name, contentType, body string
		want                    int
	}{
		{"good", "application/json", `{"ids":["x"],"unknown":{"a":[1]}}`, 200},
		{"with a charset", "application/json; charset=utf-8", `{"ids":[]}`, 200},
		{"HAL", "application/hal+json", `{"ids":[]}`, 200},
		{"a thousand", "application/json", many, 200},
		{"more than a thousand", "application/json", strings.Replace(many, "[", `["x",`, 1), 400},
		{"empty", "application/json", "", 400},
		{"null", "application/json", "null", 400},
		{"no ids", "application/json", `{}`, 400},
		{"ids null", "application/json", `{"ids":null}`, 400},
		{"no object", "application/json", `["x"]`, 400},
		{"not strings", "application/json", `{"ids":[1]}`, 400},
		{"truncated", "application/json", `{"ids":["x"`, 400},
		{"more behind", "application/json", `{"ids":[]}{}`, 400},
		{"not UTF-8", "application/json", "{\"ids\":[\"\xff\"]}", 400},
		{"deep", "application/json", `{"ids":` + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + `}`, 400},
		{"deep elsewhere", "application/json", `{"ids":[],"x":` + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + `}`, 400},
		{"too long", "application/json", `{"ids":[],"x":"` + strings.Repeat("x", 64<<10) + `"}`, 413},
		{"a form", "application/x-www-form-urlencoded", "ids=x", 415},
		{"no type", "", `{"ids":[]}`, 415},
		{"a broken type", "application/json;;=", `{"ids":[]}`, 415},
		{"an odd id", "application/json", `{"ids":["\u0000","","../..","` + strings.Repeat("x", 1000) + `"]}`, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := post(test.contentType, test.body); got.StatusCode != test.want {
				t.Errorf("got %d %.300s, want %d", got.StatusCode, got.body, test.want)
			}
		})
	}
}

// TestGraphQLBodiesCarryTheErrorBody proves that a refused POST /graphql request has the same error body as the HAL
// API.
func TestGraphQLBodiesCarryTheErrorBody(t *testing.T) {
	w := shared()
	for body, want := range map[string]int{
		`{"query":"{index{links}}"}`: 200,
		"":                           400, "{": 400, `{"query":"{"}`: 400, `{"query":"{nothing}"}`: 400, `[]`: 400, "\xff": 400,
		`{"query":"{index{links}}","x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`: 400,
		`{"query":"` + strings.Repeat(" ", 3<<20) + `"}`:                                                   413,
	} {
		got := w.send(t, apiRequest{as: customer, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
		if got.StatusCode != want {
			t.Errorf("%.60q: got %d %.300s, want %d", body, got.StatusCode, got.body, want)
		}
	}
}
