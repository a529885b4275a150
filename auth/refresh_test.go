package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// A refresh token is good for one use; a second use revokes what came of the first, access tokens too.
func TestRefreshRotation(t *testing.T) {
	f := start(t)
	first, bystander := f.login(t, "demo"), f.login(t, "demo")
	second := f.grant(t, refreshForm("demo", first.Refresh))
	third := f.grant(t, refreshForm("demo", second.Refresh)+"&client_secret=demo-secret")
	for _, token := range []string{first.Access, second.Access, third.Access} {
		if _, err := f.authenticate(token); err != nil {
			t.Error(err)
		}
	}
	goldenAnswer(t, "token/refused_refresh_reused", f.post(refreshForm("demo", first.Refresh)))
	if w := f.post(refreshForm("demo", third.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("the family of a reused token answers %d %s", w.Code, w.Body)
	}
	for i, token := range []string{first.Access, second.Access, third.Access} {
		if f.accepts(t, token) {
			t.Errorf("access token %d of the family still counts", i)
		}
	}
	if again := f.grant(t, refreshForm("demo", bystander.Refresh)); !f.accepts(t, bystander.Access) || !f.accepts(t, again.Access) {
		t.Error("another sign-in of the same client is revoked too")
	}
	if !strings.Contains(f.log.String(), "refresh token used twice") {
		t.Error("the log does not tell of the reuse")
	}
}

func TestRefreshExpires(t *testing.T) {
	f := start(t)
	first := f.login(t, "demo")
	f.clock.move(time.Duration(first.RefreshExpiresIn)*time.Second - 1)
	second := f.grant(t, refreshForm("demo", first.Refresh))
	f.clock.move(time.Duration(second.RefreshExpiresIn) * time.Second)
	if w := f.post(refreshForm("demo", second.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("an expired refresh token answers %d", w.Code)
	}
}

// Of requests that race with one refresh token one wins, and then the family is revoked: a race cannot
// be told from a theft.
func TestRefreshRace(t *testing.T) {
	f := start(t)
	for range 20 {
		login := f.login(t, "demo")
		var answers [4]*httptest.ResponseRecorder
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = f.post(refreshForm("demo", login.Refresh)) })
		}
		all.Wait()
		won := 0
		var winner tokens
		for _, w := range answers {
			if w.Code == http.StatusOK {
				won++
				if err := json.Unmarshal(w.Body.Bytes(), &winner); err != nil {
					t.Fatal(err)
				}
			} else if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"invalid_grant"`) {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
		}
		if w := f.post(refreshForm("demo", winner.Refresh)); won != 1 || w.Code != http.StatusBadRequest {
			t.Fatalf("%d of %d won; a winner's refresh token answers %d", won, len(answers), w.Code)
		}
	}
}

// A token of a user is refreshed for that user, as the user is by then.
func TestRefreshOfUser(t *testing.T) {
	f := start(t)
	first := f.grant(t, codeForm("demo", f.code(t, nil)))
	teacher := f.teacher(t)
	teacher.FamilyName = "Lovelace"
	f.accounts.put(t, teacher)
	f.clock.move(10 * time.Minute)
	second := f.grant(t, refreshForm("demo", first.Refresh))
	var before, after map[string]any
	for token, claims := range map[string]*map[string]any{first.ID: &before, second.ID: &after} {
		if err := json.Unmarshal(part(t, token, 1), claims); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"iss", "sub", "aud", "azp", "auth_time", "sid"} { // OpenID Connect Core section 12.2
		if a, b := before[name], after[name]; name != "aud" && a != b || b == nil {
			t.Errorf("%s was %v and is %v", name, a, b)
		}
	}
	if after["family_name"] != "Lovelace" || after["nonce"] != nil || second.Session != first.Session {
		t.Errorf("%v in session %q", after, second.Session)
	}
	caller, err := f.authenticate(second.Access)
	if err != nil || caller.User != teacher.ID || caller.Session != first.Session {
		t.Errorf("%+v, %v", caller, err)
	}
}

// A disabled user cannot refresh, nor one who is gone, nor a client whose account is suspended.
func TestRefreshRefused(t *testing.T) {
	f := start(t)
	disabled, gone, suspended := f.personalise(t, "demo", "disabled"), f.personalise(t, "demo", "gone"), f.login(t, "other")
	id := func(token tokens) string {
		caller, err := f.authenticate(token.Access)
		if err != nil {
			t.Fatal(err)
		}
		return caller.User
	}
	f.accounts.disable(t, id(disabled), true)
	f.accounts.remove(t, account.KindUser, id(gone))
	stored, err := f.accounts.Accounts.Record(context.Background(), account.RecordKey{Kind: account.KindAccount, ID: "library"})
	if err != nil {
		t.Fatal(err)
	}
	stored.(*account.Account).Status = account.Suspended
	f.accounts.put(t, stored)
	if err := f.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	goldenAnswer(t, "token/refused_refresh_user_disabled", f.post(refreshForm("demo", disabled.Refresh)))
	goldenAnswer(t, "token/refused_refresh_user_gone", f.post(refreshForm("demo", gone.Refresh)))
	goldenAnswer(t, "token/refused_refresh_account_suspended", f.post(refreshForm("other", suspended.Refresh)))
}

// A store that goes away in the middle of refreshing costs nobody their sign-in.
func TestRefreshWhileStoreGoesAway(t *testing.T) {
	f := start(t)
	token := f.personalise(t, "demo", "u")
	for _, method := range []string{"Grant", "Record", "RotateGrant"} {
		f.accounts.fail(catalogue.Errorf(catalogue.Unavailable, "away"), method)
		if w := f.post(refreshForm("demo", token.Refresh)); w.Code != http.StatusServiceUnavailable {
			t.Fatalf("without %s: %d %s", method, w.Code, w.Body)
		}
	}
	f.accounts.fail(errors.New("broken"), "Revoke")
	again := f.grant(t, refreshForm("demo", token.Refresh))
	if w := f.post(refreshForm("demo", token.Refresh)); w.Code != http.StatusInternalServerError {
		t.Errorf("a reuse whose revocation fails answers %d", w.Code)
	}
	f.accounts.fail(nil)
	if w := f.post(refreshForm("demo", again.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("after the reuse the family answers %d", w.Code)
	}
}
