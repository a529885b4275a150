package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/usage"
)

// TestVoidsByCommands voids plays by client and period, by event and by video, before and after their month is sealed,
// and restores them. Counts, statements, verify and recount agree at all times, on both stores.
func TestVoidsByCommands(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			run, where := apptest.SchoolStore(t, engine, 1500)
			statement := func(month string) string {
				t.Helper()
				return run("usage", "export", "--account", "school", "--month", month, "--format", "jsonl")
			}
			verify := func() {
				t.Helper()
				if output := run("usage", "verify"); !strings.HasSuffix(output, "nothing differs\n") {
					t.Errorf("verify says\n%s", output)
				}
			}
			refuse := func(want string, args ...string) {
				t.Helper()
				got := command(t, nil, "", slices.Concat([]string{"usage"}, args, where)...)
				if got.Status == 0 || !strings.Contains(got.Err, want) {
					t.Errorf("%v: status %d: %s%s", args, got.Status, got.Out, got.Err)
				}
			}
			first := func(s usage.Statement) usage.Line {
				return s.Lines[slices.IndexFunc(s.Lines, func(l usage.Line) bool { return l.Billable && l.Month == s.Month })]
			}

			// The plays of a client in an open month are voided.
			before := statement("2025-03")
			line := first(statementOf(t, before))
			period := []string{"--client", line.Client, "--account", "school", "--from", "2025-03-01", "--to", "2025-04-01"}
			var preview []struct {
				Client, Month  string
				Plays, Seconds int64
				Sealed         *string
			}
			answer := run(slices.Concat([]string{"usage", "void", "--dry-run", "--json"}, period)...)
			if err := json.Unmarshal([]byte(answer), &preview); err != nil || len(preview) != 1 || preview[0].Plays != line.Plays ||
				preview[0].Seconds != line.Seconds || preview[0].Sealed != nil || preview[0].Month != "2025-03" {
				t.Errorf("of the line %+v the preview is %s (%v)", line, answer, err)
			}
			if statement("2025-03") != before {
				t.Error("a preview changes the statement")
			}
			void := slices.Concat([]string{"usage", "void", "--reason", "a test that ran on production", "--id", "v1"}, period)
			output := run(void...)
			if run(void...) != output {
				t.Error("the command voids again when it is repeated")
			}
			after := statementOf(t, statement("2025-03"))
			if slices.ContainsFunc(after.Lines, func(l usage.Line) bool { return l.Client == line.Client }) || after.Plays != statementOf(t, before).Plays-line.Plays {
				t.Errorf("of %d plays %d were voided, the statement is %+v", statementOf(t, before).Plays, line.Plays, after)
			}
			verify()
			run("usage", "recount")
			verify()
			run("usage", "unvoid", "v1", "--reason", "it was no test")
			if statement("2025-03") != before {
				t.Errorf("undone, the statement is\n%sit was\n%s", statement("2025-03"), before)
			}
			verify()

			// An event and a video of sealed months are voided.
			run("usage", "seal", "--month", "2025-03")
			sealed, april := statement("2025-03"), statementOf(t, statement("2025-04"))
			var e struct {
				ID      string
				VideoID string
			}
			lines := strings.Split(run("events", "export", "--format", "jsonl", "--kinds", "PLAYBACK"), "\n")
			for _, text := range lines {
				if strings.Contains(text, `"captureTime":"2025-03`) && strings.Contains(text, `"videoId"`) {
					if err := json.Unmarshal([]byte(text), &e); err != nil {
						t.Fatal(err)
					}
				}
			}
			run("usage", "void", "--event", e.ID, "--reason", "a wrong event", "--id", "v2")
			run("usage", "void", "--video", e.VideoID, "--reason", "a wrong video", "--id", "v3")
			if statement("2025-03") != sealed {
				t.Error("a void changes a sealed statement")
			}
			adjusted := statementOf(t, statement("2025-04"))
			place := slices.IndexFunc(adjusted.Lines, func(l usage.Line) bool { return l.Void == "v2" })
			if place < 0 || adjusted.Lines[place].Plays != -1 || adjusted.Lines[place].Milliseconds >= 0 || !adjusted.Lines[place].Adjustment ||
				adjusted.Lines[place].Month.String() != "2025-03" || adjusted.Plays >= april.Plays {
				t.Errorf("of %d plays, April has now %+v", april.Plays, adjusted)
			}
			verify()
			run("usage", "recount")
			if again := statementOf(t, statement("2025-04")); !slices.Equal(again.Lines, adjusted.Lines) {
				t.Errorf("after a recount April has %+v, not %+v", again, adjusted)
			}
			verify()
			run("usage", "seal", "--month", "2025-04")
			run("usage", "unvoid", "v3", "--reason", "the video was right")
			run("usage", "unvoid", "v2", "--reason", "the event was right")
			may := statementOf(t, statement("2025-05"))
			if place = slices.IndexFunc(may.Lines, func(l usage.Line) bool { return l.Void == "v2" }); place < 0 || may.Lines[place].Plays != 1 {
				t.Errorf("May has %+v", may)
			}
			verify()

			trail := run("audit", "--kind", "account", "--id", "school")
			for _, want := range []string{
				`{"voidedPlaysAs":"v1"`, `"reason":"a test that ran on production"`, `"client":"` + line.Client + `"`, `{"undidVoid":"v1"`, `"reason":"it was no test"`,
				`"event":"` + e.ID + `"`, `"video":"` + e.VideoID + `"`,
			} {
				if !strings.Contains(trail, want) {
					t.Errorf("the audit log does not show %s:\n%s", want, trail)
				}
			}
			if list := run("usage", "voids", "--account", "school"); strings.Count(list, "\n") != 4 || !strings.Contains(list, "it was no test") || !strings.Contains(list, "video "+e.VideoID) {
				t.Errorf("voids are\n%s", list)
			}
			refuse("--reason", "void", "--video", e.VideoID)
			refuse("a reason is required", "void", "--video", e.VideoID, "--reason", " ")
			refuse("the selection contains no counted plays", "void", "--video", "unknown", "--reason", "why")
			refuse("there is no event", "void", "--event", "01980000-0000-7000-8000-000000000000", "--reason", "why")
			refuse("is not the id of an event", "void", "--event", "7", "--reason", "why")
			refuse("there is no client", "void", "--client", "unknown", "--from", "2025-03-01", "--to", "2025-04-01", "--reason", "why")
			refuse("must name a period", "void", "--client", line.Client, "--account", "school", "--reason", "why")
			refuse("an event, a client with a period, or a video", "void", "--account", "school", "--reason", "why")
			refuse("of other plays", "void", "--event", e.ID, "--reason", "why", "--id", "v1")
			refuse("there is no void", "unvoid", "v9", "--reason", "why")
		})
	}
}
