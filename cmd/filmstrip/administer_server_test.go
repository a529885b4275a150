package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// learning is how long a test waits for a server to learn of a change, which it does within a second
// where the machine has time for it.
const learning = 20 * time.Second

// TestServersLearnWhatCommandsChange, while they run: who may come, and that who came may not stay.
func TestServersLearnWhatCommandsChange(t *testing.T) {
	for _, engine := range []combination{{}, {postgresql: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			where := append([]string{"--data", t.TempDir()}, engine.settings(t)...)
			run := func(args ...string) string { t.Helper(); return succeed(t, append(args, where...)...) }
			run("migrate")
			s := startServer(t, where...)

			run("accounts", "create", "school", "--name", "School", "--tier", "basic")
			var made, second struct{ Secret string }
			if err := json.Unmarshal([]byte(run("clients", "create", "lms", "--account", "school", "--json")), &made); err != nil {
				t.Fatal(err)
			}
			s.awaitLogIn("lms", made.Secret)
			s.awaitStatus(http.StatusOK)
			if err := json.Unmarshal([]byte(run("clients", "add-secret", "lms", "--json")), &second); err != nil {
				t.Fatal(err)
			}
			s.awaitLogIn("lms", second.Secret)
			s.awaitLogIn("lms", made.Secret)

			for _, change := range []struct{ end, mend []string }{
				{[]string{"clients", "update", "lms", "--disabled"}, []string{"clients", "update", "lms", "--no-disabled"}},
				{[]string{"accounts", "update", "school", "--status", "SUSPENDED"}, []string{"accounts", "update", "school", "--status", "ACTIVE"}},
				{[]string{"policy", "not-before", "now"}, []string{"policy", "not-before", "clear"}},
				{[]string{"keys", "rotate", "--immediately"}, []string{"keys", "rotate"}},
			} {
				run(change.end...)
				s.awaitStatus(http.StatusUnauthorized)
				run(change.mend...)
				s.awaitLogIn("lms", made.Secret)
				s.awaitStatus(http.StatusOK)
			}
			run("clients", "delete", "lms")
			s.awaitStatus(http.StatusUnauthorized)
		})
	}
}

// awaitStatus waits until the token is answered with a status.
func (s *server) awaitStatus(want int) {
	s.Helper()
	s.await(want, func() int {
		response, _ := s.request("GET", s.base+"/v1/videos", "", "")
		return response.StatusCode
	})
}

// awaitLogIn waits until a client gets a token, and takes it.
func (s *server) awaitLogIn(client, secret string) {
	s.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	s.token = ""
	s.await(http.StatusOK, func() int {
		response, _ := s.request("POST", s.base+"/v1/token", "application/x-www-form-urlencoded", form.Encode())
		return response.StatusCode
	})
	s.logIn(client, secret)
}

func (s *server) await(want int, status func() int) {
	s.Helper()
	got := status()
	for end := time.Now().Add(learning); got != want && time.Now().Before(end); got = status() {
		time.Sleep(100 * time.Millisecond)
	}
	if got != want {
		s.Fatalf("the server answers %d, not %d", got, want)
	}
}
