package signin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// invite runs owner invite and returns the address.
func invite(h apptest.Installation, base, email string, args ...string) string {
	h.Helper()
	var invited struct{ Address, User, Account, ExpiresAt string }
	if err := json.Unmarshal([]byte(h.Filmstrip(append([]string{"owner", "invite", email, "--base-url", base, "--json"}, args...)...)), &invited); err != nil {
		h.Fatal(err)
	}
	if !strings.HasPrefix(invited.Address, base+"/v1/authorize/invitation?") || invited.User == "" || invited.ExpiresAt == "" {
		h.Fatalf("the command prints %+v", invited)
	}
	return invited.Address
}

// choosePassword posts a password to an invitation, and returns the status and what follows: a page or an address.
func choosePassword(b *apptest.Browser, address, password string) (int, string) {
	b.Helper()
	at := apptest.Must(url.Parse(address))(b)
	answer, page := b.Open(http.MethodPost, at.Scheme+"://"+at.Host+at.Path, url.Values{"invitation": {at.Query().Get("invitation")}, "password": {password}})
	if to := answer.Header.Get("Location"); to != "" {
		return answer.StatusCode, to
	}
	return answer.StatusCode, string(page)
}

// TestInvitedOwner verifies that an invitation adds what the console needs, that it works once, and that the owner can
// sign in to the console with the password chosen there.
func TestInvitedOwner(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h := apptest.NewInstallation(t, engine)
			s := h.Serve()
			wantConsole(t, s, "")
			address := invite(h, s.Base, "ada@films.example")
			wantConsole(t, s, "filmstrip-console")
			b := apptest.NewBrowser(t)
			b.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			if _, page := b.Open(http.MethodGet, address, nil); !strings.Contains(string(page), "ada@films.example") || !strings.Contains(string(page), "Choose a password") {
				t.Fatalf("the invitation shows %s", page)
			}
			if status, page := choosePassword(b, address, "short"); status != http.StatusBadRequest || !strings.Contains(page, "role=\"alert\"") {
				t.Errorf("a short password: %d %s", status, page)
			}
			if status, to := choosePassword(b, address, "correct horse battery"); status != http.StatusSeeOther || to != s.Base+"/console" {
				t.Fatalf("the password leads to %d %s", status, to)
			}
			for name, refused := range map[string]string{"a used invitation": address, "a changed invitation": address[:len(address)-4] + "AAAA", "no invitation": s.Base + "/v1/authorize/invitation"} {
				if status, page := choosePassword(b, refused, "another password"); status != http.StatusForbidden || !strings.Contains(page, "expired or was used already") {
					t.Errorf("%s: %d %s", name, status, page)
				}
			}
			changed, late := invite(h, s.Base, "bob@films.example"), invite(h, s.Base, "eve@films.example", "--expires", "1ms")
			if again := invite(h, s.Base, "bob@films.example"); again == changed {
				t.Error("two invitations are equal")
			}
			if status, _ := choosePassword(b, late, "another password"); status != http.StatusForbidden {
				t.Errorf("an expired invitation: %d", status)
			}
			before := signInAsOwner(t, s, "correct horse battery")
			if status, page := choosePassword(b, invite(h, s.Base, "ada@films.example"), "battery horse correct"); status != http.StatusSeeOther {
				t.Fatalf("another password: %d %s", status, page)
			}
			if refused, answer := s.Post("/v1/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {"filmstrip-console"}, "refresh_token": {before["refresh_token"].(string)}}); refused.StatusCode != http.StatusBadRequest {
				t.Errorf("a refresh token from before the new password: %d %v", refused.StatusCode, answer)
			}
			apptest.Await(t, "access tokens from before the new password end", func() bool {
				refused, _ := s.Send(http.MethodPost, "/graphql", before["access_token"].(string), `{"query":"{ viewer { userName } }"}`, "Content-Type", "application/json")
				return refused.StatusCode == http.StatusUnauthorized
			})
			signInAsOwner(t, s, "battery horse correct")
		})
	}
}

// wantConsole waits until the console names a client.
func wantConsole(t *testing.T, s *apptest.Server, client string) {
	t.Helper()
	want := `<meta name="filmstrip-client" content="` + client + `">`
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		answer := apptest.Must(http.Get(s.Base + "/console"))(t)
		page := apptest.Must(io.ReadAll(answer.Body))(t)
		_ = answer.Body.Close()
		if strings.Contains(string(page), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the console does not have %s: %s", want, page)
		}
	}
}

// signInAsOwner signs the invited user in as the console does, asks who they are, and returns the tokens.
func signInAsOwner(t *testing.T, s *apptest.Server, password string) map[string]any {
	t.Helper()
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	b := apptest.NewBrowser(t)
	b.StopAt(s.Base + "/console?")
	form, _ := b.Open(http.MethodGet, s.Base+"/v1/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {"filmstrip-console"}, "redirect_uri": {s.Base + "/console"}, "scope": {"openid"}, "state": {"s"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode(), nil)
	answer, page := b.Send(form, "ada@films.example", password)
	back, err := answer.Location()
	if err != nil {
		t.Fatalf("%s: %s", answer.Status, page)
	}
	_, tokens := s.Post("/v1/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"filmstrip-console"}, "code": {back.Query().Get("code")}, "redirect_uri": {s.Base + "/console"}, "code_verifier": {verifier},
	})
	token, _ := tokens["access_token"].(string)
	_, text := s.Send(http.MethodPost, "/graphql", token, `{"query":"{ viewer { staffRole userName account } staff { role } }"}`, "Content-Type", "application/json")
	if want := `{"data":{"viewer":{"staffRole":"OWNER","userName":"ada@films.example","account":"operator"},"staff":[`; !strings.HasPrefix(string(text), want) {
		t.Errorf("the owner is %s", text)
	}
	return tokens
}
