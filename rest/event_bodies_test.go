package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

// received is the time at which all events of an eventWorld arrive.
var received = event.InstantOf(time.Date(2026, 11, 21, 19, 53, 37, 123_999_999, time.UTC))

const eventVideo = "5c54d6cdd8eafeecae2063b5"

// with returns an object with replaced members. It removes a member if its new value is "".
func with(object string, changes ...string) string {
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
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

// eventBodies contains an endpoint for each kind of event, with a body that it accepts and the resulting kind.
var eventBodies = map[string]struct {
	path, body string
	kind       event.Kind
}{
	"playback": {"/v1/events/playback", `{"videoId":"` + eventVideo + `","segmentStartSeconds":1.5,"segmentEndSeconds":12}`, event.Playback},
	"player": {
		"/v1/events/player-interaction", `{"videoId":"` + eventVideo + `","currentTime":34.5,"subtype":"captionsEnabled","payload":{}}`,
		event.PlayerInteraction,
	},
	"page": {"/v1/events/page-render", `{"url":"https://learn.example/videos/7"}`, event.PageRender},
	"completions": {
		"/v1/events/suggested-search-completions", `{"searchQuery":"phot","impressions":["photons"],"componentId":"header","completionId":"c-1"}`,
		event.SearchCompletions,
	},
	"interaction": {"/v1/events/platform-interaction?subtype=CLICKED", `{}`, event.PlatformInteraction},
}

const batchPath = "/v1/events/playback/batch"

// reporter reports events to a domain that only checks them.
type reporter struct {
	w *world
	d *domain
}

func newReporter(t testing.TB) reporter {
	w, d := eventWorld(t)
	return reporter{w, d}
}

func (r reporter) post(t testing.TB, path, body string) *answer {
	t.Helper()
	r.d.events = nil
	return r.w.send(t, apiRequest{as: customer, method: http.MethodPost, path: path, body: body, header: map[string]string{"Content-Type": "application/json"}})
}

// accept reports an event that must be valid.
func (r reporter) accept(t testing.TB, name, body string) event.Event {
	t.Helper()
	if got := r.post(t, eventBodies[name].path, body); got.StatusCode != http.StatusCreated || len(r.d.events) != 1 {
		t.Fatalf("%s %.200s: got %d %s", name, body, got.StatusCode, got.body)
	}
	return r.d.events[0]
}

// reject posts a body that must be invalid, and returns the error.
func (r reporter) reject(t testing.TB, path, body string) errorBody {
	t.Helper()
	got := r.post(t, path, body)
	if got.StatusCode == http.StatusRequestEntityTooLarge && len(body) > event.MaxBody {
		return errorBody{}
	}
	invalid := wantRejection(t, got, http.StatusBadRequest)
	if invalid.Error != "Invalid Event" || invalid.Message == "" || len(invalid.Message) > 4000 || r.d.events != nil {
		t.Fatalf("%s %.200s: got %+v, events %v", path, body, invalid, r.d.events)
	}
	return invalid
}

func TestEachKindOfEvent(t *testing.T) {
	r := newReporter(t)
	at := event.InstantOf(time.Date(2026, 11, 21, 9, 0, 0, 250e6, time.UTC))
	for _, c := range []struct {
		name, body string
		want       event.Event
	}{
		{
			"playback", `{"videoId":"5C54D6CDD8EAFEECAE2063B5","segmentStartSeconds":0.105628,"segmentEndSeconds":12.333333333333334,` +
				`"userId":"Zoë 7","captureTime":"2026-11-21T10:00:00.25+01:00","videoDurationSeconds":120.40,"playerId":"p-1"}`,
			event.Event{
				Kind: event.Playback, At: at, Received: received, ExternalUser: "Zoë 7", Video: eventVideo, Start: 105, End: 12333, Counted: 12228,
				Metadata: []byte(`{"videoDurationSeconds":120.40,"playerId":"p-1"}`),
			},
		},
		{
			"playback", ` { "videoId" : "1001", "segmentStartSeconds" : 30, "segmentEndSeconds" : 10, "userId": null, "captureTime": null } `,
			event.Event{Kind: event.Playback, At: received, Received: received, Video: "1001", Start: 30_000, End: 10_000},
		},
		{
			"player", `{"videoId":"` + eventVideo + `","videoDurationSeconds":60,"currentTime":1e1,"subtype":"speedChanged","playerId":"p","payload":{ "speed" : 1.5, "label":"a b" }}`,
			event.Event{
				Kind: event.PlayerInteraction, At: received, Received: received, Video: eventVideo, Subtype: "speedChanged",
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
		got := r.accept(t, c.name, c.body)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s %s:\ngot  %+v\n     %s %s\nwant %+v\n     %s %s", c.name, c.body,
				got, got.Details, got.Metadata, c.want, c.want.Details, c.want.Metadata)
		}
	}
}

// TestEventsNameTheField checks that one invalid field yields one reason, which names the field and its value.
func TestEventsNameTheField(t *testing.T) {
	r := newReporter(t)
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, c := range []struct{ kind, field, value, want string }{
		{"playback", "videoId", ``, "videoId: is required"},
		{"playback", "videoId", `null`, "videoId: is required"},
		{"playback", "videoId", `""`, "videoId: must not be empty"},
		{"playback", "videoId", `7`, "videoId: 7 is not a text"},
		{"playback", "videoId", `["a"]`, "videoId: a list is not a text"},
		{"playback", "videoId", `"hello"`, `videoId: "hello" is not the id of a video`},
		{"playback", "videoId", `"5c54d6cdd8eafeecae2063b"`, `videoId: "5c54d6cdd8eafeecae2063b" is not`},
		{"playback", "videoId", `"5c54d6cdd8eafeecae2063b5 "`, "is not the id of a video"},
		{"playback", "videoId", `"٣"`, "is not the id of a video"},
		{"playback", "videoId", long(65), "videoId: has 65 characters, at most 64 are allowed"},
		{"playback", "segmentStartSeconds", ``, "segmentStartSeconds: is required"},
		{"playback", "segmentStartSeconds", `null`, "segmentStartSeconds: is required"},
		{"playback", "segmentStartSeconds", `"12"`, `segmentStartSeconds: "12" is not a number`},
		{"playback", "segmentStartSeconds", `true`, "segmentStartSeconds: true is not a number"},
		{"playback", "segmentStartSeconds", `-1`, "segmentStartSeconds: -1 is negative"},
		{"playback", "segmentStartSeconds", `-0.0001`, "segmentStartSeconds: -0.0001 is negative"},
		{"playback", "segmentEndSeconds", `31622400.001`, "segmentEndSeconds: 31622400.001 is more than 31622400"},
		{"playback", "segmentEndSeconds", `1e400`, "segmentEndSeconds: 1e400 is more than 31622400"},
		{"playback", "segmentEndSeconds", `NaN`, "segmentEndSeconds: is not valid JSON: invalid character 'N'"},
		{"playback", "segmentEndSeconds", `-Infinity`, "segmentEndSeconds: is not valid JSON"},
		{"playback", "userId", `7`, "userId: 7 is not a text"},
		{"playback", "userId", long(65), "userId: has 65 characters, at most 64 are allowed"},
		{"playback", "userId", `"a\tb"`, `userId: holds a control character: "a�b"`},
		{"playback", "userId", `"a\u0000b"`, "userId: holds a control character"},
		{"playback", "userId", "\"a\u0085b\"", "userId: holds a control character"},
		{"playback", "userId", "\"a\xffb\"", "userId: is not valid JSON: invalid UTF-8"},
		{"playback", "userId", `"\ud800"`, "userId: is not valid JSON: invalid surrogate pair"},
		{"playback", "captureTime", `"yesterday"`, `captureTime: "yesterday" is not a date and time with an offset`},
		{"playback", "captureTime", `"2026-11-22T19:53:37.124Z"`, "is more than a day ahead"},
		{"playback", "captureTime", `"1969-12-31T23:59:59Z"`, "after the first instant of 1970"},
		{"playback", "captureTime", `"1970-01-01T00:00:00Z"`, "after the first instant of 1970"},
		{"playback", "playerId", "\"a\x01b\"", "playerId: is not valid JSON"},
		{"playback", "playerId", `"a\u0000b"`, "playerId: holds a control character"},
		{"playback", "anything", `{"deep":["\b"]}`, "anything: holds a control character"},
		{"playback", "anything", `"\f"`, "anything: holds a control character"},
		{"playback", "anything", `{"a":"\u007f"}`, "anything: holds a control character"},
		{"playback", "anything", "{\"a\":\"\u0080\"}", "anything: holds a control character"},
		{"playback", "anything", `{"a":1,"a":2}`, "anything.a: is given twice"},
		{"player", "currentTime", ``, "currentTime: is required"},
		{"player", "currentTime", `-3`, "currentTime: -3 is negative"},
		{"player", "subtype", ``, "subtype: is required"},
		{"player", "subtype", `{}`, "subtype: an object is not a text"},
		{"player", "subtype", long(256), "subtype: has 256 characters, at most 255 are allowed"},
		{"player", "payload", ``, "payload: is required"},
		{"player", "payload", `[]`, "payload: must be an object, not []"},
		{"player", "payload", `{"a":"` + strings.Repeat("x", event.MaxPayload) + `"}`, "payload: has 16392 bytes, at most 16384 are allowed"},
		{"player", "payload", strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17), "payload: is nested 17 deep, at most 16 are allowed"},
		{"player", "payload", `{"a":"\u0000"}`, "payload: holds a control character"},
		{"page", "url", ``, "url: is required"},
		{"page", "url", `""`, "url: must not be empty"},
		{"page", "url", long(2049), "url: has 2049 characters, at most 2048 are allowed"},
		{"page", "viewport", `"wide"`, `viewport: "wide" is not an object`},
		{"page", "viewport", `{"width":12.5}`, "viewport.width: 12.5 is not a whole number"},
		{"page", "viewport", `{"width":1,"height":"2"}`, `viewport.height: "2" is not a whole number`},
		{"page", "viewport", `{"height":-1}`, "viewport.height: must be a whole number"},
		{"page", "viewport", `{"height":1000001}`, "viewport.height: must be a whole number"},
		{"page", "isResize", `"yes"`, `isResize: "yes" is not true or false`},
		{"completions", "searchQuery", ``, "searchQuery: is required"},
		{"completions", "searchQuery", long(1001), "searchQuery: has 1001 characters, at most 1000 are allowed"},
		{"completions", "searchQuery", `"a\u0000"`, "searchQuery: holds a control character"},
		{"completions", "impressions", ``, "impressions: is required"},
		{"completions", "impressions", `"x"`, `impressions: "x" is not a list`},
		{"completions", "impressions", `[]`, "impressions: has 0 elements, 1 to 100 are allowed"},
		{"completions", "impressions", `["a",1]`, "impressions[1]: 1 is not a text"},
		{"completions", "impressions", `["a",` + long(1001) + `]`, "impressions[1]: has 1001 characters"},
		{"completions", "impressions", `[` + strings.Repeat(`"a",`, 100) + `"a"]`, "impressions: has 101 elements"},
		{"completions", "componentId", ``, "componentId: is required"},
		{"completions", "completionId", `1`, "completionId: 1 is not a text"},
		{"completions", "searchUrl", `1`, "searchUrl: 1 is not a text"},
		{"interaction", "userId", `[]`, "userId: a list is not a text"},
	} {
		reasons := r.reject(t, eventBodies[c.kind].path, with(eventBodies[c.kind].body, c.field, c.value)).Reasons
		if len(reasons) != 1 || !strings.Contains(reasons[0], c.want) || !strings.HasPrefix(reasons[0], c.field) {
			t.Errorf("%s %s %.60s: got %q, want %q", c.kind, c.field, c.value, reasons, c.want)
		}
	}
}

func TestUnusualEventsAreAccepted(t *testing.T) {
	r := newReporter(t)
	for _, c := range []struct{ kind, field, value string }{
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
		r.accept(t, c.kind, with(eventBodies[c.kind].body, c.field, c.value))
	}
	if e := r.accept(t, "playback", with(eventBodies["playback"].body, "captureTime", `17`)); string(e.Metadata) != `{"captureTime":17}` || e.At != received {
		t.Errorf("a captureTime that is no text: got %s, %v", e.Metadata, e.At)
	}
	escaped := string(`{"vid\u0065oId":"\u0035c54d6cdd8eafeecae2063b5","segmentStartSeconds":1,"segmentEndSeconds":2,"a\u0062\"":3}`)
	if e := r.accept(t, "playback", escaped); e.Video != eventVideo || string(e.Metadata) != `{"ab\"":3}` {
		t.Errorf("names with escapes: got %q, %s", e.Video, e.Metadata)
	}
}

// TestEventErrorsNameEveryField checks that the error contains one reason for each invalid field.
func TestEventErrorsNameEveryField(t *testing.T) {
	r := newReporter(t)
	for body, want := range map[string][]string{
		`{"userId":3,"segmentStartSeconds":-1,"captureTime":"x"}`: {
			`videoId: is required`, `segmentStartSeconds: -1 is negative`, `segmentEndSeconds: is required`, `userId: 3 is not a text`,
		},
		`{"videoId":"x","segmentStartSeconds":1,"segmentEndSeconds":2,"captureTime":"y","userId":"\u0007"}`: {
			`userId: holds a control character: "�"`, `captureTime: "y" is not a date and time with an offset, such as 2026-11-21T19:53:37.25Z`,
			`videoId: "x" is not the id of a video`,
		},
	} {
		if reasons := r.reject(t, eventBodies["playback"].path, body).Reasons; !slices.Equal(reasons, want) {
			t.Errorf("got %q, want %q", reasons, want)
		}
	}
}

// TestMessagesOfEventsAreShort checks that the message names only some of many faults.
func TestMessagesOfEventsAreShort(t *testing.T) {
	body := with(eventBodies["completions"].body, "impressions", "["+strings.Repeat("7,", 99)+"7]", "searchUrl", "8")
	invalid := newReporter(t).reject(t, eventBodies["completions"].path, body)
	if !strings.HasSuffix(invalid.Message, "impressions[4]: 7 is not a text; and 95 more") || len(invalid.Reasons) != 100 {
		t.Errorf("got %s, %d reasons", invalid.Message, len(invalid.Reasons))
	}
}

func TestInvalidEventBodies(t *testing.T) {
	r := newReporter(t)
	for name, kind := range eventBodies {
		for _, body := range []string{
			`[]`, `7`, `"x"`, `true`, `{`, `{"a"`, `{"a":1`, `{"a":1,}`, `{}{}`, `{} x`, `{"a":1,"a":2}`, `{'a':1}`, "\xff", "{\"\xff\":1}", `{"a":01}`,
			`{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
			`{"a":"` + strings.Repeat("x", event.MaxBody) + `"}`,
		} {
			r.reject(t, kind.path, body)
		}
		if name != "interaction" {
			r.reject(t, kind.path, "")
			r.reject(t, kind.path, `null`)
		}
	}
}

// TestNamesOfInteractions checks that the error for a type names the parameter.
func TestNamesOfInteractions(t *testing.T) {
	r := newReporter(t)
	for subtype, want := range map[string]string{"a%00": "subtype holds a control", strings.Repeat("a", 256): "subtype has 256", "a%1F": "subtype holds a control"} {
		got := r.post(t, "/v1/events/platform-interaction?subtype="+subtype, "")
		wantRejection(t, got, http.StatusBadRequest, want)
	}
}
