package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestKeysRotate beside a server that runs. Keys are there first that are old enough to sign.
func TestKeysRotate(t *testing.T) {
	h := newHouse(t, combination{})
	rotateAt(t, h, time.Now().Add(-time.Hour))
	h.account("school")
	secret := h.client("lms", "school")
	s := h.serve()
	first := s.tokens("lms", secret)
	old, published := keyOf(t, first), s.publishedKeys()
	if len(published) != 2 || !slices.Contains(published, old) {
		t.Fatalf("%s signs, published are %v", old, published)
	}

	t.Run("old ones verify while new ones sign", func(t *testing.T) {
		s := s.in(t)
		rotateAt(t, h, time.Now().Add(2*time.Second-auth.DefaultPublishAhead))
		s.await(4, func() int { return len(s.publishedKeys()) })
		published := s.publishedKeys()
		var next map[string]any
		s.await(http.StatusOK, func() int {
			if next = s.tokens("lms", secret); keyOf(t, next) == old {
				return 0
			}
			return http.StatusOK
		})
		if !slices.Contains(published, keyOf(t, next)) {
			t.Errorf("%s signs, which was not published before", keyOf(t, next))
		}
		s.wantAlive("lms", next, first)
		first, old = next, keyOf(t, next)
	})

	t.Run("published before they sign", func(t *testing.T) {
		s := s.in(t)
		h.in(t).run("keys", "rotate")
		s.await(6, func() int { return len(s.publishedKeys()) })
		next := s.tokens("lms", secret)
		if key := keyOf(t, next); key != old {
			t.Errorf("the new key %s signs at once", key)
		}
		first = s.wantAlive("lms", first, next)
	})

	t.Run("withdrawn at once", func(t *testing.T) {
		s := s.in(t)
		before := s.publishedKeys()
		h.in(t).run("keys", "rotate", "--immediately")
		s.awaitRefused(first["access_token"].(string))
		s.await(2, func() int { return len(s.publishedKeys()) })
		after := s.publishedKeys()
		if len(after) != 2 || slices.ContainsFunc(after, func(key string) bool { return slices.Contains(before, key) }) {
			t.Errorf("after %v it publishes %v", before, after)
		}
		next := s.tokens("lms", secret)
		if !slices.Contains(after, keyOf(t, next)) {
			t.Errorf("%s signs, published are %v", keyOf(t, next), after)
		}
		s.wantAlive("lms", next, first) // refresh tokens are not signed, and stay good
	})
}

// rotateAt adds keys as the command would have done at another time.
func rotateAt(t *testing.T, h house, at time.Time) {
	t.Helper()
	accounts := must(sqlite.OpenAccounts(t.Context(), filepath.Join(h.where[1], accountsFile)))(t)
	defer accounts.Close()
	if err := auth.RotateKeys(t.Context(), accounts, at, false); err != nil {
		t.Fatal(err)
	}
}

// keyOf names the key that signed an access token.
func keyOf(t *testing.T, tokens map[string]any) string {
	t.Helper()
	key, _ := claims(t, tokens["access_token"].(string), 0)["kid"].(string)
	return key
}

func (s *server) publishedKeys() (names []string) {
	s.Helper()
	_, body := s.ask("GET", "/.well-known/jwks.json", "", "")
	var set struct{ Keys []struct{ Kid string } }
	if err := json.Unmarshal(body, &set); err != nil {
		s.Fatal(err)
	}
	for _, key := range set.Keys {
		names = append(names, key.Kid)
	}
	return names
}

// wantAlive wants the first's access token and the second's refresh token to count, and returns what the
// latter gives.
func (s *server) wantAlive(client string, access, refresh map[string]any) map[string]any {
	s.Helper()
	if got := s.status("/v1/", access["access_token"].(string)); got != http.StatusOK {
		s.Errorf("an access token is answered %d", got)
	}
	response, answer := s.refresh(client, refresh["refresh_token"].(string))
	if response.StatusCode != http.StatusOK {
		s.Fatalf("a refresh token is answered %d %v", response.StatusCode, answer)
	}
	return answer
}

// awaitRefused wants a token to end within a second, and the time that a busy machine takes beside.
func (s *server) awaitRefused(token string) {
	s.Helper()
	begun := time.Now()
	s.await(http.StatusUnauthorized, func() int { return s.status("/v1/", token) })
	s.Logf("refused after %s", time.Since(begun).Round(time.Millisecond))
}

// TestNotBeforeEndsEverything that was given before: access and refresh tokens, of clients and of users, and
// what browsers are signed in with. What is given afterwards counts.
func TestNotBeforeEndsEverything(t *testing.T) {
	h := newHouse(t, combination{})
	h.account("school", "--password-sign-in")
	secret := h.client("lms", "school")
	h.client("web", "school", "--public", "--redirect-uri", demoRedirect)
	h.run("users", "create", "--account", "school", "--username", "ada", "--password-file", writeFile(t, "password", "correct horse"))
	s := h.serve()
	web := oauth2.Config{
		ClientID: "web", RedirectURL: demoRedirect, Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: s.base + "/v1/authorize", TokenURL: s.base + "/v1/token"},
	}
	verifier := oauth2.GenerateVerifier()
	b := newBrowser(t)
	silently := func() url.Values {
		t.Helper()
		answer, body := b.open("GET", web.AuthCodeURL("", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "none")), nil)
		back, err := answer.Location()
		if err != nil {
			t.Fatalf("%s: %s", answer.Status, body)
		}
		return back.Query()
	}
	signIn := func() *oauth2.Token {
		t.Helper()
		code := b.signIn(web.AuthCodeURL("", oauth2.S256ChallengeOption(verifier)), "ada", "correct horse").Get("code")
		return must(web.Exchange(t.Context(), code, oauth2.VerifierOption(verifier)))(t)
	}
	user, client := signIn(), s.tokens("lms", secret)
	waiting := silently().Get("code")
	if waiting == "" {
		t.Fatal("the browser is not signed in")
	}

	h.run("policy", "not-before", "now")
	s.awaitRefused(user.AccessToken)
	s.awaitRefused(client["access_token"].(string))
	for name, token := range map[string]string{"web": user.RefreshToken, "lms": client["refresh_token"].(string)} {
		if response, answer := s.refresh(name, token); response.StatusCode != http.StatusBadRequest || answer["error"] != "invalid_grant" {
			t.Errorf("a refresh token of %s is answered %d %v", name, response.StatusCode, answer)
		}
	}
	if token, err := web.Exchange(t.Context(), waiting, oauth2.VerifierOption(verifier)); err == nil {
		t.Errorf("a code from before gives %v", token)
	}
	if back := silently(); back.Get("error") != "login_required" {
		t.Errorf("a browser that was signed in before comes back with %v", back)
	}

	again := signIn()
	if policy, _ := again.Extra("not-before-policy").(float64); policy == 0 {
		t.Error("the answer does not tell the policy")
	}
	if got := s.status("/v1/", again.AccessToken); got != http.StatusOK {
		t.Errorf("who signs in anew is answered %d", got)
	}
	if response, answer := s.refresh("web", again.RefreshToken); response.StatusCode != http.StatusOK {
		t.Errorf("and their refresh token %d %v", response.StatusCode, answer)
	}
	if back := silently(); back.Get("code") == "" {
		t.Errorf("and their browser comes back with %v", back)
	}
}
