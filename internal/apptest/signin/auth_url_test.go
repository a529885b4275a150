package signin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestAuthURL signs in at another host and path than the API's, with a client that validates every URL, and calls the
// API with the tokens.
func TestAuthURL(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("school", "--password-sign-in")
	secret := h.Client("lms", "school")
	h.Client("web", "school", "--public", "--redirect-uri", demo.RedirectURI, "--post-logout-redirect-uri", demo.SignOutURI)
	h.Filmstrip("users", "create", "--account", "school", "--username", "ada", "--password-file", apptest.WriteFile(t, "password", "correct horse"))
	api := "http://" + testservers.FreeAddress(t)
	proxy := httptest.NewServer(http.StripPrefix("/sign-in", httputil.NewSingleHostReverseProxy(apptest.Must(url.Parse(api))(t))))
	t.Cleanup(proxy.Close)
	issuer := proxy.URL + "/sign-in"
	s := h.Serve("--addr", strings.TrimPrefix(api, "http://"), "--base-url", api, "--auth-url", issuer)

	for _, at := range []string{issuer, issuer + "/v1", api, api + "/v1"} {
		var described map[string]any
		_, body := s.Request("GET", at+"/.well-known/openid-configuration", "", "")
		if err := json.Unmarshal(body, &described); err != nil || described["issuer"] != issuer {
			t.Fatalf("%s: %v %s", at, err, body)
		}
		for name, value := range described {
			address, _ := value.(string)
			if strings.HasSuffix(name, "_endpoint") || name == "jwks_uri" {
				if !strings.HasPrefix(address, issuer+"/") {
					t.Errorf("%s is %s", name, address)
				}
			}
		}
	}

	provider := apptest.Must(oidc.NewProvider(t.Context(), issuer))(t)
	web := oauth2.Config{ClientID: "web", RedirectURL: demo.RedirectURI, Scopes: []string{oidc.ScopeOpenID}, Endpoint: provider.Endpoint()}
	verifier, b := oauth2.GenerateVerifier(), apptest.NewBrowser(t)
	back := b.SignIn(web.AuthCodeURL("here", oauth2.S256ChallengeOption(verifier)), "ada", "correct horse")
	if back.Get("iss") != issuer || back.Get("state") != "here" {
		t.Fatalf("the browser comes back with %v", back)
	}
	token := apptest.Must(web.Exchange(t.Context(), back.Get("code"), oauth2.VerifierOption(verifier)))(t)
	raw, _ := token.Extra("id_token").(string)
	identity := apptest.Must(provider.Verifier(&oidc.Config{ClientID: "web"}).Verify(t.Context(), raw))(t)
	if info := apptest.Must(provider.UserInfo(t.Context(), oauth2.StaticTokenSource(token)))(t); info.Subject != identity.Subject {
		t.Errorf("userinfo is of %s, the ID token of %s", info.Subject, identity.Subject)
	}

	backend := s.Tokens("lms", secret) // the token endpoint also answers at the API's URL
	for _, access := range []string{token.AccessToken, backend["access_token"].(string)} {
		if said := apptest.Claims(t, access, 1); said["iss"] != issuer || !strings.Contains(fmt.Sprint(said["aud"]), api) {
			t.Errorf("a token says %v", said)
		}
		s.Token = access
		if link := s.Index().Link("subjects", nil); !strings.HasPrefix(link, api+"/v1/") {
			t.Errorf("the API leads to %s", link)
		}
	}
	b.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, body := b.Open("GET", issuer+"/v1/logout?"+url.Values{"id_token_hint": {raw}, "post_logout_redirect_uri": {demo.SignOutURI}}.Encode(), nil)
	if answer.Header.Get("Location") != demo.SignOutURI {
		t.Errorf("signing out: %s %s", answer.Status, body)
	}
	awaitRefused(s, token.AccessToken)

	s.Stop(syscall.SIGTERM)
	s = h.Serve("--addr", strings.TrimPrefix(api, "http://"), "--base-url", api)
	if got := s.Status("/v1/", backend["access_token"].(string)); got != http.StatusUnauthorized {
		t.Errorf("under another name the token is answered %d", got)
	}
	_, fresh := s.Refresh("lms", backend["refresh_token"].(string))
	if got := s.Status("/v1/", fresh["access_token"].(string)); got != http.StatusOK || apptest.Claims(t, fresh["access_token"].(string), 1)["iss"] != api {
		t.Errorf("a refreshed token is answered %d", got)
	}
}
