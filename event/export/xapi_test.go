package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestXAPI(t *testing.T) {
	file, sum := written(t, export.XAPI, options, one(samples()))
	golden(t, "events.xapi.jsonl", file)
	if sum.Omitted != 1 || sum.Exported != int64(len(samples())-1) {
		t.Errorf("the sum is %+v", sum)
	}
}

// TestXAPIIsValid validates statements with npm's @learninglocker/xapi-validation.
func TestXAPIIsValid(t *testing.T) {
	const folder = "testdata/xapi"
	node := testservers.Node(t, "xAPI statements", folder, "@learninglocker/xapi-validation")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	validate := func(statements []byte) string {
		t.Helper()
		command := exec.CommandContext(ctx, node, "validate.mjs")
		command.Dir, command.Stdin = folder, bytes.NewReader(statements)
		reported, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, reported)
		}
		return string(reported)
	}

	ofSamples, _ := written(t, export.XAPI, options, one(samples()))
	ofPlays, _ := written(t, export.XAPI, options, plays(1, 500))
	if reported := validate(append(ofSamples, ofPlays...)); reported != fmt.Sprintf("valid: %d\n", len(samples())-1+500) {
		t.Error(reported)
	}
	for _, fault := range []struct{ from, to string }{
		{`"id":"019a3b10-0000-7000-8000-000000000001"`, `"id":"19"`},
		{`"verb":{"id":"https://w3id.org/xapi/video/verbs/paused"`, `"verb":{"id":"paused"`},
		{`"timestamp":"2026-10-31T11:59:55.250Z"`, `"timestamp":"yesterday"`},
		{`"objectType":"Agent"`, `"objectType":"Person"`},
	} {
		statement, _, _ := bytes.Cut(ofSamples, []byte("\n"))
		broken := bytes.Replace(statement, []byte(fault.from), []byte(fault.to), 1)
		if bytes.Equal(broken, statement) {
			t.Fatalf("no statement has %s", fault.from)
		}
		if reported := validate(broken); !strings.Contains(reported, "valid: 0") {
			t.Errorf("%s is found valid: %s", fault.to, reported)
		}
	}
}

// TestVideoProfile checks that statements about videos meet the demands of the xAPI Video Profile, as far as clients
// send the data.
func TestVideoProfile(t *testing.T) {
	const extensions = "https://w3id.org/xapi/video/extensions/"
	events := samples()
	file, _ := written(t, export.XAPI, options, one(events))
	n := 0
	for line := range bytes.Lines(file) {
		var s struct {
			Verb   struct{ ID string }
			Object struct {
				ID         string
				Definition struct{ Type string }
			}
			Result  struct{ Extensions map[string]any }
			Context struct {
				ContextActivities struct{ Category []struct{ ID string } }
				Extensions        map[string]any
			}
		}
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		e := events[n]
		n++
		if e.Video == "" {
			continue
		}
		if s.Object.ID != base+"/v1/videos/"+e.Video || s.Object.Definition.Type != "https://w3id.org/xapi/video/activity-type/video" ||
			len(s.Context.ContextActivities.Category) != 1 || s.Context.ContextActivities.Category[0].ID != "https://w3id.org/xapi/video" {
			t.Errorf("%s is about another thing than the video", line)
		}
		at, timed := s.Result.Extensions[extensions+"time"].(float64)
		segments, _ := s.Result.Extensions[extensions+"played-segments"].(string)
		switch name := filepath.Base(s.Verb.ID); {
		case e.Kind == event.Playback:
			if name != "paused" || at != float64(e.End)/1000 {
				t.Errorf("%s is no end of a segment", line)
			}
			if want := fmt.Sprintf("%v[.]%v", float64(e.Start)/1000, float64(e.End)/1000); !e.Reversed() && segments != want {
				t.Errorf("%s has the segments %q, not %q", line, segments, want)
			}
			if e.Reversed() && segments != "" {
				t.Errorf("%s says that a segment was played backwards", line)
			}
		case e.Subtype == "play" && (name != "played" || !timed), e.Subtype != "play" && name != "interacted":
			t.Errorf("%s has the wrong verb", line)
		}
	}
}

// TestCollectionsAreObjects checks that the object of an interaction with a collection is the collection, identified by
// its address.
func TestCollectionsAreObjects(t *testing.T) {
	e := samples()[0]
	e.Kind, e.Video, e.Metadata, e.Details = event.CollectionInteraction, "", nil, []byte(`{"collectionId":"6a2b542abf5438cdbcb56df0"}`)
	for format, want := range map[export.Format]string{
		export.XAPI:    `"object":{"objectType":"Activity","id":"https://films.example/v1/collections/6a2b542abf5438cdbcb56df0","definition":{"type":"http://activitystrea.ms/schema/1.0/collection"}}`,
		export.Caliper: `"object":{"id":"https://films.example/v1/collections/6a2b542abf5438cdbcb56df0","type":"DigitalResourceCollection"}`,
	} {
		if file, _ := written(t, format, options, one([]event.Event{e})); !strings.Contains(string(file), want) {
			t.Errorf("%s: %s has no %s", format, file, want)
		}
	}
}

// TestNobodyIsTakenForAnother checks that the actors of a token's user and of an external user with the same name
// differ, that users of two accounts differ, and that an anonymous actor equals none of them.
func TestNobodyIsTakenForAnother(t *testing.T) {
	who := []event.Event{
		{Account: "a", ExternalUser: "x"}, {Account: "a", User: "x"}, {Account: "b", ExternalUser: "x"}, {Account: "b", User: "x"},
		{Account: "a", User: "anonymous"}, {Account: "a"}, {Account: "b"}, {},
		{Account: "a/users", ExternalUser: "x"}, {Account: "a", User: "users/x"},
	}
	for i := range who {
		who[i].Kind, who[i].At, who[i].Received = event.PlatformInteraction, noon, noon
	}
	file, _ := written(t, export.XAPI, options, one(who))
	seen := map[string]bool{}
	for line := range bytes.Lines(file) {
		var s struct{ Actor json.RawMessage }
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		if seen[string(s.Actor)] {
			t.Errorf("%s is somebody else already", s.Actor)
		}
		seen[string(s.Actor)] = true
	}
	file, _ = written(t, export.Caliper, options, one(who))
	var envelope struct {
		Data []struct{ Actor struct{ ID string } }
	}
	if err := json.Unmarshal(file, &envelope); err != nil {
		t.Fatal(err)
	}
	seen = map[string]bool{}
	for i, data := range envelope.Data {
		nobody := who[i].Person() == ""
		if id := data.Actor.ID; nobody != (id == "http://purl.imsglobal.org/caliper/Person") || !nobody && seen[id] {
			t.Errorf("%s is somebody else already", id)
		}
		seen[data.Actor.ID] = true
	}
}

// TestPagesAreIRIs checks that the address of a page is a valid IRI, whatever URL a client sends.
func TestPagesAreIRIs(t *testing.T) {
	for sent, want := range map[string]string{
		"https://learn.example/a%20b?q=%C3%A9#c": "https://learn.example/a%20b?q=%C3%A9#c",
		"/relative path?x=%zz":                   "https://films.example/relative%20path?x=%25zz",
		"/lessons?share=100%":                    "https://films.example/lessons?share=100%25",
		"/lessons?share=5%1":                     "https://films.example/lessons?share=5%251",
		"http://":                                "https://films.example/?page=http%3A%2F%2F",
		"https:":                                 "https://films.example/?page=https%3A",
		"https:lessons/7":                        "https://films.example/?page=https%3Alessons%2F7",
		"http:///lessons":                        "https://films.example/?page=http%3A%2F%2F%2Flessons",
	} {
		e := samples()[0]
		details, err := json.Marshal(map[string]string{"url": sent})
		if err != nil {
			t.Fatal(err)
		}
		e.Kind, e.Details = event.PageRender, details
		for _, format := range []export.Format{export.XAPI, export.Caliper} {
			file, _ := written(t, format, options, one([]event.Event{e}))
			if !strings.Contains(string(file), `"`+want+`"`) {
				t.Errorf("%s in %s: want %s in\n%s", sent, format, want, file)
			}
		}
	}
}

// TestScriptsAreNoPages checks that a URL with a scheme other than http and https is never exported as a link.
func TestScriptsAreNoPages(t *testing.T) {
	for _, format := range []export.Format{export.XAPI, export.Caliper} {
		e := samples()[0]
		e.Kind, e.Details = event.PageRender, []byte(`{"url":"javascript:alert(1)"}`)
		file, _ := written(t, format, options, one([]event.Event{e}))
		if strings.Contains(string(file), `"javascript:`) || !strings.Contains(string(file), "?page=javascript%3Aalert%281%29") {
			t.Errorf("%s", file)
		}
	}
}
