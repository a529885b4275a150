//go:build system

package signin_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestGoClient runs every flow of go-oidc and x/oauth2 against the program.
func TestGoClient(t *testing.T) {
	s := apptest.Start(t, "--demo")
	ctx := t.Context()
	provider := apptest.Must(oidc.NewProvider(ctx, s.Base))(t)

	for _, style := range []oauth2.AuthStyle{oauth2.AuthStyleInHeader, oauth2.AuthStyleInParams} {
		backend := clientcredentials.Config{
			ClientID: "demo", ClientSecret: demo.Secret, TokenURL: provider.Endpoint().TokenURL, AuthStyle: style,
		}
		answer := apptest.Must(backend.Client(ctx).Get(s.Base + "/v1/"))(t)
		if answer.Body.Close(); answer.StatusCode != http.StatusOK {
			t.Errorf("client_credentials, style %d: %s", style, answer.Status)
		}
	}

	web := oauth2.Config{
		ClientID: demo.WebClient, RedirectURL: demo.RedirectURI, Endpoint: provider.Endpoint(), Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := oauth2.GenerateVerifier()
	back := apptest.NewBrowser(t).SignIn(web.AuthCodeURL("here", oidc.Nonce("once"), oauth2.S256ChallengeOption(verifier)), demo.Teacher, demo.Secret)
	if back.Get("state") != "here" || back.Get("iss") != s.Base {
		t.Fatalf("the browser comes back with %v", back)
	}
	token := apptest.Must(web.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier)))(t)
	raw, _ := token.Extra("id_token").(string)
	identity := apptest.Must(provider.Verifier(&oidc.Config{ClientID: demo.WebClient}).Verify(ctx, raw))(t)
	if err := identity.VerifyAccessToken(token.AccessToken); err != nil || identity.Nonce != "once" {
		t.Errorf("the ID token with nonce %q: %v", identity.Nonce, err)
	}
	info := apptest.Must(provider.UserInfo(ctx, oauth2.StaticTokenSource(token)))(t)
	if info.Subject != identity.Subject || info.Email != "teacher@school.example" || !info.EmailVerified {
		t.Errorf("userinfo: %+v", info)
	}

	token.Expiry = time.Now().Add(-time.Minute)
	fresh := apptest.Must(web.TokenSource(ctx, token).Token())(t)
	if fresh.AccessToken == token.AccessToken || fresh.RefreshToken == token.RefreshToken {
		t.Error("nothing was refreshed")
	}
	if again := apptest.Must(web.TokenSource(ctx, token).Token())(t); again.RefreshToken != fresh.RefreshToken {
		t.Error("a refresh token that comes again at once has another successor")
	}
	fresh.Expiry = token.Expiry
	apptest.Must(web.TokenSource(ctx, fresh).Token())(t)
	var refused *oauth2.RetrieveError
	if _, err := web.TokenSource(ctx, token).Token(); !errors.As(err, &refused) || refused.ErrorCode != "invalid_grant" {
		t.Errorf("a refresh token that comes after its successor was used: %v", err)
	}
}

// TestOpenIDClient runs every flow of npm's openid-client against the program.
func TestOpenIDClient(t *testing.T) {
	const folder = "testdata/openid-client"
	node := testservers.Node(t, "openid clients", folder, "openid-client")
	s := apptest.Start(t, "--demo")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	flows := exec.CommandContext(ctx, node, "flows.mjs", s.Base)
	flows.Dir = folder
	reported, err := flows.CombinedOutput()
	if err != nil || bytes.Count(reported, []byte("passed: ")) != 9 {
		t.Errorf("%v:\n%s", err, reported)
	}
}

// TestExampleSignIn runs examples/signin, unchanged, with a browser that keeps cookies.
func TestExampleSignIn(t *testing.T) {
	s := apptest.Start(t, "--demo")
	program := filepath.Join(t.TempDir(), "signin")
	if reported, err := apptest.Bounded(t, "go", "build", "-o", program, "../../../examples/signin").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, reported)
	}
	example := exec.Command(program, "-issuer", s.Base)
	var reported bytes.Buffer
	example.Stderr = &reported
	if err := example.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = example.Process.Kill(); _ = example.Wait() }()
	b := apptest.NewBrowser(t)
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if answer, err := b.Client.Get(demo.SignOutURI); err == nil {
			_ = answer.Body.Close()
			break
		}
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the example does not start: %s", reported.String())
		}
	}
	answer, _ := b.Open(http.MethodGet, demo.SignOutURI+"login", nil)
	_, page := b.Send(answer, demo.Teacher, demo.Secret)
	if !bytes.Contains(page, []byte("Welcome, Ada Teacher")) || !bytes.Contains(page, []byte("<li>")) {
		t.Errorf("signed in, it shows\n%s", page)
	}
	if _, page := b.Open(http.MethodGet, demo.RedirectURI+"?code=stolen&state=guessed", nil); !bytes.Contains(page, []byte("belongs to no sign-in of this browser")) {
		t.Errorf("an unrequested answer shows\n%s", page)
	}
}

// TestWalkThrough runs the commands of docs/sign-in.md, unchanged except for the server's address.
func TestWalkThrough(t *testing.T) {
	s := apptest.Start(t, "--demo")
	reported, err := apptest.Bounded(t, "bash", "-c", apptest.WalkThrough(t, "sign-in.md", s.Base)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, reported)
	}
	for _, want := range []string{
		`"searchVideos"`, `"active":true`, demo.RedirectURI + "?code=", `&state=here&iss=`, `"id_token":"`, `"email":"teacher@school.example"`, demo.SignOutURI + "?state=bye",
	} {
		if !strings.Contains(string(reported), want) {
			t.Errorf("nothing shows %s:\n%s", want, reported)
		}
	}
}
