package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/restorelist"
)

// quiet runs a command that prints its progress to standard error, which must succeed, and returns its output.
func quiet(t testing.TB, args ...string) string {
	t.Helper()
	got := command(t, nil, "", args...)
	if got.Status != 0 {
		t.Fatalf("filmstrip %s: status %d: %s", strings.Join(args, " "), got.Status, got.Err)
	}
	return got.Out
}

// TestBackupRefusals verifies that a refused backup or restore states the reason and changes nothing.
func TestBackupRefusals(t *testing.T) {
	data := apptest.ThreeVideos(t, "Title")
	dir := filepath.Join(t.TempDir(), "backup")
	quiet(t, "backup", dir, "--data", data)
	refused := func(want string, args ...string) {
		t.Helper()
		if got := command(t, nil, "", args...); got.Status != 1 || !strings.Contains(got.Err, want) {
			t.Errorf("filmstrip %s: status %d: %s, not %s", strings.Join(args, " "), got.Status, got.Err, want)
		}
	}
	refused("not empty", "backup", dir, "--data", data)
	refused("no catalogue", "backup", dir+"2", "--data", t.TempDir())
	refused("pg_dump", "backup", dir+"2", "--store", "postgres://127.0.0.1:1/d")
	refused("--reapply", "restore", dir, "--store", "postgres://127.0.0.1:1/d")
	refused("--restore-list is not given", "restore", "--reapply", "--store", "postgres://127.0.0.1:1/d")
	refused("--replace", "restore", dir, "--data", data)
	refused("there is no restore list at", "restore", dir, "--data", filepath.Join(t.TempDir(), "new"))
	refused("--no-restore-list: there is", "restore", dir, "--data", data, "--replace", "--no-restore-list")
	refused("folder of the backup is missing", "restore", "--data", data)
	refused("is not a backup", "restore", data, "--data", data, "--replace")

	running := apptest.Start(t, "--data", data)
	refused("a server is running", "restore", dir, "--data", data, "--replace")
	running.Stop(os.Interrupt)

	other := filepath.Join(t.TempDir(), "other")
	damage := func(want string, change func(dir string)) {
		t.Helper()
		damaged := filepath.Join(t.TempDir(), "damaged")
		if err := os.CopyFS(damaged, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		change(damaged)
		refused(want, "restore", damaged, "--data", other, "--no-restore-list")
		if left := apptest.Must(filepath.Glob(other + "/*.db"))(t); len(left) > 0 || backup.CheckWhole(other) != nil {
			t.Errorf("%s: %q are left", want, left)
		}
	}
	file := func(dir string) string { return filepath.Join(dir, app.AccountsFile) }
	damage("SHA-256", func(dir string) {
		text := apptest.Must(os.ReadFile(file(dir)))(t)
		text[len(text)/2] ^= 1
		_ = os.WriteFile(file(dir), text, 0o600)
	})
	damage("bytes", func(dir string) { _ = os.Truncate(file(dir), 4096) })
	damage("it has no accounts.db", func(dir string) { _ = os.Remove(file(dir)) })
	manifest := func(old, replacement string) func(dir string) {
		return func(dir string) {
			path := filepath.Join(dir, backup.ManifestName)
			text := apptest.Must(os.ReadFile(path))(t)
			changed := bytes.Replace(text, []byte(old), []byte(replacement), 1)
			if bytes.Equal(text, changed) {
				t.Fatalf("%s is not in %s", old, text)
			}
			_ = os.WriteFile(path, changed, 0o600)
		}
	}
	damage("this release knows", manifest(`"schema": `, `"schema": 9`))
	damage("format 2", manifest(`"format": 1`, `"format": 2`))
	damage("not a file of a backup", manifest(`"accounts.db"`, `"../accounts.db"`))
	damage("does not know", manifest(`"accounts.db"`, `"elsewhere.db"`))
}

// TestInterruptedRestore verifies that no command accepts a data directory whose restore was interrupted, and that the
// next restore completes it.
func TestInterruptedRestore(t *testing.T) {
	data := apptest.ThreeVideos(t, "Title")
	dir := filepath.Join(t.TempDir(), "backup")
	quiet(t, "backup", dir, "--data", data)
	if err := errors.Join(os.Mkdir(filepath.Join(data, "restoring"), 0o700), os.Remove(filepath.Join(data, app.AccountsFile))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"migrate"}, {"serve"}, {"reindex"}, {"accounts", "list"}, {"backup", dir + "2"}, {"restore", "--reapply"}, {"import", "-"}} {
		got := command(t, nil, "", append(args, "--data", data)...)
		if got.Status == 0 || !strings.Contains(got.Err, "interrupted") {
			t.Errorf("%q: status %d: %s", args, got.Status, got.Err)
		}
	}
	out := quiet(t, "restore", dir, "--data", data, "--replace")
	replaced := apptest.Must(filepath.Glob(data + "/replaced-*/catalogue.db"))(t)
	if len(replaced) != 1 || !strings.Contains(out, filepath.Dir(replaced[0])) {
		t.Errorf("%q are replaced; it says %s", replaced, out)
	}
	quiet(t, "accounts", "list", "--data", data)
}

// TestRestoresAfterALoss restores a backup into a new directory with a copy of the restore list, and then again without the copy.
// The person who was forgotten since stays forgotten.
func TestRestoresAfterALoss(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 30)
	data, dir, copied := where[1], filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "copy.jsonl")
	quiet(t, "backup", dir, "--data", data)
	person := regexp.MustCompile(`pupil-[0-9]+"`).FindString(run("events", "export", "--format", "jsonl"))
	run("users", "forget", "--account", "school", "--external", strings.TrimSuffix(person, `"`))
	apptest.Must(0, os.WriteFile(copied, apptest.Must(os.ReadFile(filepath.Join(data, restorelist.FileName)))(t), 0o600))(t)

	again := filepath.Join(t.TempDir(), "again")
	for _, args := range [][]string{{"--restore-list", copied}, {"--replace"}, {"--reapply", "--restore-list", copied}} {
		if args[0] != "--reapply" {
			args = append(args, dir)
		}
		quiet(t, append([]string{"restore", "--data", again}, args...)...)
		if out := quiet(t, "events", "export", "--format", "jsonl", "--data", again); person == "" || strings.Contains(out, person) || strings.Count(out, "\n") != 30 {
			t.Errorf("after restore %v, %q is in\n%s", args, person, out)
		}
	}
}
