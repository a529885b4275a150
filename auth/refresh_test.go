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
	"github.com/filmstrip/filmstrip/fault"
)

// TestRefreshRotation checks that a refresh token can be used once, and that a second use revokes all tokens derived
// from the first use, including access tokens.
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
		t.Error("the log does not mention the reuse")
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

// TestRefreshRace checks that concurrent requests with one refresh token, at two processes, all get the same successor,
// which can be used once.
func TestRefreshRace(t *testing.T) {
	one := start(t)
	two := startOn(t, one.accounts.reopen(t))
	for range 10 {
		login := one.login(t, "demo")
		var answers [4]*httptest.ResponseRecorder
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = []*fixture{one, two}[i%2].post(refreshForm("demo", login.Refresh)) })
		}
		all.Wait()
		var got [len(answers)]tokens
		for i, w := range answers {
			if w.Code != http.StatusOK {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got[i]); err != nil {
				t.Fatal(err)
			}
			if got[i].Refresh != got[0].Refresh || got[i].Refresh == login.Refresh || i > 0 && got[i].Access == got[0].Access || !one.accepts(t, got[i].Access) {
				t.Fatalf("answer %d is %+v beside %+v", i, got[i], got[0])
			}
		}
		next := one.grant(t, refreshForm("demo", got[0].Refresh))
		if w := two.post(refreshForm("demo", login.Refresh)); w.Code != http.StatusBadRequest || one.post(refreshForm("demo", next.Refresh)).Code != http.StatusBadRequest {
			t.Fatalf("once its successor is used, the token answers %d %s, or the family lives on", w.Code, w.Body)
		}
	}
}

// TestRefreshRepeated checks that a client that lost an answer can repeat the request within 30 seconds: it gets the
// same refresh token and a new access token, for the same user and the scope that it requests. A later repetition
// revokes the token family.
func TestRefreshRepeated(t *testing.T) {
	f := start(t)
	login := f.grant(t, codeForm("demo", f.code(t, nil)))
	lost := f.grant(t, refreshForm("demo", login.Refresh))
	f.clock.move(account.RefreshGrace - time.Second)
	again := f.grant(t, refreshForm("demo", login.Refresh)+"&scope=openid")
	caller, err := f.authenticate(again.Access)
	if err != nil || caller.User != f.teacher(t).ID || again.ID == "" || again.Session != lost.Session {
		t.Errorf("%+v (%v) with %+v", caller, err, again)
	}
	if again.Refresh != lost.Refresh || again.Access == lost.Access || !f.accepts(t, lost.Access) || again.Scope != "openid" {
		t.Errorf("got %+v, first %+v", again, lost)
	}
	if want := lost.RefreshExpiresIn - int(account.RefreshGrace.Seconds()) + 1; again.RefreshExpiresIn != want {
		t.Errorf("the refresh token ends in %d seconds, not %d", again.RefreshExpiresIn, want)
	}
	if w := f.post(refreshForm("sibling", login.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("another client is answered %d %s", w.Code, w.Body)
	}
	f.grant(t, refreshForm("demo", login.Refresh)) // this request revoked nothing
	f.clock.move(time.Second)
	if w := f.post(refreshForm("demo", login.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("after 30 seconds the token is answered %d %s", w.Code, w.Body)
	}
	if w := f.post(refreshForm("demo", lost.Refresh)); w.Code != http.StatusBadRequest || f.accepts(t, lost.Access) || f.accepts(t, again.Access) {
		t.Errorf("the family of a token that came too late lives on: %d %s", w.Code, w.Body)
	}
}

// TestRefreshRepeatedOfRevoked checks that repeating a request does not revive a token family that was revoked or whose
// user is disabled, and that the token that the client still has ends its sign-in.
func TestRefreshRepeatedOfRevoked(t *testing.T) {
	f := start(t)
	login := f.personalise(t, "demo", "pupil")
	lost := f.grant(t, refreshForm("demo", login.Refresh))
	caller, err := f.authenticate(lost.Access)
	if err != nil {
		t.Fatal(err)
	}
	f.accounts.disable(t, caller.User, true)
	if w := f.post(refreshForm("demo", login.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("for a user who is disabled: %d %s", w.Code, w.Body)
	}
	f.accounts.disable(t, caller.User, false)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/v1/revoke", strings.NewReader("client_id=demo&client_secret="+secret+"&token="+login.Refresh))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	f.RevokeHandler().ServeHTTP(w, r)
	for _, token := range []string{login.Refresh, lost.Refresh} {
		if again := f.post(refreshForm("demo", token)); w.Code != http.StatusOK || again.Code != http.StatusBadRequest {
			t.Errorf("after %d for its revocation, the refresh token is answered %d %s", w.Code, again.Code, again.Body)
		}
	}
}

// TestRefreshOfUser checks that refreshing a user's token gives a token with the user's current data.
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

// TestRefreshRefused checks that a disabled user, a deleted user and a client of a suspended account cannot refresh
// tokens.
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
	stored, err := f.accounts.Accounts.Entity(context.Background(), account.EntityKey{Kind: account.KindAccount, ID: "library"})
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

// TestRefreshOfAnEndedSignIn checks that tokens of a sign-in cannot be refreshed once the account no longer allows the way of
// the sign-in, or once the user has a newer second factor or needs one.
func TestRefreshOfAnEndedSignIn(t *testing.T) {
	provider := account.IdentityProvider{Alias: "school", Name: "School", Issuer: "https://idp.example", ClientID: "filmstrip"}
	for name, test := range map[string]struct {
		isFederated bool
		change      func(t *testing.T, f *fixture, owner *account.Account, user *account.User)
		status      int
	}{
		"nothing changes": {change: func(*testing.T, *fixture, *account.Account, *account.User) {}, status: http.StatusOK},
		"a new second factor": {change: func(t *testing.T, f *fixture, owner *account.Account, user *account.User) {
			f.accounts.put(t, &account.SecondFactor{ID: user.ID, AccountID: owner.ID, Secret: strings.Repeat("A", 32)})
		}, status: http.StatusBadRequest},
		"a policy that requires one": {change: func(t *testing.T, f *fixture, owner *account.Account, user *account.User) {
			owner.Operator = true
			f.accounts.put(t, owner, &account.StaffMember{ID: user.ID, AccountID: owner.ID, Role: account.Editor}, &account.Policy{RequireStaffFactor: true})
		}, status: http.StatusBadRequest},
		"no passwords": {change: func(t *testing.T, f *fixture, owner *account.Account, _ *account.User) {
			owner.IdentityProviders = []account.IdentityProvider{provider}
			f.accounts.put(t, owner)
		}, status: http.StatusBadRequest},
		"the provider stays": {isFederated: true, change: func(*testing.T, *fixture, *account.Account, *account.User) {}, status: http.StatusOK},
		"no provider any more": {isFederated: true, change: func(t *testing.T, f *fixture, owner *account.Account, _ *account.User) {
			owner.IdentityProviders = nil
			f.accounts.put(t, owner)
		}, status: http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			stored, err := f.accounts.Accounts.Entity(t.Context(), account.KindAccount.Key("school"))
			if err != nil {
				t.Fatal(err)
			}
			owner, user := stored.(*account.Account), f.teacher(t)
			if test.isFederated {
				owner.IdentityProviders = []account.IdentityProvider{provider}
				user.Issuer, user.Subject, user.PasswordHash = provider.Issuer, "4711", ""
				f.accounts.put(t, owner, user)
			}
			login := f.grant(t, codeForm("demo", f.code(t, func(code *account.Code) { code.User, code.AuthTime = user.ID, time.Now().Add(-time.Hour) })))
			test.change(t, f, owner, user)
			if err := f.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w := f.post(refreshForm("demo", login.Refresh)); w.Code != test.status || test.status != http.StatusOK && !strings.Contains(w.Body.String(), "sign in again") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

// TestRefreshWhileStoreGoesAway checks that a store that fails during a refresh does not end the sign-in.
func TestRefreshWhileStoreGoesAway(t *testing.T) {
	f := start(t)
	token := f.personalise(t, "demo", "u")
	for _, method := range []string{"Grant", "Record", "RotateGrant"} {
		f.accounts.fail(fault.Errorf(fault.Unavailable, "away"), method)
		if w := f.post(refreshForm("demo", token.Refresh)); w.Code != http.StatusServiceUnavailable {
			t.Fatalf("without %s: %d %s", method, w.Code, w.Body)
		}
	}
	f.accounts.fail(errors.New("broken"), "Revoke")
	again := f.grant(t, refreshForm("demo", f.grant(t, refreshForm("demo", token.Refresh)).Refresh))
	if w := f.post(refreshForm("demo", token.Refresh)); w.Code != http.StatusInternalServerError {
		t.Errorf("a reuse whose revocation fails answers %d", w.Code)
	}
	f.accounts.fail(nil)
	if w := f.post(refreshForm("demo", again.Refresh)); w.Code != http.StatusBadRequest {
		t.Errorf("after the reuse the family answers %d", w.Code)
	}
}
