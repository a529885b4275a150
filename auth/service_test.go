package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

func TestNew(t *testing.T) {
	broken, damaged, strange, empty := newAccounts(t), newAccounts(t), newStore(t), newAccounts(t)
	broken.fail(errors.New("the disk is gone"))
	if err := damaged.AddKey(context.Background(), "signing", account.Key{ID: "short", Secret: []byte("no seed")}, false); err != nil {
		t.Fatal(err)
	}
	if err := strange.AddKey(context.Background(), "identity", account.Key{ID: "seed", Secret: make([]byte, 32)}, false); err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]auth.Config{
		"no issuer":                      {Accounts: empty},
		"fraction of a second":           {Accounts: empty, Issuer: issuer, AccessLifetime: 1500 * time.Millisecond},
		"negative lifetime":              {Accounts: empty, Issuer: issuer, AccessLifetime: -time.Second},
		"refresh fraction":               {Accounts: empty, Issuer: issuer, RefreshLifetime: time.Hour + 1},
		"refresh no longer than access":  {Accounts: empty, Issuer: issuer, AccessLifetime: time.Hour, RefreshLifetime: time.Hour},
		"keys sign while copies are old": {Accounts: empty, Issuer: issuer, PublishAhead: 5 * time.Minute},
		"negative number of tokens":      {Accounts: empty, Issuer: issuer, Remembered: -1},
		"store away":                     {Accounts: broken, Issuer: issuer},
		"damaged key":                    {Accounts: damaged, Issuer: issuer},
		"key of another kind":            {Accounts: strange, Issuer: issuer},
	} {
		t.Run(name, func(t *testing.T) {
			if service, err := auth.New(context.Background(), config); err == nil {
				_ = service.Close()
				t.Error("no error")
			}
		})
	}
}

// TestFirstKeys checks that processes that start together on a new store agree on one key of each kind.
func TestFirstKeys(t *testing.T) {
	shared := newStore(t)
	shared.put(t, world()...)
	var started [4]*fixture
	var all sync.WaitGroup
	for i := range started {
		all.Go(func() { started[i] = startOn(t, shared) })
	}
	all.Wait()
	token := started[0].grant(t, loginForm("demo")+"&scope=openid", header("Service-User-Id", "u"))
	for i, f := range started {
		if _, err := f.authenticate(token.Access); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
		if _, _, _, err := f.ReadIDTokenHint(token.ID); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if n, m := len(shared.keys(t, "signing")), len(shared.keys(t, "identity")); n != 1 || m != 1 {
		t.Errorf("%d and %d keys", n, m)
	}
}

// TestRosterFollows checks that a change in the store takes effect within a second for tokens that were issued, and
// cached by the verifier, before it.
func TestRosterFollows(t *testing.T) {
	f := start(t)
	token := f.login(t, "other").Access
	caller := func() *account.Caller {
		caller, err := f.authenticate(token)
		if err != nil {
			return nil
		}
		return caller
	}
	if got := caller(); got == nil || got.Permissions != account.PermissionsOf(account.Browse, account.ViewVideos) {
		t.Fatalf("%+v", got)
	}
	record := func(kind account.Kind, id string) account.Entity {
		record, err := f.accounts.Accounts.Entity(context.Background(), account.EntityKey{Kind: kind, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return record
	}
	tier := record(account.KindTier, "narrow").(*account.Tier)
	tier.Roles = append(tier.Roles, account.ViewTags)
	f.accounts.put(t, tier)
	within(t, "a role more", func() bool { return caller() != nil && caller().Permissions.Has(account.ViewTags) })

	f.accounts.put(t, &account.ContentPackage{ID: "slice", Name: "Slice", Rules: []catalogue.AccessRule{
		{Type: catalogue.ExcludedLanguages, Values: []string{"deu"}},
	}})
	library := record(account.KindAccount, "library").(*account.Account)
	library.ContentPackage = "slice"
	f.accounts.put(t, library)
	within(t, "a content package", func() bool { return caller().Access.Rules != nil })

	library.Status = account.Suspended
	f.accounts.put(t, library)
	within(t, "suspended", func() bool { return caller() == nil })
	library.Status = account.Active
	f.accounts.put(t, library)
	within(t, "active again", func() bool { return caller() != nil })

	client := record(account.KindClient, "other").(*account.Client)
	client.Disabled = true
	f.accounts.put(t, client)
	within(t, "disabled", func() bool { return caller() == nil })
	f.accounts.remove(t, account.KindClient, "other")
	within(t, "removed", func() bool { return caller() == nil })
}

// TestAccountExpires checks that an account expires at the end of its last day, while its clients use tokens and the
// store does not change.
func TestAccountExpires(t *testing.T) {
	f := start(t)
	stored, err := f.accounts.Accounts.Entity(context.Background(), account.EntityKey{Kind: account.KindAccount, ID: "library"})
	if err != nil {
		t.Fatal(err)
	}
	library := stored.(*account.Account)
	today := catalogue.DateOf(f.clock.Now())
	library.AccessExpiresOn = &today
	f.accounts.put(t, library)
	if err := f.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.clock.move((today + 1).Start().Add(-time.Minute).Sub(f.clock.Now()))
	token := f.login(t, "other").Access
	caller, err := f.authenticate(token)
	if err != nil || !caller.Permissions.Has(account.ViewVideos) {
		t.Fatalf("%+v, %v on the last day", caller, err)
	}
	f.clock.move(time.Minute)
	caller, err = f.authenticate(token)
	if err != nil || caller.Permissions != account.PermissionsOf(account.ReportExpiry) {
		t.Errorf("%+v, %v on the day after", caller, err)
	}
}

// TestRevocationsAreReadSeparately checks that a process reads revocations separately: a revocation does not make it
// read all accounts.
func TestRevocationsAreReadSeparately(t *testing.T) {
	f := start(t)
	before := f.accounts.reads("Roster")
	token := f.login(t, "demo")
	if w := send(f.RevokeHandler(), "/v1/revoke", "client_id=demo&client_secret=demo-secret&token="+token.Access); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if f.accepts(t, token.Access) {
		t.Error("the token still counts")
	}
	if got := f.accounts.reads("Roster"); got != before {
		t.Errorf("accounts were read %d times more", got-before)
	}
	revoked := f.accounts.reads("Revoked")
	f.accounts.put(t, &account.Tier{ID: "more", Name: "More"})
	within(t, "the new tier is known", func() bool { return f.Roster().Tiers["more"] != nil })
	if got := f.accounts.reads("Revoked"); got != revoked {
		t.Errorf("revocations were read %d times more", got-revoked)
	}
}

// TestRequestsReadNothing checks that a request with a token reads nothing from the store.
func TestRequestsReadNothing(t *testing.T) {
	f := start(t)
	token := f.personalise(t, "demo", "u").Access
	if err := f.accounts.Revoke(context.Background(), []string{"x", account.UserMark("y", begin)}, begin.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := f.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	f.accounts.fail(errors.New("away"))
	for range 3 {
		if _, err := f.authenticate(token); err != nil {
			t.Error(err)
		}
	}
}

func TestRefresh(t *testing.T) {
	f := start(t)
	f.accounts.put(t, &account.Tier{ID: "more", Name: "More"})
	if err := f.Refresh(context.Background()); err != nil || f.Roster().Tiers["more"] == nil {
		t.Errorf("%v, and the tier is not known", err)
	}
	f.accounts.fail(errors.New("away"))
	if err := f.Refresh(context.Background()); fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
	if f.Roster().Tiers["more"] == nil {
		t.Error("the last roster is gone")
	}
}

func TestAllowsOrigin(t *testing.T) {
	f := start(t)
	allow := func(id, origin string) {
		stored, err := f.accounts.Accounts.Entity(context.Background(), account.EntityKey{Kind: account.KindAccount, ID: id})
		if err != nil {
			t.Fatal(err)
		}
		customer := stored.(*account.Account)
		customer.AllowedOrigins = append(customer.AllowedOrigins, origin)
		f.accounts.put(t, customer)
	}
	for id, origin := range map[string]string{"school": "https://a.example", "library": "https://b.example:8443", "closed": "https://c.example", "past": "https://d.example"} {
		allow(id, origin)
	}
	if err := f.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{
		"https://a.example": true, "https://b.example:8443": true, "https://d.example": true,
		"https://c.example": false, "http://a.example": false, "https://b.example": false, "": false, "null": false,
	} {
		if got := f.AllowsOrigin(origin); got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
}

// TestStoreAway checks that the last roster counts while the store fails, and that a question only the store can answer
// gets an error other than 401.
func TestStoreAway(t *testing.T) {
	f := start(t)
	token := f.login(t, "demo").Access
	foreign := foreignKey(f.clock.Now())
	f.accounts.fail(errors.New("away"))
	within(t, "the log mentions it", func() bool { return strings.Contains(f.log.String(), "cannot be read") })
	if _, err := f.authenticate(token); err != nil {
		t.Error(err)
	}
	for name, token := range map[string]string{
		"unknown key":    sign(t, foreign, "at+jwt", f.claims()),
		"unknown client": sign(t, f.accounts.key(t), "at+jwt", with(f.claims(), map[string]any{"client_id": "nobody"})),
	} {
		if _, err := f.authenticate(token); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/v1/videos", nil)
	r.Header.Set("Authorization", "Bearer "+sign(t, foreign, "at+jwt", f.claims()))
	w := httptest.NewRecorder()
	f.Verifier().Require(http.NotFoundHandler()).ServeHTTP(w, r)
	goldenAnswer(t, "bearer/away", w)
	f.accounts.fail(nil)
	within(t, "the log mentions the recovery", func() bool { return strings.Contains(f.log.String(), "can be read again") })
}

// TestConcurrentUse checks that reads, changes and new keys can happen concurrently; the race detector finds unsafe
// accesses.
func TestConcurrentUse(t *testing.T) {
	f := start(t)
	token := f.login(t, "demo").Access
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if _, err := f.authenticate(token); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 20 {
		f.accounts.put(t, &account.Tier{ID: "more", Name: strings.Repeat("x", i+1)})
		key := f.accounts.addKey(t, f.clock.Now())
		if _, err := f.authenticate(sign(t, key, "at+jwt", f.claims())); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
