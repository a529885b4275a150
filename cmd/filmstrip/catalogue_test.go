package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestCatalogueLists imports more videos than a page of the list has, and lists them, their subjects and their channels.
// Retired videos, and those whose availability has ended, are not in the list.
func TestCatalogueLists(t *testing.T) {
	data := t.TempDir()
	lines := succeed(t, "generate", "--videos", "1103")
	succeed(t, "import", "--data", data, apptest.WriteFile(t, "lines.jsonl", lines))
	want, today := map[string]int{}, time.Now().UTC().Format(time.DateOnly)
	for line := range strings.Lines(lines) {
		var record struct {
			Kind           string
			Retired        bool
			AvailableUntil string
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if !record.Retired && (record.AvailableUntil == "" || record.AvailableUntil >= today) {
			want[record.Kind]++
		}
	}
	for kind, plural := range map[string]string{"video": "videos", "subject": "subjects", "channel": "channels"} {
		table := strings.Split(strings.TrimSpace(succeed(t, plural, "list", "--data", data)), "\n")
		if !strings.HasPrefix(table[0], "ID  ") {
			t.Errorf("%s: the first line is %q", plural, table[0])
		}
		listed := map[string]bool{}
		for _, row := range table[1:] {
			id, _, _ := strings.Cut(row, " ")
			listed[id] = true
		}
		if want[kind] == 0 || len(table)-1 != want[kind] || len(listed) != want[kind] {
			t.Errorf("%s: there are %d rows and %d ids, want %d", plural, len(table)-1, len(listed), want[kind])
		}
	}
	listed := 0
	for line := range strings.Lines(succeed(t, "videos", "list", "--data", data, "--json")) {
		var video struct{ ID, Title string }
		if err := json.Unmarshal([]byte(line), &video); err != nil || video.ID == "" || video.Title == "" {
			t.Fatalf("%q: %v", line, err)
		}
		listed++
	}
	if listed != want["video"] {
		t.Errorf("with --json, %d videos are listed, want %d", listed, want["video"])
	}
}
