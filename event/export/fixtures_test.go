package export_test

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flag"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
)

var update = flag.Bool("update", false, "write the golden files anew")

const base = "https://films.example"

// noon is the time of all events in these tests.
var noon = event.InstantOf(time.Date(2026, 10, 31, 12, 0, 0, 250_000_000, time.UTC))

var options = export.Options{Base: base, Addresses: 24 * time.Hour, Now: func() time.Time { return noon.Time().Add(time.Hour) }}

const video = "5c542abf5438cdbcb56df0bf"

// samples returns events of every kind, some with all fields and some with few.
func samples() []event.Event {
	full := event.Event{
		At: noon - 5000, Received: noon, Account: "school", Client: "lms", User: "65f1c0ffee65f1c0ffee65f1", ExternalUser: "S-1 å/б",
		Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Referer: "https://lms.example/course?q=1&x=<2>", Address: "192.0.2.7",
	}
	of := func(e event.Event, kind event.Kind, video, subtype, details, metadata string) event.Event {
		e.Kind, e.Video, e.Subtype = kind, video, subtype
		if details != "" {
			e.Details = []byte(details)
		}
		if metadata != "" {
			e.Metadata = []byte(metadata)
		}
		return e
	}
	playback := of(full, event.Playback, video, "", "", `{"playerId":"9a2ce995-c3f5-458a-9fd3-cab07ea005c0","videoDurationSeconds":62.5}`)
	playback.Start, playback.End, playback.Counted = 1500, 62_290, 60_290
	reversed := of(event.Event{At: noon, Received: noon, Account: "school", Client: "lms", Sandbox: true}, event.Playback, "12345", "", "", "")
	reversed.Start, reversed.End, reversed.Hidden = 9000, 4001, true
	interaction := func(subtype, details string) event.Event {
		return of(full, event.PlayerInteraction, video, subtype, details, `{"playerId":"p-1","videoDurationSeconds":"long"}`)
	}
	events := []event.Event{
		playback,
		reversed,
		interaction("play", `{"currentTime":0,"payload":{}}`),
		interaction("play", `{"currentTime":12.345,"payload":{}}`),
		interaction("pause", `{"currentTime":12.345,"payload":{}}`),
		interaction("captionsEnabled", `{"currentTime":1,"payload":{"kind":"subtitles","language":"cy","label":"Cymraeg"}}`),
		interaction("captionsDisabled", `{"currentTime":1,"payload":{}}`),
		interaction("fullscreenEnabled", `{"currentTime":1,"payload":{}}`),
		interaction("fullscreenDisabled", `{"currentTime":1,"payload":{}}`),
		interaction("speedChanged", `{"currentTime":1,"payload":{"speed":1.5}}`),
		interaction("jumpedForward", `{"currentTime":11,"payload":{}}`),
		interaction("muted", `{"currentTime":11,"payload":{}}`),
		interaction("playbackStarted", `{"currentTime":0,"payload":{}}`),
		interaction("something else, \"quoted\"", `{"currentTime":0,"payload":{"a":[1,null,{"b":"c"}]}}`),
		of(full, event.PageRender, "", "", `{"url":"https://lms.example/a b?q=ä|#top","viewport":{"width":1280,"height":720},"isResize":false}`, ""),
		of(full, event.PageRender, "", "", `{"url":"/videos?q=1","isResize":true}`, ""),
		of(full, event.PlatformInteraction, "", "MY_CONTENT_VIDEO_TITLE_CLICKED", "", `{"note":"=1+1"}`),
		of(event.Event{At: noon, Received: noon}, event.PlatformInteraction, "", "OPENED", "", ""),
		of(full, event.SearchCompletions, "", "", `{"searchQuery":"wat","impressions":["water","watt & volt"],"componentId":"c","completionId":"d","searchUrl":"https://lms.example/?q=wat"}`, ""),
		of(full, event.VideoInteraction, video, "NAVIGATE_TO_VIDEO_DETAILS", "", ""),
		of(full, event.VideoInteraction, video, "VIDEO_LINK_COPIED", "", ""),
		of(full, event.CollectionInteraction, "", "NAVIGATE_TO_COLLECTION_DETAILS", `{"collectionId":"6a2b542abf5438cdbcb56df0"}`, ""),
		of(event.Event{At: noon, Received: noon, Account: "school", Client: "lms", User: "65f1c0ffee65f1c0ffee65f1"}, event.AccessExpired, "", "", "", ""),
	}
	for i := range events {
		events[i].Position = event.Position(i + 1)
		events[i].ID = fixedID(i + 1)
	}
	return events
}

// TestSamples checks that the samples contain events of every kind.
func TestSamples(t *testing.T) {
	there := map[event.Kind]bool{}
	for _, e := range samples() {
		there[e.Kind] = true
	}
	for _, kind := range event.Kinds() {
		if !there[kind] {
			t.Errorf("no sample is of %s", kind)
		}
	}
}

// fixedID returns a UUID of version 7 that ends in n.
func fixedID(n int) event.ID {
	id := event.ID{0x01, 0x9a, 0x3b, 0x10, 0, 0, 0x70, 0, 0x80}
	id[12], id[13], id[14], id[15] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	return id
}

// plays yields batches of different playback events.
func plays(batches, size int) iter.Seq2[[]event.Event, error] {
	rng := rand.New(rand.NewPCG(1, 2))
	return func(yield func([]event.Event, error) bool) {
		for n := range batches {
			events := make([]event.Event, size)
			for i := range events {
				events[i] = event.Event{
					Position: event.Position(n*size + i + 1), ID: fixedID(n*size + i + 1), Kind: event.Playback,
					At: noon + event.Instant(rng.IntN(1e9)), Received: noon + event.Instant(n*size+i),
					Account: fmt.Sprintf("account-%d", rng.IntN(50)), Client: "lms", ExternalUser: fmt.Sprintf("user-%d", rng.IntN(1e5)),
					Video: fmt.Sprintf("%024x", rng.IntN(1e4)), Start: rng.Int64N(1e6), End: rng.Int64N(1e6),
					Trace: fmt.Sprintf("%032x", rng.Uint64()), Metadata: []byte(`{"playerId":"p","videoDurationSeconds":100}`),
				}
			}
			if !yield(events, nil) {
				return
			}
		}
	}
}

// written returns the file that a format makes of events.
func written(t *testing.T, format export.Format, options export.Options, batches iter.Seq2[[]event.Event, error]) ([]byte, export.Summary) {
	t.Helper()
	var file bytes.Buffer
	to, err := export.NewEvents(&file, format, options)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := export.Copy(to, batches)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), sum
}

// one yields one batch.
func one(events []event.Event) iter.Seq2[[]event.Event, error] {
	return func(yield func([]event.Event, error) bool) { yield(events, nil) }
}

// golden compares a text with testdata/NAME.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("%s differs at line %d: there are %d lines for %d\n got %s\nwant %s", file, i+1, len(gotLines), len(wantLines),
				append(gotLines, "")[min(i, len(gotLines))], append(wantLines, "")[min(i, len(wantLines))])
		}
	}
}
