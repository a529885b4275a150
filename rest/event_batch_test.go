package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

const batchElement = `{"videoId":"` + eventVideo + `","segmentStartSeconds":1,"segmentEndSeconds":2,"captureTime":"2026-11-20T12:00:00.5Z"}`

func batchOf(elements ...string) string { return "[" + strings.Join(elements, " , ") + "]" }

func TestBatches(t *testing.T) {
	r := newReporter(t)
	for _, n := range []int{1, 2, 499, event.MaxBatch} {
		elements := make([]string, n)
		for i := range elements {
			elements[i] = with(batchElement, "segmentEndSeconds", fmt.Sprint(i), "userId", fmt.Sprintf(`"u%d"`, i), "playerId", fmt.Sprint(i))
		}
		got := r.post(t, batchPath, batchOf(elements...))
		if got.StatusCode != http.StatusCreated || len(r.d.events) != n {
			t.Fatalf("%d: got %d %s, %d events", n, got.StatusCode, got.body, len(r.d.events))
		}
		for i, e := range r.d.events {
			want := event.Event{
				Kind: event.Playback, At: 1795176000500, Received: received, ExternalUser: fmt.Sprintf("u%d", i), Video: eventVideo,
				Start: 1000, End: int64(i) * 1000, Counted: max(0, int64(i-1)*1000),
				Metadata: fmt.Appendf(nil, `{"playerId":%d}`, i),
			}
			if fmt.Sprintf("%+v", e) != fmt.Sprintf("%+v", want) {
				t.Fatalf("%d of %d: got %+v, want %+v", i, n, e, want)
			}
		}
	}
}

// TestBatchErrorsNameEachElement checks that the error names each invalid element, and that no invalid element hides another
// one. Values are checked once all elements have the right form.
func TestBatchErrorsNameEachElement(t *testing.T) {
	r := newReporter(t)
	long := with(batchElement, "title", `"`+strings.Repeat("x", event.MaxBody)+`"`)
	for _, c := range []struct {
		body, message string
		reasons       []string
	}{
		{
			batchOf(
				batchElement,
				with(batchElement, "captureTime", ""),
				with(batchElement, "segmentStartSeconds", "-1"),
				`7`,
				`{"userId":"`+"\xff"+`"}`,
				batchElement,
				with(batchElement, "captureTime", `17`),
				with(batchElement, "captureTime", `null`),
				`{"videoId":"`+eventVideo+`","videoId":"1"}`,
				long,
				`null`, `[]`,
			),
			"10 of 12 events are wrong, nothing was stored; the first: [1].captureTime: is required",
			[]string{
				"[1].captureTime: is required",
				"[2].segmentStartSeconds: -1 is negative",
				"[3]: 7 is not an object",
				"[4].userId: is not valid JSON: invalid UTF-8 (byte 12)",
				"[6].captureTime: 17 is not a text",
				"[7].captureTime: is required",
				"[8].videoId: is given twice",
				fmt.Sprintf("[9]: has %d bytes, at most 65536 are allowed", len(long)),
				"[10]: null is not an object",
				"[11]: [] is not an object",
			},
		},
		{
			batchOf(
				batchElement,
				with(batchElement, "videoId", `"x"`, "userId", `"\u0007"`),
				with(batchElement, "captureTime", `""`),
				batchElement,
				with(batchElement, "captureTime", `"2026-11-20T12:00:00"`),
			),
			`3 of 5 events are wrong, nothing was stored; the first: [1].userId: holds a control character: "�"`,
			[]string{
				`[1].userId: holds a control character: "�"`,
				"[2].captureTime: must not be empty",
				`[4].captureTime: "2026-11-20T12:00:00" is not a date and time with an offset, such as 2026-11-21T19:53:37.25Z`,
			},
		},
	} {
		invalid := r.reject(t, batchPath, c.body)
		if !slices.Equal(invalid.Reasons, c.reasons) || invalid.Message != c.message {
			t.Errorf("got %s\n%s\nwant %s\n%s", invalid.Message, strings.Join(invalid.Reasons, "\n"), c.message, strings.Join(c.reasons, "\n"))
		}
	}
}

func TestInvalidBatches(t *testing.T) {
	r := newReporter(t)
	for body, want := range map[string]string{
		``: "is empty", ` `: "is empty", `null`: "null is not a list", `{}`: "{} is not a list", batchElement: "is not a list", `"[]"`: "is not a list",
		`[]`: "the batch has 0 events", ` [ ] `: "the batch has 0 events", `[`: "is not valid JSON", `[` + batchElement: "is not valid JSON",
		`[` + batchElement + `,`:                "is not valid JSON",
		`[` + batchElement + `,]`:               "is not valid JSON",
		`[` + batchElement + `]]`:               "is followed by something else",
		`[` + batchElement + `] []`:             "is followed by something else",
		`[{"segmentStartSeconds":NaN}]`:         "is not valid JSON: invalid character 'N'",
		`[` + strings.Repeat(`0,`, 500) + `0]`:  "the batch has more than 500 elements",
		`[` + strings.Repeat(`0,`, 5000) + `!]`: "the batch has more than 500 elements",
	} {
		if invalid := r.reject(t, batchPath, body); !strings.Contains(invalid.Message, want) || len(invalid.Reasons) > 0 {
			t.Errorf("%.80s: got %q, %d reasons, want %q", body, invalid.Message, len(invalid.Reasons), want)
		}
	}
	wantRejection(t, r.post(t, batchPath, `[`+strings.Repeat(" ", event.MaxBatchBody)+`]`), http.StatusRequestEntityTooLarge)
}

// TestBatchesAreBounded checks that a batch of the largest size allocates at most 12 times its size, or 84 times for
// elements with hundreds of members, and that its error is bounded.
func TestBatchesAreBounded(t *testing.T) {
	r := newReporter(t)
	fill := func(element string) string {
		n := min(event.MaxBatch, (event.MaxBatchBody-2)/(len(element)+1))
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	var members strings.Builder
	for i := range 500 {
		fmt.Fprintf(&members, `,"%x":0`, i)
	}
	var crowd strings.Builder
	for crowd.Len() < event.MaxBatchBody-100 {
		fmt.Fprintf(&crowd, `"m%x":0,`, crowd.Len())
	}
	for name, body := range map[string]string{
		"crowd":    "[{" + strings.TrimSuffix(crowd.String(), ",") + "}]",
		"members":  fill(strings.TrimSuffix(batchElement, "}") + members.String() + "}"),
		"metadata": fill(with(batchElement, "a", `"`+strings.Repeat("x", 3900)+`"`)),
		"faults":   fill(`{"` + strings.Repeat("y", 4000) + `":"\u0001"}`),
		"nested":   fill(with(batchElement, "a", strings.Repeat("[", 1800)+strings.Repeat("]", 1800))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := r.post(t, batchPath, body)
		runtime.ReadMemStats(&after)
		most := 12 * uint64(len(body))
		if name == "members" {
			most *= 7
		}
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d bytes are allocated for %d", name, allocated, len(body))
		if allocated > most || len(got.body) > 1_000_000 {
			t.Errorf("%s: %d bytes are allocated for %d, and the answer has %d", name, allocated, len(body), len(got.body))
		}
	}
}

// metadataOf reports a playback with additional members, and returns its metadata.
func (r reporter) metadataOf(t testing.TB, members string) string {
	t.Helper()
	return string(r.accept(t, "playback", strings.TrimSuffix(eventBodies["playback"].body, "}")+","+members+"}").Metadata)
}

func TestMetadata(t *testing.T) {
	r := newReporter(t)
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for members, want := range map[string]string{
		`"a":1`:                                 `{"a":1}`,
		` "a" : [ 1 , { "b c" : "d e" } ] `:     `{"a":[1,{"b c":"d e"}]}`,
		`"a":"\\\" [ { ","b":{ "\"" : 1 }`:      `{"a":"\\\" [ { ","b":{"\"":1}}`,
		`"a":null,"b":true,"c":1e400`:           `{"a":null,"b":true,"c":1e400}`,
		`"a":"x\n\t\r\/\u00e9"`:                 `{"a":"x\n\t\r\/\u00e9"}`,
		`"a":1,"playerId":"p","b":2`:            `{"playerId":"p","a":1,"b":2}`, // Known members come first.
		`"subtype":"x","url":7`:                 `{"subtype":"x","url":7}`,      // These names belong to other kinds.
		`"a":` + nested(7):                      `{"a":` + nested(7) + `}`,
		`"a":` + nested(8) + `,"b":1`:           `{"b":1,"_dropped":1}`,
		`"_dropped":"mine","b":1`:               `{"b":1,"_dropped":1}`,
		`"` + strings.Repeat("n", 5000) + `":1`: `{"_dropped":1}`,
		`"a":["x\\", [ 1 ], "\\\" [ "]`:         `{"a":["x\\",[1],"\\\" [ "]}`,
		`"":""`:                                 `{"":""}`,
	} {
		if got := r.metadataOf(t, members); got != want {
			t.Errorf("%.80s: got %.200s, want %s", members, got, want)
		}
	}
}

// TestMetadataIsTruncated checks that an event with too much metadata is accepted and records how many
// members were dropped.
func TestMetadataIsTruncated(t *testing.T) {
	r := newReporter(t)
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	for name, c := range map[string]struct {
		members       string
		kept, dropped int
	}{
		"32":                {strings.Join(many[:32], ","), 32, 0},
		"33":                {strings.Join(many[:33], ","), 32, 1},
		"100":               {strings.Join(many, ","), 32, 68},
		"a useful one last": {strings.Join(many, ",") + `,"playerId":"p"`, 32, 69},
		"4000 bytes":        {`"a":"` + strings.Repeat("x", 4000) + `"`, 1, 0},
		"too long":          {`"a":"` + strings.Repeat("x", 4096) + `","b":1`, 1, 1},
		"two that are":      {`"a":"` + strings.Repeat("x", 3000) + `","b":"` + strings.Repeat("x", 3000) + `"`, 1, 1},
		"white space":       {`"a":[` + strings.Repeat(" ", 5000) + `]`, 1, 0},
	} {
		metadata := r.metadataOf(t, c.members)
		var members map[string]any
		if err := json.Unmarshal([]byte(metadata), &members); err != nil {
			t.Fatal(name, err)
		}
		dropped, _ := members[event.DroppedMember].(float64)
		delete(members, event.DroppedMember)
		if len(members) != c.kept || int(dropped) != c.dropped || len(metadata) > event.MaxMetadata {
			t.Errorf("%s: %d are kept and %v dropped in %d bytes, want %d and %d", name, len(members), dropped, len(metadata), c.kept, c.dropped)
		}
	}
	if metadata := r.metadataOf(t, strings.Join(many, ",")+`,"playerId":"p"`); !strings.HasPrefix(metadata, `{"playerId":"p",`) {
		t.Errorf("the player's id is not kept first: %s", metadata)
	}
}

// TestKnownMembersBehindManyOthers checks that billed members are found at any place in the object.
func TestKnownMembersBehindManyOthers(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&many, `"m%d":0,`, i)
	}
	e := newReporter(t).accept(t, "playback", "{"+many.String()+eventBodies["playback"].body[1:])
	if e.Video != eventVideo || e.Start != 1500 || e.End != 12_000 || !strings.HasSuffix(string(e.Metadata), `,"_dropped":2968}`) {
		t.Errorf("got %+v with %s", e, e.Metadata)
	}
}
