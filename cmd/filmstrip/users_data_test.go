package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestOneUsersData verifies the export of one user's data, and what remains of it when the user is forgotten.
func TestOneUsersData(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 0)
	var ada struct{ ID string }
	if err := json.Unmarshal([]byte(run("users", "create", "--account", "school", "--username", "ada", "--external-id", "S-1", "--email", "ada@school.example", "--password-file", apptest.WriteFile(t, "password", "correct horse"), "--json")), &ada); err != nil {
		t.Fatal(err)
	}

	key := make([]byte, 32)
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(where[1], app.AccountsFile)))(t)
	if err := accounts.AddKey(t.Context(), app.PersonKeys, account.Key{ID: "first", Secret: key, CreatedAt: time.Now()}, true); err != nil {
		t.Fatal(err)
	}
	if err := accounts.Close(); err != nil {
		t.Fatal(err)
	}
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(where[1], app.EventsFile)))(t)
	at := event.InstantOf(time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC))
	add := func(account, user, external string) {
		t.Helper()
		e := event.Event{
			ID: event.NewID(at), Kind: event.Playback, At: at, Received: at, Account: account, Client: "lms", User: user, ExternalUser: external,
			Video: "5c542abf5438cdbcb56df0bf", End: 1000, Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Address: "192.0.2.7", Metadata: []byte(`{"playerId":"p"}`),
		}
		if _, err := log.Append(t.Context(), []event.Submission{{Received: at, Events: []event.Event{e}}}); err != nil {
			t.Fatal(err)
		}
	}
	add("school", ada.ID, "")                                // 1: identified by the token
	add("school", "", "S-1")                                 // 2: identified by the client's external ID, before pseudonyms were enabled
	add("school", "", event.Pseudonym(key, "school", "S-1")) // 3: the same, since pseudonyms are enabled
	add("school", ada.ID, "S-2")                             // 4: the user's token, and another external ID
	add("school", "", "S-3")                                 // 5: another user
	add("school", "", "")                                    // 6: no user
	add("other", "", "S-1")                                  // 7: a user of another account
	add("school", "", event.Pseudonym(key, "other", "S-1"))  // 8: another account's pseudonym
	add("", "", "S-1")                                       // 9: without a token
	add("", "", event.Pseudonym(key, "", "S-1"))             // 10: the same, since pseudonyms are enabled
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	bill := func() string {
		t.Helper()
		return fmt.Sprint(statementOf(t, run("usage", "export", "--account", "school", "--month", "2025-03", "--format", "jsonl")).Lines)
	}
	before := bill()

	const decade = "87600h"
	positions := func(args ...string) string {
		t.Helper()
		var found []string
		for line := range strings.Lines(run(append([]string{"users", "export", "--account", "school", "--keep-addresses", decade}, args...)...)) {
			if strings.Contains(line, `"kind":"USER`) {
				continue
			}
			var one exported
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(line, `"address":"192.0.2.7"`) || !strings.Contains(line, `"metadata":{"playerId":"p"}`) {
				t.Errorf("%s is not all that is kept", line)
			}
			found = append(found, fmt.Sprint(one.Position))
		}
		return strings.Join(found, " ")
	}
	for args, want := range map[string]string{
		"--id " + ada.ID: "1 2 3 4", "--external S-1": "1 2 3 4", "--external S-2": "4", "--external S-3": "5", "--external S-4": "",
	} {
		if got := positions(strings.Fields(args)...); got != want {
			t.Errorf("users export %s reports the events %s, not %s", args, got, want)
		}
	}
	file := filepath.Join(t.TempDir(), "ada.jsonl")
	if run("users", "export", "--account", "school", "--external", "S-3", "--output", file); len(apptest.Must(filepath.Glob(file))(t)) != 1 {
		t.Error("there is no file")
	}
	for args, want := range map[string]string{
		"--account other --id " + ada.ID:                      "does not belong to the account",
		"--account school":                                    "--id",
		"--account school --id " + ada.ID + " --external S-1": "--id",
		"--account= --external S-1":                           "--account or --no-account is required",
		"--account= --id " + ada.ID:                           "--account or --no-account is required",
		"--external S-1":                                      "--no-account",
		"--account school --no-account --external S-1":        "--no-account",
		"--no-account --id " + ada.ID:                         "--external",
		"--account schol --external S-1":                      `there is no account "schol"`,
		"--account schol --id 65f1c0ffee65f1c0ffee65f1":       `there is no account "schol"`,
	} {
		for _, verb := range []string{"export", "forget"} {
			got := command(t, nil, "", append(append([]string{"users", verb}, strings.Fields(args)...), where...)...)
			if got.Status == 0 || !strings.Contains(got.Err, want) {
				t.Errorf("users %s %s: status %d: %s", verb, args, got.Status, got.Err)
			}
		}
	}

	if got := run("users", "export", "--account", "other", "--external", "S-1"); strings.Count(got, "\n") != 1 {
		t.Errorf("of an account that only events name there is\n%s", got)
	}

	run("users", "update", ada.ID, "--given-name", "Ada")
	for _, who := range [][]string{{"--id", ada.ID}, {"--external", "S-1"}} {
		output := run(slices.Concat([]string{"users", "export", "--account", "school"}, who)...)
		for text, times := range map[string]int{`"kind":"USER"`: 1, `"kind":"USER_CHANGE"`: 2, "ada@school.example": 4, `"givenName":"Ada"`: 2, "$argon2id": 0} {
			if n := strings.Count(output, text); n != times {
				t.Errorf("the export of %v has %s %d times, not %d:\n%s", who, text, n, times, output)
			}
		}
	}
	got := command(t, nil, "", append([]string{"users", "forget", "--account", "school", "--external", "S-1"}, where...)...)
	if got.Status != 0 || got.Out != "3 events no longer name a user\n0 collections are deleted\nthe user's record is deleted\n3 entries of the audit log are emptied\n" || !strings.Contains(got.Err, "name another user remain: S-2\n") {
		t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
	if left := positions("--id", ada.ID); left != "4" {
		t.Errorf("the events %s are left", left)
	}
	if output := run("users", "forget", "--account", "school", "--external", "S-2"); output != "1 events no longer name a user\n" {
		t.Errorf("the output is %s", output)
	}
	if left := positions("--id", ada.ID); left != "" {
		t.Errorf("the events %s are left", left)
	}
	for _, args := range [][]string{{"--external", "S-2"}, {"--id", ada.ID}, {"--id", "65f1c0ffee65f1c0ffee65f1"}} {
		if output := run(append([]string{"users", "forget", "--account", "school"}, args...)...); output != "no event, collection or record names this user\n" {
			t.Errorf("users forget %v of a user whom nothing names: %s", args, output)
		}
	}
	if after := bill(); after != before {
		t.Errorf("the bill was\n%s\nand is\n%s", before, after)
	}
	all := run("events", "export", "--format", "jsonl", "--addresses", "--keep-addresses", decade)
	for _, trace := range []string{ada.ID, event.Pseudonym(key, "school", "S-1"), `"S-2"`} {
		if strings.Contains(all, trace) {
			t.Errorf("%s is in the log still", trace)
		}
	}
	if n := strings.Count(all, "192.0.2.7"); n != 6 {
		t.Errorf("%d addresses are left of the 6 of others", n)
	}
	if got := run("users", "export", "--no-account", "--external", "S-1"); strings.Count(got, "\n") != 2 || strings.Contains(got, "accountId") {
		t.Errorf("of no account there is\n%s", got)
	}
	if output := run("users", "forget", "--no-account", "--external", "S-1"); output != "2 events no longer name a user\n" {
		t.Errorf("the output is %s", output)
	}
	if got := run("users", "export", "--no-account", "--external", "S-1"); got != "" {
		t.Errorf("of no account there is still\n%s", got)
	}
	if n := strings.Count(run("events", "export", "--format", "jsonl", "--addresses", "--keep-addresses", decade), "192.0.2.7"); n != 4 {
		t.Errorf("%d addresses are left of the 4 of others", n)
	}
	if output := run("usage", "verify"); !strings.HasSuffix(output, "nothing differs\n") {
		t.Errorf("verify prints\n%s", output)
	}
	for _, file := range apptest.Must(filepath.Glob(filepath.Join(where[1], "*")))(t) {
		if info := apptest.Must(os.Stat(file))(t); info.IsDir() || strings.HasSuffix(file, "-wal") {
			continue
		}
		if strings.Contains(string(apptest.Must(os.ReadFile(file))(t)), "ada@school.example") {
			t.Errorf("%s holds the address of a user who is forgotten", file)
		}
	}
	if trail := run("audit", "--kind", "user"); strings.Count(trail, ada.ID) < 3 || strings.Contains(trail, "ada@school") {
		t.Errorf("the audit log has\n%s", trail)
	}
	if trail := run("audit", "--kind", "account", "--id", "school"); !strings.Contains(trail, "forgotPersonAt") || strings.Contains(trail, "S-1") {
		t.Errorf("the audit log shows too little, or too much:\n%s", trail)
	}
}
