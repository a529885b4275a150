//go:build system

package fleet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestTwoProcessesOneIdentity verifies that on shared engines, a sign-in at one process is valid at the other, and a
// change at one takes effect at both.
func TestTwoProcessesOneIdentity(t *testing.T) {
	f := startFleet(t, 2, "--store", testservers.SharedPostgreSQL(t).URL, "--cache", testservers.SharedRedis(t).URL)
	t.Run("one of many exchanges of a code", f.exchangeOnce)
	t.Run("a package that changes", f.changePackage)
	t.Run("a collection of a package that changes", f.changeCollection)
	t.Run("roles that change", f.changeRoles)
	t.Run("an account that is suspended", f.suspend)
}

// exchangeOnce verifies that of concurrent exchanges of a code at both processes exactly one gets tokens. The other
// exchanges are replays, so the tokens are revoked.
func (f *fleet) exchangeOnce(t *testing.T) {
	verifier := oauth2.GenerateVerifier()
	code := f.signIn(t, verifier)
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {demo.WebClient}, "code": {code}, "redirect_uri": {demo.RedirectURI}, "code_verifier": {verifier},
	}
	var (
		racing   sync.WaitGroup
		mu       sync.Mutex
		granted  []string
		rejected int
	)
	for i := range 16 {
		racing.Go(func() {
			answer, body := f.post(t, f.members[i%2], "/v1/token", form)
			mu.Lock()
			defer mu.Unlock()
			switch answer {
			case http.StatusOK:
				granted = append(granted, body["access_token"].(string))
			case http.StatusBadRequest:
				rejected++
			default:
				t.Errorf("%d %v", answer, body)
			}
		})
	}
	racing.Wait()
	if len(granted) != 1 || rejected != 15 {
		t.Fatalf("%d of 16 exchanges are granted, %d rejected", len(granted), rejected)
	}
	for _, m := range f.members {
		f.eventually(t, m, granted[0], "/v1/", http.StatusUnauthorized)
	}
}

// signIn returns the code that the demo's teacher gets from the first process.
func (f *fleet) signIn(t *testing.T, verifier string) string {
	t.Helper()
	web := oauth2.Config{
		ClientID: demo.WebClient, RedirectURL: demo.RedirectURI, Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: f.members[0].base + "/v1/authorize"},
	}
	// The form contains the public URL, at which the test has no load balancer.
	b := apptest.NewBrowser(t)
	b.Client.Transport = processTransport(f.members[0].base)
	return b.SignIn(web.AuthCodeURL("here", oauth2.S256ChallengeOption(verifier)), demo.Teacher, demo.Secret).Get("code")
}

// processTransport sends requests for the fleet's public URL to one process.
type processTransport string

// RoundTrip implements http.RoundTripper.
func (to processTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if address := strings.TrimPrefix(string(to), "http://"); r.URL.Host == strings.TrimPrefix(fleetBase, "http://") {
		r = r.Clone(r.Context())
		r.URL.Host = address
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (f *fleet) post(t *testing.T, m *member, path string, form url.Values) (int, map[string]any) {
	t.Helper()
	response, err := f.client.PostForm(m.base+path, form)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer response.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil {
		t.Error(err)
	}
	return response.StatusCode, body
}

// changePackage verifies that a rule that an operator adds at one process hides videos at both, even from tokens issued
// before.
func (f *fleet) changePackage(t *testing.T) {
	_, answer := f.post(t, f.members[1], "/v1/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.PlusAccount}, "client_secret": {demo.Secret}})
	token := answer["access_token"].(string)
	for _, m := range f.members {
		f.eventually(t, m, token, "/v1/videos?type=INSTRUCTIONAL&size=1", http.StatusOK, `"videos":[{`)
	}
	f.operate(t, f.members[0], `mutation { updateContentPackage(id: "demo-plus", input: {rules: [{type: ExcludedVideoTypes, values: ["INSTRUCTIONAL"]}]}) { id } }`)
	for _, m := range f.members {
		f.eventually(t, m, token, "/v1/videos?type=INSTRUCTIONAL&size=1", http.StatusOK, `"videos":[]`)
	}
}

// changeCollection verifies that a video added to a collection at one process is visible at both to accounts with the
// collection in their package.
func (f *fleet) changeCollection(t *testing.T) {
	_, answer := f.post(t, f.members[1], "/v1/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.PlusAccount}, "client_secret": {demo.Secret}})
	token := answer["access_token"].(string)
	page := f.send(t, f.members[0], http.MethodGet, "/v1/videos?size=1&type=PODCAST", "")
	video := page["_embedded"].(map[string]any)["videos"].([]any)[0].(map[string]any)["id"].(string)
	collection := f.send(t, f.members[0], http.MethodPost, "/v1/collections", `{"title":"Shelf"}`)["id"].(string)
	f.operate(t, f.members[0], `mutation { updateContentPackage(id: "demo-plus", input: {rules: [{type: IncludedCollections, values: ["`+collection+`"]}]}) { id } }`)
	for _, m := range f.members {
		f.eventually(t, m, token, "/v1/videos?size=1", http.StatusOK, `"videos":[]`)
	}
	f.send(t, f.members[0], http.MethodPut, "/v1/collections/"+collection+"/videos/"+video, "")
	begun := time.Now()
	for _, m := range f.members {
		f.eventually(t, m, token, "/v1/videos?size=2", http.StatusOK, `"id":"`+video+`"`, `"totalElements":1`)
		t.Logf("%s shows the video %s after it came into the collection", m.name, time.Since(begun))
	}
}

// changeRoles verifies that a change of the roles of a client or a tier at one process takes effect at both.
func (f *fleet) changeRoles(t *testing.T) {
	for client, change := range map[string]string{
		demo.PlusAccount:  `mutation { updateClient(id: "demo-plus", input: {roles: [VIEW_TAGS]}) { id } }`,
		demo.BasicAccount: `mutation { putTier(input: {id: "basic", name: "Basic", roles: [VIEW_TAGS]}) { id } }`,
	} {
		_, answer := f.post(t, f.members[1], "/v1/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {demo.Secret}})
		token := answer["access_token"].(string)
		for _, m := range f.members {
			f.eventually(t, m, token, "/v1/videos?size=1", http.StatusOK)
		}
		f.operate(t, f.members[0], change)
		begun := time.Now()
		for _, m := range f.members {
			f.eventually(t, m, token, "/v1/videos?size=1", http.StatusForbidden)
			t.Logf("%s refuses %s %s after its roles changed", m.name, client, time.Since(begun))
		}
	}
}

// send sends a request to a process as the operator, and returns the document, or nil if there is none.
func (f *fleet) send(t *testing.T, m *member, method, path, body string) (document map[string]any) {
	t.Helper()
	request := apptest.Must(http.NewRequestWithContext(t.Context(), method, m.base+path, strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+f.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response := apptest.Must(f.client.Do(request))(t)
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(&document); err != nil || response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s %v %v", method, path, response.Status, document, err)
	}
	return document
}

// suspend verifies that both processes refuse an account that was suspended at one.
func (f *fleet) suspend(t *testing.T) {
	_, answer := f.post(t, f.members[1], "/v1/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.BasicAccount}, "client_secret": {demo.Secret}})
	token := answer["access_token"].(string)
	f.operate(t, f.members[0], `mutation { updateAccount(id: "demo-basic", input: {status: SUSPENDED}) { id } }`)
	for _, m := range f.members {
		f.eventually(t, m, token, "/v1/", http.StatusUnauthorized)
	}
}

func (f *fleet) operate(t *testing.T, m *member, mutation string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": mutation})
	if err != nil {
		t.Fatal(err)
	}
	request := apptest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, m.base+"/graphql", bytes.NewReader(body)))(t)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+f.token)
	response := apptest.Must(f.client.Do(request))(t)
	defer response.Body.Close()
	var answer struct{ Errors []any }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Errors != nil {
		t.Fatalf("%s: %v %v", mutation, err, answer.Errors)
	}
}

// eventually wants a response within a second, plus the delays of a busy machine.
func (f *fleet) eventually(t *testing.T, m *member, token, path string, status int, parts ...string) {
	t.Helper()
	var reported string
	for begun := time.Now(); time.Since(begun) < apptest.LearnTime; time.Sleep(20 * time.Millisecond) {
		request := apptest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, m.base+path, nil))(t)
		request.Header.Set("Authorization", "Bearer "+token)
		response := apptest.Must(f.client.Do(request))(t)
		var body bytes.Buffer
		_, err := body.ReadFrom(response.Body)
		_ = response.Body.Close()
		reported = fmt.Sprint(response.StatusCode, " ", body.String(), err)
		found := response.StatusCode == status
		for _, part := range parts {
			found = found && strings.Contains(body.String(), part)
		}
		if found {
			return
		}
	}
	t.Fatalf("%s answers %s with %s", m.name, path, apptest.LastLines(reported, 1))
}

// TestLogHoldsNoSecrets runs every flow of docs/sign-in.md, and refused flows, with the most verbose log, and verifies
// that the log contains no secret.
func TestLogHoldsNoSecrets(t *testing.T) {
	s := apptest.Start(t, "--demo", "--log-level", "debug")
	script, secretsOf := apptest.WalkThrough(t, "sign-in.md", s.Base), regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+|"refresh_token":"[^"]+"|[?&]code=[^&]+`)
	reported, err := apptest.Bounded(t, "bash", "-c", script).Output()
	if err != nil {
		t.Fatalf("%v:\n%s", err, reported)
	}
	for _, wrong := range []url.Values{
		{"grant_type": {"client_credentials"}, "client_id": {"demo"}, "client_secret": {"wrong-secret"}},
		{"grant_type": {"refresh_token"}, "client_id": {"demo"}, "refresh_token": {"wrong-refresh-token"}},
		{"grant_type": {"authorization_code"}, "client_id": {"demo-web"}, "code": {"wrong-code"}, "redirect_uri": {demo.RedirectURI}, "code_verifier": {"wrong-verifier"}},
		{"grant_type": {"password"}, "client_id": {"demo"}, "password": {"wrong-password"}},
	} {
		if answer, _ := s.Request("POST", s.Base+"/v1/token", "application/x-www-form-urlencoded", wrong.Encode()); answer.StatusCode < 400 {
			t.Errorf("%v: %s", wrong, answer.Status)
		}
	}
	s.Token = "wrong.bearer.token"
	if answer, _ := s.Request("GET", s.Base+"/v1/?access_token=wrong-query-token", "", ""); answer.StatusCode != http.StatusUnauthorized {
		t.Error(answer.Status)
	}
	secrets := []string{demo.Secret, "wrong-", "wrong.bearer"}
	for _, found := range secretsOf.FindAllString(string(reported), -1) {
		secret := found[strings.LastIndexAny(strings.TrimSuffix(found, `"`), `"=`)+1:]
		secrets = append(secrets, strings.TrimSuffix(secret, `"`))
	}
	if len(secrets) < 8 {
		t.Fatalf("only %d secrets were seen: %q", len(secrets), secrets)
	}
	s.Stop(syscall.SIGTERM)
	log := s.Logged()
	for _, secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(log, "authentication refused") {
		t.Errorf("the log reports nothing of what was refused:\n%s", log)
	}
}
