package event_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

const element = `{"videoId":"` + video + `","segmentStartSeconds":1,"segmentEndSeconds":2,"captureTime":"2026-11-20T12:00:00.5Z"}`

func batchOf(elements ...string) event.Body {
	return event.Body("[" + strings.Join(elements, " , ") + "]")
}

func refusedBatch(t *testing.T, body event.Body) *fault.Error {
	t.Helper()
	events, err := event.DecodePlaybackBatch(body, received)
	var invalid *fault.Error
	if !errors.As(err, &invalid) || invalid.Code != fault.Invalid || invalid.Label != "Invalid Event" || events != nil {
		t.Fatalf("%.200s: got %d events, %v", body, len(events), err)
	}
	return invalid
}

func TestDecodeBatch(t *testing.T) {
	for _, n := range []int{1, 2, 499, event.MaxBatch} {
		elements := make([]string, n)
		for i := range elements {
			elements[i] = string(with(element, "segmentEndSeconds", fmt.Sprint(i), "userId", fmt.Sprintf(`"u%d"`, i), "playerId", fmt.Sprint(i)))
		}
		events, err := event.DecodePlaybackBatch(batchOf(elements...), received)
		if err != nil || len(events) != n {
			t.Fatalf("%d: got %d, %v", n, len(events), err)
		}
		for i, e := range events {
			want := event.Event{
				Kind: event.Playback, At: 1795176000500, Received: received, ExternalUser: fmt.Sprintf("u%d", i), Video: video, Start: 1000, End: int64(i) * 1000, Counted: max(0, int64(i-1)*1000),
				Metadata: fmt.Appendf(nil, `{"playerId":%d}`, i),
			}
			if fmt.Sprintf("%+v", e) != fmt.Sprintf("%+v", want) {
				t.Fatalf("%d of %d: got %+v, want %+v", i, n, e, want)
			}
		}
	}
}

// TestDecodeBatchTellsEachElement checks that the error names each invalid element, and that no invalid element hides
// another one.
func TestDecodeBatchTellsEachElement(t *testing.T) {
	long := string(with(element, "title", `"`+strings.Repeat("x", event.MaxBody)+`"`))
	invalid := refusedBatch(t, batchOf(
		element,
		string(with(element, "captureTime", "")),
		string(with(element, "segmentStartSeconds", "-1", "videoId", `"x"`)),
		`7`,
		string(with(element, "userId", "\"\xff\"")),
		element,
		string(with(element, "captureTime", `17`)),
		string(with(element, "captureTime", `""`)),
		string(with(element, "captureTime", `null`)),
		`{"videoId":"`+video+`","videoId":"1"}`,
		long,
		string(with(element, "captureTime", `"2026-11-20T12:00:00"`)),
		`null`, `[]`,
	))
	want := []string{
		"[1].captureTime: is required",
		`[2].videoId: "x" is not the id of a video`,
		"[3]: must be an object, not 7",
		"[4].userId: is not JSON: invalid UTF-8",
		"[6].captureTime: must be a string, not 17",
		"[7].captureTime: must not be empty",
		"[8].captureTime: is required",
		"[9].videoId: stands there twice",
		fmt.Sprintf("[10]: has %d bytes, at most 65536 are allowed", len(long)),
		`[11].captureTime: "2026-11-20T12:00:00" is not a date and time with an offset, such as 2026-11-21T19:53:37.25Z`,
		"[12]: must be an object, not null",
		"[13]: must be an object, not []",
	}
	if !slices.Equal(invalid.Reasons, want) {
		t.Errorf("got %s\nwant %s", strings.Join(invalid.Reasons, "\n"), strings.Join(want, "\n"))
	}
	if want := "12 of 14 events are wrong, nothing was stored; the first: [1].captureTime: is required"; invalid.Message != want {
		t.Errorf("got %q, want %q", invalid.Message, want)
	}
}

func TestDecodeBatchRefusesBodies(t *testing.T) {
	for body, want := range map[string]string{
		``: "ends too early", ` `: "ends too early", `null`: "must be a list, not null", `{}`: "must be a list, not {}", element: "must be a list", `"[]"`: "must be a list",
		`[]`: "the batch has no events", ` [ ] `: "the batch has no events", `[`: "ends too early", `[` + element: "ends too early", `[` + element + `,`: "ends too early",
		`[` + element + `,]`:                                "is not JSON",
		`[` + element + `]]`:                                "is not JSON",
		`[` + element + `] []`:                              "is followed by something else",
		`[{"segmentStartSeconds":NaN}]`:                     "is not JSON: invalid character 'N'",
		`[` + strings.Repeat(`0,`, 500) + `0]`:              "the batch has more than 500 events",
		`[` + strings.Repeat(`0,`, 5000) + `!]`:             "the batch has more than 500 events",
		`[` + strings.Repeat(" ", event.MaxBatchBody) + `]`: "the body has 2097154 bytes, at most 2097152 are allowed",
	} {
		if invalid := refusedBatch(t, event.Body(body)); !strings.Contains(invalid.Message, want) || len(invalid.Reasons) > 0 {
			t.Errorf("%.80s: got %q, %d reasons, want %q", body, invalid.Message, len(invalid.Reasons), want)
		}
	}
}

// TestDecodeBatchIsBounded checks that decoding a batch of the largest size allocates at most 4 times its size, or 24
// times for elements with hundreds of members, and that its error is short. Such elements are the worst case: the
// reader keeps the names of one object at a time in a map.
func TestDecodeBatchIsBounded(t *testing.T) {
	fill := func(element string) event.Body {
		n := min(event.MaxBatch, (event.MaxBatchBody-2)/(len(element)+1))
		return event.Body("[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]")
	}
	var members strings.Builder
	for i := range 500 {
		fmt.Fprintf(&members, `,"%x":0`, i)
	}
	var crowd strings.Builder
	for crowd.Len() < event.MaxBatchBody-100 {
		fmt.Fprintf(&crowd, `"m%x":0,`, crowd.Len())
	}
	for name, body := range map[string]event.Body{
		"crowd":    event.Body("[{" + strings.TrimSuffix(crowd.String(), ",") + "}]"),
		"members":  fill(strings.TrimSuffix(element, "}") + members.String() + "}"),
		"metadata": fill(string(with(element, "a", `"`+strings.Repeat("x", 3900)+`"`))),
		"faults":   fill(`{"` + strings.Repeat("y", 4000) + `":"\u0001"}`),
		"nested":   fill(string(with(element, "a", strings.Repeat("[", 1800)+strings.Repeat("]", 1800)))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := event.DecodePlaybackBatch(body, received)
		runtime.ReadMemStats(&after)
		most := 4 * uint64(len(body))
		if name == "members" {
			most *= 6
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d bytes are allocated for %d", name, got, len(body))
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: the message has %d bytes", name, len(err.Error()))
		}
	}
}
