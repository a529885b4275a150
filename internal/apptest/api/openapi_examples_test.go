//go:build system

package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// describedDemo is a demo with everything that schemathesis needs for successful responses. Its token belongs to a
// user, who has the most permissions.
type describedDemo struct {
	*apptest.Server
	// expired is a token of an account whose access has expired.
	expired string
	// user is a token of a user who has signed in.
	user string
	// description is a file with the server's OpenAPI document, with examples from its catalogue.
	description string
	// operations are the names of all operations in the document.
	operations []string
}

// startDescribed starts a demo without limits.
func startDescribed(t *testing.T, settings ...string) describedDemo {
	t.Helper()
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("ended", "--access-expires-on", time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly))
	secret := h.Client("ended", "ended")
	s := h.Serve(slices.Concat(apptest.Unlimited, settings)...)
	s.Token = s.Access(demo.Account, demo.Secret, "Service-User-Id", "pupil-7")
	d := describedDemo{Server: s, expired: s.Access("ended", secret), user: signedIn(s), description: filepath.Join(t.TempDir(), "openapi.json")}
	var description map[string]any
	_, text := s.Request("GET", s.Base+"/openapi.json", "", "")
	if err := json.Unmarshal(text, &description); err != nil {
		t.Fatal(err)
	}
	e := newExamples(s)
	for name, one := range operationsOf(description) {
		e.put(name, one)
		d.operations = append(d.operations, name)
	}
	if err := os.WriteFile(d.description, apptest.Must(json.Marshal(description))(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

// signedIn returns a token of the demo's teacher.
func signedIn(s *apptest.Server) string {
	s.Helper()
	verifier := oauth2.GenerateVerifier()
	web := oauth2.Config{
		ClientID: demo.WebClient, RedirectURL: demo.RedirectURI, Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: s.Base + "/v1/authorize", TokenURL: s.Base + "/v1/token"},
	}
	code := apptest.NewBrowser(s).SignIn(web.AuthCodeURL("here", oauth2.S256ChallengeOption(verifier)), demo.Teacher, demo.Secret).Get("code")
	return apptest.Must(web.Exchange(s.Context(), code, oauth2.VerifierOption(verifier)))(s).AccessToken
}

// operation is an operation of an OpenAPI document in JSON.
type operation = map[string]any

// operationsOf returns the operations of a document by name, such as "GET /v1/".
func operationsOf(description operation) map[string]operation {
	all := map[string]operation{}
	for path, item := range description["paths"].(map[string]any) {
		for method, one := range item.(map[string]any) {
			all[strings.ToUpper(method)+" "+path] = one.(operation)
		}
	}
	return all
}

// answers counts the responses of each operation by status.
type answers map[string]map[int]int

// readAnswers reads the file that testdata/schemathesis_hooks.py has written.
func readAnswers(t testing.TB, file string) answers {
	t.Helper()
	all := answers{}
	for line := range strings.Lines(string(apptest.Must(os.ReadFile(file))(t))) {
		var method, path string
		var status int
		if _, err := fmt.Sscanf(line, "%d %s %s\n", &status, &method, &path); err != nil {
			t.Fatalf("%q is no answer: %v", line, err)
		}
		if of := method + " " + path; all[of] == nil {
			all[of] = map[int]int{status: 1}
		} else {
			all[of][status]++
		}
	}
	return all
}

// unserved returns the operations that never succeeded.
func (a answers) unserved(operations []string) []string {
	return slices.DeleteFunc(slices.Sorted(slices.Values(operations)), func(name string) bool {
		for status := range a[name] {
			if status >= 200 && status < 300 {
				return true
			}
		}
		return false
	})
}

// signIn contains the parameters with which the demo's application starts a sign-in.
var signIn = map[string]any{
	"response_type": "code", "client_id": demo.WebClient, "redirect_uri": demo.RedirectURI,
	"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
}

// knownValues are parameter values for which a demo succeeds, and which schemas do not describe well enough.
var knownValues = map[string]map[string]any{
	"GET /v1/authorize":                    signIn,
	"GET /v1/districts":                    {"countryCode": "USA", "state": "AK", "query": "district"},
	"GET /v1/highlights":                   {"query": "water"},
	"GET /v1/schools":                      {"countryCode": "USA", "state": "AK", "query": "school"},
	"GET /v1/suggestions":                  {"query": "wat"},
	"POST /v1/events/platform-interaction": {"subtype": "SEARCH_BAR_CLICKED"},
	"POST /v1/videos/{id}/events":          {"logVideoInteraction": true, "type": "VIDEO_LINK_COPIED"},
}

// examples are values of a catalogue for schemathesis.
type examples struct {
	*apptest.Server
	// ids are the IDs of resources, by the path segment before them.
	ids map[string]string
}

// newExamples finds resources that the user of the token may see.
func newExamples(s *apptest.Server) examples {
	s.Helper()
	e := examples{s, map[string]string{
		"countries": "USA",
		"users":     s.Document(s.Base + "/v1/users/_self").At("id").(string),
		"videos":    videoWithMaterial(s),
	}}
	for _, list := range []string{"subjects", "disciplines", "channels", "tags", "content-warnings"} {
		e.ids[list] = first(s.Document(s.Base+"/v1/"+list), "id")
	}
	providers := s.Document(s.Base + "/v1/alignments/providers")
	e.ids["providers"], e.ids["alignments"] = first(providers, "id"), first(providers, "navigationPath")
	e.ids["themes"] = first(s.Document(s.Base+"/v1/alignments/"+e.ids["alignments"]+"/themes"), "id")
	e.ids["highlights"] = first(s.Document(s.Base+"/v1/highlights?query=water"), "id")
	return e
}

// first returns a field of the first resource of a list.
func first(d apptest.Document, field string) string {
	d.Helper()
	lists, _ := d.At("_embedded").(map[string]any)
	for _, list := range lists {
		if list := list.([]any); len(list) > 0 {
			return list[0].(map[string]any)[field].(string)
		}
	}
	d.Fatalf("nothing is listed: %v", d.Fields)
	return ""
}

// videoWithMaterial returns the ID of a video that has every kind of material.
func videoWithMaterial(s *apptest.Server) string {
	s.Helper()
	for _, video := range s.Document(s.Base + "/v1/videos?size=500").Videos() {
		id := video.At("id").(string)
		if !slices.ContainsFunc([]string{"transcript", "captions", "cefr-level", "learning-outcomes", "assessment-questions"}, func(material string) bool {
			return s.Status("/v1/videos/"+id+"/"+material, s.Token) != http.StatusOK
		}) {
			return id
		}
	}
	s.Fatal("no video has a transcript, captions, a CEFR level, learning outcomes and questions")
	return ""
}

// collection creates a collection with a video and a comment.
func (e examples) collection() (id, comment string) {
	e.Helper()
	video := e.ids["videos"]
	made := e.post(http.StatusCreated, "/v1/collections", map[string]any{"title": "My lesson", "videos": []string{video}})
	id = made.At("id").(string)
	commented := e.post(http.StatusOK, "/v1/collections/"+id+"/comments", commentOn(video))
	asset := commented.At("assets").([]any)[0].(map[string]any)
	return id, asset["comments"].([]any)[0].(map[string]any)["id"].(string)
}

func commentOn(video string) any {
	return map[string]any{"comment": map[string]any{"videoId": video, "text": "Stop here"}}
}

// post sends a request with a body and returns the document of the response.
func (e examples) post(want int, path string, content any) apptest.Document {
	e.Helper()
	response, body := e.Send("POST", path, e.Token, string(apptest.Must(json.Marshal(content))(e)), "Content-Type", "application/json")
	d := apptest.Document{Server: e.Server}
	if err := json.Unmarshal(body, &d.Fields); err != nil || response.StatusCode != want {
		e.Fatalf("%s: %s %s", path, response.Status, body)
	}
	return d
}

// values returns examples of an operation's parameters. Each operation gets its own collections, because some
// operations delete them.
func (e examples) values(name string) map[string]any {
	e.Helper()
	values := map[string]any{}
	maps.Copy(values, knownValues[name])
	var collection, comment string
	if strings.Contains(name, "/v1/collections/{") {
		collection, comment = e.collection()
	}
	before := ""
	for part := range strings.SplitSeq(name, "/") {
		if variable, ok := strings.CutPrefix(part, "{"); ok {
			id := e.ids[before]
			switch before {
			case "collections":
				id = collection
			case "comments":
				id = comment
			}
			if id == "" {
				e.Fatalf("%s: of %s there is no example", name, before)
			}
			values[strings.TrimSuffix(variable, "}")] = id
		}
		before = part
	}
	return values
}

// body returns an example of an operation's body, or nil if the bodies that schemathesis generates from the schema are
// sufficient.
func (e examples) body(name string) any {
	switch name {
	case "PATCH /v1/collections/{id}":
		return map[string]any{"title": "My next lesson"}
	case "POST /v1/authorize":
		return signIn
	case "POST /v1/collections/{id}/comments":
		return commentOn(e.ids["videos"])
	case "POST /v1/token":
		return map[string]any{"grant_type": "client_credentials", "client_id": demo.Account, "client_secret": demo.Secret}
	}
	return nil
}

// put adds examples to an operation.
func (e examples) put(name string, to operation) {
	e.Helper()
	values := e.values(name)
	parameters, _ := to["parameters"].([]any)
	for _, one := range parameters {
		parameter := one.(map[string]any)
		if called, _ := parameter["name"].(string); values[called] != nil {
			parameter["example"] = values[called]
			delete(values, called)
		}
	}
	if len(values) > 0 {
		e.Errorf("%s has no parameters %v", name, values)
	}
	if body := e.body(name); body != nil {
		for _, content := range to["requestBody"].(map[string]any)["content"].(map[string]any) {
			content.(map[string]any)["example"] = body
		}
	}
}
