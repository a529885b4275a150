package auth_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// TestCodeGrant checks that a client exchanges its own code, with or without a secret, unless the client requires a
// secret.
func TestCodeGrant(t *testing.T) {
	f := start(t)
	to := func(client string) func(*account.Code) { return func(c *account.Code) { c.ClientID = client } }
	challenged := func(client string) func(*account.Code) {
		return func(c *account.Code) { c.ClientID, c.Challenge = client, codeChallenge }
	}
	for name, test := range map[string]struct {
		client string
		code   func(*account.Code)
		more   []string
		change func(*http.Request)
	}{
		"only client_id":           {client: "demo"},
		"secret":                   {client: "demo", more: []string{"client_secret", secret}},
		"basic":                    {client: "demo", change: basic("demo", secret)},
		"secret where required":    {client: "strict", code: to("strict"), more: []string{"client_secret", secret}},
		"basic where required":     {client: "strict", code: to("strict"), change: basic("strict", secret)},
		"challenge":                {client: "demo", code: challenged("demo"), more: []string{"code_verifier", codeVerifier}},
		"public with challenge":    {client: "public", code: challenged("public"), more: []string{"code_verifier", codeVerifier}},
		"another user's id beside": {client: "demo", change: header("Service-User-Id", "somebody")},
		"last moment":              {client: "demo", code: func(c *account.Code) { c.Expires = begin.Add(time.Microsecond) }},
	} {
		t.Run(name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*http.Request) {}
			}
			answer := f.grant(t, codeForm(test.client, f.code(t, test.code), test.more...), change)
			caller, err := f.authenticate(answer.Access)
			if err != nil || caller.ClientID != test.client || caller.User != f.teacher(t).ID || caller.ExternalUser != "" ||
				caller.Session != "session-of-the-browser" || answer.Session != caller.Session {
				t.Errorf("%+v, %v, session_state %q", caller, err, answer.Session)
			}
		})
	}
}

// TestCodeScope checks that an answer contains an ID token only if the scope contains openid.
func TestCodeScope(t *testing.T) {
	f := start(t)
	for scope, want := range map[string]bool{"openid": true, "openid email": true, "profile email": false, "": false} {
		answer := f.grant(t, codeForm("demo", f.code(t, func(c *account.Code) { c.Scope = scope })))
		if answer.Scope != scope || (answer.ID != "") != want {
			t.Errorf("scope %q: %q, ID token %q", scope, answer.Scope, answer.ID)
		}
		if !want {
			continue
		}
		var claims map[string]any
		if err := json.Unmarshal(part(t, answer.ID, 1), &claims); err != nil {
			t.Fatal(err)
		}
		if _, named := claims["name"]; named {
			t.Errorf("scope %q shows the name", scope)
		}
		if _, mailed := claims["email"]; mailed != strings.Contains(scope, "email") {
			t.Errorf("scope %q and the e-mail address: %v", scope, mailed)
		}
	}
}

// TestCodeRefusals checks that every refusal of a code is byte for byte the expected one. Of these requests, only a
// reuse spends the code.
func TestCodeRefusals(t *testing.T) {
	f := start(t)
	challenged := f.code(t, func(c *account.Code) { c.Challenge = codeChallenge })
	strict := f.code(t, func(c *account.Code) { c.ClientID = "strict" })
	public := f.code(t, func(c *account.Code) { c.ClientID = "public" })
	code := f.code(t, nil)
	for _, test := range []struct {
		name, form, code string
		status           int
	}{
		{"no_redirect_uri", "grant_type=authorization_code&client_id=demo&code=" + code, "invalid_request", 400},
		{"no_code", codeForm("demo", ""), "invalid_request", 400},
		{"unknown", codeForm("demo", "x"), "invalid_grant", 400},
		{"of_other_client", codeForm("sibling", code), "invalid_grant", 400},
		{"unknown_client", codeForm("nobody", code), "invalid_client", 401},
		{"wrong_secret", codeForm("demo", code, "client_secret", "x"), "invalid_client", 401},
		{"secret_required", codeForm("strict", strict), "invalid_client", 401},
		{"other_redirect_uri", codeForm("demo", code, "redirect_uri", redirect+"/"), "invalid_grant", 400},
		{"redirect_uri_spelled_otherwise", codeForm("demo", code, "redirect_uri", strings.Replace(redirect, "%2F", "%2f", 1)), "invalid_grant", 400},
		{"no_verifier", codeForm("demo", challenged), "invalid_grant", 400},
		{"wrong_verifier", codeForm("demo", challenged, "code_verifier", codeVerifier+"x"), "invalid_grant", 400},
		{"challenge_as_verifier", codeForm("demo", challenged, "code_verifier", codeChallenge), "invalid_grant", 400},
		{"verifier_without_challenge", codeForm("demo", code, "code_verifier", codeVerifier), "invalid_grant", 400},
		{"challenge_required", codeForm("public", public), "invalid_grant", 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := f.post(test.form)
			if w.Code != test.status || !strings.HasPrefix(w.Body.String(), `{"error":"`+test.code+`"`) {
				t.Errorf("%d %s, not %d %s", w.Code, w.Body, test.status, test.code)
			}
			goldenAnswer(t, "token/refused_code_"+test.name, w)
		})
	}
	f.grant(t, codeForm("demo", code))
	f.grant(t, codeForm("demo", challenged, "code_verifier", codeVerifier))
	f.grant(t, codeForm("strict", strict, "client_secret", secret))

	late := f.code(t, nil)
	f.clock.move(time.Minute)
	if w := f.post(codeForm("demo", late)); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "invalid_grant") {
		t.Errorf("a code after its minute answers %d %s", w.Code, w.Body)
	}
}

// TestCodeReuse checks that the second use of a code revokes the tokens that the first use got, and all tokens derived
// from them.
func TestCodeReuse(t *testing.T) {
	f := start(t)
	code, bystander := f.code(t, nil), f.grant(t, codeForm("demo", f.code(t, nil)))
	first := f.grant(t, codeForm("demo", code))
	second := f.grant(t, refreshForm("demo", first.Refresh))
	goldenAnswer(t, "token/refused_code_reused", f.post(codeForm("demo", code)))
	if f.accepts(t, first.Access) || f.accepts(t, second.Access) {
		t.Error("access tokens that the code gave still count")
	}
	if w := f.post(refreshForm("demo", second.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("its refresh token answers %d", w.Code)
	}
	if !f.accepts(t, bystander.Access) {
		t.Error("another sign-in of the same user is revoked")
	}
	if !strings.Contains(f.log.String(), "authorization code used twice") {
		t.Error("the log does not mention the reuse")
	}
}

// TestCodeRace checks that exactly one of several concurrent exchanges of a code at two processes succeeds. The others
// are reuses, so both processes revoke its tokens within a second.
func TestCodeRace(t *testing.T) {
	one := start(t)
	two := startOn(t, one.accounts.reopen(t))
	for range 10 {
		code := one.code(t, nil)
		var answers [6]*httptest.ResponseRecorder
		var all sync.WaitGroup
		for i := range answers {
			process := []*fixture{one, two}[i%2]
			all.Go(func() { answers[i] = process.post(codeForm("demo", code)) })
		}
		all.Wait()
		won := 0
		var winner tokens
		for _, w := range answers {
			switch {
			case w.Code == http.StatusOK:
				won++
				if err := json.Unmarshal(w.Body.Bytes(), &winner); err != nil {
					t.Fatal(err)
				}
			case w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"invalid_grant"`):
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		if won != 1 {
			t.Fatalf("%d of %d won", won, len(answers))
		}
		for _, process := range []*fixture{one, two} {
			within(t, "what the code gave is revoked", func() bool { return !process.accepts(t, winner.Access) })
		}
		if w := two.post(refreshForm("demo", winner.Refresh)); w.Code != http.StatusBadRequest {
			t.Fatalf("its refresh token answers %d", w.Code)
		}
	}
}

// TestCodeOfDisabledUser checks that a user who is disabled before the code is exchanged gets no tokens, and that the
// code is spent, even if the user is enabled again.
func TestCodeOfDisabledUser(t *testing.T) {
	f := start(t)
	family := rand.Text()
	code := f.code(t, func(c *account.Code) { c.Family = family })
	f.accounts.disable(t, f.teacher(t).ID, true)
	goldenAnswer(t, "token/refused_code_user_disabled", f.post(codeForm("demo", code)))
	f.accounts.disable(t, f.teacher(t).ID, false)
	if w := f.post(codeForm("demo", code)); w.Code != http.StatusBadRequest {
		t.Errorf("the code answers %d afterwards", w.Code)
	}
}

// TestCodeOfUserElsewhere checks that a user of one account gets no tokens through a client of another account.
func TestCodeOfUserElsewhere(t *testing.T) {
	f := start(t)
	stranger, err := f.accounts.Accounts.EnsureUser(context.Background(), &account.User{
		ID: "5f0c6d1e0000000000000009", AccountID: "library", Username: "librarian",
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	if w := f.post(codeForm("demo", f.code(t, func(c *account.Code) { c.User = stranger.ID }))); w.Code != http.StatusBadRequest {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestCodeWhileStoreGoesAway(t *testing.T) {
	f := start(t)
	code := f.code(t, nil)
	f.accounts.fail(fault.Errorf(fault.Unavailable, "away"), "RedeemCode")
	if w := f.post(codeForm("demo", code)); w.Code != http.StatusServiceUnavailable {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	f.accounts.fail(nil)
	f.grant(t, codeForm("demo", code))
}
