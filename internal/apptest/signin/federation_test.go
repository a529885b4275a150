//go:build system

package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// customer is an account whose users sign in at an identity provider of its own.
type customer struct {
	apptest.Installation
	base, name, issuer string
	web                oauth2.Config
	verifier           string
}

// TestCustomersOwnProviders creates two customers with commands beside a running server, each with an identity provider
// at which anyone can sign in.
func TestCustomersOwnProviders(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	s := h.Serve("--federation-networks", "127.0.0.0/8,::1/128")
	school, college := newCustomer(t, h, s, "school"), newCustomer(t, h, s, "college")
	b := apptest.NewBrowser(t)
	ann, token := school.signIn(t, b, "ann")

	t.Run("one user, however often", func(t *testing.T) {
		for range 2 {
			if again, _ := school.signIn(t, apptest.NewBrowser(t), "ann"); again != ann {
				t.Errorf("ann is %s and %s", ann, again)
			}
		}
		users := school.users(t)
		if len(users) != 1 || users[0].ID != ann || users[0].Subject != "ann" || users[0].Issuer != school.issuer || users[0].Email != "ann@school.example" {
			t.Errorf("the account has %+v", users)
		}
		if got := s.In(t).Status("/v1/", token.AccessToken); got != http.StatusOK {
			t.Errorf("her token is answered %d", got)
		}
	})

	t.Run("of one customer", func(t *testing.T) {
		if back := college.authorize(t, b, "prompt", "none"); back.Get("error") != "login_required" {
			t.Errorf("signed in with one, at the other she gets %v", back)
		}
		namesake, _ := college.signIn(t, b, "ann")
		if namesake == ann || len(college.users(t)) != 1 || len(school.users(t)) != 1 {
			t.Errorf("ann of the one is %s, ann of the other %s", ann, namesake)
		}
		if back := school.authorize(t, b, "prompt", "none"); back.Get("code") == "" {
			t.Errorf("signed in with the other too, at the first she gets %v", back)
		}
		if answer, _ := b.Open("GET", college.address("prompt", "login", "idp_hint", "id-of-school"), nil); !strings.HasPrefix(answer.Request.URL.String(), college.issuer) {
			t.Errorf("a hint of the one leads at the other to %s", answer.Request.URL)
		}
		s := s.In(t)
		for _, form := range []url.Values{
			{"grant_type": {"authorization_code"}, "code": {school.authorize(t, b).Get("code")}, "redirect_uri": {demo.RedirectURI}, "code_verifier": {school.verifier}},
			{"grant_type": {"refresh_token"}, "refresh_token": {token.RefreshToken}},
		} {
			form.Set("client_id", college.web.ClientID)
			if response, answer := s.Post("/v1/token", form); response.StatusCode != http.StatusBadRequest || answer["error"] != "invalid_grant" {
				t.Errorf("%s of the one's at the other: %s %v", form.Get("grant_type"), response.Status, answer)
			}
		}
	})

	t.Run("an answer for another", func(t *testing.T) {
		b := apptest.NewBrowser(t)
		callback := s.Base + "/v1/authorize/callback/"
		back := school.signInAtProvider(t, b, callback, "ann")
		b.StopAt(demo.RedirectURI)
		elsewhere := strings.Replace(back, "/school/id-of-school", "/college/id-of-college", 1)
		if answer, body := b.Open("GET", elsewhere, nil); answer.StatusCode != http.StatusBadRequest {
			t.Errorf("the answer for another account is accepted: %s %s", answer.Status, body)
		}
		if answer, body := b.Open("GET", back, nil); !strings.HasPrefix(answer.Header.Get("Location"), demo.RedirectURI+"?code=") {
			t.Errorf("the right answer is rejected: %s %s", answer.Status, body)
		}
	})

	t.Run("disabled", func(t *testing.T) {
		s, h := s.In(t), h.In(t)
		_, others := college.signIn(t, apptest.NewBrowser(t), "ann")
		h.Filmstrip("users", "update", ann, "--disabled")
		awaitRefused(s, token.AccessToken)
		if response, answer := s.Refresh(school.web.ClientID, token.RefreshToken); answer["error"] != "invalid_grant" {
			t.Errorf("her refresh token: %s %v", response.Status, answer)
		}
		if back := school.authorize(t, b, "prompt", "none"); back.Get("error") != "login_required" {
			t.Errorf("her browser comes back with %v", back)
		}
		for _, browser := range []*apptest.Browser{b, apptest.NewBrowser(t)} {
			back := apptest.Must(url.Parse(school.signInAtProvider(t, browser, demo.RedirectURI, "ann")))(t).Query()
			if back.Get("error") != "access_denied" || back.Get("code") != "" {
				t.Errorf("she comes back with %v", back)
			}
		}
		if got := s.Status("/v1/", others.AccessToken); got != http.StatusOK {
			t.Errorf("ann of the other customer is answered %d", got)
		}
		if bob, _ := school.signIn(t, apptest.NewBrowser(t), "bob"); bob == ann || len(school.users(t)) != 2 {
			t.Errorf("bob is %s", bob)
		}
		h.Filmstrip("users", "update", ann, "--no-disabled")
		if again, _ := school.signIn(t, apptest.NewBrowser(t), "ann"); again != ann {
			t.Errorf("ann is %s afterwards", again)
		}
	})
}

// TestStaffSignInAtTheOperatorsProvider proves that people who sign in at the operator's own provider get the permissions of
// their role, and without a role none of them, and that they are not asked for a second factor.
func TestStaffSignInAtTheOperatorsProvider(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	s := h.Serve("--federation-networks", "127.0.0.0/8,::1/128")
	h.Filmstrip("accounts", "create", "house", "--operator")
	h.Filmstrip("policy", "staff", "--require-second-factor")
	house := withProvider(t, h, s, "house")
	ann, token := house.signIn(t, apptest.NewBrowser(t), "ann")
	ask := func(token, query string) string {
		_, text := s.Send(http.MethodPost, "/graphql", token, `{"query":"`+query+`"}`, "Content-Type", "application/json")
		return string(text)
	}
	const viewer, users = `{ viewer { user staffRole permissions } }`, `{ users(first: 1) { nodes { id } } }`
	if got := ask(token.AccessToken, viewer); !strings.Contains(got, ann) || !strings.Contains(got, `"staffRole":null`) || strings.Contains(got, "OPERATE") || strings.Contains(got, "VIEW_PERSONS") {
		t.Errorf("without a role: %s", got)
	}
	if got := ask(token.AccessToken, users); !strings.Contains(got, "FORBIDDEN") {
		t.Errorf("without a role, she lists users: %s", got)
	}
	h.Filmstrip("staff", "set", ann, "SUPPORT")
	s.Await(1, func() int { return strings.Count(ask(token.AccessToken, viewer), `"staffRole":"SUPPORT"`) })
	again, fresh := house.signIn(t, apptest.NewBrowser(t), "ann")
	if got := ask(fresh.AccessToken, users); again != ann || !strings.Contains(got, ann) {
		t.Errorf("as support, %s lists %s", again, got)
	}
	if got := ask(fresh.AccessToken, `{ staff { id } }`); !strings.Contains(got, "FORBIDDEN") {
		t.Errorf("as support, she sees the staff: %s", got)
	}
}

// newCustomer creates an account with a client for browsers, and starts its provider.
func newCustomer(t *testing.T, h apptest.Installation, s *apptest.Server, name string) *customer {
	t.Helper()
	h.Account(name)
	return withProvider(t, h, s, name)
}

// withProvider adds to an account a client for browsers, and starts its provider.
func withProvider(t *testing.T, h apptest.Installation, s *apptest.Server, name string) *customer {
	t.Helper()
	h.Client(name+"-web", name, "--public", "--redirect-uri", demo.RedirectURI)
	issuer := startProvider(t, map[string]any{
		"client_id": "filmstrip", "client_secret": "a secret & more of " + name, "id_token_signed_response_alg": "ES256",
		"redirect_uris": []string{s.Base + "/v1/authorize/callback/" + name + "/id-of-" + name},
	})
	providers := apptest.Must(json.Marshal([]map[string]any{{
		"alias": "id-of-" + name, "name": name, "issuer": issuer, "clientId": "filmstrip", "clientSecret": "a secret & more of " + name,
	}}))(t)
	h.Filmstrip("accounts", "update", name, "--identity-providers", apptest.WriteFile(t, "providers.json", string(providers)))
	c := &customer{Installation: h, base: s.Base, name: name, issuer: issuer, verifier: oauth2.GenerateVerifier(), web: oauth2.Config{
		ClientID: name + "-web", RedirectURL: demo.RedirectURI, Scopes: []string{"openid", "email"},
		Endpoint: oauth2.Endpoint{AuthURL: s.Base + "/v1/authorize", TokenURL: s.Base + "/v1/token"},
	}}
	// The server reads the provider within a second.
	s.Await(http.StatusOK, func() int {
		answer, _ := apptest.NewBrowser(t).Open("GET", c.address(), nil)
		if !strings.HasPrefix(answer.Request.URL.String(), issuer) {
			return 0
		}
		return answer.StatusCode
	})
	return c
}

// startProvider starts npm's oidc-provider with a client, and returns its issuer.
func startProvider(t *testing.T, client map[string]any) string {
	t.Helper()
	const folder = "../../../auth/signin/testdata/foreign"
	node := testservers.Node(t, "sign-in at customers' providers", folder, "oidc-provider")
	encoded := string(apptest.Must(json.Marshal([]any{client}))(t))
	_, issuer := testservers.StartLineProcess(t, func() *exec.Cmd {
		provider := exec.Command(node, "provider.mjs", encoded)
		provider.Dir = folder
		return provider
	}, func(line string) bool { return strings.HasPrefix(line, "http://") })
	return issuer
}

// authorize sends an authorization request that the server answers with a redirect and no page, and returns the
// parameters that the application receives.
func (c *customer) authorize(t *testing.T, b *apptest.Browser, more ...string) url.Values {
	t.Helper()
	b.StopAt(demo.RedirectURI)
	answer, body := b.Open("GET", c.address(more...), nil)
	back, err := answer.Location()
	if err != nil {
		t.Fatalf("%s: %s", answer.Status, body)
	}
	return back.Query()
}

// address returns the URL of an authorization request.
func (c *customer) address(more ...string) string {
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(c.verifier)}
	for i := 0; i < len(more); i += 2 {
		options = append(options, oauth2.SetAuthURLParam(more[i], more[i+1]))
	}
	return c.web.AuthCodeURL("here", options...)
}

var interaction = regexp.MustCompile(`action="(http[^"]+)"`)

// signInAtProvider signs a user in on the pages of the provider, and returns the first URL on the way that has the given prefix.
func (c *customer) signInAtProvider(t *testing.T, b *apptest.Browser, until, login string) string {
	t.Helper()
	b.StopAt(until)
	answer, page := b.Open("GET", c.address("prompt", "login"), nil)
	for range 5 {
		if location := answer.Header.Get("Location"); location != "" {
			return location
		}
		form := interaction.FindSubmatch(page)
		switch {
		case form == nil:
			t.Fatalf("%s: %s %s", answer.Request.URL, answer.Status, page)
		case strings.Contains(string(page), `name="login"`):
			answer, page = b.Open("POST", string(form[1]), url.Values{"prompt": {"login"}, "login": {login}, "password": {"any"}})
		default:
			answer, page = b.Open("POST", string(form[1]), url.Values{"prompt": {"consent"}})
		}
	}
	t.Fatalf("the way never ends: %s", page)
	return ""
}

// signIn signs a user in, and returns the user's ID at the service and the token.
func (c *customer) signIn(t *testing.T, b *apptest.Browser, login string) (user string, token *oauth2.Token) {
	t.Helper()
	back := apptest.Must(url.Parse(c.signInAtProvider(t, b, demo.RedirectURI, login)))(t).Query()
	if back.Get("state") != "here" || back.Get("iss") != c.base {
		t.Fatalf("%s comes back with %v", login, back)
	}
	token = apptest.Must(c.web.Exchange(t.Context(), back.Get("code"), oauth2.VerifierOption(c.verifier)))(t)
	return apptest.Subject(t, token.AccessToken), token
}

// federatedUser is a user in the output of the command.
type federatedUser struct{ ID, Issuer, Subject, Email string }

func (c *customer) users(t *testing.T) []federatedUser {
	t.Helper()
	var list []struct{ ID string }
	h := c.Installation.In(t)
	h.Read(&list, "users", "list", "--account", c.name)
	users := make([]federatedUser, len(list))
	for i, user := range list {
		h.Read(&users[i], "users", "show", user.ID)
	}
	return users
}
