package app

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
)

// TestRetentionKeepsNoViewingHistory verifies that no data shows who watched which video in a dropped month. The export
// of a user contains all remaining data, including plays whose events were dropped.
func TestRetentionKeepsNoViewingHistory(t *testing.T) {
	run, where := apptest.SchoolStore(t, apptest.Engines{}, 0)
	september, october := usage.Month{Year: 2025, Month: 9}, usage.Month{Year: 2025, Month: 10}
	log := apptest.Must(sqlite.OpenEvents(t.Context(), filepath.Join(where[1], EventsFile)))(t)
	for _, e := range []event.Event{
		{ExternalUser: "pupil-1", At: september.Start() + event.Hour},
		{ExternalUser: "pupil-2", At: september.Start() + event.Hour},
		{ExternalUser: "pupil-1", At: september.End() + 5, Received: september.End() - 1}, // received by a process whose clock is ahead
		{ExternalUser: "pupil-1", At: october.Start() + event.Hour},
	} {
		if e.Received == 0 {
			e.Received = e.At
		}
		e.Kind, e.Account, e.Client, e.Video, e.End, e.Counted = event.Playback, "school", "lms", "5c542abf5438cdbcb56df0bf", 9000, 8000
		apptest.Must(log.Append(t.Context(), []event.Submission{{Received: e.Received, Events: []event.Event{e}}}))(t)
	}
	run("usage", "seal", "--month", "2025-09") // the server drops only sealed months
	bill := run("usage", "export", "--account", "school", "--month", "2025-09", "--format", "jsonl")
	counts := apptest.Must(sqlite.OpenUsage(t.Context(), filepath.Join(where[1], UsageFile)))(t)
	s := &App{stores: &Stores{Events: log, Usage: counts}}
	for range 2 {
		if err := s.dropBefore(t.Context(), october); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := counts.Close(); err != nil {
		t.Fatal(err)
	}

	database := apptest.Must(sql.Open("sqlite", filepath.Join(where[1], UsageFile)))(t)
	defer database.Close()
	for question, want := range map[string]int64{
		`SELECT sum(plays) FROM usage_blocks`:                                                                2,
		`SELECT count(*) FROM usage_blocks WHERE first_at < 1759276800000`:                                   0,
		`SELECT count(*) FROM usage_cells WHERE dimension IN (8, 9) AND bucket = 668`:                        0, // lists of users
		`SELECT count(*) FROM usage_terms WHERE dimension = 2`:                                               1,
		`SELECT count(*) FROM usage_terms WHERE text LIKE '%pupil-2'`:                                        0,
		`SELECT count(*) FROM usage_cells WHERE grain = 1 AND bucket < 488688`:                               0,
		`SELECT users FROM usage_cells WHERE dimension = 6 AND grain = 3 AND bucket = 668`:                   2,
		`SELECT coalesce(sum(users), 0) FROM usage_cells WHERE dimension < 6 AND grain = 3 AND bucket = 668`: 0,
	} {
		var got int64
		if err := database.QueryRow(question).Scan(&got); err != nil || got != want {
			t.Errorf("%s: %d, want %d (%v)", question, got, want, err)
		}
	}

	type line struct {
		Position       int64
		CaptureTime    string
		UserID         string
		VideoID        string
		CountedSeconds float64
	}
	lines := func() (reported []line) {
		for text := range strings.Lines(run("users", "export", "--account", "school", "--external", "pupil-1")) {
			var one line
			if err := json.Unmarshal([]byte(text), &one); err != nil {
				t.Fatal(err)
			}
			reported = append(reported, one)
		}
		return reported
	}
	reported := lines()
	if len(reported) != 2 || reported[0].Position != 4 || reported[1] != (line{3, "2025-10-01T00:00:00.005Z", "pupil-1", "5c542abf5438cdbcb56df0bf", 8}) {
		t.Errorf("the export reports %+v", reported)
	}
	run("users", "forget", "--account", "school", "--external", "pupil-1")
	if reported := lines(); len(reported) > 0 {
		t.Errorf("after forgetting the export reports %+v", reported)
	}
	if after := run("usage", "export", "--account", "school", "--month", "2025-09", "--format", "jsonl"); after != bill {
		t.Errorf("the bill was %s and is %s", bill, after)
	}
	if reported := run("usage", "verify"); !strings.Contains(reported, "nothing differs") {
		t.Errorf("verify prints\n%s", reported)
	}
}
