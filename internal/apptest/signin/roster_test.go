package signin_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestServersLearnWhatCommandsChange verifies that running servers apply the changes of commands: new clients get
// tokens, and tokens end when their client is disabled or deleted, when their account is suspended, and when their keys
// or the policy no longer admit them.
func TestServersLearnWhatCommandsChange(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			where := append([]string{"--data", t.TempDir()}, engine.Settings(t)...)
			run := func(args ...string) string { t.Helper(); return apptest.Succeed(t, append(args, where...)...) }
			run("migrate")
			s := apptest.Start(t, where...)

			run("accounts", "create", "school", "--name", "School", "--tier", "basic")
			var made, second struct{ Secret string }
			if err := json.Unmarshal([]byte(run("clients", "create", "lms", "--account", "school", "--json")), &made); err != nil {
				t.Fatal(err)
			}
			awaitLogIn(s, "lms", made.Secret)
			s.AwaitStatus(http.StatusOK)
			if err := json.Unmarshal([]byte(run("clients", "add-secret", "lms", "--json")), &second); err != nil {
				t.Fatal(err)
			}
			awaitLogIn(s, "lms", second.Secret)
			awaitLogIn(s, "lms", made.Secret)

			for _, change := range []struct{ end, mend []string }{
				{[]string{"clients", "update", "lms", "--disabled"}, []string{"clients", "update", "lms", "--no-disabled"}},
				{[]string{"accounts", "update", "school", "--status", "SUSPENDED"}, []string{"accounts", "update", "school", "--status", "ACTIVE"}},
				{[]string{"policy", "not-before", "now"}, []string{"policy", "not-before", "clear"}},
				{[]string{"keys", "rotate", "--immediately"}, []string{"keys", "rotate"}},
			} {
				run(change.end...)
				s.AwaitStatus(http.StatusUnauthorized)
				run(change.mend...)
				awaitLogIn(s, "lms", made.Secret)
				s.AwaitStatus(http.StatusOK)
			}
			run("clients", "delete", "lms")
			s.AwaitStatus(http.StatusUnauthorized)
		})
	}
}

// awaitLogIn waits until a client gets a token, and uses it for later requests.
func awaitLogIn(s *apptest.Server, client, secret string) {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	s.Token = ""
	s.Await(http.StatusOK, func() int {
		response, _ := s.Request("POST", s.Base+"/v1/token", "application/x-www-form-urlencoded", form.Encode())
		return response.StatusCode
	})
	s.LogIn(client, secret)
}
