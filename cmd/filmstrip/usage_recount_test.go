package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestRecountOfADamagedLog overwrites a page of the log. A recount names the events that it cannot read and leaves the
// counts unchanged. An explicit command skips exactly these events; afterwards, recount, verify and exports omit the
// same events and report them.
func TestRecountOfADamagedLog(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 6000)
	file := filepath.Join(where[1], app.EventsFile)
	export := func() string {
		return run("usage", "export", "--account", "school", "--month", "2025-03", "--format", "jsonl")
	}
	before := export()
	content := apptest.Must(os.ReadFile(file))(t)
	damage(t, content)
	apptest.Must(0, os.WriteFile(file, content, 0o600))(t)

	got := command(t, nil, "", append([]string{"usage", "recount"}, where...)...)
	named := regexp.MustCompile(`cannot be read at positions (\d+) to (\d+); the counts are as they were: .*malformed`).FindStringSubmatch(got.Err)
	if got.Status == 0 || named == nil {
		t.Fatalf("status %d: %s%s", got.Status, got.Out, got.Err)
	}
	log := apptest.Must(sqlite.OpenEvents(t.Context(), file))(t)
	defer func() { _ = log.Close() }()
	from, to := apptest.Must(strconv.ParseInt(named[1], 10, 64))(t), apptest.Must(strconv.ParseInt(named[2], 10, 64))(t)
	for position, fails := range map[event.Position]bool{from - 1: false, from: true, to: true, to + 1: false} {
		_, err := log.Read(t.Context(), store.EventQuery{UpTo: position}, position-1, 1)
		if (err != nil) != fails {
			t.Errorf("reading event %d: %v", position, err)
		}
	}
	if after := export(); after != before {
		t.Errorf("the statement was %s, it is %s", before, after)
	}
	if got := command(t, nil, "", append([]string{"usage", "verify"}, where...)...); got.Status != 2 || !strings.Contains(got.Err, "malformed") || !strings.Contains(got.Err, named[0][:40]) {
		t.Errorf("verifying: status %d: %s", got.Status, got.Err)
	}

	skip := func(position string) apptest.Outcome {
		return command(t, nil, "", append([]string{"usage", "skip-damaged", "--position", position, "--reason", "a bad sector"}, where...)...)
	}
	damaged := named[1] + "-" + named[2]
	if !strings.Contains(got.Err, "filmstrip usage skip-damaged --position "+damaged+" --reason TEXT") {
		t.Errorf("the error does not name the command: %s", got.Err)
	}
	if export := command(t, nil, "", append([]string{"events", "export", "--format", "jsonl"}, where...)...); export.Status == 0 || !strings.Contains(export.Err, "--position "+damaged) {
		t.Errorf("exporting: status %d: %s", export.Status, export.Err)
	}
	for _, wrong := range []string{"0", "x", "7-3", "1-20000", strconv.FormatInt(from-1, 10), damaged + "," + strconv.FormatInt(to+1, 10)} {
		if got := skip(wrong); got.Status == 0 {
			t.Errorf("skipping %s: %s", wrong, got.Out)
		}
	}
	count := to - from + 1
	if got := skip(damaged); got.Status != 0 || !strings.HasPrefix(got.Out, fmt.Sprintf("%d damaged events are skipped\n", count)) || !strings.Contains(got.Out, "usage recount") {
		t.Fatalf("skipping: status %d: %s%s", got.Status, got.Out, got.Err)
	}
	if got := skip(damaged); got.Status != 0 || !strings.Contains(got.Out, fmt.Sprintf("0 damaged events are skipped; %d of the named", count)) {
		t.Errorf("skipping again: status %d: %s%s", got.Status, got.Out, got.Err)
	}
	leftOut := fmt.Sprintf("omitted as damaged: %d events", count)
	if got := run("usage", "recount"); !strings.Contains(got, leftOut) {
		t.Errorf("counting again: %s", got)
	}
	if got := run("usage", "verify"); !strings.Contains(got, leftOut) || !strings.Contains(got, fmt.Sprintf("counted again: %d events", 6000-count)) {
		t.Errorf("verifying: %s", got)
	}
	exported := command(t, nil, "", append([]string{"events", "export", "--format", "jsonl"}, where...)...)
	if lines := int64(strings.Count(exported.Out, "\n")); exported.Status != 0 || lines != 6000-count || !strings.Contains(exported.Err, fmt.Sprintf("%d damaged events", count)) {
		t.Errorf("exported %d lines, status %d: %s", lines, exported.Status, exported.Err)
	}
	run("generate", "events", "--count", "10", "--account", "school", "--append", "--force")
	run("usage", "verify")
	backup := command(t, nil, "", "backup", filepath.Join(t.TempDir(), "backup"), where[0], where[1])
	if backup.Status == 0 || !strings.Contains(backup.Err, "events.db is damaged, and a damaged file cannot be backed up") {
		t.Errorf("the backup of a damaged log: status %d: %s", backup.Status, backup.Err)
	}
	if trail := run("audit", "--json"); !strings.Contains(trail, "damagedEventsSkipped") || !strings.Contains(trail, damaged) || !strings.Contains(trail, "a bad sector") {
		t.Errorf("the audit log shows %s", trail)
	}
}

// damage overwrites a page in the middle of the pages that contain events.
func damage(t *testing.T, content []byte) {
	t.Helper()
	const leaf = 0x0d
	size := int(content[16])<<8 | int(content[17])
	var pages []int
	for at := size; at < len(content); at += size {
		if content[at] == leaf && bytes.Contains(content[at:at+size], []byte("school")) {
			pages = append(pages, at)
		}
	}
	if len(pages) < 3 {
		t.Fatal("the log has too few pages")
	}
	middle := pages[len(pages)/2]
	for i := range size {
		content[middle+i] = 0xff
	}
}
