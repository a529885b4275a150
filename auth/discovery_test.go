package auth_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
)

func TestDiscovery(t *testing.T) {
	f := start(t)
	for name, method := range map[string]string{"get": http.MethodGet, "post": http.MethodPost} {
		w := httptest.NewRecorder()
		f.DiscoveryHandler().ServeHTTP(w, httptest.NewRequest(method, "/.well-known/openid-configuration", nil))
		goldenAnswer(t, "discovery/"+name, w)
	}
}

// TestAuthURL checks that with AuthURL set, the issuer is that URL: the discovery document, the tokens and the
// addresses in the document agree. The API remains the audience.
func TestAuthURL(t *testing.T) {
	stored := newAccounts(t)
	stored.put(t, world()...)
	service, err := auth.New(context.Background(), auth.Config{Accounts: stored, Issuer: issuer, AuthURL: "https://login.example/films"})
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	if service.Issuer() != "https://login.example/films" {
		t.Errorf("the issuer is %s", service.Issuer())
	}
	w := httptest.NewRecorder()
	service.DiscoveryHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/openid-configuration", nil))
	golden(t, "discovery/auth_url", "", w.Body.Bytes())
	f := &fixture{Service: service, accounts: stored, clock: &clock{now: time.Now()}}
	token := f.login(t, "demo").Access
	if claims := string(part(t, token, 1)); !strings.Contains(claims, `"iss":"https://login.example/films"`) || !strings.Contains(claims, `"aud":"`+issuer+`"`) {
		t.Error(claims)
	}
	if !f.accepts(t, token) {
		t.Error("the token is refused")
	}
	before := startAt(t, stored, time.Now()) // the same store under the previous issuer
	if _, _, _, err := service.ReadIDTokenHint(before.pair(t).ID); before.accepts(t, token) || err == nil {
		t.Error("tokens of another issuer count, though the keys are the same")
	}
}

// live returns a service and its address on a real server, as client libraries use it.
func live(t *testing.T) (*fixture, string) {
	t.Helper()
	stored := newAccounts(t)
	stored.put(t, world()...)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	service, err := auth.New(context.Background(), auth.Config{Accounts: stored, Issuer: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Close() })
	for path, handler := range map[string]http.Handler{
		"/.well-known/openid-configuration": service.DiscoveryHandler(), "/.well-known/jwks.json": service.KeysHandler(),
		"/v1/token": service.TokenHandler(), "/v1/userinfo": service.UserInfoHandler(),
	} {
		mux.Handle(path, handler)
	}
	return &fixture{Service: service, accounts: stored, clock: &clock{now: time.Now()}}, server.URL
}

// TestForeignClient checks that an independent library (go-oidc with x/oauth2) configures itself from the discovery
// document alone and accepts the tokens it gets. The test puts the code into the store, as signing in would.
func TestForeignClient(t *testing.T) {
	f, address := live(t)
	ctx := t.Context()
	provider, err := oidc.NewProvider(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	for style, authStyle := range map[string]oauth2.AuthStyle{"header": oauth2.AuthStyleInHeader, "form": oauth2.AuthStyleInParams} {
		t.Run(style, func(t *testing.T) {
			endpoint := provider.Endpoint()
			endpoint.AuthStyle = authStyle
			config := oauth2.Config{ClientID: "demo", ClientSecret: secret, Endpoint: endpoint, RedirectURL: redirect}
			code := f.code(t, func(c *account.Code) { c.Challenge = codeChallenge })
			token, err := config.Exchange(ctx, code, oauth2.VerifierOption(codeVerifier))
			if err != nil {
				t.Fatal(err)
			}
			raw, _ := token.Extra("id_token").(string)
			id, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: "demo"}).Verify(ctx, raw)
			if err != nil {
				t.Fatal(err)
			}
			if err := id.VerifyAccessToken(token.AccessToken); err != nil || id.Nonce != "n-0S6" || id.Subject != f.teacher(t).ID {
				t.Errorf("%v, %+v", err, id)
			}
			info, err := provider.UserInfo(ctx, config.TokenSource(ctx, token))
			if err != nil || info.Subject != id.Subject || info.Email != "teacher@school.example" || !info.EmailVerified {
				t.Errorf("%+v, %v", info, err)
			}
			token.Expiry = time.Now().Add(-time.Minute)
			again, err := config.TokenSource(ctx, token).Token()
			if err != nil || again.AccessToken == token.AccessToken || again.RefreshToken == token.RefreshToken {
				t.Errorf("refreshed: %v", err)
			}
			machine := clientcredentials.Config{
				ClientID: "demo", ClientSecret: secret, TokenURL: endpoint.TokenURL, AuthStyle: authStyle,
				Scopes: []string{"email"}, EndpointParams: url.Values{"resource": {address}},
			}
			plain, err := machine.Token(ctx)
			if err != nil || !f.accepts(t, plain.AccessToken) {
				t.Errorf("client credentials: %v", err)
			}
		})
	}
}
