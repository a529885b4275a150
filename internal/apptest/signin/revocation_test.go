package signin_test

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
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestKeysRotate verifies rotations of keys beside a running server. It starts with keys that are old enough to sign.
func TestKeysRotate(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	rotateAt(t, h, time.Now().Add(-time.Hour))
	h.Account("school")
	secret := h.Client("lms", "school")
	s := h.Serve()
	first := s.Tokens("lms", secret)
	old, published := keyOf(t, first), publishedKeys(s)
	if len(published) != 2 || !slices.Contains(published, old) {
		t.Fatalf("%s signs, published are %v", old, published)
	}

	t.Run("old ones verify while new ones sign", func(t *testing.T) {
		s := s.In(t)
		rotateAt(t, h, time.Now().Add(2*time.Second-auth.DefaultPublishAhead))
		s.Await(4, func() int { return len(publishedKeys(s)) })
		published := publishedKeys(s)
		var next map[string]any
		s.Await(http.StatusOK, func() int {
			if next = s.Tokens("lms", secret); keyOf(t, next) == old {
				return 0
			}
			return http.StatusOK
		})
		if !slices.Contains(published, keyOf(t, next)) {
			t.Errorf("%s signs, which was not published before", keyOf(t, next))
		}
		wantAlive(s, "lms", next, first)
		first, old = next, keyOf(t, next)
	})

	t.Run("published before they sign", func(t *testing.T) {
		s := s.In(t)
		h.In(t).Filmstrip("keys", "rotate")
		s.Await(6, func() int { return len(publishedKeys(s)) })
		next := s.Tokens("lms", secret)
		if key := keyOf(t, next); key != old {
			t.Errorf("the new key %s signs at once", key)
		}
		first = wantAlive(s, "lms", first, next)
	})

	t.Run("withdrawn at once", func(t *testing.T) {
		s := s.In(t)
		before := publishedKeys(s)
		h.In(t).Filmstrip("keys", "rotate", "--immediately")
		awaitRefused(s, first["access_token"].(string))
		s.Await(2, func() int { return len(publishedKeys(s)) })
		after := publishedKeys(s)
		if len(after) != 2 || slices.ContainsFunc(after, func(key string) bool { return slices.Contains(before, key) }) {
			t.Errorf("after %v it publishes %v", before, after)
		}
		next := s.Tokens("lms", secret)
		if !slices.Contains(after, keyOf(t, next)) {
			t.Errorf("%s signs, published are %v", keyOf(t, next), after)
		}
		wantAlive(s, "lms", next, first) // refresh tokens are not signed and remain valid
	})
}

// rotateAt adds keys as the command would have done at another time.
func rotateAt(t *testing.T, h apptest.Installation, at time.Time) {
	t.Helper()
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(h.Where[1], app.AccountsFile)))(t)
	defer accounts.Close()
	if err := auth.RotateKeys(t.Context(), accounts, at, false); err != nil {
		t.Fatal(err)
	}
}

// keyOf returns the ID of the key that signed an access token.
func keyOf(t *testing.T, tokens map[string]any) string {
	t.Helper()
	key, _ := apptest.Claims(t, tokens["access_token"].(string), 0)["kid"].(string)
	return key
}

func publishedKeys(s *apptest.Server) (names []string) {
	s.Helper()
	_, body := s.Send("GET", "/.well-known/jwks.json", "", "")
	var set struct{ Keys []struct{ Kid string } }
	if err := json.Unmarshal(body, &set); err != nil {
		s.Fatal(err)
	}
	for _, key := range set.Keys {
		names = append(names, key.Kid)
	}
	return names
}

// wantAlive verifies that the access token of one pair and the refresh token of another are valid, and returns the
// response to the refresh.
func wantAlive(s *apptest.Server, client string, access, refresh map[string]any) map[string]any {
	s.Helper()
	if got := s.Status("/v1/", access["access_token"].(string)); got != http.StatusOK {
		s.Errorf("an access token is answered %d", got)
	}
	response, answer := s.Refresh(client, refresh["refresh_token"].(string))
	if response.StatusCode != http.StatusOK {
		s.Fatalf("a refresh token is answered %d %v", response.StatusCode, answer)
	}
	return answer
}

// awaitRefused wants the server to refuse a token within a second, plus the delays of a busy machine.
func awaitRefused(s *apptest.Server, token string) {
	s.Helper()
	begun := time.Now()
	s.Await(http.StatusUnauthorized, func() int { return s.Status("/v1/", token) })
	s.Logf("refused after %s", time.Since(begun).Round(time.Millisecond))
}

// TestNotBeforeEndsEverything verifies that the policy ends everything issued before its time: access and refresh
// tokens of clients and users, and browser sessions. Tokens issued afterwards are valid.
func TestNotBeforeEndsEverything(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("school", "--password-sign-in")
	secret := h.Client("lms", "school")
	h.Client("web", "school", "--public", "--redirect-uri", demo.RedirectURI)
	h.Filmstrip("users", "create", "--account", "school", "--username", "ada", "--password-file", apptest.WriteFile(t, "password", "correct horse"))
	s := h.Serve()
	web := oauth2.Config{
		ClientID: "web", RedirectURL: demo.RedirectURI, Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: s.Base + "/v1/authorize", TokenURL: s.Base + "/v1/token"},
	}
	verifier := oauth2.GenerateVerifier()
	b := apptest.NewBrowser(t)
	silently := func() url.Values {
		t.Helper()
		answer, body := b.Open("GET", web.AuthCodeURL("", oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("prompt", "none")), nil)
		back, err := answer.Location()
		if err != nil {
			t.Fatalf("%s: %s", answer.Status, body)
		}
		return back.Query()
	}
	signIn := func() *oauth2.Token {
		t.Helper()
		code := b.SignIn(web.AuthCodeURL("", oauth2.S256ChallengeOption(verifier)), "ada", "correct horse").Get("code")
		return apptest.Must(web.Exchange(t.Context(), code, oauth2.VerifierOption(verifier)))(t)
	}
	user, client := signIn(), s.Tokens("lms", secret)
	waiting := silently().Get("code")
	if waiting == "" {
		t.Fatal("the browser is not signed in")
	}

	h.Filmstrip("policy", "not-before", "now")
	awaitRefused(s, user.AccessToken)
	awaitRefused(s, client["access_token"].(string))
	for name, token := range map[string]string{"web": user.RefreshToken, "lms": client["refresh_token"].(string)} {
		if response, answer := s.Refresh(name, token); response.StatusCode != http.StatusBadRequest || answer["error"] != "invalid_grant" {
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
		t.Error("the answer does not mention the policy")
	}
	if got := s.Status("/v1/", again.AccessToken); got != http.StatusOK {
		t.Errorf("a new sign-in is answered %d", got)
	}
	if response, answer := s.Refresh("web", again.RefreshToken); response.StatusCode != http.StatusOK {
		t.Errorf("and their refresh token %d %v", response.StatusCode, answer)
	}
	if back := silently(); back.Get("code") == "" {
		t.Errorf("and their browser comes back with %v", back)
	}
}
