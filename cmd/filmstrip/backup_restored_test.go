//go:build system

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestBackupBesideWrites verifies a backup of a server that receives events all the time. The backup ends, contains
// every event that was acknowledged before it began, is readable by its owner only, and starts. Its counts, log and
// statements agree.
func TestBackupBesideWrites(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "backup")
	quiet(t, "migrate", "--data", data)
	quiet(t, "generate", "events", "--count", "60000", "--account", "demo", "--append", "--data", data)
	s := apptest.Start(t, "--demo", "--data", data)
	s.LogIn("demo-operator", demo.Secret)
	var (
		running   sync.WaitGroup
		reported  int
		telling   sync.Mutex
		ctx, stop = context.WithCancel(t.Context())
	)
	running.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if response, text := s.Request("POST", s.Base+"/v1/events/playback", "application/json",
				`{"videoId":"1001","segmentStartSeconds":0,"segmentEndSeconds":3,"captureTime":"2026-01-05T10:00:00Z"}`); response.StatusCode != http.StatusCreated {
				t.Errorf("%s %s", response.Status, text)
				return
			}
			telling.Lock()
			reported++
			telling.Unlock()
		}
	})
	before := 0
	apptest.Await(t, "events are reported", func() bool {
		telling.Lock()
		defer telling.Unlock()
		before = reported
		return before >= 5
	})
	quiet(t, "backup", dir, "--data", data)
	stop()
	running.Wait()
	if reported == before {
		t.Error("no event was reported while the backup was made")
	}

	for _, path := range append([]string{dir}, apptest.Must(filepath.Glob(dir+"/*"))(t)...) {
		want := fs.FileMode(0o600)
		if path == dir {
			want = 0o700
		}
		if mode := apptest.Must(os.Stat(path))(t).Mode().Perm(); mode != want {
			t.Errorf("%s has mode %o", path, mode)
		}
	}
	m := apptest.Must(backup.ReadManifest(dir))(t)
	if n := len(apptest.Must(os.ReadDir(dir))(t)); n != len(m.Files)+1 || len(m.Files) != len(app.StoreFiles) {
		t.Errorf("%d files, and %d in the manifest", n, len(m.Files))
	}
	for _, path := range apptest.Must(filepath.Glob(data + "/*.db"))(t) {
		if !slices.ContainsFunc(m.Files, func(f backup.File) bool { return f.Name == filepath.Base(path) && f.Schema > 0 }) {
			t.Errorf("%s is not in the backup", path)
		}
	}

	restored := filepath.Join(t.TempDir(), "restored")
	list := filepath.Join(data, restorelist.FileName)
	quiet(t, "restore", dir, "--data", restored, "--restore-list", list)
	if out := quiet(t, "usage", "verify", "--data", restored); !strings.Contains(out, "nothing differs") {
		t.Errorf("usage verify says %s", out)
	}
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(restored, app.EventsFile)))(t)
	head := apptest.Must(log.Head(t.Context()))(t)
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if kept := int(head) - 60_000; kept < before || kept > reported || head != m.LastEvent || m.Counted > head {
		t.Errorf("%d events were reported before the backup and %d in all; it holds %d (%+v)", before, reported, kept, m)
	}
	again := apptest.Start(t, "--demo", "--data", restored)
	again.LogIn("demo-operator", demo.Secret)
	again.AwaitStatus(http.StatusOK)
}

// TestARestoreBringsNothingBack verifies that forgotten users stay forgotten and revoked records stay revoked after an
// older backup is restored. The restored stores contain everything else, including records that were revoked and
// enabled again since the backup.
func TestARestoreBringsNothingBack(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 0)
	data := where[1]
	read := func(into any, args ...string) {
		t.Helper()
		if err := json.Unmarshal([]byte(run(append(args, "--json")...)), into); err != nil {
			t.Fatal(err)
		}
	}
	type record struct {
		ID, Secret string
		Disabled   bool
		Status     string
		Secrets    []struct{ ID, ExpiresAt string }
	}
	create := func(args ...string) (made record) { t.Helper(); read(&made, args...); return made }
	ann := create("users", "create", "--account", "school", "--external-id", "Ann Example")
	bob := create("users", "create", "--account", "school", "--external-id", "Bob Example")
	cid := create("users", "create", "--account", "school", "--external-id", "Cid")
	dan := create("users", "create", "--account", "school", "--external-id", "Dan")
	run("accounts", "create", "house", "--operator")
	edda := create("users", "create", "--account", "house", "--username", "edda", "--staff-role", "EDITOR")
	secrets := map[string]string{}
	for _, id := range []string{"kept", "blocked", "blocked-and-back", "deleted", "changed"} {
		secrets[id] = create("clients", "create", id, "--account", "school").Secret
	}
	for _, name := range []string{"gone", "suspended"} {
		run("accounts", "create", name, "--name", name, "--tier", "basic")
	}
	run("keys", "rotate")
	report(t, data, "", "Ann Example", "Eve Example")
	report(t, data, ann.ID, "")
	report(t, data, bob.ID, "")
	own(t, data, ann.ID, bob.ID)

	dir := filepath.Join(t.TempDir(), "backup")
	quiet(t, "backup", dir, "--data", data)
	before := keysOf(t, data)

	run("users", "forget", "--account", "school", "--id", ann.ID)
	run("users", "delete", cid.ID)
	run("users", "delete", edda.ID)
	run("users", "update", dan.ID, "--disabled")
	run("clients", "update", "blocked", "--disabled")
	run("clients", "update", "blocked-and-back", "--disabled")
	run("clients", "update", "blocked-and-back", "--no-disabled")
	run("clients", "delete", "deleted")
	var changed record
	read(&changed, "clients", "show", "changed")
	run("clients", "add-secret", "changed") // the backup does not contain this secret
	run("clients", "remove-secret", "changed", changed.Secrets[0].ID)
	run("accounts", "delete", "gone")
	run("accounts", "update", "suspended", "--status", "SUSPENDED")
	run("keys", "rotate", "--immediately")
	run("policy", "not-before", "2026-02-03T04:05:06Z")

	text := string(apptest.Must(os.ReadFile(filepath.Join(data, restorelist.FileName)))(t))
	if strings.Contains(text, "Example") {
		t.Errorf("the list names people:\n%s", text)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	out := quiet(t, "restore", dir, "--data", restored, "--restore-list", filepath.Join(data, restorelist.FileName))
	if !strings.Contains(out, "2 persons forgotten") {
		t.Errorf("it says %s", out)
	}
	where[1] = restored

	show := func(args ...string) (r record) { t.Helper(); read(&r, args...); return r }
	for id, disabled := range map[string]bool{"kept": false, "blocked": true, "blocked-and-back": false, "changed": false} {
		if got := show("clients", "show", id); got.Disabled != disabled {
			t.Errorf("%s: %+v", id, got)
		}
	}
	for _, gone := range [][]string{{"clients", "show", "deleted"}, {"accounts", "show", "gone"}, {"users", "show", cid.ID}, {"users", "show", ann.ID}, {"users", "show", edda.ID}} {
		if got := command(t, nil, "", append(gone, where...)...); got.Status == 0 {
			t.Errorf("%q is back: %s", gone, got.Out)
		}
	}
	if trail := run("audit", "--kind", "user", "--json"); !strings.Contains(trail, ann.ID) || strings.Contains(trail, "Ann Example") || !strings.Contains(trail, "Bob Example") {
		t.Errorf("the audit log names a forgotten user, or lacks another user:\n%s", trail)
	}
	if got := show("users", "show", dan.ID); !got.Disabled {
		t.Errorf("a user who was disabled: %+v", got)
	}
	if got := show("accounts", "show", "suspended"); got.Status != "SUSPENDED" {
		t.Errorf("an account that was suspended: %+v", got)
	}
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(restored, app.AccountsFile)))(t)
	policy, _ := apptest.Must(accounts.Entity(t.Context(), (&account.Policy{}).Key()))(t).(*account.Policy)
	if policy == nil || policy.NotBefore.Format(time.RFC3339) != "2026-02-03T04:05:06Z" {
		t.Errorf("the policy: %+v", policy)
	}
	if err := accounts.Close(); err != nil {
		t.Error(err)
	}
	for _, id := range keysOf(t, restored) {
		if slices.Contains(before, id) {
			t.Errorf("the key %s signs again, which was withdrawn", id)
		}
	}

	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(restored, app.EventsFile)))(t)
	counts := map[string]int{}
	for _, e := range apptest.Must(log.Read(t.Context(), store.EventQuery{}, 0, 100))(t) {
		name := e.Person()
		if strings.Contains(name, "forgotten-") {
			name = "nobody"
		}
		counts[name]++
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
	if want := map[string]int{"nobody": 2, "xEve Example": 1, "u" + bob.ID: 1}; fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("events are of %v, not %v", counts, want)
	}
	collections := apptest.Must(sqlite.OpenCollections(t.Context(), filepath.Join(restored, app.CollectionsFile)))(t)
	for user, want := range map[string]int{ann.ID: 0, bob.ID: 1} {
		if owned := apptest.Must(collections.UserCollections(t.Context(), user))(t); len(owned.Own) != want {
			t.Errorf("%s has %d collections, not %d", user, len(owned.Own), want)
		}
	}
	if err := collections.Close(); err != nil {
		t.Error(err)
	}
	if out := quiet(t, "usage", "verify", "--data", restored); !strings.Contains(out, "nothing differs") {
		t.Errorf("usage verify says %s", out)
	}

	run("policy", "not-before", "clear")
	s := apptest.Start(t, "--data", restored)
	for id, secret := range secrets {
		response, body := s.Request("POST", s.Base+"/v1/token", "application/x-www-form-urlencoded",
			"grant_type=client_credentials&client_id="+id+"&client_secret="+secret)
		if want := id == "kept" || id == "blocked-and-back"; (response.StatusCode == http.StatusOK) != want {
			t.Errorf("%s with the secret of the backup: %s %s", id, response.Status, body)
		}
	}
	if response, _ := s.Request("POST", s.Base+"/v1/token", "application/x-www-form-urlencoded",
		"grant_type=authorization_code&code=x&client_id=changed"); response.StatusCode == http.StatusOK {
		t.Error("a client whose secret was removed is a public one now")
	}
}

// TestARestoreKeepsVoids verifies that plays voided or restored since a backup are voided or restored again after the
// backup was restored.
func TestARestoreKeepsVoids(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 600)
	data := where[1]
	video := func() string { // returns the video of the last event
		lines := strings.Split(strings.TrimSpace(run("events", "export", "--format", "jsonl", "--kinds", "PLAYBACK")), "\n")
		var e struct{ VideoID string }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
			t.Fatal(err)
		}
		return e.VideoID
	}()
	void := func(id string, args ...string) {
		t.Helper()
		run(slices.Concat([]string{"usage", "void", "--id", id, "--reason", "why " + id}, args)...)
	}
	void("undone", "--account", "school", "--client", "school-lms", "--from", "2025-05-01", "--to", "2025-06-01")
	void("kept", "--account", "school", "--client", "school-lms", "--from", "2025-06-01", "--to", "2025-07-01")
	backup := t.TempDir() + "/backup"
	quiet(t, "backup", backup, "--data", data)
	run("usage", "unvoid", "undone", "--reason", "it was right")
	void("new", "--video", video)
	void("both", "--account", "school", "--client", "school-lms", "--from", "2025-09-01", "--to", "2025-10-01")
	run("usage", "unvoid", "both", "--reason", "it was right as well")
	statements := func() (all string) {
		t.Helper()
		for month := time.January; month <= time.December; month++ {
			all += run("usage", "export", "--account", "school", "--month", usage.Month{Year: 2025, Month: month}.String(), "--format", "jsonl")
		}
		return all
	}
	voids, want := run("usage", "voids"), statements()
	if out := quiet(t, "restore", backup, "--data", data, "--replace"); !strings.Contains(out, "voids made or undone") {
		t.Errorf("restore says %s", out)
	}
	if got := statements(); got != want {
		t.Errorf("after the restore the statements are\n%swant\n%s", got, want)
	}
	if got := run("usage", "voids"); got != voids {
		t.Errorf("after the restore the voids are\n%swant\n%s", got, voids)
	}
	if output := run("usage", "verify"); !strings.HasSuffix(output, "nothing differs\n") {
		t.Errorf("verify says\n%s", output)
	}
}

// keysOf returns the IDs of the signing keys.
func keysOf(t *testing.T, data string) (ids []string) {
	t.Helper()
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(data, app.AccountsFile)))(t)
	for _, purpose := range []string{"signing", "identity", "embed"} {
		for _, key := range apptest.Must(accounts.Keys(t.Context(), purpose))(t) {
			ids = append(ids, key.ID)
		}
	}
	if err := accounts.Close(); err != nil {
		t.Error(err)
	}
	return ids
}

// report appends an event of the account school for each external ID.
func report(t *testing.T, data, user string, names ...string) {
	t.Helper()
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, app.EventsFile)))(t)
	defer func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	}()
	at := event.InstantOf(time.Now())
	for i, name := range names {
		e := event.Event{ID: event.NewID(at + event.Instant(i)), Kind: event.Playback, At: at, Received: at, Account: "school", User: user, ExternalUser: name, Video: "5c542abf5438cdbcb56df0bf", End: 1000}
		if _, err := log.Append(t.Context(), []event.Submission{{Received: at, Events: []event.Event{e}}}); err != nil {
			t.Fatal(err)
		}
	}
}

// own creates a collection for each user.
func own(t *testing.T, data string, users ...string) {
	t.Helper()
	collections := apptest.Must(sqlite.OpenCollections(t.Context(), filepath.Join(data, app.CollectionsFile)))(t)
	for _, user := range users {
		apptest.Must(collections.Create(t.Context(), &collection.Collection{
			ID: catalogue.DeriveID("collection", "test", user), Account: "school", Owner: user, Title: "Mine", Anyone: collection.ViewOnly,
		}))(t)
	}
	if err := collections.Close(); err != nil {
		t.Fatal(err)
	}
}
