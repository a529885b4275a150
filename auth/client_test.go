package auth_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
)

// TestClientDisabledMeanwhile checks that a client that is disabled while it requests a token gets none, and that no
// refresh token is left for the time when it is enabled again.
func TestClientDisabledMeanwhile(t *testing.T) {
	f := start(t)
	var made account.Grant
	f.accounts.meanwhile = func(grant account.Grant) {
		made = grant
		client := authtest.Client("other", "library", secret)
		client.Disabled = true
		f.accounts.put(t, client)
		if err := f.accounts.Accounts.DropGrants(t.Context(), account.GrantFilter{Client: "other"}); err != nil {
			t.Error(err)
		}
	}
	if w := f.post(loginForm("other")); w.Code != http.StatusUnauthorized {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if _, err := f.accounts.Accounts.Grant(t.Context(), made.Hash, f.clock.Now()); !errors.Is(err, account.ErrGrantUnknown) {
		t.Errorf("a refresh token is left: %v", err)
	}
}

// TestClientReplaced checks that a client with the ID of a deleted client does not inherit its tokens.
func TestClientReplaced(t *testing.T) {
	f := start(t)
	old, untouched := f.login(t, "other"), f.login(t, "demo")
	f.clock.move(time.Minute)
	f.accounts.replace(t, authtest.Client("other", "school", secret), f.clock.Now())
	within(t, "the token of the client before is refused", func() bool { return !f.accepts(t, old.Access) })
	if fresh := f.login(t, "other"); !f.accepts(t, fresh.Access) || !f.accepts(t, untouched.Access) {
		t.Error("a token of the new client, or of another, is refused")
	}
}
