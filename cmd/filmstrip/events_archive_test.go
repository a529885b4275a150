package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/archive"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// sealedStore returns a store with 20 events in each of the last six months, of which the oldest three are sealed. now is the
// number of the current month, sealed the last sealed one.
func sealedStore(t *testing.T, now int) (run func(args ...string) string, where []string, sealed string) {
	t.Helper()
	run, where = apptest.SchoolStore(t, apptest.Engines{}, 0)
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(where[1], app.EventsFile)))(t)
	for ago := 5; ago >= 0; ago-- {
		start := usage.MonthNumber(now - ago).Start()
		events := make([]event.Event, 20)
		for i := range events {
			at := start + event.Instant(i)*event.Hour/100
			events[i] = event.Event{ID: event.NewID(at), Kind: event.Playback, At: at, Received: at, Account: "school", Client: "web",
				ExternalUser: fmt.Sprint("pupil-", i%7), Video: fmt.Sprint("v", i%3), End: 1000, Counted: 1000, Metadata: []byte(`{"x":"y"}`)}
		}
		apptest.Must(log.Append(t.Context(), []event.Submission{{Received: start, Events: events}}))(t)
	}
	apptest.Must(0, log.Close())(t)
	for ago := 5; ago >= 3; ago-- {
		sealed = usage.MonthNumber(now - ago).String()
		run("usage", "seal", "--month", sealed)
	}
	return run, where, sealed
}

// TestArchivedEvents moves sealed months to an archive. Every command that reads or changes the log must then do what it did
// before, and refuse to run without the archive.
func TestArchivedEvents(t *testing.T) {
	now := usage.MonthOf(event.InstantOf(time.Now())).Number()
	run, where, sealed := sealedStore(t, now)
	reads := [][]string{
		{"events", "export", "--format", "jsonl"}, {"events", "export", "--format", "jsonl", "--account", "school", "--after", "33"},
		{"users", "export", "--account", "school", "--external", "pupil-3"}, {"usage", "verify"},
		{"usage", "export", "--account", "school", "--month", sealed, "--format", "jsonl"},
		{"usage", "export", "--account", "school", "--month", usage.MonthNumber(now - 1).String(), "--format", "jsonl"},
	}
	read := func() (all []string) {
		for _, args := range reads {
			out := run(args...)
			if args[1] == "verify" { // says how long it took
				out = strings.Join(strings.Fields(out)[:3], " ")
			}
			all = append(all, out)
		}
		return all
	}
	same := func(what string, before, after []string) {
		t.Helper()
		for i := range before {
			if before[i] != after[i] {
				t.Errorf("%s, filmstrip %v prints\n%s\nand printed\n%s", what, reads[i], after[i], before[i])
			}
		}
	}
	before := read()
	plain, place := where, filepath.Join(t.TempDir(), "archive")
	where = append(where, "--archive", place)
	run = func(args ...string) string { t.Helper(); return apptest.Succeed(t, append(args, where...)...) }
	if got := run("events", "archive", "--archive-after", "2"); got != "60 events were moved to the archive\n" {
		t.Errorf("moving prints %q", got)
	}
	if got := run("events", "archive", "--archive-after", "2"); got != "0 events were moved to the archive\n" {
		t.Errorf("moving again prints %q", got)
	}
	same("archived", before, read())
	for _, args := range append(reads[:3:3], []string{"users", "forget", "--account", "school", "--external", "pupil-3"}, []string{"usage", "recount"}) {
		if got := command(t, nil, "", append(args, plain...)...); got.Status == 0 || !strings.Contains(got.Err, "set --archive") || !strings.Contains(got.Err, place) {
			t.Errorf("filmstrip %v without --archive: status %d: %s", args, got.Status, got.Err)
		}
	}

	foreign := []string{filepath.Join(place, "plays-2026-09.parquet"), filepath.Join(place, "report-1-2.parquet")}
	for _, file := range foreign {
		apptest.Must(0, os.WriteFile(file, []byte("an analyst's"), 0o600))(t)
	}
	run("usage", "recount")
	same("recounted", before, read())
	run("usage", "void", "--id", "v1", "--video", "v2", "--reason", "a test")
	run("usage", "verify")
	run("usage", "unvoid", "v1", "--reason", "a test")
	run("users", "forget", "--account", "school", "--external", "pupil-3")
	run("usage", "verify")
	run("usage", "recount")
	run("usage", "verify")
	if got := run("events", "export", "--format", "jsonl"); strings.Contains(got, "pupil-3") || strings.Count(got, "\n") != 120 {
		t.Errorf("a person was forgotten, and an export has %d lines", strings.Count(got, "\n"))
	}
	err := filepath.WalkDir(place, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(string(apptest.Must(os.ReadFile(path))(t)), "pupil-3") {
			t.Errorf("%s names a person who was forgotten", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for _, file := range foreign {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}

	apptest.Must(0, os.Rename(place, place+"-disk"))(t)
	apptest.Must(0, os.Mkdir(place, 0o700))(t)
	for _, args := range append(reads[:4:4], []string{"users", "forget", "--account", "school", "--external", "pupil-4"}, []string{"usage", "recount"},
		[]string{"events", "archive", "--archive-after", "1"}) {
		if got := command(t, nil, "", append(args, where...)...); got.Status == 0 || !strings.Contains(got.Err, archive.ManifestName+" is missing") {
			t.Errorf("filmstrip %v without the archive's disk: status %d: %s", args, got.Status, got.Err)
		}
	}
	apptest.Must(0, os.Remove(place))(t)
	apptest.Must(0, os.Rename(place+"-disk", place))(t)
	run("usage", "verify")
}

// TestRestoreWithoutOldMonths restores backups of stores whose log no longer has old months: the archive has them, or retention
// has dropped them. Persons who were forgotten since the backup are forgotten again, and plays are voided again.
func TestRestoreWithoutOldMonths(t *testing.T) {
	now := usage.MonthOf(event.InstantOf(time.Now())).Number()
	for name, removes := range map[string]func(t *testing.T, run func(args ...string) string, data string) (where []string, events int){
		"archive": func(t *testing.T, run func(args ...string) string, _ string) ([]string, int) {
			place := filepath.Join(t.TempDir(), "archive")
			run("events", "archive", "--archive-after", "2", "--archive", place)
			return []string{"--archive", place}, 120
		},
		"retention": func(t *testing.T, _ func(args ...string) string, data string) ([]string, int) {
			log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(data, app.EventsFile)))(t)
			apptest.Must(log.Drop(t.Context(), usage.MonthNumber(now-3)))(t)
			return nil, 80
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onStore, where, _ := sealedStore(t, now)
			data := where[1]
			settings, events := removes(t, onStore, data)
			run := func(args ...string) string { t.Helper(); return onStore(append(args, settings...)...) }
			exported := func() string { t.Helper(); return run("events", "export", "--format", "jsonl") }
			play := struct{ ID string }{}
			apptest.Must(0, json.Unmarshal([]byte(strings.SplitN(exported(), "\n", 2)[0]), &play))(t)
			backup := filepath.Join(t.TempDir(), "backup")
			run("backup", backup)
			run("users", "forget", "--account", "school", "--external", "pupil-3")
			run("usage", "void", "--id", "since", "--event", play.ID, "--reason", "a test")
			voids := run("usage", "voids")

			out := run("restore", backup, "--replace")
			if !strings.Contains(out, "1 persons forgotten") || !strings.Contains(out, "1 voids made") {
				t.Errorf("restore prints %s", out)
			}
			if got := exported(); strings.Contains(got, "pupil-3") || strings.Count(got, "\n") != events {
				t.Errorf("a person was forgotten, and an export has %d lines", strings.Count(got, "\n"))
			}
			if got := run("usage", "voids"); got != voids {
				t.Errorf("after the restore the voids are\n%swant\n%s", got, voids)
			}
			run("usage", "verify")
			run("restore", "--reapply")
		})
	}
}

// TestArchiveOfADamagedLog checks that events archive names the positions of events that it cannot read, and the command
// that skips them.
func TestArchiveOfADamagedLog(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 6000)
	run("usage", "seal", "--month", "2025-03")
	file := filepath.Join(where[1], app.EventsFile)
	content := apptest.Must(os.ReadFile(file))(t)
	damage(t, content)
	apptest.Must(0, os.WriteFile(file, content, 0o600))(t)
	got := command(t, nil, "", append([]string{"events", "archive", "--archive", t.TempDir()}, where...)...)
	if got.Status == 0 || !strings.Contains(got.Err, "the event log cannot be read at position") || !strings.Contains(got.Err, "usage skip-damaged --position") {
		t.Errorf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
}
