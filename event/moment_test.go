package event_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
)

// received is the time at which all events of these tests arrive.
var received = event.InstantOf(time.Date(2026, 11, 21, 19, 53, 37, 123_999_999, time.UTC))

func captured(text string) (event.Instant, error) {
	e, err := event.PlaybackInput{VideoID: "1", Report: event.Report{CaptureTime: text}}.Event(received)
	return e.At, err
}

func TestMoments(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-21T19:53:37Z":                                 "2026-11-21T19:53:37.000Z",
		"2026-11-21T19:53:37.1Z":                               "2026-11-21T19:53:37.100Z",
		"2026-11-21T19:53:37.123456789Z":                       "2026-11-21T19:53:37.123Z",
		"2026-11-21T19:53:37,9999Z":                            "2026-11-21T19:53:37.999Z",
		"2026-11-21t19:53:37.5z":                               "2026-11-21T19:53:37.500Z",
		"2026-11-21 19:53:37+00:00":                            "2026-11-21T19:53:37.000Z",
		"2026-11-21T19:53Z":                                    "2026-11-21T19:53:00.000Z",
		"2026-11-22T01:23:37.25+05:30":                         "2026-11-21T19:53:37.250Z",
		"2026-11-22T01:23:37.25+0530":                          "2026-11-21T19:53:37.250Z",
		"2026-11-21T11:53:37-08":                               "2026-11-21T19:53:37.000Z",
		"2026-11-21T19:53:37-00:00":                            "2026-11-21T19:53:37.000Z",
		"2026-01-01T00:30:00+14:00":                            "2025-12-31T10:30:00.000Z",
		"2024-02-29T12:00:00Z":                                 "2024-02-29T12:00:00.000Z",
		"2016-12-31T23:59:60Z":                                 "2017-01-01T00:00:00.000Z",
		"1970-01-01T00:00:00.001Z":                             "1970-01-01T00:00:00.001Z",
		"2026-11-22T19:53:37.123Z":                             "2026-11-22T19:53:37.123Z", // The moment is one day in the future.
		"2026-11-21T19:53:37." + strings.Repeat("7", 43) + "Z": "2026-11-21T19:53:37.777Z",
	} {
		if got, err := captured(text); err != nil || got.String() != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{
		"2026", "2026-11-21", "2026-11-21T19:53:37", "2026-11-21T19:53:37.5", "2026-11-21T19Z", "20261121T195337Z", "21-11-2026T19:53:37Z", "2026-1-21T19:53:37Z",
		"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-21T24:00:00Z",
		"2026-11-21T19:60:00Z", "2026-11-21T19:53:61Z", "2026-11-21T19:53:37.Z", "2026-11-21T19:53:37+24:00", "2026-11-21T19:53:37+05:60", "2026-11-21T19:53:37+5:30",
		"2026-11-21T19:53:37+05:", "2026-11-21T19:53:37+053", "2026-11-21T19:53:37ZZ", "2026-11-21T19:53:37Z[Europe/Paris]", " 2026-11-21T19:53:37Z", "+2026-11-21T19:53:37Z",
		"-026-11-21T19:53:37Z", "2026-11-21T19:53:37 Z", "2026-11-21T1٣:53:37Z", "1795290817", "now", "Z", "+",
		"1970-01-01T00:00:00Z", "1970-01-01T00:59:59+01:00", "0000-01-01T00:00:00Z", "2026-11-22T19:53:37.124Z", "9999-12-31T23:59:59Z",
	} {
		if got, err := captured(text); err == nil {
			t.Errorf("%s is taken as %v", text, got)
		}
	}
}

// TestMomentsAgreeWithTheLibrary checks that every moment in a form of RFC 3339 equals the result of package time.
func TestMomentsAgreeWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone := time.FixedZone("", 60*rapid.IntRange(-18*60, 18*60).Draw(t, "offset"))
		at := time.UnixMicro(rapid.Int64Range(1000, int64(received)*1000).Draw(t, "at")).In(zone)
		text := at.Format(time.RFC3339Nano)
		if got, err := captured(text); err != nil || got != event.InstantOf(at) {
			t.Fatalf("%s: got %v, %v, want %v", text, got, err, event.InstantOf(at))
		}
	})
}
