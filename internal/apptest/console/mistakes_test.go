//go:build system

package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestMistakesInTheConsole makes the mistakes that staff make: double clicks, keys pressed too early, a lost connection.
func TestMistakesInTheConsole(t *testing.T) {
	s, program := startDemo(t, t.TempDir(), "--demo-past")
	title := "https://films.example/watch/" + strings.Repeat("abcdefghi", 12)
	channel := idIn(t, program.run(t, `{ channels(size: 1) { channels { id } } }`))
	program.run(t, `mutation { createVideo(input: {title: "`+title+`", channel: "`+channel+`", type: INSTRUCTIONAL, releasedOn: "`+time.Now().UTC().Format(time.DateOnly)+`",
		playback: {id: "long", provider: "HLS", duration: "PT1M", stream: "demo:colours"}}) { id } }`)
	program.run(t, `mutation { updateAccount(id: "demo-basic", input: {accessExpiresOn: "2030-07-31"}) { id }
		taken: createAccount(input: {id: "taken", name: "Taken", tier: "basic"}) { id }
		deleted: createAccount(input: {id: "deleted", name: "Deleted", tier: "basic"}) { id } deleteAccount(id: "deleted") }`)
	for i := range 50 {
		program.run(t, fmt.Sprintf(`mutation { createAccount(input: {id: "school-%d", name: "School %[1]d", tier: "basic"}) { id } }`, i))
	}
	sealed := program.run(t, `{ sealDigests { month } }`)
	last := apptest.Must(time.Parse("2006-01", sealed[strings.LastIndex(sealed, `"month":"`)+len(`"month":"`):][:7]))(t)
	now := time.Now().UTC()
	first := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)
	end := first.AddDate(0, 1, -1)
	sealable := last.AddDate(0, 1, 0)
	next := sealable.AddDate(0, 1, 0)
	month := sealable.Format("2006-01")

	var seen map[string]string
	apptest.RunBrowserScriptFrom(t, apptest.Path("web", "docs"), "console-mistakes.mjs", &seen, s.Base+"/console", first.Format("2006-01"), month, title)
	for topic, want := range map[string]string{
		"days": "Jul 31, 2030; " + first.Format("Jan 2, 2006; ") + end.Format("Jan 2, 2006; ") + first.Format(`"2006-01-02"; `) + end.Format(`"2006-01-02"`),
		"seal": "none; Seal " + month + " early…; This seals " + month + " for all customers and cannot be undone. Plays that still arrive until " + next.AddDate(0, 0, 7).Format("Jan 2, 2006") +
			" will adjust the next bill instead.; Seal " + month + " early…; Seal " + month + "; 1",
		"bill":    "follows",
		"void":    "0,0,0 offered, 0 by keys, 1 by a double click",
		"bulk":    "1 job: 2 videos have changed. Undo ✕",
		"role":    "0 passing, 1 saved, 0 unsaved",
		"title":   "1280",
		"palette": "Taxonomy; What does a judge do?",
		"back":    "same page",
	} {
		if seen[topic] != want {
			t.Errorf("%s: %s, want %s", topic, seen[topic], want)
		}
	}
	_, secret, _ := strings.Cut(seen["customer"], "client_secret=")
	if secret == "" {
		t.Fatalf("customer: %s", seen["customer"])
	}
	program.Access("half-district-api", secret)
	made := program.run(t, `{ account(id: "half-district") { contentPackage status } contentPackage(id: "half-district") { rules { type } } taken: contentPackage(id: "taken") { id } deleted: contentPackage(id: "deleted") { id } }`)
	if want := `{"data":{"account":{"contentPackage":"half-district","status":"ACTIVE"},"contentPackage":{"rules":[{"type":"IncludedSubjects"}]},"taken":null,"deleted":null}}`; strings.TrimSpace(made) != want {
		t.Errorf("the new customer and what it left behind: %s, want %s", made, want)
	}
}
