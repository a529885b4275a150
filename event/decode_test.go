package event_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// received is the time at which all events of these tests arrive.
var received = event.InstantOf(time.Date(2026, 11, 21, 19, 53, 37, 123_999_999, time.UTC))

const video = "5c54d6cdd8eafeecae2063b5"

// with returns an object with replaced members. It removes a member if its new value is "".
func with(object string, changes ...string) event.Body {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		panic(err)
	}
	var b bytes.Buffer
	for i := 0; i < len(changes); i += 2 {
		delete(members, changes[i])
		if changes[i+1] != "" {
			fmt.Fprintf(&b, "%q:%s,", changes[i], changes[i+1])
		}
	}
	for name, value := range members {
		fmt.Fprintf(&b, "%q:%s,", name, value)
	}
	return event.Body("{" + strings.TrimSuffix(b.String(), ",") + "}")
}

// decoders contains every decoder by name, with a body that it accepts and the resulting kind.
var decoders = map[string]struct {
	decode func(event.Body) (event.Event, error)
	body   string
	kind   event.Kind
}{
	"playback": {
		func(body event.Body) (event.Event, error) { return event.DecodePlayback(body, received) },
		`{"videoId":"` + video + `","segmentStartSeconds":1.5,"segmentEndSeconds":12}`, event.Playback,
	},
	"player": {
		func(body event.Body) (event.Event, error) { return event.DecodePlayerInteraction(body, received) },
		`{"videoId":"` + video + `","currentTime":34.5,"subtype":"captionsEnabled","payload":{}}`, event.PlayerInteraction,
	},
	"page": {
		func(body event.Body) (event.Event, error) { return event.DecodePageRender(body, received) },
		`{"url":"https://learn.example/videos/7"}`, event.PageRender,
	},
	"completions": {
		func(body event.Body) (event.Event, error) { return event.DecodeSearchCompletions(body, received) },
		`{"searchQuery":"phot","impressions":["photons"],"componentId":"header","completionId":"c-1"}`, event.SearchCompletions,
	},
	"interaction": {
		func(body event.Body) (event.Event, error) {
			return event.DecodeInteraction(event.PlatformInteraction, "subtype", "CLICKED", body, received)
		},
		`{}`, event.PlatformInteraction,
	},
}

// taken decodes a body that must be valid.
func taken(t testing.TB, name string, body event.Body) event.Event {
	t.Helper()
	e, err := decoders[name].decode(body)
	if err != nil {
		t.Fatalf("%s %.200s: %v", name, body, err)
	}
	return e
}

// refused decodes a body that must be invalid and returns the reasons.
func refused(t testing.TB, name string, body event.Body) []string {
	t.Helper()
	e, err := decoders[name].decode(body)
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Code != fault.Invalid || invalid.Label != "Invalid Event" || invalid.Message == "" {
		t.Fatalf("%s %.200s: got %+v, %v", name, body, e, err)
	}
	if len(invalid.Message) > 4000 {
		t.Errorf("%s %.200s: the message has %d bytes", name, body, len(invalid.Message))
	}
	return invalid.Reasons
}

func TestDecodeEachKind(t *testing.T) {
	at := event.InstantOf(time.Date(2026, 11, 21, 9, 0, 0, 250e6, time.UTC))
	for _, c := range []struct {
		name, body string
		want       event.Event
	}{
		{
			"playback", `{"videoId":"5C54D6CDD8EAFEECAE2063B5","segmentStartSeconds":0.105628,"segmentEndSeconds":12.333333333333334,` +
				`"userId":"Zoë 7","captureTime":"2026-11-21T10:00:00.25+01:00","videoDurationSeconds":120.40,"playerId":"p-1"}`,
			event.Event{
				Kind: event.Playback, At: at, Received: received, ExternalUser: "Zoë 7", Video: video, Start: 105, End: 12333, Counted: 12228,
				Metadata: []byte(`{"videoDurationSeconds":120.40,"playerId":"p-1"}`),
			},
		},
		{
			"playback", ` { "videoId" : "1001", "segmentStartSeconds" : 30, "segmentEndSeconds" : 10, "userId": null, "captureTime": null } `,
			event.Event{Kind: event.Playback, At: received, Received: received, Video: "1001", Start: 30_000, End: 10_000},
		},
		{
			"player", `{"videoId":"` + video + `","videoDurationSeconds":60,"currentTime":1e1,"subtype":"speedChanged","playerId":"p","payload":{ "speed" : 1.5, "label":"a b" }}`,
			event.Event{
				Kind: event.PlayerInteraction, At: received, Received: received, Video: video, Subtype: "speedChanged",
				Details:  []byte(`{"currentTime":10,"payload":{"speed":1.5,"label":"a b"}}`),
				Metadata: []byte(`{"videoDurationSeconds":60,"playerId":"p"}`),
			},
		},
		{
			"page", `{"url":"https://learn.example/?q=\u00e9","viewport":{"height":900,"width":1440,"depth":3},"isResize":false,"userId":"7"}`,
			event.Event{
				Kind: event.PageRender, At: received, Received: received, ExternalUser: "7",
				Details: []byte(`{"url":"https://learn.example/?q=é","viewport":{"width":1440,"height":900},"isResize":false}`),
			},
		},
		{
			"completions", `{"searchQuery":"水","impressions":["水循環","a\"b","c\td"],"componentId":"header","completionId":"c-1","searchUrl":"https://learn.example/s"}`,
			event.Event{
				Kind: event.SearchCompletions, At: received, Received: received,
				Details: []byte(`{"searchQuery":"水","impressions":["水循環","a\"b","c\td"],"componentId":"header","completionId":"c-1","searchUrl":"https://learn.example/s"}`),
			},
		},
		{
			"interaction", `{"page":{"number": 1}}`,
			event.Event{Kind: event.PlatformInteraction, At: received, Received: received, Subtype: "CLICKED", Metadata: []byte(`{"page":{"number":1}}`)},
		},
		{"interaction", ``, event.Event{Kind: event.PlatformInteraction, At: received, Received: received, Subtype: "CLICKED"}},
		{"interaction", ` null `, event.Event{Kind: event.PlatformInteraction, At: received, Received: received, Subtype: "CLICKED"}},
	} {
		got := taken(t, c.name, event.Body(c.body))
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s %s:\ngot  %+v\n     %s %s\nwant %+v\n     %s %s", c.name, c.body,
				got, got.Details, got.Metadata, c.want, c.want.Details, c.want.Metadata)
		}
	}
}

// TestDecodeNamesTheField checks that one invalid field yields one reason, which names the field and its value.
func TestDecodeNamesTheField(t *testing.T) {
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, c := range []struct{ decoder, field, value, want string }{
		{"playback", "videoId", ``, "videoId: is required"},
		{"playback", "videoId", `null`, "videoId: is required"},
		{"playback", "videoId", `""`, "videoId: must not be empty"},
		{"playback", "videoId", `7`, "videoId: must be a string, not 7"},
		{"playback", "videoId", `["a"]`, `videoId: must be a string, not ["a"]`},
		{"playback", "videoId", `"hello"`, `videoId: "hello" is not the id of a video`},
		{"playback", "videoId", `"5c54d6cdd8eafeecae2063b"`, `videoId: "5c54d6cdd8eafeecae2063b" is not`},
		{"playback", "videoId", `"5c54d6cdd8eafeecae2063b5 "`, "is not the id of a video"},
		{"playback", "videoId", `"٣"`, "is not the id of a video"},
		{"playback", "videoId", long(65), "videoId: has 65 characters, at most 64 are allowed"},
		{"playback", "segmentStartSeconds", ``, "segmentStartSeconds: is required"},
		{"playback", "segmentStartSeconds", `null`, "segmentStartSeconds: is required"},
		{"playback", "segmentStartSeconds", `"12"`, `segmentStartSeconds: must be a number, not "12"`},
		{"playback", "segmentStartSeconds", `true`, "segmentStartSeconds: must be a number, not true"},
		{"playback", "segmentStartSeconds", `-1`, "segmentStartSeconds: -1 is negative"},
		{"playback", "segmentStartSeconds", `-0.0001`, "segmentStartSeconds: -0.0001 is negative"},
		{"playback", "segmentEndSeconds", `31622400.001`, "segmentEndSeconds: 31622400.001 is more than 31622400"},
		{"playback", "segmentEndSeconds", `1e400`, "segmentEndSeconds: 1e400 is more than 31622400"},
		{"playback", "segmentEndSeconds", `NaN`, "segmentEndSeconds: is not JSON: invalid character 'N'"},
		{"playback", "segmentEndSeconds", `-Infinity`, "segmentEndSeconds: is not JSON"},
		{"playback", "userId", `7`, "userId: must be a string, not 7"},
		{"playback", "userId", long(65), "userId: has 65 characters, at most 64 are allowed"},
		{"playback", "userId", `"a\tb"`, `userId: holds a control character: "a�b"`},
		{"playback", "userId", `"a\u0000b"`, "userId: holds a control character"},
		{"playback", "userId", "\"a\u0085b\"", "userId: holds a control character"},
		{"playback", "userId", "\"a\xffb\"", "userId: is not JSON: invalid UTF-8"},
		{"playback", "userId", `"\ud800"`, "userId: is not JSON: invalid surrogate pair"},
		{"playback", "captureTime", `"yesterday"`, `captureTime: "yesterday" is not a date and time with an offset`},
		{"playback", "captureTime", `"2026-11-22T19:53:37.124Z"`, "is more than a day ahead"},
		{"playback", "captureTime", `"1969-12-31T23:59:59Z"`, "after the first instant of 1970"},
		{"playback", "captureTime", `"1970-01-01T00:00:00Z"`, "after the first instant of 1970"},
		{"playback", "playerId", "\"a\x01b\"", "playerId: is not JSON"},
		{"playback", "playerId", `"a\u0000b"`, "playerId: holds a control character"},
		{"playback", "anything", `{"deep":["\b"]}`, "anything: holds a control character"},
		{"playback", "anything", `"\f"`, "anything: holds a control character"},
		{"playback", "anything", `{"a":"\u007f"}`, "anything: holds a control character"},
		{"playback", "anything", "{\"a\":\"\u0080\"}", "anything: holds a control character"},
		{"playback", "anything", `{"a":1,"a":2}`, "anything.a: stands there twice"},
		{"player", "currentTime", ``, "currentTime: is required"},
		{"player", "currentTime", `-3`, "currentTime: -3 is negative"},
		{"player", "subtype", ``, "subtype: is required"},
		{"player", "subtype", `{}`, "subtype: must be a string, not {}"},
		{"player", "subtype", long(256), "subtype: has 256 characters, at most 255 are allowed"},
		{"player", "payload", ``, "payload: is required"},
		{"player", "payload", `[]`, "payload: must be an object, not []"},
		{"player", "payload", `{"a":"` + strings.Repeat("x", event.MaxPayload) + `"}`, "payload: has 16392 bytes, at most 16384 are allowed"},
		{"player", "payload", strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17), "payload: is nested 17 deep, at most 16 are allowed"},
		{"player", "payload", `{"a":"\u0000"}`, "payload: holds a control character"},
		{"page", "url", ``, "url: is required"},
		{"page", "url", `""`, "url: must not be empty"},
		{"page", "url", long(2049), "url: has 2049 characters, at most 2048 are allowed"},
		{"page", "viewport", `"wide"`, `viewport: must be an object, not "wide"`},
		{"page", "viewport", `{"width":12.5}`, "viewport.width: must be a whole number from 0 to 1000000, not 12.5"},
		{"page", "viewport", `{"width":1,"height":"2"}`, `viewport.height: must be a whole number from 0 to 1000000, not "2"`},
		{"page", "viewport", `{"height":-1}`, "viewport.height: must be a whole number"},
		{"page", "viewport", `{"height":1000001}`, "viewport.height: must be a whole number"},
		{"page", "isResize", `"yes"`, `isResize: must be true or false, not "yes"`},
		{"completions", "searchQuery", ``, "searchQuery: is required"},
		{"completions", "searchQuery", long(1001), "searchQuery: has 1001 characters, at most 1000 are allowed"},
		{"completions", "searchQuery", `"a\u0000"`, "searchQuery: holds a control character"},
		{"completions", "impressions", ``, "impressions: is required"},
		{"completions", "impressions", `"x"`, `impressions: must be a list, not "x"`},
		{"completions", "impressions", `[]`, "impressions: must not be empty"},
		{"completions", "impressions", `["a",1]`, "impressions[1]: must be a string, not 1"},
		{"completions", "impressions", `["a",` + long(1001) + `]`, "impressions[1]: has 1001 characters"},
		{"completions", "impressions", `[` + strings.Repeat(`"a",`, 100) + `"a"]`, "impressions: has more than 100 elements"},
		{"completions", "componentId", ``, "componentId: is required"},
		{"completions", "completionId", `1`, "completionId: must be a string, not 1"},
		{"completions", "searchUrl", `1`, "searchUrl: must be a string, not 1"},
		{"interaction", "userId", `[]`, "userId: must be a string, not []"},
	} {
		reasons := refused(t, c.decoder, with(decoders[c.decoder].body, c.field, c.value))
		if len(reasons) != 1 || !strings.Contains(reasons[0], c.want) || !strings.HasPrefix(reasons[0], c.field) {
			t.Errorf("%s %s %.60s: got %q, want %q", c.decoder, c.field, c.value, reasons, c.want)
		}
	}
}

func TestDecodeTakesWhatIsOdd(t *testing.T) {
	for _, c := range []struct{ decoder, field, value string }{
		{"playback", "videoId", `"0"`},
		{"playback", "videoId", `"` + strings.Repeat("9", 23) + `"`},
		{"playback", "segmentStartSeconds", `-0`},
		{"playback", "segmentStartSeconds", `-0.000e7`},
		{"playback", "segmentEndSeconds", `31622400`},
		{"playback", "segmentEndSeconds", `0`},
		{"playback", "userId", `"` + strings.Repeat("😀", 64) + `"`},
		{"playback", "userId", `""`},
		{"playback", "captureTime", `1795290817`}, // Single events have no captureTime.
		{"playback", "captureTime", `{}`},
		{"playback", "captureTime", `"2026-11-22T19:53:37.123Z"`},
		{"playback", "captureTime", `"1970-01-01T00:00:00.001Z"`},
		{"playback", "title", `"Ça, 日本語 العربية עברית हिन्दी \ud83d\ude00\n\t"`},
		{"player", "payload", strings.Repeat(`{"a":`, 16) + "1" + strings.Repeat("}", 16)},
		{"page", "viewport", `{}`},
		{"page", "viewport", `null`},
		{"page", "isResize", `true`},
		{"completions", "impressions", `[""]`},
		{"completions", "impressions", `[` + strings.Repeat(`"a",`, 99) + `"a"]`},
	} {
		taken(t, c.decoder, with(decoders[c.decoder].body, c.field, c.value))
	}
	if e := taken(t, "playback", with(decoders["playback"].body, "captureTime", `17`)); string(e.Metadata) != `{"captureTime":17}` || e.At != received {
		t.Errorf("a captureTime that is no text: got %s, %v", e.Metadata, e.At)
	}
	escaped := event.Body(`{"vid\u0065oId":"\u0035c54d6cdd8eafeecae2063b5","segmentStartSeconds":1,"segmentEndSeconds":2,"a\u0062\"":3}`)
	if e := taken(t, "playback", escaped); e.Video != video || string(e.Metadata) != `{"ab\"":3}` {
		t.Errorf("names with escapes: got %q, %s", e.Video, e.Metadata)
	}
}

// TestDecodeTellsAllFaults checks that the error contains one reason for each invalid field.
func TestDecodeTellsAllFaults(t *testing.T) {
	reasons := refused(t, "playback", event.Body(`{"videoId":"x","segmentStartSeconds":-1,"userId":3}`))
	want := []string{`userId: must be a string, not 3`, `videoId: "x" is not the id of a video`, `segmentStartSeconds: -1 is negative`, `segmentEndSeconds: is required`}
	if !slices.Equal(reasons, want) {
		t.Errorf("got %q, want %q", reasons, want)
	}
}

// TestDecodeKeepsMessagesShort checks that the message names only some of many faults.
func TestDecodeKeepsMessagesShort(t *testing.T) {
	body := with(decoders["completions"].body, "impressions", "["+strings.Repeat("7,", 99)+"7]", "searchUrl", "8")
	_, err := decoders["completions"].decode(body)
	if err == nil || !strings.HasSuffix(err.Error(), "impressions[4]: must be a string, not 7; and 96 more") {
		t.Errorf("got %v", err)
	}
	if reasons := refused(t, "completions", body); len(reasons) != 101 {
		t.Errorf("there are %d reasons", len(reasons))
	}
}

func TestDecodeRefusesBodies(t *testing.T) {
	for name := range decoders {
		for _, body := range []string{
			`[]`, `7`, `"x"`, `true`, `{`, `{"a"`, `{"a":1`, `{"a":1,}`, `{}{}`, `{} x`, `{"a":1,"a":2}`, `{'a':1}`, "\xff", "{\"\xff\":1}", `{"a":01}`,
			`{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
			`{"a":"` + strings.Repeat("x", event.MaxBody) + `"}`,
		} {
			refused(t, name, event.Body(body))
		}
		if name != "interaction" {
			refused(t, name, nil)
			refused(t, name, event.Body(`null`))
		}
	}
}

func TestDecodeInteractionHoldsWhatWasDone(t *testing.T) {
	for subtype, want := range map[string]string{
		"": "type: must not be empty", "a\x00": "type: holds a control", "\xff": "type: is not UTF-8", strings.Repeat("a", 256): "type: has 256",
	} {
		_, err := event.DecodeInteraction(event.VideoInteraction, "type", subtype, nil, received)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", subtype, err, want)
		}
	}
}
