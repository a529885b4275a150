//go:build system

package deploy

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// play reports count playbacks of 2.5 seconds each and fails the test unless the server acknowledges each.
func (s *server) play(token string, count int) {
	s.Helper()
	for range count {
		status, answer := s.post(token, "/v1/events/playback",
			`{"videoId": "1001", "segmentStartSeconds": 0.5, "segmentEndSeconds": 3, "captureTime": "2026-01-05T10:00:00Z"}`)
		if status != http.StatusCreated {
			s.Fatalf("a play is answered with %d %s", status, answer)
		}
	}
}

// billed returns the number of plays on the statement, and checks that each has its length.
func (s *server) billed(token string) (plays int) {
	s.Helper()
	status, answer := s.post(token, "/graphql", `{"query": "{ statement(account: \"demo-operator\", month: \"2026-01\") { plays milliseconds } }"}`)
	var body struct {
		Data struct {
			Statement struct{ Plays, Milliseconds int }
		}
	}
	if err := json.Unmarshal([]byte(answer), &body); err != nil || status != http.StatusOK {
		s.Fatalf("no statement: %d %s", status, answer)
	}
	statement := body.Data.Statement
	if statement.Milliseconds != statement.Plays*2500 {
		s.Errorf("the statement has %d plays of %d ms", statement.Plays, statement.Milliseconds)
	}
	return statement.Plays
}

// awaitBilled waits until the statement contains exactly plays plays.
func (s *server) awaitBilled(token string, plays int) {
	s.Helper()
	waitFor(s.T, "the bill", func() bool { return s.billed(token) == plays })
}

// post sends JSON and returns the status and the body of the answer.
func (s *server) post(token, path, body string) (status int, answer string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return s.send(token, request)
}

// TestCountsThatAreAheadOfTheLog checks that the server counts nothing, and says so at /readyz, after the event log
// alone was restored, until the operator repairs it as docs/operations.md describes. The log would otherwise reuse
// positions whose events are already counted.
func TestCountsThatAreAheadOfTheLog(t *testing.T) {
	program, address := build(t), testservers.FreeAddress(t)
	s := &site{T: t, program: program, folder: t.TempDir()}
	s.environment = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	data := filepath.Join(s.folder, "data")
	importVideos(t, program, data, 1)
	first := serve(t, program, address, "--data", data)
	token := first.token()
	first.play(token, 3)
	first.awaitBilled(token, 3)
	s.follow("backup sqlite")
	first.play(token, 4)
	first.awaitBilled(token, 7)
	first.kill()
	for _, file := range []string{"events.db", "events.db-wal", "events.db-shm"} {
		if err := os.RemoveAll(filepath.Join(data, file)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(s.folder, "backup", "events.db"), filepath.Join(data, "events.db")); err != nil {
		t.Fatal(err)
	}

	second := serve(t, program, address, "--data", data)
	degraded := func() bool {
		status, body := second.ask(token, second.base+"/readyz")
		return status == http.StatusOK && strings.Contains(body, `"status":"degraded"`) && strings.Contains(body, "one of the two was restored without the other")
	}
	waitFor(t, "/readyz to say it", degraded)
	second.play(token, 6) // the log passes the position up to which its events are counted
	second.kill()
	third := serve(t, program, address, "--data", data)
	second = third
	waitFor(t, "/readyz to say it still", degraded)
	if plays := third.billed(token); plays != 7 {
		t.Errorf("counted on: %d plays are billed", plays)
	}
	s.follow("count again")
	third.awaitBilled(token, 9)
	waitFor(t, "/readyz to say that it is repaired", func() bool { return !degraded() })
	third.play(token, 1)
	third.awaitBilled(token, 10)
}
