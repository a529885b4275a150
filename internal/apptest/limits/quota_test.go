package limits_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestQuotaSurvivesARestart verifies that the usage of an account's quota survives a restart until the month ends or
// the quota is raised, and that each account has its own quota.
func TestQuotaSurvivesARestart(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	h.Account("metered", "--requests-per-month", "30")
	h.Account("free")
	first, second, free := h.Client("first", "metered"), h.Client("second", "metered"), h.Client("free", "free")
	s := h.Serve()
	tokens := []string{s.Access("first", first), s.Access("second", second)}
	for i := range 20 {
		if got := s.Status("/v1/", tokens[i%2]); got != http.StatusOK {
			t.Fatalf("request %d of 30 is answered %d", i, got)
		}
	}
	s.Stop(syscall.SIGTERM)

	s = h.Serve("--addr", s.Base[len("http://"):])
	for i := range 10 {
		if got := s.Status("/v1/", tokens[i%2]); got != http.StatusOK {
			t.Fatalf("request %d of 30 is answered %d", 20+i, got)
		}
	}
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC))
	for _, token := range tokens {
		answer, body := s.Send("GET", "/v1/", token, "")
		wantRejectionHeaders(t, answer, fmt.Sprintf(`"month";q=30;w=%d`, int(month.Seconds())), 24*time.Hour)
		wantRejectionBody(t, answer, body)
	}
	if got := s.Status("/v1/", s.Access("free", free)); got != http.StatusOK {
		t.Errorf("another account is answered %d", got)
	}

	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(h.Where[1], app.AccountsFile)))(t)
	apptest.Await(t, "the counts are stored, of which a killed process may lose those of a second", func() bool {
		return apptest.Must(accounts.Usage(t.Context(), now.Format("2006-01")))(t)["metered"] == 30
	})
	if err := accounts.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.Ended
	s = h.Serve("--addr", s.Base[len("http://"):])
	if got := s.Status("/v1/", tokens[0]); got != http.StatusTooManyRequests {
		t.Errorf("after the process was killed: %d", got)
	}
	h.Filmstrip("accounts", "update", "metered", "--requests-per-month", "40")
	s.Await(http.StatusOK, func() int { return s.Status("/v1/", tokens[0]) })
}
