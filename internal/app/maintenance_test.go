package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/jobs"
)

// TestMaintenance starts each task as an operator does, and looks at what it reports.
func TestMaintenance(t *testing.T) {
	dir := t.TempDir()
	i := importing{newAsking(t, "--backup-dir="+dir)}
	maintain := func(task string) map[string]any {
		t.Helper()
		id := i.ask(`mutation { startMaintenance(task: `+task+`) { id } }`, nil, "startMaintenance", "id")
		job := i.ended(id)
		report := i.ask(`query($id: ID!) { job(id: $id) { kind state error maintenance { sound lines } } }`, map[string]any{"id": id}, "job").(map[string]any)
		if job["state"] != "DONE" || report["kind"] != task || report["maintenance"].(map[string]any)["sound"] != true {
			t.Errorf("%s ends with %v", task, report)
		}
		return report["maintenance"].(map[string]any)
	}
	for task, want := range map[string]string{"VERIFY_USAGE": "nothing differs", "REINDEX": "videos indexed in", "BACKUP": "files"} {
		lines := maintain(task)["lines"].([]any)
		if last := lines[len(lines)-1].(string); !strings.Contains(last, want) {
			t.Errorf("%s reports %q", task, lines)
		}
	}
	made, err := filepath.Glob(filepath.Join(dir, "filmstrip-*Z"))
	if err != nil || len(made) != 1 {
		t.Fatalf("the folder of backups has %v, %v", made, err)
	}
	if manifest, err := backup.ReadManifest(made[0]); err != nil || manifest.Size() == 0 {
		t.Errorf("the backup has %v, %v", manifest, err)
	}
}

// TestNoPlaceForBackups verifies that a backup without a folder is refused, and says what to do.
func TestNoPlaceForBackups(t *testing.T) {
	i := newAsking(t)
	if answer := i.post("us", "/graphql", `{"query":"mutation { startMaintenance(task: BACKUP) { id } }"}`); !strings.Contains(answer, "--backup-dir is not set") {
		t.Errorf("got %s", answer)
	}
}

// TestReindexOfOneOfSeveral verifies that the report names the process whose index was built, if others have their own.
func TestReindexOfOneOfSeveral(t *testing.T) {
	s := openWith(t, "--demo")
	apptest.Await(t, "the index is complete", func() bool { return s.caughtUp(t.Context()) })
	for _, shared := range []bool{false, true} {
		settings := &Settings{}
		if shared {
			settings.Store = "postgres://db.example/filmstrip"
		}
		run := &jobs.Run{}
		if err := (maintenance{s, settings}).reindex(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		line := run.Result.(jobs.Report).Lines[0]
		if named := strings.Contains(line, fmt.Sprintf("by process %d on ", os.Getpid())) && strings.Contains(line, "filmstrip reindex"); named != shared {
			t.Errorf("the report is %q", line)
		}
	}
}

// TestBackupDirIsChecked verifies that a server creates a missing directory of backups, and does not start with one in
// which it cannot write.
func TestBackupDirIsChecked(t *testing.T) {
	dir, file := filepath.Join(t.TempDir(), "a", "b"), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cleanUp, err := apptest.Must(parseSettings(t, "--demo", "--backup-dir", dir))(t).prepare()
	if err != nil {
		t.Fatal(err)
	}
	cleanUp()
	if found, err := os.ReadDir(dir); err != nil || len(found) != 0 {
		t.Errorf("the directory has %d entries (%v)", len(found), err)
	}
	place := filepath.Join(file, "b")
	if _, err := apptest.Must(parseSettings(t, "--demo", "--backup-dir", place))(t).prepare(); err == nil || !strings.Contains(err.Error(), "--backup-dir: backups cannot be written to "+place) {
		t.Errorf("%s: %v", place, err)
	}
}
