package app

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestDeprecationsOfAWholeService verifies on both stores that the settings of commands reach the responses of every
// process within moments, separately for each client, and that commands see the usage of clients, summed over all
// processes.
func TestDeprecationsOfAWholeService(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			where := apptest.EmptyStore(t, engine)
			run := func(args ...string) string { t.Helper(); return apptest.Succeed(t, append(args, where...)...) }
			run("accounts", "create", "school", "--name", "School", "--tier", "basic")
			clients := map[string]string{"lms": "", "tv": ""}
			for id := range clients {
				var made struct{ Secret string }
				if err := json.Unmarshal([]byte(run("clients", "create", id, "--account", "school", "--name", strings.ToUpper(id), "--json")), &made); err != nil {
					t.Fatal(err)
				}
				clients[id] = made.Secret
			}
			services := []*App{openWith(t, where...)}
			if engine.PostgreSQL { // a data directory serves one server at a time
				services = append(services, openWith(t, append([]string{"--data", t.TempDir()}, where[2:]...)...))
			}
			for id, secret := range clients {
				clients[id] = tokenOf(t, services[0], id, secret)
			}
			calls := map[string]int{}
			ask := func(s *App, client string) http.Header {
				t.Helper()
				calls[client]++
				got := send(s, "GET", "/v1/videos?age_range=5-7", "", "Authorization", "Bearer "+clients[client])
				if got.Code != http.StatusOK || got.Header().Get("Deprecation") == "" {
					t.Fatalf("%s: %d %v %s", client, got.Code, got.Header(), got.Body)
				}
				return got.Header()
			}
			awaitSunset := func(client, want string) {
				t.Helper()
				for _, s := range services {
					got := ask(s, client).Get("Sunset")
					for end := time.Now().Add(apptest.LearnTime); got != want && time.Now().Before(end); got = ask(s, client).Get("Sunset") {
						time.Sleep(50 * time.Millisecond)
					}
					if got != want {
						t.Fatalf("%s is reported %q, want %q", client, got, want)
					}
				}
			}
			const key = "video-search.age_range"
			today := catalogue.DateOf(time.Now())
			sunset, later := today+30, today+60
			headerOf := func(day catalogue.Date) string { return day.Start().Format(http.TimeFormat) }

			awaitSunset("lms", "")
			run("deprecations", "set", key, "--sunset", sunset.String())
			awaitSunset("lms", headerOf(sunset))
			run("deprecations", "set", key, "--sunset", later.String(), "--client", "lms")
			awaitSunset("lms", headerOf(later))
			awaitSunset("tv", headerOf(sunset))

			awaitCalls(t, run, key, calls)
			if table := strings.Join(strings.Fields(run("deprecations", "list", "--client", "lms")), " "); !strings.Contains(table,
				strings.Join([]string{key, "2026-11-22", sunset.String(), "lms", "school", later.String()}, " ")) || strings.Contains(table, " tv ") {
				t.Errorf("the table is\n%s", table)
			}
			notices := func(day catalogue.Date) (due []string) {
				t.Helper()
				for line := range strings.Lines(run("deprecations", "notices", "--on", day.String(), "--format", "jsonl")) {
					var one struct{ Reason, Client, ClientName, Account, AccountName, Sunset string }
					if err := json.Unmarshal([]byte(line), &one); err != nil {
						t.Fatal(err)
					}
					if one.ClientName != strings.ToUpper(one.Client) || one.Account != "school" || one.AccountName != "School" {
						t.Errorf("%s", line)
					}
					due = append(due, one.Reason+" "+one.Client+" "+one.Sunset)
				}
				return due
			}
			for day, want := range map[catalogue.Date]string{
				today:      "ANNOUNCEMENT lms " + later.String() + ", ANNOUNCEMENT tv " + sunset.String(),
				sunset - 7: "REMINDER_WEEK_BEFORE tv " + sunset.String(),
				later - 7:  "REMINDER_WEEK_BEFORE lms " + later.String(),
				later - 6:  "",
			} {
				if got := strings.Join(notices(day), ", "); got != want {
					t.Errorf("on %s: %q, want %q", day, got, want)
				}
			}
			if table := run("deprecations", "notices", "--on", today.String()); !strings.HasPrefix(table, "REASON ") || strings.Count(table, "\n") != 3 {
				t.Errorf("the table is\n%s", table)
			}

			run("deprecations", "clear", key, "--client", "lms")
			awaitSunset("lms", headerOf(sunset))
			run("deprecations", "clear", key)
			awaitSunset("lms", "")
			if entries := run("audit", "--kind", "deprecation"); strings.Count(entries, key) != 4 || !strings.Contains(entries, "deleted") {
				t.Errorf("the audit log contains\n%s", entries)
			}
			for _, wrong := range [][]string{
				{"set", "nothing", "--sunset", sunset.String()}, {"set", key, "--sunset", today.String()}, {"set", key}, {"clear", key},
				{"notices", "--on", "soon"}, {"notices", "--format", "xml"},
			} {
				if got := apptest.Run(t, nil, "", append(append([]string{"deprecations"}, wrong...), where...)...); got.Status == 0 || got.Err == "" {
					t.Errorf("%v: status %d", wrong, got.Status)
				}
			}
		})
	}
}

// awaitCalls waits until the commands report exactly the wanted calls of each client.
func awaitCalls(t *testing.T, run func(...string) string, key string, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for end := time.Now().Add(apptest.LearnTime); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		var list []struct {
			Key  string
			Uses struct {
				Nodes []struct {
					Client, Account *string
					Count           int64
				}
			}
		}
		if err := json.Unmarshal([]byte(run("deprecations", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		clear(got)
		for _, thing := range list {
			for _, use := range thing.Uses.Nodes {
				if thing.Key != key || use.Client == nil || use.Account == nil || *use.Account != "school" {
					t.Fatalf("%s was used: %+v", thing.Key, use)
				}
				got[*use.Client] = int(use.Count)
			}
		}
		if len(got) == len(want) && got["lms"] == want["lms"] && got["tv"] == want["tv"] {
			return
		}
	}
	t.Fatalf("the calls are %v, want %v", got, want)
}

// tokenOf returns a token of a client.
func tokenOf(t *testing.T, s *App, client, secret string) string {
	t.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {secret}}
	got := send(s, "POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || answer.Token == "" {
		t.Fatalf("%s gets no token: %d %s", client, got.Code, got.Body)
	}
	return answer.Token
}
