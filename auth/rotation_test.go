package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
)

// published returns the key set that the service publishes.
func (f *fixture) published(t testing.TB) jose.JSONWebKeySet {
	t.Helper()
	w := httptest.NewRecorder()
	f.KeysHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/.well-known/jwks.json", nil))
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(w.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// rotate adds new keys and waits until the service knows them.
func (f *fixture) rotate(t *testing.T, immediately bool) {
	t.Helper()
	if err := auth.RotateKeys(context.Background(), f.accounts, f.clock.Now(), immediately); err != nil {
		t.Fatal(err)
	}
	if err := f.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// pair gets an access token and an ID token.
func (f *fixture) pair(t testing.TB) tokens {
	t.Helper()
	return f.grant(t, loginForm("demo")+"&scope=openid", header("Service-User-Id", "u"))
}

var bothAlgorithms = []jose.SignatureAlgorithm{jose.EdDSA, jose.RS256}

func keyOf(t testing.TB, token string) string {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, bothAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	return signed.Signatures[0].Header.KeyID
}

func verifies(t testing.TB, set jose.JSONWebKeySet, token string) bool {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, bothAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	_, err = signed.Verify(set)
	return err == nil
}

func TestKeys(t *testing.T) {
	f := start(t)
	get := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		f.KeysHandler().ServeHTTP(w, httptest.NewRequest(method, "/.well-known/jwks.json", nil))
		return w
	}
	goldenAnswer(t, "keys/get", get(http.MethodGet))
	goldenAnswer(t, "keys/post", get(http.MethodPost))
	for _, private := range []string{`"d"`, `"p"`, `"q"`} {
		if strings.Contains(get(http.MethodGet).Body.String(), private) {
			t.Errorf("%s, of the private half, is published", private)
		}
	}
	if w := get(http.MethodHead); w.Code != http.StatusOK {
		t.Errorf("HEAD answers %d", w.Code)
	}
}

// TestKeyRotation checks that during a rotation every token verifies everywhere: with a copy of the published key set
// that is at most five minutes old, at the service at any moment, and at a second process.
func TestKeyRotation(t *testing.T) {
	f := start(t)
	other := startWith(t, f.accounts.reopen(t), f.clock)
	kept, read := f.published(t), f.clock.Now()
	type given struct {
		tokens
		ends time.Time
	}
	var live []given
	first := f.pair(t)
	firstKeys := []string{keyOf(t, first.Access), keyOf(t, first.ID)}
	changed := map[string]time.Duration{}
	for minute := range 60 {
		if minute == 3 {
			f.rotate(t, false)
			if err := other.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if f.clock.Now().Sub(read) >= 5*time.Minute {
			kept, read = f.published(t), f.clock.Now()
		}
		token := f.pair(t)
		live = append(live, given{token, f.clock.Now().Add(time.Duration(token.ExpiresIn) * time.Second)})
		for i, text := range []string{token.Access, token.ID} {
			if !verifies(t, kept, text) {
				t.Fatalf("minute %d: a token is signed with a key that a copy of %s ago does not have", minute, f.clock.Now().Sub(read))
			}
			if id := keyOf(t, text); id != firstKeys[i] && changed[id] == 0 {
				changed[id] = time.Duration(minute) * time.Minute
			}
		}
		live = slices.DeleteFunc(live, func(g given) bool { return !f.clock.Now().Before(g.ends) })
		for _, g := range live {
			if !f.accepts(t, g.Access) || !other.accepts(t, g.Access) {
				t.Fatalf("minute %d: a valid token is refused", minute)
			}
			if _, _, _, err := other.ReadIDTokenHint(g.ID); err != nil {
				t.Fatalf("minute %d: %v", minute, err)
			}
		}
		f.clock.move(time.Minute)
	}
	if len(changed) != 2 {
		t.Fatalf("new keys began to sign at %v", changed)
	}
	for _, at := range changed {
		if at != 13*time.Minute { // ten minutes after the rotation in minute 3
			t.Errorf("new keys began to sign at %v", changed)
		}
	}
}

// TestOldKeysAreForgotten checks that old keys are deleted once no token that they signed counts any more, and no
// earlier.
func TestOldKeysAreForgotten(t *testing.T) {
	stored := newAccounts(t)
	stored.put(t, world()...)
	now := &clock{now: begin}
	f := startWith(t, stored, now)
	token := f.pair(t)
	old, oldIdentity := keyOf(t, token.Access), keyOf(t, token.ID)
	f.rotate(t, false)
	published := func() (access, identity bool) {
		sweep(t, stored, now)
		ids := func(purpose string) (all []string) {
			for _, key := range stored.keys(t, purpose) {
				all = append(all, key.ID)
			}
			return all
		}
		return slices.Contains(ids("signing"), old), slices.Contains(ids("identity"), oldIdentity)
	}
	now.move(10*time.Minute + 30*time.Minute + 59*time.Minute)
	if access, identity := published(); !access || !identity {
		t.Errorf("too early: the old keys are there: %v, %v", access, identity)
	}
	now.move(2 * time.Minute)
	if access, identity := published(); access || !identity {
		t.Errorf("after the last access token, before the last ID token that may still come as a hint: the old keys are there: %v, %v", access, identity)
	}
	now.move(24 * time.Hour)
	if _, identity := published(); identity {
		t.Error("the key of ID tokens is not forgotten")
	}
	if n, m := len(stored.keys(t, "signing")), len(stored.keys(t, "identity")); n != 1 || m != 1 {
		t.Errorf("%d and %d keys are left", n, m)
	}
}

// TestKeysWithdrawn checks that withdrawing a compromised key takes effect within a second at every process: the new
// keys sign at once, and tokens that the old keys signed are refused, even if the verifier has cached them.
func TestKeysWithdrawn(t *testing.T) {
	f := start(t)
	other := startWith(t, f.accounts.reopen(t), f.clock)
	old := f.pair(t)
	for _, process := range []*fixture{f, other} {
		if !process.accepts(t, old.Access) {
			t.Fatal("the token does not count before")
		}
	}
	f.rotate(t, true)
	fresh := f.pair(t)
	if keyOf(t, fresh.Access) == keyOf(t, old.Access) || keyOf(t, fresh.ID) == keyOf(t, old.ID) {
		t.Error("the old keys sign on")
	}
	for _, process := range []*fixture{f, other} {
		within(t, "what the old keys signed is refused", func() bool {
			_, _, _, err := process.ReadIDTokenHint(old.ID)
			return err != nil && !process.accepts(t, old.Access)
		})
		if !process.accepts(t, fresh.Access) {
			t.Error("a token of the new key is refused")
		}
		if set := process.published(t); len(set.Keys) != 2 || !verifies(t, set, fresh.Access) || !verifies(t, set, fresh.ID) {
			t.Errorf("%d keys are published", len(set.Keys))
		}
	}
	if again := f.grant(t, refreshForm("demo", old.Refresh)); !f.accepts(t, again.Access) {
		t.Error("the refresh token is lost with the keys")
	}
}

// TestRotationsOverlap checks that rotations may overlap, and that a new key counts as the newest even if the process
// that adds it has a clock that is behind.
func TestRotationsOverlap(t *testing.T) {
	f := start(t)
	f.rotate(t, false)
	f.clock.move(2 * time.Minute)
	f.rotate(t, false)
	if err := auth.RotateKeys(t.Context(), f.accounts, f.clock.Now().Add(-time.Hour), false); err != nil {
		t.Fatal(err)
	}
	keys := f.accounts.keys(t, "signing")
	if len(keys) != 4 {
		t.Fatalf("%d keys", len(keys))
	}
	if err := f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		after time.Duration
		key   account.Key
	}{{0, keys[3]}, {8*time.Minute + time.Second, keys[2]}, {2*time.Minute - 2*time.Second, keys[2]}, {2 * time.Second, keys[0]}} {
		f.clock.move(want.after)
		if got := keyOf(t, f.login(t, "demo").Access); got != want.key.ID {
			t.Errorf("after %s more another key signs", want.after)
		}
	}
}

func TestRotateKeysFails(t *testing.T) {
	f := start(t)
	f.accounts.fail(errors.New("away"))
	if err := auth.RotateKeys(t.Context(), f.accounts, begin, true); err == nil {
		t.Error("no error")
	}
}

// TestKeyUnknownYet checks that a key that another process has just added verifies at once.
func TestKeyUnknownYet(t *testing.T) {
	f := start(t)
	key := f.accounts.addKey(t, f.clock.Now())
	if _, err := f.authenticate(sign(t, key, "at+jwt", f.claims())); err != nil {
		t.Error(err)
	}
}

func TestIDTokenHint(t *testing.T) {
	f := start(t)
	given := f.grant(t, codeForm("demo", f.code(t, nil)))
	f.clock.move(2 * time.Hour) // two hours later the ID token has long expired
	client, user, session, err := f.ReadIDTokenHint(given.ID)
	if err != nil || client != "demo" || user != f.teacher(t).ID || session != given.Session {
		t.Errorf("%q, %q, %q, %v", client, user, session, err)
	}
	if _, _, session, err := f.ReadIDTokenHint(f.pair(t).ID); err != nil || session != "" {
		t.Errorf("without a session: %q, %v", session, err)
	}
	stranger := start(t) // all fixtures share one identity key, so the test gives this service another
	if err := stranger.accounts.DropKeys(t.Context(), "identity", []string{identityKey().ID}); err != nil {
		t.Fatal(err)
	}
	if err := auth.RotateKeys(t.Context(), stranger.accounts, begin, true); err != nil {
		t.Fatal(err)
	}
	within(t, "the stranger has other keys", func() bool { _, _, _, err := stranger.ReadIDTokenHint(given.ID); return err != nil })
	parts := strings.Split(given.ID, ".")
	for name, hint := range map[string]string{
		"nothing": "", "access token": given.Access, "text": "a.b.c", "no signature": parts[0] + "." + parts[1] + ".",
		"other claims": parts[0] + "." + segment(t, map[string]any{"iss": issuer, "aud": "demo", "sub": "x"}) + "." + parts[2],
		"no algorithm": segment(t, map[string]any{"alg": "none"}) + "." + parts[1] + "." + parts[2],
		"a stranger's": stranger.pair(t).ID,
	} {
		if _, _, _, err := f.ReadIDTokenHint(hint); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
