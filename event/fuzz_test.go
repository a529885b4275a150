package event_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

func fuzz(f *testing.F, name string) {
	c := decoders[name]
	f.Add([]byte(c.body))
	for _, body := range []string{
		``, `null`, `{}`, `[]`, `{"videoId":"1","segmentStartSeconds":0.29,"segmentEndSeconds":1e2,"userId":"\ud83d\ude00"}`,
		`{"videoId":"1","segmentStartSeconds":-0,"segmentEndSeconds":1,"captureTime":"2026-11-21T19:53:37.1+0100","a":[{"b":"\\\""}]}`,
		`{"videoId":"1","currentTime":1,"subtype":"s","payload":{ "a" : [ ] }}`, `{"url":"u","viewport":{"width":1},"isResize":true}`,
		`{"searchQuery":"q","impressions":["a"],"componentId":"c","completionId":"d","searchUrl":"e","_dropped":1}`,
		"{\"a\":\"\xc2\x80\xff\"}", `{"\u0061":1,"a":2}`, `{"a":"\u0000"}`, `{"` + strings.Repeat("[", 20) + `":1}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := c.decode(body)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		check(t, &e, c.kind)
		if e.Kind == event.Playback {
			checkAgain(t, &e)
		}
	})
}

func FuzzDecodePlayback(f *testing.F)          { fuzz(f, "playback") }
func FuzzDecodePlayerInteraction(f *testing.F) { fuzz(f, "player") }
func FuzzDecodePageRender(f *testing.F)        { fuzz(f, "page") }
func FuzzDecodeSearchCompletions(f *testing.F) { fuzz(f, "completions") }
func FuzzDecodeInteraction(f *testing.F)       { fuzz(f, "interaction") }

func FuzzDecodePlaybackBatch(f *testing.F) {
	for _, body := range []string{``, `null`, `[]`, `[7]`, `[` + element + `]`, `[` + element + `,{},` + element + `]`, `[` + element + `]x`, "[\"\xff\"]", `[{"a":1,"a":2}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		events, err := event.DecodePlaybackBatch(body, received)
		if err != nil {
			checkRefusal(t, err)
			return
		}
		if len(events) == 0 || len(events) > event.MaxBatch {
			t.Fatalf("%d events", len(events))
		}
		for i := range events {
			check(t, &events[i], event.Playback)
			checkAgain(t, &events[i])
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Code != fault.Invalid || invalid.Label != "Invalid Event" || invalid.Message == "" {
		t.Fatalf("the error is %#v", err)
	}
	if len(invalid.Reasons) > event.MaxBatch {
		t.Fatalf("%d reasons", len(invalid.Reasons))
	}
	for _, told := range append(invalid.Reasons, invalid.Message) {
		if !utf8.ValidString(told) || strings.ContainsFunc(told, unicode.IsControl) {
			t.Fatalf("the error says %q", told)
		}
	}
}

// check verifies the invariants of an event on which stores and exports rely.
func check(t *testing.T, e *event.Event, kind event.Kind) {
	if e.Kind != kind || e.Received != received || e.At <= 0 || e.At > received+event.Ahead {
		t.Fatalf("%+v", e)
	}
	if e.Start < 0 || e.End < 0 || max(e.Start, e.End) > event.MaxSeconds*1000 {
		t.Fatalf("from %d to %d", e.Start, e.End)
	}
	if e.Video != "" && !catalogue.ID(e.Video).Valid() && !catalogue.IsLegacyAlias(e.Video) {
		t.Fatalf("the video is %q", e.Video)
	}
	for _, text := range []string{e.ExternalUser, e.Subtype} {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > event.MaxText || strings.ContainsFunc(text, unicode.IsControl) {
			t.Fatalf("the text %q", text)
		}
	}
	checkObject(t, e.Details, event.MaxBody)
	checkObject(t, e.Metadata, event.MaxMetadata)
}

// checkObject accepts nil or one compact object of at most most bytes. Every reader must be able to read it, including
// readers that reject U+0000.
func checkObject(t *testing.T, object []byte, most int) {
	if object == nil {
		return
	}
	compact := jsontext.Value(object).Clone()
	if err := compact.Compact(); err != nil || string(compact) != string(object) || len(object) > most || object[0] != '{' || string(object) == "{}" {
		t.Fatalf("%q: %v", object, err)
	}
	decoder := jsontext.NewDecoder(strings.NewReader(string(object)))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return
		}
		if token.Kind() == '"' && strings.ContainsFunc(token.String(), func(c rune) bool { return unicode.IsControl(c) && c != '\t' && c != '\n' && c != '\r' }) {
			t.Fatalf("%q holds a control character", object)
		}
	}
}

// checkAgain checks that a decoded playback, encoded and sent again, decodes to the same event.
func checkAgain(t testing.TB, e *event.Event) {
	again, err := event.DecodePlayback(encode(e), received)
	if err != nil || fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", *e) {
		t.Fatalf("%s\ngot  %+v, %v\nwant %+v", encode(e), again, err, *e)
	}
}

// encode writes a playback as a client would.
func encode(e *event.Event) event.Body {
	user, err := json.Marshal(e.ExternalUser)
	if err != nil {
		panic(err)
	}
	body := fmt.Appendf(nil, `{"videoId":%q,"segmentStartSeconds":%s,"segmentEndSeconds":%s,"userId":%s`,
		e.Video, event.AppendSeconds(nil, e.Start), event.AppendSeconds(nil, e.End), user)
	if !strings.Contains(string(e.Metadata), `"captureTime":`) {
		body = fmt.Appendf(body, `,"captureTime":%q`, e.At)
	}
	if metadata := string(e.Metadata); metadata != "" && !strings.Contains(metadata, `"`+event.DroppedMember+`":`) {
		body = append(append(body, ','), metadata[1:len(metadata)-1]...)
	} else if metadata != "" {
		e.Metadata = nil // Dropped members do not come back.
	}
	return append(body, '}')
}

// TestDecodeWhatWasEncoded checks that the known fields survive encoding and decoding in any script.
func TestDecodeWhatWasEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := event.Event{
			Kind: event.Playback, Received: received,
			At:           event.Instant(rapid.Int64Range(1, int64(received+event.Ahead)).Draw(t, "at")),
			Video:        rapid.StringMatching(`[0-9a-f]{24}|[0-9]{1,23}`).Draw(t, "video"),
			Start:        rapid.Int64Range(0, event.MaxSeconds*1000).Draw(t, "start"),
			End:          rapid.Int64Range(0, event.MaxSeconds*1000).Draw(t, "end"),
			ExternalUser: rapid.StringOfN(rapid.Rune().Filter(func(c rune) bool { return !unicode.IsControl(c) }), 0, event.MaxUser, -1).Draw(t, "user"),
		}
		want.Bound(event.UnknownBound)
		got, err := event.DecodePlayback(encode(&want), received)
		if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
}
