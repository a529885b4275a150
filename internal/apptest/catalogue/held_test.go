package catalogue_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestEditsSurviveImports verifies that an import keeps what an operator changed over GraphQL, says so, and overwrites it
// after its release.
func TestEditsSurviveImports(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h, e := startEditing(t, engine)
			i := importSession{e, h}
			i.keepEdits()
			i.release()
			i.revert()
			i.prune()
		})
	}
}

// importSession is an operator who edits and imports.
type importSession struct {
	*editSession
	where apptest.Installation
}

// filmLine returns the import line of a video.
func filmLine(number int, title, description string) string {
	return fmt.Sprintf(`{"format":1,"kind":"video","source":"cms","ref":"%d","id":"%s","title":%q,"description":%q,"channel":"c","playback":{"duration":"PT1M","stream":"https://media.example.org/r.m3u8"},"releasedOn":"2020-01-01"}`+"\n",
		number, apptest.RegisterID(number), title, description)
}

const filmChannel = `{"format":1,"kind":"channel","source":"cms","ref":"c","name":"Films"}` + "\n"

// importLines imports lines and returns the counts of videos and the values that were not applied, each as "field: problem".
func (i importSession) importLines(lines string, args ...string) (changed, unchanged, kept, held int, reported []string) {
	i.Helper()
	got := apptest.Run(i.TB, nil, lines, append(append([]string{"import", "-", "--json"}, args...), i.where.Where...)...)
	var summary struct {
		Kinds      map[string]struct{ Changed, Unchanged, Kept int }
		HeldValues int
	}
	if err := json.Unmarshal([]byte(got.Out), &summary); err != nil || got.Status != 0 {
		i.Fatalf("import: %d %v %s%s", got.Status, err, got.Out, got.Err)
	}
	for line := range strings.Lines(got.Err) {
		var message struct {
			Kept struct{ Field, Problem string }
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.Kept.Problem == "" {
			i.Fatalf("the import prints %s: %v", line, err)
		}
		reported = append(reported, strings.TrimPrefix(message.Kept.Field+": "+message.Kept.Problem, ": "))
	}
	videos := summary.Kinds["video"]
	return videos.Changed, videos.Unchanged, videos.Kept, summary.HeldValues, reported
}

// heldFields returns the title, the description and the held fields of a video, each with the value that an import brought.
func (i importSession) heldFields(number int) string {
	i.Helper()
	it := i.mustEdit(`query($id: ID!) { it: catalogueItem(kind: VIDEO, id: $id) { body held { field imported } } }`, map[string]any{"id": apptest.RegisterID(number)})
	body := it["body"].(map[string]any)
	if body["held"] != nil {
		i.Errorf("the body of a video contains its held fields: %v", body)
	}
	text := fmt.Sprint(body["title"], "; ", body["description"])
	for _, one := range it["held"].([]any) {
		field := one.(map[string]any)
		text += fmt.Sprint("; ", field["field"], " ", field["imported"])
	}
	return text
}

func (i importSession) wantHeld(number int, want string) {
	i.Helper()
	if got := i.heldFields(number); got != want {
		i.Errorf("the video has %q, want %q", got, want)
	}
}

func (i importSession) keepEdits() {
	i.Helper()
	first := filmChannel + filmLine(1, "Whales", "Of whales.") + filmLine(2, "Seals", "Of seals.")
	i.importLines(first)
	i.wantHeld(1, "Whales; Of whales.")
	i.mustEdit(changeVideo, map[string]any{"id": apptest.RegisterID(1), "input": map[string]any{"title": "Why whales sing", "description": "Of whales."}})
	i.wantHeld(1, "Why whales sing; Of whales.; title <nil>")

	next := filmChannel + filmLine(1, "Whales, new", "Of blue whales.") + filmLine(2, "Seals, new", "Of seals.")
	problem := `title: the field is held: it keeps "Why whales sing" instead of "Whales, new"`
	if changed, _, _, held, reported := i.importLines(next); changed != 2 || held != 1 || strings.Join(reported, "|") != problem {
		i.Errorf("the import changes %d videos, keeps %d values and reports %q", changed, held, reported)
	}
	i.wantHeld(1, "Why whales sing; Of blue whales.; title Whales, new")
	i.awaitText("/v1/videos?query=sing", apptest.RegisterID(1), true)
	if changed, unchanged, _, held, _ := i.importLines(next); changed != 0 || unchanged != 2 || held != 1 {
		i.Errorf("the same import changes %d videos, leaves %d and keeps %d values", changed, unchanged, held)
	}
	history := i.mustEdit(`query($id: ID!) { it: catalogueAuditLog(kind: VIDEO, id: $id) { nodes { client before after } } }`, map[string]any{"id": apptest.RegisterID(1)})["nodes"].([]any)
	if len(history) != 2 || !strings.Contains(fmt.Sprint(history[0]), "Whales, new") || history[0].(map[string]any)["client"] == "console" {
		i.Errorf("the history of the video is %v", history)
	}
	if changed, _, _, held, _ := i.importLines(filmLine(1, "Why whales sing", "Of blue whales.")); changed != 1 || held != 0 {
		i.Errorf("an import that agrees changes %d videos and keeps %d values", changed, held)
	}
	i.wantHeld(1, "Why whales sing; Of blue whales.; title <nil>")
	i.importLines(next)
}

func (i importSession) release() {
	i.Helper()
	const release = `mutation($id: ID!, $fields: [String!], $value: ReleasedValue!) { it: releaseFields(kind: VIDEO, id: $id, fields: $fields, value: $value) { version } }`
	first := map[string]any{"id": apptest.RegisterID(1), "fields": []string{"title"}, "value": "IMPORTED"}
	i.wantError("INVALID", `"description" is not one of title`, release, map[string]any{"id": apptest.RegisterID(1), "fields": []string{"description"}, "value": "STORED"})
	i.wantError("NOT_FOUND", "there is no video", release, map[string]any{"id": apptest.RegisterID(9), "value": "STORED"})
	i.mustEdit(release, first)
	i.wantHeld(1, "Whales, new; Of blue whales.")
	i.wantError("INVALID", `"title"`, release, first)

	i.mustEdit(changeVideo, map[string]any{"id": apptest.RegisterID(1), "input": map[string]any{"title": "Songs", "keywords": []string{"song"}}})
	i.mustEdit(release, map[string]any{"id": apptest.RegisterID(1), "value": "STORED"})
	i.wantHeld(1, "Songs; Of blue whales.")
	i.importLines(filmLine(1, "Whales, newest", "Of blue whales."))
	i.wantHeld(1, "Whales, newest; Of blue whales.")
}

// revert undoes an edit, and the undoing.
func (i importSession) revert() {
	i.Helper()
	const revert = `mutation($id: ID!, $number: Int!, $version: Int) { it: revertItem(kind: VIDEO, id: $id, number: $number, version: $version) { version body } }`
	id := apptest.RegisterID(2)
	latest := func() any {
		trail := i.mustEdit(`query($id: ID!) { it: catalogueAuditLog(kind: VIDEO, id: $id, first: 1) { nodes { number } } }`, map[string]any{"id": id})
		return trail["nodes"].([]any)[0].(map[string]any)["number"]
	}
	i.wantHeld(2, "Seals, new; Of seals.")
	i.mustEdit(changeVideo, map[string]any{"id": id, "input": map[string]any{
		"title": "Worse", "description": "", "keywords": []string{"x"}, "transcript": "Seals bark.", "playback": map[string]any{"duration": "PT2M", "stream": "https://media.example.org/s.m3u8"},
	}})
	worse := latest()
	body := i.mustEdit(revert, map[string]any{"id": id, "number": worse})["body"].(map[string]any)
	if body["title"] != "Seals, new" || body["description"] != "Of seals." || body["keywords"] != nil || body["hasTranscript"] != true ||
		body["playback"].(map[string]any)["duration"] != "PT1M" {
		i.Errorf("after the revert, the video has %v", body)
	}
	i.awaitText("/v1/videos?query=bark", id, true)
	if body := i.mustEdit(revert, map[string]any{"id": id, "number": latest()})["body"].(map[string]any); body["title"] != "Worse" {
		i.Errorf("the revert of a revert makes %v", body)
	}
	i.mustEdit(revert, map[string]any{"id": id, "number": worse})
	i.wantError("NOT_FOUND", "no change 999999", revert, map[string]any{"id": id, "number": 999999})
	i.wantError("NOT_FOUND", "the audit log has no change", revert, map[string]any{"id": apptest.RegisterID(1), "number": worse})
	i.wantError("CONFLICT", "version", revert, map[string]any{"id": id, "number": worse, "version": 1})
	made := i.mustEdit(addVideo, map[string]any{"input": map[string]any{
		"title": "Made", "channel": "c", "releasedOn": "2024-02-03", "playback": map[string]any{"duration": "PT1M", "stream": "demo:bars"},
	}, "origin": map[string]any{"source": "cms", "reference": "made"}})
	trail := i.mustEdit(`query($id: ID!) { it: catalogueAuditLog(kind: VIDEO, id: $id) { nodes { number } } }`, map[string]any{"id": made["id"]})["nodes"].([]any)
	i.wantError("INVALID", "created the video", revert, map[string]any{"id": made["id"], "number": trail[0].(map[string]any)["number"]})
	i.mustEdit(`mutation($id: ID!) { it: deleteVideo(id: $id) }`, map[string]any{"id": made["id"]})
}

func (i importSession) prune() {
	i.Helper()
	i.importLines(filmLine(3, "Otters", "Of otters.") + filmLine(4, "Voles", "Of voles."))
	i.mustEdit(changeVideo, map[string]any{"id": apptest.RegisterID(1), "input": map[string]any{"title": "Songs"}})
	const retire, restore = `mutation($id: ID!) { it: retireVideo(id: $id) { id } }`, `mutation($id: ID!) { it: restoreVideo(id: $id) { id } }`
	i.mustEdit(retire, map[string]any{"id": apptest.RegisterID(3)})
	i.mustEdit(restore, map[string]any{"id": apptest.RegisterID(3)})
	_, _, kept, _, reported := i.importLines(filmChannel+filmLine(2, "Seals, new", "Of seals."), "--prune")
	if kept != 2 || len(reported) != 2 || !strings.Contains(reported[0], "retired instead of pruned") {
		i.Errorf("pruning keeps %d videos and reports %q", kept, reported)
	}
	i.awaitText("/v1/videos?query=songs", apptest.RegisterID(1), false)
	i.wantHeld(1, "Songs; Of blue whales.; title <nil>")
	for number, status := range map[int]int{1: 404, 2: 200, 3: 200, 4: 404} { // a person has restored the third one
		if got, body := i.get("/v1/videos/" + apptest.RegisterID(number)); got != status {
			i.Errorf("video %d: %d %s", number, got, body)
		}
	}
	i.importLines(filmLine(1, "Whales, newest", "Of blue whales."))
	i.awaitText("/v1/videos?query=songs", apptest.RegisterID(1), true)
}
