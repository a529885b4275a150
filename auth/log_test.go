package auth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// TestLogHoldsNoSecrets checks that the log of good and bad requests at every endpoint contains no secret, token or
// code.
func TestLogHoldsNoSecrets(t *testing.T) {
	f := start(t)
	login, user := f.login(t, "demo"), f.personalise(t, "demo", "pupil")
	again := f.grant(t, refreshForm("demo", login.Refresh))
	f.post(refreshForm("demo", login.Refresh))
	code, unused := f.code(t, nil), f.code(t, func(c *account.Code) { c.Challenge = codeChallenge })
	signedIn := f.grant(t, codeForm("demo", code))
	f.post(codeForm("demo", code))
	f.post(codeForm("demo", unused, "code_verifier", codeVerifier+"x"))
	mistyped := account.NewSecret()
	for _, form := range []string{
		"grant_type=client_credentials&client_id=demo&client_secret=" + mistyped,
		"grant_type=client_credentials&client_secret=demo&client_id=" + mistyped,
		"grant_type=" + mistyped, credentials + "&scope=" + mistyped, credentials + "&" + mistyped + "&" + mistyped,
		codeForm("demo", mistyped), codeForm("demo", unused, "redirect_uri", mistyped), refreshForm("demo", mistyped),
	} {
		f.post(form)
	}
	f.post(credentials, basic("demo", mistyped))
	f.post(credentials, basic(mistyped, secret))
	f.post(credentials, header("Service-User-Id", strings.Repeat(mistyped, 9)))
	for _, token := range []string{mistyped, signedIn.Access, user.Refresh, signedIn.ID} {
		send(f.IntrospectHandler(), "/v1/introspect", tokenForm("demo", token))
		send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", token))
	}
	_, _ = f.authenticate(login.Access + "x")
	_, _, _, _ = f.ReadIDTokenHint(signedIn.ID + "x")
	f.rotate(t, true)
	f.accounts.fail(errors.New("away"))
	f.post(refreshForm("demo", again.Refresh))
	f.post(codeForm("demo", unused, "code_verifier", codeVerifier))
	send(f.RevokeHandler(), "/v1/revoke", tokenForm("demo", again.Refresh))
	f.accounts.fail(fault.Errorf(fault.Unavailable, "away"))
	f.post(codeForm("demo", unused, "code_verifier", codeVerifier))
	within(t, "the outage is logged", func() bool { return strings.Contains(f.log.String(), "cannot be read") })

	log := f.log.String()
	for _, mentioned := range []string{"invalid_client", "invalid_grant", "away", "used twice"} {
		if !strings.Contains(log, mentioned) {
			t.Errorf("the log does not mention %q: %s", mentioned, log)
		}
	}
	for _, secret := range []string{
		secret, mistyped, codeVerifier, code, unused, login.Access, login.Refresh, again.Access, again.Refresh,
		user.Access, user.Refresh, signedIn.Access, signedIn.Refresh, signedIn.ID,
	} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
}

// TestExpiredEntriesAreDeleted checks that the service deletes expired entries when it starts, so that they stay
// invalid even if the clock is set back.
func TestExpiredEntriesAreDeleted(t *testing.T) {
	f := start(t)
	expired, code := f.login(t, "demo"), f.code(t, nil)
	<-f.accounts.swept
	f.clock.move(24 * time.Hour)
	live := f.login(t, "demo")
	f.clock.move(-24 * time.Hour)
	startAt(t, f.accounts, f.clock.Now().Add(24*time.Hour+1e6))
	<-f.accounts.swept
	for _, form := range []string{refreshForm("demo", expired.Refresh), codeForm("demo", code)} {
		if w := f.post(form); w.Code != 400 {
			t.Errorf("what had expired answers %d", w.Code)
		}
	}
	f.grant(t, refreshForm("demo", live.Refresh))
}
