package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// TestRecountOfADamagedLog: a page of the log is overwritten. Counting again names what cannot be read and leaves the
// counts as they are.
func TestRecountOfADamagedLog(t *testing.T) {
	run, where := schoolStore(t, combination{}, 6000)
	file := filepath.Join(where[1], eventsFile)
	export := func() string {
		return run("usage", "export", "--account", "school", "--month", "2025-03", "--format", "jsonl")
	}
	before := export()
	content := must(os.ReadFile(file))(t)
	damage(t, content)
	must(0, os.WriteFile(file, content, 0o600))(t)

	got := command(t, nil, "", append([]string{"usage", "recount"}, where...)...)
	named := regexp.MustCompile(`cannot be read at positions (\d+) to (\d+); the counts are as they were: .*malformed`).FindStringSubmatch(got.err)
	if got.status == 0 || named == nil {
		t.Fatalf("status %d: %s%s", got.status, got.out, got.err)
	}
	log := must(sqlite.OpenEvents(t.Context(), file))(t)
	defer func() { _ = log.Close() }()
	from, to := must(strconv.ParseInt(named[1], 10, 64))(t), must(strconv.ParseInt(named[2], 10, 64))(t)
	for position, fails := range map[event.Position]bool{from - 1: false, from: true, to: true, to + 1: false} {
		_, err := log.Read(t.Context(), store.EventQuery{UpTo: position}, position-1, 1)
		if (err != nil) != fails {
			t.Errorf("reading event %d: %v", position, err)
		}
	}
	if after := export(); after != before {
		t.Errorf("the statement was %s, it is %s", before, after)
	}
	if got := command(t, nil, "", append([]string{"usage", "verify"}, where...)...); got.status != 2 || !strings.Contains(got.err, "malformed") {
		t.Errorf("verifying: status %d: %s", got.status, got.err)
	}
}

// damage overwrites a page in the middle of those that hold events.
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
