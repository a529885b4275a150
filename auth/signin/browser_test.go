//go:build system

package signin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestInABrowser checks that users can sign in and out in a real browser: with a password, at a provider, without
// scripts and by keyboard. axe-core must find no accessibility fault in any page.
func TestInABrowser(t *testing.T) {
	program, chromium := testservers.Node(t, "sign-in", foreignFolder, "playwright-core", "axe-core"), testservers.Browser(t, "sign-in")
	w := newWorld(t)
	app := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = rw.Write([]byte("<!DOCTYPE html><title>Application</title><link rel=icon href=data:,>Welcome"))
	}))
	defer app.Close()
	f := startForeign(t, map[string]any{
		"client_id": "films", "client_secret": "s", "redirect_uris": []string{w.URL + "/v1/authorize/callback/school/school"},
	})
	w.federated("school", true, account.IdentityProvider{Alias: "school", Name: "School", Issuer: f.issuer, ClientID: "films", ClientSecret: "s", Domains: []string{"school.example"}})
	redirect := app.URL + "/callback?kept=1"
	for _, client := range []string{"web", "school-web"} {
		changed := *w.current().Clients[client]
		changed.RedirectURIs = []string{redirect}
		w.put(&changed)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	arguments, err := json.Marshal(map[string]string{
		"executablePath": chromium, "local": w.URL + authorize("redirect_uri", redirect),
		"federated": w.URL + authorize("client_id", "school-web", "redirect_uri", redirect),
		"broken":    w.URL + authorize("client_id", "nobody"), "logout": w.URL + "/v1/logout", "app": redirect,
		"password": secret, "screenshots": os.Getenv("FILMSTRIP_TEST_SCREENSHOTS"),
	})
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(ctx, program, "browser.mjs", string(arguments))
	command.Dir = foreignFolder
	var complaints bytes.Buffer
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, complaints.String(), w.log)
	}
	var seen struct {
		Arrived, Violations, Console, Pages []string
		Focus                               map[string]string
	}
	if err := json.Unmarshal(output, &seen); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	if len(seen.Violations) > 0 || len(seen.Console) > 0 {
		t.Errorf("violations %q, console %q", seen.Violations, seen.Console)
	}
	if want := []string{"Sign in", "Sign in", "Sign in", "Sign out", "Signed out", "Sign in", "This request cannot be processed"}; !slices.Equal(seen.Pages, want) {
		t.Errorf("the pages are %q", seen.Pages)
	}
	for page, want := range map[string]string{"login": "username", "mistake": "password", "providers": "username", "login-again": "username"} {
		if seen.Focus[page] != want {
			t.Errorf("on %s %q has the focus", page, seen.Focus[page])
		}
	}
	if len(seen.Arrived) != 4 {
		t.Fatalf("arrived at %q", seen.Arrived)
	}
	var codes []string
	for _, address := range seen.Arrived {
		values, err := url.ParseQuery(strings.TrimPrefix(address, app.URL+"/callback?"))
		if err != nil || values.Get("kept") != "1" || values.Get("state") != "st&te=1" || values.Get("iss") != issuer {
			t.Errorf("arrived at %s, %v", address, err)
		}
		codes = append(codes, values.Get("code"))
	}
	for _, code := range codes[:2] { // the codes of the browser that has signed out
		if _, err := w.accounts.RedeemCode(t.Context(), sha256.Sum256([]byte(code)), w.clock(), account.Grant{}, func(account.Code) error { return nil }); !errors.Is(err, account.ErrCodeUnknown) {
			t.Errorf("a code outlived its session: %v", err)
		}
	}
	if user := w.userOf(w.redeem(codes[2]).User); user.Subject != "ann" || user.AccountID != "school" {
		t.Errorf("got %+v", user)
	}
	if user := w.redeem(codes[3]).User; user != teacherID {
		t.Errorf("got %s", user)
	}
}
