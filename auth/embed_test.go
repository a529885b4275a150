package auth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

const embeddedVideo catalogue.ID = "0123456789abcdef01234567"

func (f *fixture) embedded(t testing.TB, by time.Duration) (token string, life time.Duration) {
	t.Helper()
	token, ends, err := f.EmbedToken("demo", account.Embed{Video: embeddedVideo, Viewing: account.Viewing{ID: "v", Opened: f.clock.Now()}}, f.clock.Now().Add(by))
	if err != nil {
		t.Fatal(err)
	}
	return token, ends.Sub(f.clock.Now())
}

// required sends a token to Require and returns the caller that the next handler sees, or nil if Require refused the
// request, and the status.
func (f *fixture) required(token string, change ...func(*http.Request)) (caller *account.Caller, status int) {
	r := httptest.NewRequest(http.MethodGet, "/v1/", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	for _, change := range change {
		change(r)
	}
	w := httptest.NewRecorder()
	f.Verifier().Require(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		caller = account.CallerOf(r.Context())
	})).ServeHTTP(w, r)
	return caller, w.Code
}

// TestTokensOfOneVideo checks that a token for one video names the video in its caller, and that every other endpoint
// refuses it.
func TestTokensOfOneVideo(t *testing.T) {
	f := start(t)
	token, life := f.embedded(t, time.Hour)
	if life != 10*time.Minute {
		t.Errorf("it lives %s", life)
	}
	if _, life := f.embedded(t, time.Minute); life != time.Minute {
		t.Errorf("it outlives its address: %s", life)
	}
	caller, _ := f.required(token, header("Service-User-Id", "somebody"))
	if caller == nil || caller.Video != embeddedVideo || caller.ClientID != "demo" || caller.User != "" || caller.ExternalUser != "" ||
		caller.Permissions&^account.PermissionsOf(account.Browse, account.DownloadTranscript) != 0 || !caller.Permissions.Has(account.Browse) || caller.Scope != auth.EmbedScope {
		t.Errorf("the caller is %+v", caller)
	}
	if full, _ := f.required(f.login(t, "demo").Access); full == nil || full.Video != "" || !full.Permissions.Has(account.ViewVideos) {
		t.Errorf("another caller of the client is %+v", full)
	}
	if _, err := f.authenticate(token); fault.CodeOf(err) != fault.Forbidden || errors.Is(err, auth.ErrNoToken) {
		t.Errorf("got %v", err)
	}
	r := httptest.NewRequest(http.MethodGet, "/v1/userinfo", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	f.UserInfoHandler().ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("userinfo: got %d %s", w.Code, w.Body)
	}
	f.clock.move(10*time.Minute + time.Second)
	if caller, status := f.required(token); caller != nil || status != http.StatusUnauthorized {
		t.Errorf("when it is over: %+v %d", caller, status)
	}
}

// TestIntrospectionOfTokensOfOneVideo checks that no client can request a token for one video by its scope, and that
// introspection shows the scope and the video of such a token to clients of the same account only.
func TestIntrospectionOfTokensOfOneVideo(t *testing.T) {
	f := start(t)
	if w := f.post(loginForm("demo") + "&scope=" + auth.EmbedScope); w.Code != http.StatusBadRequest {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	token, _ := f.embedded(t, time.Hour)
	w := send(f.IntrospectHandler(), "/v1/introspect", tokenForm("sibling", token))
	var said struct {
		Active                bool
		Scope, Embed, Aud     string
		ClientID              string `json:"client_id"`
		ServiceUserID, UserID string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || !said.Active || said.Scope != "embed" || said.Embed != string(embeddedVideo) ||
		said.Aud == audience || said.ClientID != "demo" {
		t.Errorf("got %s", w.Body)
	}
	if w := send(f.IntrospectHandler(), "/v1/introspect", tokenForm("other", token)); w.Body.String() != `{"active":false}` {
		t.Errorf("another account learns %s", w.Body)
	}
	if w := send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", token)); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if caller, _ := f.required(token); caller != nil {
		t.Error("it outlives its revocation")
	}
}

// TestKeysOfEmbeds checks that keys of embed URLs rotate like other keys: a new key signs once every process knows it,
// and an old key verifies for as long as an embed URL may last.
func TestKeysOfEmbeds(t *testing.T) {
	stored := newAccounts(t)
	stored.put(t, world()...)
	now := &clock{now: begin}
	f := startWith(t, stored, now)
	ids := func(of *fixture) (all []string) {
		for _, key := range of.EmbedKeys() {
			if len(key.Secret) != 32 {
				t.Errorf("a secret has %d bytes", len(key.Secret))
			}
			all = append(all, key.ID)
		}
		return all
	}
	first := ids(f)
	if len(first) != 1 {
		t.Fatalf("keys %v", first)
	}
	if other := startWith(t, stored, now); !slices.Equal(ids(other), first) {
		t.Errorf("another process has %v", ids(other))
	}
	f.rotate(t, false)
	if got := ids(f); len(got) != 2 || got[0] != first[0] {
		t.Errorf("at once there are %v, before there was %v", got, first)
	}
	now.move(10*time.Minute + time.Second)
	got := ids(f)
	if len(got) != 2 || got[1] != first[0] {
		t.Errorf("after a while there are %v", got)
	}
	now.move(31 * 24 * time.Hour)
	sweep(t, stored, now)
	if got := ids(startWith(t, stored, now)); len(got) != 2 {
		t.Errorf("too early there are %v", got)
	}
	now.move(time.Hour + time.Minute)
	sweep(t, stored, now)
	if got := ids(startWith(t, stored, now)); len(got) != 1 || got[0] == first[0] {
		t.Errorf("once all embed URLs have expired there are %v, at first there was %v", got, first)
	}
	f.rotate(t, true)
	if got := ids(f); len(got) != 1 {
		t.Errorf("a key that somebody knows counts still: %v", got)
	}
}
