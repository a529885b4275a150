package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
)

func TestLines(t *testing.T) {
	file, sum := written(t, export.JSONL, options, one(samples()))
	golden(t, "events.jsonl", file)
	if sum != (export.Summary{Exported: int64(len(samples()))}) {
		t.Errorf("the sum is %+v", sum)
	}
	without, _ := written(t, export.JSONL, export.Options{}, one(samples()))
	if bytes.Contains(without, []byte("192.0.2.7")) {
		t.Error("addresses are exported without a request")
	}
}

// TestLinesTellEverything checks that a line contains the whole event, to the last digit.
func TestLinesTellEverything(t *testing.T) {
	text := rapid.String()
	rapid.Check(t, func(t *rapid.T) {
		e := event.Event{
			Position: rapid.Int64Range(1, 1<<60).Draw(t, "position"), Kind: rapid.SampledFrom(event.Kinds()).Draw(t, "kind"),
			At: event.Instant(rapid.Int64Range(0, 1<<42).Draw(t, "at")), Received: event.Instant(rapid.Int64Range(1, 1<<42).Draw(t, "received")),
			Account: text.Draw(t, "account"), Client: text.Draw(t, "client"), User: text.Draw(t, "user"), ExternalUser: text.Draw(t, "external"),
			Video: text.Draw(t, "video"), Subtype: text.Draw(t, "subtype"), Trace: text.Draw(t, "trace"), Referer: text.Draw(t, "referer"),
			Address: text.Draw(t, "address"), Sandbox: rapid.Bool().Draw(t, "sandbox"),
		}
		copy(e.ID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		if e.Kind == event.Playback {
			e.Start, e.End = rapid.Int64Range(0, 1<<40).Draw(t, "start"), rapid.Int64Range(0, 1<<40).Draw(t, "end")
			e.Counted = rapid.Int64Range(0, e.Played()).Draw(t, "counted")
		}
		e.Hidden = e.Video != "" && rapid.Bool().Draw(t, "hidden")
		if note := text.Draw(t, "note"); note != "" {
			e.Details, _ = json.Marshal(map[string]string{"url": note})
			e.Metadata, _ = json.Marshal(map[string]string{note: note})
		}
		var file bytes.Buffer
		to, err := export.NewEvents(&file, export.JSONL, export.Options{Addresses: 200 * 365 * 24 * time.Hour, Now: noon.Time})
		if err != nil {
			t.Fatal(err)
		}
		if reported, err := to.Write([]event.Event{e}); reported != 1 || err != nil {
			t.Fatal(reported, err)
		}
		if strings.Count(file.String(), "\n") != 1 {
			t.Fatalf("it takes more than a line: %q", file.String())
		}
		if got := readLine(t, file.Bytes()); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", e) {
			t.Fatalf("%s\n got %+v\nwant %+v", file.String(), got, e)
		}
	})
}

// readLine reads a line as its documentation specifies.
func readLine(t *rapid.T, line []byte) (e event.Event) {
	var read struct {
		Position                  int64
		ID, Kind                  string
		CaptureTime, ReceivedAt   string
		AccountID, ClientID       string
		UserID, TokenUserID       string
		VideoID                   string
		SegmentStartSeconds       json.Number
		SegmentEndSeconds         json.Number
		CountedSeconds            json.Number
		Hidden                    bool
		Subtype, Type, URL        string
		TraceID, Referer, Address string
		Sandbox                   bool
		Reversed                  *bool
		Metadata                  json.RawMessage
	}
	decoder := json.NewDecoder(bytes.NewReader(line))
	if err := decoder.Decode(&read); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	kind, err := event.ParseKind(read.Kind)
	if err != nil {
		t.Fatal(err)
	}
	e = event.Event{
		ID: idOf(t, read.ID), Position: read.Position, Kind: kind, At: instantOf(t, read.CaptureTime), Received: instantOf(t, read.ReceivedAt),
		Account: read.AccountID, Client: read.ClientID, User: read.TokenUserID, ExternalUser: read.UserID, Sandbox: read.Sandbox,
		Video: read.VideoID, Start: millisecondsOf(t, read.SegmentStartSeconds), End: millisecondsOf(t, read.SegmentEndSeconds),
		Counted: millisecondsOf(t, read.CountedSeconds), Hidden: read.Hidden,
		Subtype: read.Subtype + read.Type, Trace: read.TraceID, Referer: read.Referer, Address: read.Address, Metadata: read.Metadata,
	}
	if (kind == event.VideoInteraction && read.Subtype != "") || (kind != event.VideoInteraction && read.Type != "") {
		t.Fatalf("%s has its subtype in the wrong place", line)
	}
	if read.URL != "" {
		e.Details, _ = json.Marshal(map[string]string{"url": read.URL})
	}
	if (read.Reversed != nil) != (kind == event.Playback) || read.Reversed != nil && *read.Reversed != e.Reversed() {
		t.Fatalf("%s is reversed, or is not", line)
	}
	return e
}

func idOf(t *rapid.T, text string) (id event.ID) {
	read, err := uuid.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return event.ID(read)
}

func instantOf(t *rapid.T, text string) event.Instant {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return event.InstantOf(at)
}

// millisecondsOf converts seconds to milliseconds without a binary fraction in between.
func millisecondsOf(t *rapid.T, seconds json.Number) int64 {
	if seconds == "" {
		return 0
	}
	exact, ok := new(big.Rat).SetString(seconds.String())
	if !ok || !exact.Mul(exact, big.NewRat(1000, 1)).IsInt() {
		t.Fatalf("%s seconds are no whole milliseconds", seconds)
	}
	return exact.Num().Int64()
}
