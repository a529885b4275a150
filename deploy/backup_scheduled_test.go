//go:build system

package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// aged creates a file or, if its name has no suffix, a folder that was last changed days ago.
func aged(t *testing.T, path string, days int) {
	t.Helper()
	create := func() error { return os.WriteFile(path, []byte("a dump"), 0o600) }
	if filepath.Ext(path) == "" {
		create = func() error { return os.Mkdir(path, 0o700) }
	}
	if err := create(); err != nil {
		t.Fatal(err)
	}
	then := time.Now().AddDate(0, 0, -days)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

// names returns the names in a folder.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

// unitEnvironment returns the variables that filmstrip-backup.service sets, with stateDirectory as systemd's %S.
func unitEnvironment(t *testing.T, stateDirectory string) []string {
	t.Helper()
	unit, err := os.ReadFile("systemd/filmstrip-backup.service")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^Environment=(.*)$`).FindSubmatch(unit)
	if found == nil {
		t.Fatal("the unit sets no variables")
	}
	return strings.Fields(strings.ReplaceAll(string(found[1]), "%S", stateDirectory))
}

// TestScheduledBackupOfSQLite runs the program of filmstrip-backup.service, with its settings, beside a demo that records
// playbacks. What it leaves is a backup that restores; it deletes backups after two weeks, but not after a failure.
func TestScheduledBackupOfSQLite(t *testing.T) {
	program, address, state := build(t), testservers.FreeAddress(t), t.TempDir()
	data, backups := filepath.Join(state, "filmstrip"), filepath.Join(state, "filmstrip-backups")
	if err := os.Mkdir(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	environment = append(environment, unitEnvironment(t, state)...)
	// Of the file of variables that the unit shares with the server.
	environment = append(environment, "FILMSTRIP_BASE_URL=https://catalogue.example", "FILMSTRIP_LOG_FORMAT=json")
	backUp := func() ([]byte, error) {
		script, err := filepath.Abs("systemd/filmstrip-backup")
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command(script)
		command.Dir, command.Env = "/", environment
		return command.CombinedOutput()
	}
	aged(t, filepath.Join(backups, "2026-01-02T023000Z"), 16)
	aged(t, filepath.Join(backups, "2026-01-08T023000Z"), 10)
	aged(t, filepath.Join(backups, "notes"), 100)
	aged(t, filepath.Join(backups, "2026-01-09T023000Z.partial"), 1)

	if out, err := backUp(); err == nil {
		t.Errorf("it succeeds without data: %s", out)
	}
	if got := fmt.Sprint(names(t, backups)); !strings.Contains(got, "2026-01-02T023000Z") {
		t.Errorf("after a failure, there are %s", got)
	}

	importVideos(t, program, data, 1)
	first := serve(t, program, address, "--data", data)
	token := first.token()
	want := first.answers(token)
	first.play(token, 3)
	if out, err := backUp(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	first.play(token, 2) // the restore loses these plays
	first.kill()
	left := names(t, backups)
	if len(left) != 3 || left[0] != "2026-01-08T023000Z" || left[2] != "notes" {
		t.Fatalf("there are %q, want a backup of ten days ago, a new one, and notes", left)
	}
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	restore := exec.Command(program, "restore", filepath.Join(backups, left[1]), "--data", data, "--no-restore-list")
	if out, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	second := serve(t, program, address, "--data", data)
	if got := second.answers(token); got != want {
		t.Errorf("restored, it answers\n%.2000s\nwant\n%.2000s", got, want)
	}
	second.awaitBilled(token, 3)
}

// cronJob returns the command of the CronJob in deploy/kubernetes/backup.
func cronJob(t *testing.T) (command []string) {
	t.Helper()
	text, err := os.ReadFile("kubernetes/backup/cronjob.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job struct {
		Spec struct {
			JobTemplate struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Command []string }
						}
					}
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	return job.Spec.JobTemplate.Spec.Template.Spec.Containers[0].Command
}

// TestScheduledBackupOfPostgreSQL runs the command of the CronJob against the database of a running demo, and restores
// the dump as docs/operations.md describes.
func TestScheduledBackupOfPostgreSQL(t *testing.T) {
	database := testservers.SharedPostgreSQL(t).URL
	s := &site{T: t, program: build(t), address: testservers.FreeAddress(t), folder: t.TempDir()}
	s.environment = append(os.Environ(), "PATH="+filepath.Dir(s.program)+":"+os.Getenv("PATH"))
	s.environment = append(append(s.environment, postgresEnvironment(t, database)...), "FILMSTRIP_STORE="+database)
	backups, list := filepath.Join(s.folder, "backups"), filepath.Join(s.folder, "list")
	for _, folder := range []string{backups, list} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	where := parsed(t, database)
	password, _ := where.User.Password()
	service := filepath.Join(s.folder, "pg-service")
	entry := fmt.Sprintf("[filmstrip]\nhost=%s\nport=%s\ndbname=%s\nuser=%s\npassword=%s\n",
		where.Hostname(), where.Port(), strings.TrimPrefix(where.Path, "/"), where.User.Username(), password)
	if err := os.WriteFile(service, []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	backUp := func(service string) ([]byte, error) {
		command := exec.Command(cronJob(t)[0], cronJob(t)[1:]...)
		command.Env = []string{"BACKUPS=" + backups, "PGSERVICEFILE=" + service, "PGSERVICE=filmstrip"}
		for _, variable := range s.environment {
			if strings.HasPrefix(variable, "PATH=") {
				command.Env = append(command.Env, variable)
			}
		}
		return command.CombinedOutput()
	}

	settings := []string{"--store", database, "--restore-list", filepath.Join(list, "restore-list.jsonl")}
	first := serve(t, s.program, s.address, settings...)
	token := first.token()
	want := first.answers(token)
	first.play(token, 3)
	first.awaitBilled(token, 3)
	aged(t, filepath.Join(backups, "filmstrip-2026-01-02T023000Z.dump"), 16)
	aged(t, filepath.Join(backups, "filmstrip-2026-01-08T023000Z.dump"), 10)
	aged(t, filepath.Join(backups, "other.dump"), 100)
	if out, err := backUp(filepath.Join(s.folder, "none")); err == nil {
		t.Errorf("it succeeds without a database: %s", out)
	}
	if left := names(t, backups); len(left) != 3 {
		t.Errorf("after a failure, there are %q", left)
	}
	if out, err := backUp(service); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	left := names(t, backups)
	if len(left) != 3 || left[0] != "filmstrip-2026-01-08T023000Z.dump" || left[2] != "other.dump" {
		t.Fatalf("there are %q, want a dump of ten days ago, a new one, and another file", left)
	}
	first.play(token, 2) // the restore loses these plays
	first.kill()

	name := strings.TrimPrefix(where.Path, "/")
	where.Path = "/postgres"
	ask(t, where.String(), "DROP DATABASE "+name+" WITH (FORCE)")
	if err := os.Rename(filepath.Join(backups, left[1]), filepath.Join(s.folder, "filmstrip.dump")); err != nil {
		t.Fatal(err)
	}
	s.follow("restore postgresql")
	second := serve(t, s.program, s.address, settings...)
	if got := second.answers(token); got != want {
		t.Errorf("restored, it answers\n%.2000s\nwant\n%.2000s", got, want)
	}
	second.awaitBilled(token, 3)
}
