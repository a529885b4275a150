package main

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// TestQuotaSurvivesARestart: what an account has used up in a month stays used up, until the month ends or it
// may use more; and one account's is not another's.
func TestQuotaSurvivesARestart(t *testing.T) {
	h := newHouse(t, combination{})
	h.account("metered", "--requests-per-month", "30")
	h.account("free")
	first, second, free := h.client("first", "metered"), h.client("second", "metered"), h.client("free", "free")
	s := h.serve()
	tokens := []string{s.access("first", first), s.access("second", second)}
	for i := range 20 {
		if got := s.status("/v1/", tokens[i%2]); got != http.StatusOK {
			t.Fatalf("request %d of 30 is answered %d", i, got)
		}
	}
	s.stop(syscall.SIGTERM)

	s = h.serve("--addr", s.base[len("http://"):])
	for i := range 10 {
		if got := s.status("/v1/", tokens[i%2]); got != http.StatusOK {
			t.Fatalf("request %d of 30 is answered %d", 20+i, got)
		}
	}
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC))
	for _, token := range tokens {
		answer, body := s.ask("GET", "/v1/", token, "")
		wantRefusalHeaders(t, answer, fmt.Sprintf(`"month";q=30;w=%d`, int(month.Seconds())), 24*time.Hour)
		wantRefusalBody(t, answer, body)
	}
	if got := s.status("/v1/", s.access("free", free)); got != http.StatusOK {
		t.Errorf("another account is answered %d", got)
	}

	time.Sleep(1500 * time.Millisecond) // a process that is killed may lose a second's counts
	if err := s.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.ended
	s = h.serve("--addr", s.base[len("http://"):])
	if got := s.status("/v1/", tokens[0]); got != http.StatusTooManyRequests {
		t.Errorf("after the process was killed: %d", got)
	}
	h.run("accounts", "update", "metered", "--requests-per-month", "40")
	s.await(http.StatusOK, func() int { return s.status("/v1/", tokens[0]) })
}
