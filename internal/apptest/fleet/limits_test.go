//go:build system

package fleet_test

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// sharedFleet is a fleet of two processes on one PostgreSQL and one Redis, with accounts for the test.
type sharedFleet struct {
	apptest.Installation
	fleet   *fleet
	redis   *testservers.Link
	secrets map[string]string // by client
}

// TestTwoProcessesCountTogether verifies that limits and quotas apply to both processes together, not to each process,
// and that two processes that see a new user at the same time create only one.
func TestTwoProcessesCountTogether(t *testing.T) {
	server := testservers.Redis(t)
	link := testservers.NewLink(t, server.Addr)
	store := []string{"--store", testservers.SharedPostgreSQL(t).URL}
	f := startFleet(t, 2, append(store, "--cache", apptest.URLThrough(t, server, link), "--user-login-rate", "4")...)
	s := sharedFleet{fleet: f, Installation: apptest.Installation{TB: t, Where: store}, redis: link, secrets: map[string]string{}}
	for _, account := range []struct {
		id      string
		clients []string
		more    []string
	}{
		{"bounded", []string{"bounded"}, []string{"--requests-per-minute", "160"}},
		{"alone", []string{"alone"}, []string{"--requests-per-minute", "40"}},
		{"metered", []string{"metered-a", "metered-b"}, []string{"--requests-per-month", "60"}},
		{"school", []string{"school-a", "school-b"}, nil},
		{"college", []string{"college"}, nil},
	} {
		s.Account(account.id, account.more...)
		for _, client := range account.clients {
			s.secrets[client] = s.Client(client, account.id)
		}
	}
	t.Run("a client's rate", s.rate)
	t.Run("passwords of a user", s.passwords)
	t.Run("a month's quota", s.quota)
	t.Run("users by Service-User-Id", s.serviceUsers)
	t.Run("while Redis is away", s.withoutRedis)
}

// at returns one of the processes.
func (s *sharedFleet) at(t testing.TB, member int) *apptest.Server {
	return &apptest.Server{TB: t, Base: s.fleet.members[member%len(s.fleet.members)].base}
}

// passed sends requests to both processes in turn, and returns how many pass at each. A limit refuses all others, and
// none fails.
func (s *sharedFleet) passed(t testing.TB, token string, requests int) (passed [2]int) {
	t.Helper()
	for i := range requests {
		switch status := s.at(t, i).Status("/v1/", token); status {
		case http.StatusOK:
			passed[i%2]++
		case http.StatusTooManyRequests:
		default:
			t.Fatalf("request %d is answered %d", i, status)
		}
	}
	return passed
}

// rate verifies that the number of requests beyond the rate limit is at most what one process admits before it learns
// of the other's requests, about a sixteenth.
func (s *sharedFleet) rate(t *testing.T) {
	passed := s.passed(t, s.at(t, 0).Access("bounded", s.secrets["bounded"]), 400)
	if sum := passed[0] + passed[1]; sum < 160 || sum > 200 {
		t.Errorf("of a rate of 160, %v pass", passed)
	}
}

// passwords verifies that each attempt is counted before it is made. One more attempt passes at the boundary of two
// minutes.
func (s *sharedFleet) passwords(t *testing.T) {
	passed := 0
	for i := range 10 {
		b := apptest.NewBrowser(t)
		b.Client.Transport = processTransport(s.fleet.members[i%2].base)
		page, _ := b.Open("GET", s.fleet.members[i%2].base+"/v1/authorize?response_type=code&client_id="+demo.WebClient+
			"&code_challenge_method=S256&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&redirect_uri="+url.QueryEscape(demo.RedirectURI), nil)
		switch answer, body := b.Send(page, demo.Teacher, "guessed"); answer.StatusCode {
		case http.StatusForbidden:
			passed++
		case http.StatusTooManyRequests:
		default:
			t.Fatalf("try %d: %s %s", i, answer.Status, body)
		}
	}
	if passed < 4 || passed > 5 {
		t.Errorf("of a rate of 4, %d pass", passed)
	}
}

// quota verifies that the only requests beyond the quota are those within the second in which processes do not know
// each other's counts. A restarted process knows the counts at once.
func (s *sharedFleet) quota(t *testing.T) {
	tokens := []string{s.at(t, 0).Access("metered-a", s.secrets["metered-a"]), s.at(t, 1).Access("metered-b", s.secrets["metered-b"])}
	passed, refused := 0, 0
	for i := 0; refused < 20 && i < 400; i++ {
		switch status := s.at(t, i).Status("/v1/", tokens[i%2]); status {
		case http.StatusOK:
			passed, refused = passed+1, 0
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("request %d is answered %d", i, status)
		}
		time.Sleep(25 * time.Millisecond)
	}
	if passed < 60 || passed > 100 {
		t.Errorf("of a quota of 60, %d pass", passed)
	}
	m := s.fleet.members[1]
	m.end(syscall.SIGTERM)
	s.fleet.start(m, apptest.Binary(t))
	s.fleet.awaitReady(m)
	for _, token := range tokens {
		if got := s.at(t, 1).Status("/v1/", token); got != http.StatusTooManyRequests {
			t.Errorf("a restarted process answers %d", got)
		}
	}
}

// serviceUsers verifies that an ID and an account always identify one user, whichever clients and processes receive the
// ID at the same time.
func (s *sharedFleet) serviceUsers(t *testing.T) {
	var (
		asking sync.WaitGroup
		mu     sync.Mutex
	)
	subjects := map[string]int{}
	for i := range 24 {
		asking.Go(func() {
			client := []string{"school-a", "school-b"}[i/2%2]
			status, answer := s.post(t, s.fleet.members[i%2], client, "pupil-1")
			if status != http.StatusOK {
				t.Errorf("%d %v", status, answer)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			subjects[apptest.Subject(t, answer["access_token"].(string))]++
		})
	}
	asking.Wait()
	if len(subjects) != 1 {
		t.Errorf("one user is %v", subjects)
	}
	var users []struct{ ID string }
	s.Installation.In(t).Read(&users, "users", "list", "--account", "school")
	if len(users) != 1 || subjects[users[0].ID] != 24 {
		t.Errorf("the store has %v", users)
	}
	if _, answer := s.post(t, s.fleet.members[0], "college", "pupil-1"); subjects[apptest.Subject(t, answer["access_token"].(string))] != 0 {
		t.Error("the user of another account is the same")
	}
}

// post requests the tokens of a client's user.
func (s *sharedFleet) post(t *testing.T, m *member, client, user string) (int, map[string]any) {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {s.secrets[client]}}
	response, answer := (&apptest.Server{TB: t, Base: m.base}).Post("/v1/token", form, "Service-User-Id", user)
	return response.StatusCode, answer
}

// withoutRedis verifies that without Redis each process counts for itself, and no request fails or passes uncounted.
// Afterwards, the processes count together again.
func (s *sharedFleet) withoutRedis(t *testing.T) {
	token := s.at(t, 0).Access("alone", s.secrets["alone"])
	s.redis.Sever()
	for member, passed := range s.passed(t, token, 100) {
		if passed < 40 || passed > 42 {
			t.Errorf("of a rate of 40, process %d lets %d pass", member, passed)
		}
	}
	s.redis.Restore()
	h, passed := s.Installation.In(t), [2]int{}
	h.Account("again", "--requests-per-minute", "80")
	for round, begun := 0, time.Now(); time.Since(begun) < apptest.LearnTime; round++ {
		client := fmt.Sprint("again-", round)
		passed = s.passed(t, s.at(t, 0).Access(client, h.Client(client, "again")), 200)
		if passed[0]+passed[1] <= 110 {
			return
		}
	}
	t.Errorf("when Redis is back, %v pass of a rate of 80", passed)
}
