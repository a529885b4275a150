package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/account"
)

// TestServiceUsers checks that a Service-User-Id on a token request makes a token of that user. The account has one
// user for each ID, whichever client sends the ID.
func TestServiceUsers(t *testing.T) {
	f := start(t)
	user := func(token tokens) string {
		t.Helper()
		caller, err := f.authenticate(token.Access)
		if err != nil || caller.User == "" || caller.ExternalUser != "pupil 7" {
			t.Fatalf("%+v, %v", caller, err)
		}
		return caller.User
	}
	first := f.personalise(t, "demo", "pupil 7")
	id := user(first)
	if stored := f.accounts.user(t, id); stored.AccountID != "school" || stored.ExternalID != "pupil 7" {
		t.Errorf("%+v", stored)
	}
	if again := user(f.personalise(t, "demo", "pupil 7")); again != id {
		t.Errorf("the same user is %s and %s", id, again)
	}
	if sibling := user(f.personalise(t, "sibling", "pupil 7")); sibling != id {
		t.Errorf("the user of another client of the account is %s, not %s", sibling, id)
	}
	if other := user(f.personalise(t, "other", "pupil 7")); other == id {
		t.Error("two accounts share a user")
	}
	if refreshed := user(f.grant(t, refreshForm("demo", first.Refresh))); refreshed != id {
		t.Errorf("refreshed, the user is %s, not %s", refreshed, id)
	}
	if first.ID != "" || first.Scope != "profile email" {
		t.Errorf("without scope openid there is an ID token: %q, %q", first.ID, first.Scope)
	}
	if plain := f.grant(t, credentials, header("Service-User-Id", "")); plain.Access == "" {
		t.Error("an empty Service-User-Id is not as none")
	}
}

// TestServiceUserRace checks that of concurrent requests at two processes exactly one adds the user, and all get tokens
// of that user.
func TestServiceUserRace(t *testing.T) {
	one := start(t)
	two := startOn(t, one.accounts.reopen(t))
	for round := range 5 {
		name := fmt.Sprint("pupil ", round)
		users := make([]string, 16)
		var all sync.WaitGroup
		for i := range users {
			process := []*fixture{one, two}[i%2]
			all.Go(func() {
				w := process.post(credentials, header("Service-User-Id", name))
				if w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
					return
				}
				_, access, _ := strings.Cut(w.Body.String(), `"access_token":"`)
				access, _, _ = strings.Cut(access, `"`)
				if caller, err := process.authenticate(access); err == nil {
					users[i] = caller.User
				}
			})
		}
		all.Wait()
		for _, user := range users {
			if user != users[0] || user == "" {
				t.Fatalf("one user id, several users: %q", users)
			}
		}
	}
}

func TestDisabledServiceUser(t *testing.T) {
	f := start(t)
	caller, err := f.authenticate(f.personalise(t, "demo", "pupil 7").Access)
	if err != nil {
		t.Fatal(err)
	}
	f.accounts.disable(t, caller.User, true)
	goldenAnswer(t, "token/refused_user_disabled", f.post(credentials, header("Service-User-Id", "pupil 7")))
	f.accounts.disable(t, caller.User, false)
	f.personalise(t, "demo", "pupil 7")
}

// TestServiceUserOfRequests checks that on an API request, a Service-User-Id names the user for events unless the
// account ignores it, and changes nothing else. An invalid ID is refused with any token and without one.
func TestServiceUserOfRequests(t *testing.T) {
	f := start(t)
	var caller *account.Caller
	handler := f.Verifier().Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { caller = account.CallerOf(r.Context()) }))
	ask := func(token string, ids ...string) *httptest.ResponseRecorder {
		caller = nil
		r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
		r.Header["Service-User-Id"] = ids
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	plain, user, other := f.login(t, "demo").Access, f.personalise(t, "demo", "pupil 7").Access, f.login(t, "other").Access
	for _, test := range []struct {
		token, id, want string
	}{
		{plain, "guest", "guest"}, {plain, "", ""}, {plain, strings.Repeat("ä", 64), strings.Repeat("ä", 64)},
		{user, "guest", "guest"}, {user, "", "pupil 7"},
		{other, "guest", ""}, // the account ignores it
	} {
		ask(test.token, test.id)
		if caller == nil || caller.ExternalUser != test.want {
			t.Errorf("%q: %+v", test.id, caller)
		}
	}
	ask(user, "guest")
	labeled := *caller
	ask(user)
	if caller.ExternalUser != "pupil 7" || labeled.User != caller.User || labeled.Permissions != caller.Permissions {
		t.Errorf("the label of one request stays for the next, or changes more: %+v, %+v", labeled, caller)
	}
	for _, token := range []string{plain, other, "", "nonsense"} {
		for _, ids := range [][]string{{strings.Repeat("x", 65)}, {"a", "b"}, {"\xff"}} {
			if w := ask(token, ids...); w.Code != http.StatusBadRequest || caller != nil {
				t.Errorf("%q: %d", ids, w.Code)
			}
		}
	}
	goldenAnswer(t, "bearer/refused_user_too_long", ask(plain, strings.Repeat("x", 65)))
	if users, err := f.accounts.Entities(context.Background(), account.KindUser, "school", "", 10); err != nil || len(users) != 1 {
		t.Errorf("requests have made users: %d, %v", len(users), err)
	}
}

// TestServiceUserRefusedEverywhere checks that every endpoint refuses an invalid Service-User-Id, whatever else the
// request contains.
func TestServiceUserRefusedEverywhere(t *testing.T) {
	f := start(t)
	for _, id := range []string{strings.Repeat("x", 65), "\xff", "a\tb"} {
		for path, handler := range map[string]http.Handler{
			"/v1/token": f.TokenHandler(), "/v1/revoke": f.RevokeHandler(), "/v1/introspect": f.IntrospectHandler(), "/v1/userinfo": f.UserInfoHandler(),
		} {
			if w := send(handler, path, credentials, header("Service-User-Id", id)); w.Code != http.StatusBadRequest {
				t.Errorf("%s with the id %q: %d %s", path, id, w.Code, w.Body)
			}
		}
	}
}
