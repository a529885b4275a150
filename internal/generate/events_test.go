package generate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/usage"
)

func eventOptions(count int) generate.EventOptions {
	return generate.EventOptions{
		Count: count, Accounts: []string{"north", "south", "west"}, Videos: 500, Seed: 7,
		From: usage.Month{Year: 2025, Month: time.January}.Start(), To: usage.Month{Year: 2026, Month: time.January}.Start(),
	}
}

func writeEvents(t *testing.T, options generate.EventOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := generate.WriteEvents(&out, options); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestEventsGolden checks that the generated events stay the same. To change them on purpose, put the new sum here.
func TestEventsGolden(t *testing.T) {
	sum := sha256.New()
	for e := range generate.Events(eventOptions(5000)) {
		_, _ = sum.Write([]byte(e.ID.String() + e.Received.String() + e.Account + e.Client + e.User + e.Video))
	}
	_, _ = sum.Write(writeEvents(t, eventOptions(5000)))
	const golden = "03ca3e5942ec247212f9df3f244f99c0f061f08aa5d0d76380c42c7ae590be4b"
	if got := hex.EncodeToString(sum.Sum(nil)); got != golden {
		t.Errorf("the events' sum is %s, the golden one %s", got, golden)
	}
}

// inputsOf reads a line as a batch of the API.
func inputsOf(t *testing.T, line []byte) (inputs []*event.PlaybackInput) {
	t.Helper()
	var batch []struct {
		VideoID, CaptureTime, UserID           string
		SegmentStartSeconds, SegmentEndSeconds json.RawMessage
	}
	if err := json.Unmarshal(line, &batch); err != nil {
		t.Fatal(err)
	}
	for _, one := range batch {
		start, err := event.ParseSeconds(one.SegmentStartSeconds)
		if err != nil {
			t.Fatal(err)
		}
		end, err := event.ParseSeconds(one.SegmentEndSeconds)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, &event.PlaybackInput{
			VideoID: one.VideoID, SegmentStartSeconds: start, SegmentEndSeconds: end,
			Report: event.Report{CaptureTime: one.CaptureTime, UserID: one.UserID},
		})
	}
	return inputs
}

// TestBatchesAreOnesOfTheAPI checks that the API accepts every generated line as a batch with the same events.
func TestBatchesAreOnesOfTheAPI(t *testing.T) {
	options := eventOptions(1250)
	events := slices.Collect(generate.Events(options))
	var sizes []int
	n := 0
	for line := range bytes.Lines(writeEvents(t, options)) {
		batch, err := event.PlaybackBatch(inputsOf(t, line), options.To)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, len(batch))
		for _, got := range batch {
			want := events[n]
			n++
			if got.At != want.At || got.Video != want.Video || got.Start != want.Start || got.End != want.End || got.ExternalUser != want.ExternalUser {
				t.Fatalf("event %d is %+v, not %+v", n, got, want)
			}
		}
	}
	if !slices.Equal(sizes, []int{500, 500, 250}) {
		t.Errorf("the batches hold %d events", sizes)
	}
	if len(writeEvents(t, eventOptions(0))) != 0 {
		t.Error("there is a batch of no events")
	}
}

func TestOutputErrorsAreReturned(t *testing.T) {
	reader, writer := io.Pipe()
	_ = reader.CloseWithError(io.ErrNoProgress)
	if err := generate.WriteEvents(writer, eventOptions(2000)); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// TestUseIsPlausible checks that generated events are as skewed as real usage, in order, within their period, and
// contain every variant that can occur.
func TestUseIsPlausible(t *testing.T) {
	const count = 60_000
	options := eventOptions(count)
	accounts, videos, clients, persons := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	ids := map[event.ID]bool{}
	var nobody, external, token, late, reversed, empty, lessons int
	last := options.From
	for e := range generate.Events(options) {
		if e.Received < last || e.Received >= options.To || e.At > e.Received || e.Received-e.At > 6*24*event.Hour {
			t.Fatalf("%+v is out of its time", e)
		}
		last = e.Received
		if e.ID[6]>>4 != 7 || e.ID[8]>>6 != 2 || ids[e.ID] || e.Start < 0 || e.End < 0 || e.Video == "" || e.Client == "" || e.Kind != event.Playback {
			t.Fatalf("%+v is not a valid event", e)
		}
		ids[e.ID] = true
		accounts[e.Account]++
		videos[e.Video]++
		clients[e.Client]++
		persons[e.Account+e.Person()]++
		note := func(when bool, n *int) {
			if when {
				*n++
			}
		}
		note(e.Person() == "", &nobody)
		note(e.ExternalUser != "", &external)
		note(e.User != "", &token)
		note(e.Received-e.At > event.Hour, &late)
		note(e.Reversed(), &reversed)
		note(e.Start == e.End, &empty)
		hour := e.Received.Time().Hour()
		note(hour >= 8 && hour < 16, &lessons)
	}
	if len(ids) != count || len(accounts) != 3 || len(clients) != 9 || len(videos) < 450 || len(persons) < 1000 {
		t.Errorf("there are %d events of %d accounts, %d clients, %d videos, %d persons", len(ids), len(accounts), len(clients), len(videos), len(persons))
	}
	if accounts["north"] <= accounts["west"] {
		t.Errorf("the first account does not use the most: %v", accounts)
	}
	most := 0
	for _, n := range videos {
		most = max(most, n)
	}
	if most < 10*count/len(videos) {
		t.Errorf("the most popular of %d videos is played %d times of %d", len(videos), most, count)
	}
	for what, n := range map[string]int{"nobody": nobody, "external": external, "token": token, "late": late, "reversed": reversed, "empty": empty} {
		if n == 0 {
			t.Errorf("no event is found: %s", what)
		}
	}
	if lessons < count/2 {
		t.Errorf("only %d of %d are in school hours", lessons, count)
	}
	other := eventOptions(count)
	other.Seed++
	for e := range generate.Events(other) {
		if ids[e.ID] {
			t.Error("another seed makes the same events")
		}
		break
	}
}

// TestInteractions checks that interactions stand beside plays of the same persons, and that the number of persons is
// the given one.
func TestInteractions(t *testing.T) {
	options := eventOptions(20_000)
	options.Interactions, options.Persons = true, 10
	persons, kinds := map[string]int{}, map[event.Kind]int{}
	for e := range generate.Events(options) {
		kinds[e.Kind]++
		if e.Account == "north" && e.ExternalUser != "" {
			persons[e.ExternalUser]++
		}
		if e.Kind == event.PlayerInteraction && (e.Subtype == "" || e.Video == "" || e.Start != 0 || e.End != 0 || !json.Valid(e.Details)) {
			t.Fatalf("%+v is not an interaction", e)
		}
	}
	if n := kinds[event.PlayerInteraction]; n < 2000 || n > 3000 || n+kinds[event.Playback] != 20_000 || len(persons) != 10 {
		t.Errorf("there are %v, of %d persons", kinds, len(persons))
	}
}

func BenchmarkEvents(b *testing.B) {
	for range generate.Events(eventOptions(b.N)) {
	}
}
