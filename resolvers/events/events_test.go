package events_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

func TestEventsOfEachKind(t *testing.T) {
	i := resolverstest.NewIntake(t)
	referers := []string{"Service-Referer", "https://learn.example/7", "Referer", "https://frame.example"}
	for _, c := range []struct {
		field, arguments, body string
		want                   func(e *event.Event)
		kind                   event.Kind
	}{
		{
			"recordPlayback", "event: $required",
			`{"videoId":"5C54D6CDD8EAFEECAE2063B5","segmentStartSeconds":0.29,"segmentEndSeconds":12.333333333333334,"userId":"pupil 8","captureTime":"2026-03-03T05:06:07.5Z","metadata":{"playerId":"p"}}`,
			func(e *event.Event) {
				e.Video, e.Start, e.End, e.ExternalUser, e.At = "5c54d6cdd8eafeecae2063b5", 290, 12_333, "pupil 8", e.Received-86_400_000+500
				e.Metadata = []byte(`{"playerId":"p"}`)
			}, event.Playback,
		},
		{
			"recordPlaybackBatch", "events: $required",
			`[{"videoId":"1","segmentStartSeconds":9,"segmentEndSeconds":1,"captureTime":"2026-03-04T05:06:07Z"}]`,
			func(e *event.Event) { e.Video, e.Start, e.End = "1", 9000, 1000 }, event.Playback,
		},
		{
			"recordPlayerInteraction", "event: $required", `{"videoId":"1","currentTime":3,"subtype":"pause","payload":{}}`,
			func(e *event.Event) {
				e.Video, e.Subtype, e.Details = "1", "pause", []byte(`{"currentTime":3,"payload":{}}`)
			}, event.PlayerInteraction,
		},
		{
			"recordPageRender", "event: $required", `{"url":"https://learn.example/7"}`,
			func(e *event.Event) { e.Details = []byte(`{"url":"https://learn.example/7"}`) }, event.PageRender,
		},
		{
			"recordSearchCompletions", "event: $required", `{"searchQuery":"q","impressions":["a"],"componentId":"c","completionId":"d"}`,
			func(e *event.Event) {
				e.Details = []byte(`{"searchQuery":"q","impressions":["a"],"componentId":"c","completionId":"d"}`)
			}, event.SearchCompletions,
		},
		{
			"recordPlatformInteraction", `subtype: "CLICKED", event: $event`, `{"metadata":{"x":1}}`,
			func(e *event.Event) { e.Subtype, e.Metadata = "CLICKED", []byte(`{"x":1}`) }, event.PlatformInteraction,
		},
		{
			"recordPlatformInteraction", `subtype: "CLICKED"`, ``,
			func(e *event.Event) { e.Subtype = "CLICKED" }, event.PlatformInteraction,
		},
		{
			"recordPlatformInteraction", `subtype: "CLICKED", anonymous: true, event: $event`, `{"userId":"pupil 8"}`,
			func(e *event.Event) { e.Subtype, e.User, e.ExternalUser, e.Address = "CLICKED", "", "", "" }, event.PlatformInteraction,
		},
		{
			"recordVideoInteraction", `videoId: "` + string(resolverstest.Floating) + `", type: "VIDEO_LINK_COPIED"`, ``,
			func(e *event.Event) { e.Video, e.Subtype = string(resolverstest.Floating), "VIDEO_LINK_COPIED" }, event.VideoInteraction,
		},
		{
			"recordVideoInteraction", `videoId: "1001", type: "VIDEO_LINK_COPIED", event: $event`, `{"metadata":{"a":1}}`,
			func(e *event.Event) {
				e.Video, e.Subtype, e.Metadata = string(resolverstest.Floating), "VIDEO_LINK_COPIED", []byte(`{"a":1}`)
			}, event.VideoInteraction,
		},
		{
			"recordVideoInteraction", `videoId: "` + string(resolverstest.Duplicate) + `", type: "VIDEO_LINK_COPIED"`, ``,
			func(e *event.Event) { e.Video, e.Subtype = string(resolverstest.Floating), "VIDEO_LINK_COPIED" }, event.VideoInteraction,
		},
	} {
		variables := map[string]any{}
		if strings.Contains(c.arguments, "$required") {
			variables = resolverstest.EventVariables(c.body)
		} else if c.body != "" {
			variables["event"] = json.RawMessage(c.body)
		}
		if code := i.Report(t, resolverstest.Pupils, c.field, c.arguments, variables, referers...); code != "" {
			t.Fatalf("%s %s: %s", c.field, c.body, code)
		}
		want := resolverstest.SchoolEvent(c.kind)
		c.want(&want)
		resolverstest.WithUnknownVideo(&want)
		i.WantStored(t, want)
	}
	literal := `event: {videoId: "1", segmentStartSeconds: 0.29, segmentEndSeconds: 1e2}`
	if code := i.Report(t, resolverstest.Pupils, "recordPlayback", literal, nil, referers...); code != "" {
		t.Fatal(code)
	}
	want := resolverstest.SchoolEvent(event.Playback)
	want.Video, want.Start, want.End = "1", 290, 100_000
	resolverstest.WithUnknownVideo(&want)
	i.WantStored(t, want)
}

const segment = `{"videoId":"1","segmentStartSeconds":1,"segmentEndSeconds":2}`

// TestEventsAreSigned proves that the sender of an event is the caller, and that its user is the one in the body, if
// there is one.
func TestEventsAreSigned(t *testing.T) {
	key := []byte("01234567890123456789012345678901")
	plain, keyed := resolverstest.NewIntake(t), resolverstest.NewIntake(t, func(c *resolvers.Config) { c.PersonKey = key })
	stranger := &account.Caller{Permissions: account.PermissionsOf(account.Browse)}
	sandbox := &account.Caller{ClientID: "toy", Account: resolverstest.Trying, Permissions: account.CustomerPermissions()}
	for name, c := range map[string]struct {
		caller             *account.Caller
		user               string // in the body
		account, of        string
		tokenUser, outside string
		sandbox            bool
	}{
		"a user of the token":      {caller: resolverstest.Pupils, account: "school", of: "lms", tokenUser: "u-1", outside: "pupil 7"},
		"another user of the body": {caller: resolverstest.Pupils, user: "pupil 8", account: "school", of: "lms", tokenUser: "u-1", outside: "pupil 8"},
		"no user":                  {caller: sandbox, account: "trying", of: "toy", sandbox: true},
		"a user of the body alone": {caller: sandbox, user: "x", account: "trying", of: "toy", outside: "x", sandbox: true},
		"nobody":                   {caller: stranger},
		"nobody with a user":       {caller: stranger, user: "x"}, // no client attests this user
	} {
		text := segment
		if c.user != "" {
			text = strings.TrimSuffix(segment, "}") + `,"userId":"` + c.user + `"}`
		}
		for _, i := range []*resolverstest.EventIntake{plain, keyed} {
			if code := i.Report(t, c.caller, "recordPlayback", "event: $required", resolverstest.EventVariables(text)); code != "" {
				t.Fatalf("%s: %s", name, code)
			}
			outside := c.outside
			if i == keyed {
				outside = event.Pseudonym(key, c.account, c.outside)
			}
			e := i.Stored(t)[0]
			if e.Account != c.account || e.Client != c.of || e.User != c.tokenUser || e.ExternalUser != outside || e.Sandbox != c.sandbox {
				t.Errorf("%s: got %+v, of %q", name, e, outside)
			}
		}
	}
}

func TestInvalidEvents(t *testing.T) {
	const untyped fault.Code = "GRAPHQL_VALIDATION_FAILED"
	i := resolverstest.NewIntake(t)
	for _, c := range []struct {
		caller                 *account.Caller
		field, arguments, body string
		code                   fault.Code
	}{
		{resolverstest.Pupils, "recordPlayback", "event: $required", `{"videoId":"1","segmentStartSeconds":-1,"segmentEndSeconds":2}`, fault.Invalid},
		{resolverstest.Pupils, "recordPlayback", "event: $required", `[]`, untyped},
		{resolverstest.Pupils, "recordPlayback", "event: $required", `"x"`, untyped},
		{resolverstest.Pupils, "recordPlaybackBatch", "events: $required", `[` + segment + `]`, fault.Invalid},
		{resolverstest.Pupils, "recordPlaybackBatch", "events: $required", `[]`, fault.Invalid},
		{resolverstest.Pupils, "recordPlayback", "event: $required", `{"videoId":"1","segmentStartSeconds":"1","segmentEndSeconds":2}`, fault.Invalid},
		{resolverstest.Pupils, "recordPlayback", "event: $required", `{"videoId":"1","segmentStartSeconds":1,"segmentEndSeconds":2,"playerId":"p"}`, untyped},
		{resolverstest.Pupils, "recordPlayback", "event: $required", `{"videoId":"1","segmentStartSeconds":1,"segmentEndSeconds":2,"metadata":[1]}`, fault.Invalid},
		{resolverstest.Pupils, "recordPlayerInteraction", "event: $required", `{}`, untyped},
		{resolverstest.Pupils, "recordPageRender", "event: $required", `{}`, untyped},
		{resolverstest.Pupils, "recordSearchCompletions", "event: $required", `{}`, untyped},
		{resolverstest.Pupils, "recordPlatformInteraction", `subtype: ""`, ``, fault.Invalid},
		{resolverstest.Pupils, "recordPlatformInteraction", `subtype: "x", event: [1]`, ``, untyped},
		{resolverstest.Pupils, "recordVideoInteraction", `videoId: "1001", type: "\u0007"`, ``, fault.Invalid},
		{resolverstest.Pupils, "recordVideoInteraction", `videoId: "` + string(resolverstest.Secret) + `", type: "x"`, ``, fault.NotFound},
		{resolverstest.Pupils, "recordVideoInteraction", `videoId: "5c54d6cdd8eafeecae2063b5", type: "x"`, ``, fault.NotFound},
		{resolverstest.Pupils, "recordVideoInteraction", `videoId: "1002", type: "x"`, ``, fault.NotFound},
		{resolverstest.Viewer, "recordPlaybackBatch", "events: $required", `[]`, fault.Forbidden},
		{nil, "recordPlayback", "event: $required", segment, fault.Unauthenticated},
		{nil, "recordVideoInteraction", `videoId: "1001", type: "x"`, ``, fault.Unauthenticated},
		{&account.Caller{ClientID: "lapsed", Account: resolverstest.School, Permissions: account.PermissionsOf(account.ReportExpiry)}, "recordPlayback", "event: $required", segment, fault.Forbidden},
	} {
		var variables map[string]any
		if c.body != "" {
			variables = resolverstest.EventVariables(c.body)
		}
		if code := i.Report(t, c.caller, c.field, c.arguments, variables); code != string(c.code) {
			t.Errorf("%s %s %s: got %q, want %s", c.field, c.arguments, c.body, code, c.code)
		}
	}
	i.WantStored(t)
	elements := `[{"videoId":"1","segmentStartSeconds":-1,"segmentEndSeconds":2,"captureTime":"2026-03-04T05:06:07Z"},` + segment + `,` + segment + `]`
	resolverstest.Golden(t, "events_refused", resolverstest.Post(t, i.Handler, resolverstest.Pupils, resolverstest.RequestBody(`mutation($events: [PlaybackEventInput!]!) { recordPlaybackBatch(events: $events) }`,
		map[string]any{"events": json.RawMessage(elements)})))
}

// TestEachAliasStandsAlone proves that an error at one alias does not hide the events that other aliases stored.
func TestEachAliasStandsAlone(t *testing.T) {
	i := resolverstest.NewIntake(t)
	for _, c := range []struct{ field, right, wrong string }{
		{"recordPlayback", `event: {videoId: "1", segmentStartSeconds: 1, segmentEndSeconds: 2}`, `event: {videoId: "x", segmentStartSeconds: 1, segmentEndSeconds: 2}`},
		{"recordPlaybackBatch", `events: [{videoId: "1", segmentStartSeconds: 1, segmentEndSeconds: 2, captureTime: "2026-03-04T05:06:07Z"}]`, `events: []`},
		{"recordPlayerInteraction", `event: {videoId: "1", currentTime: 3, subtype: "pause", payload: {}}`, `event: {videoId: "x", currentTime: 3, subtype: "pause", payload: {}}`},
		{"recordPageRender", `event: {url: "https://learn.example/7"}`, `event: {url: ""}`},
		{"recordPlatformInteraction", `subtype: "CLICKED"`, `subtype: ""`},
		{"recordSearchCompletions", `event: {searchQuery: "q", impressions: ["a"], componentId: "c", completionId: "d"}`, `event: {searchQuery: "q", impressions: ["a"], componentId: "", completionId: "d"}`},
		{"recordVideoInteraction", `videoId: "1001", type: "x"`, `videoId: "1002", type: "x"`},
	} {
		query := fmt.Sprintf("mutation { a: %[1]s(%[2]s) b: %[1]s(%[3]s) c: %[1]s(%[2]s) }", c.field, c.right, c.wrong)
		answer := resolverstest.Read(t, resolverstest.Post(t, i.Handler, resolverstest.Pupils, resolverstest.RequestBody(query, nil)))
		if string(answer.Data) != `{"a":true,"b":null,"c":true}` || len(answer.Errors) != 1 || fmt.Sprint(answer.Errors[0].Path) != "[b]" {
			t.Errorf("%s: got %s, errors %v", c.field, answer.Data, answer.Errors)
		}
		if got := len(i.Stored(t)); got != 2 {
			t.Errorf("%s: %d events are stored, want 2", c.field, got)
		}
	}
}

// TestKeysOfEvents proves that requests of one owner with the same key are stored once.
func TestKeysOfEvents(t *testing.T) {
	i := resolverstest.NewIntake(t)
	other := &account.Caller{ClientID: "other", Account: resolverstest.School, Permissions: account.CustomerPermissions()}
	stranger := &account.Caller{Permissions: account.PermissionsOf(account.Browse)}
	playback := func(text string) (string, string, map[string]any) {
		return "recordPlayback", "event: $required, idempotencyKey: $key", resolverstest.EventVariables(text)
	}
	batch := func(text string) (string, string, map[string]any) {
		return "recordPlaybackBatch", "events: $required, idempotencyKey: $key", resolverstest.EventVariables(text)
	}
	platform := func(subtype string) (string, string, map[string]any) {
		return "recordPlatformInteraction", `subtype: "` + subtype + `", idempotencyKey: $key`, map[string]any{}
	}
	interaction := func(video, kind string) (string, string, map[string]any) {
		return "recordVideoInteraction", `videoId: "` + video + `", type: "` + kind + `", idempotencyKey: $key`, map[string]any{}
	}
	page := func(text string) (string, string, map[string]any) {
		return "recordPageRender", "event: $required, idempotencyKey: $key", resolverstest.EventVariables(text)
	}
	dated := strings.TrimSuffix(segment, "}") + `,"captureTime":"2026-03-04T05:06:07Z"}`
	for n, step := range []struct {
		caller *account.Caller
		key    string
		say    func(string) (string, string, map[string]any)
		what   string
		code   fault.Code
		stored int
	}{
		{resolverstest.Pupils, "k", playback, segment, "", 1},
		{resolverstest.Pupils, "k", playback, segment, "", 0},
		{resolverstest.Pupils, "k", playback, ` { "segmentEndSeconds" : 2.0, "segmentStartSeconds" : 1e0, "vid\u0065oId" : "1" } `, "", 0},
		{resolverstest.Pupils, "k", playback, strings.Replace(segment, "2", "3", 1), fault.Mismatch, 0},
		{resolverstest.Pupils, "k", batch, `[` + dated + `]`, fault.Mismatch, 0},
		{resolverstest.Pupils, "k", platform, "CLICKED", fault.Mismatch, 0},
		{&account.Caller{ClientID: "lms", Account: resolverstest.School, ExternalUser: "pupil 8", Permissions: account.CustomerPermissions()}, "k", playback, segment, fault.Mismatch, 0},
		{&account.Caller{ClientID: "lms", Account: resolverstest.School, User: "u-2", ExternalUser: "pupil 7", Permissions: account.CustomerPermissions()}, "k", playback, segment, fault.Mismatch, 0},
		{other, "k", playback, segment, "", 1},
		{stranger, "k", playback, segment, "", 1},
		{stranger, "k", playback, segment, "", 0},
		{resolverstest.Pupils, "K", playback, segment, "", 1},
		{resolverstest.Pupils, "K", page, `{"url":"https://learn.example"}`, fault.Mismatch, 0},
		{resolverstest.Pupils, "b", batch, `[` + dated + `,` + dated + `]`, "", 2},
		{resolverstest.Pupils, "b", batch, `[` + dated + `,` + dated + `]`, "", 0},
		{resolverstest.Pupils, "b", batch, `[` + dated + `]`, fault.Mismatch, 0},
		{resolverstest.Pupils, "p", platform, "CLICKED", "", 1},
		{resolverstest.Pupils, "p", platform, "CLICKED", "", 0},
		{resolverstest.Pupils, "p", platform, "MOVED", fault.Mismatch, 0},
		{resolverstest.Pupils, strings.Repeat("~", 255), playback, segment, "", 1},
		{resolverstest.Pupils, strings.Repeat("~", 256), playback, segment, fault.Invalid, 0},
		{resolverstest.Pupils, "", playback, segment, fault.Invalid, 0},
		{resolverstest.Pupils, "a b", playback, segment, fault.Invalid, 0},
		{resolverstest.Pupils, "é", playback, segment, fault.Invalid, 0},
		{resolverstest.Pupils, "a\n", playback, segment, fault.Invalid, 0},
	} {
		field, arguments, variables := step.say(step.what)
		variables["key"] = step.key
		if code := i.Report(t, step.caller, field, arguments, variables); code != string(step.code) {
			t.Errorf("step %d: got %q, want %q", n, code, step.code)
		}
		if got := len(i.Stored(t)); got != step.stored {
			t.Errorf("step %d: %d events are stored, want %d", n, got, step.stored)
		}
	}
	for n, step := range []struct {
		video, kind string
		code        fault.Code
		stored      int
	}{
		{"1001", "COPIED", "", 1},
		{"1001", "COPIED", "", 0},
		{string(resolverstest.Floating), "COPIED", fault.Mismatch, 0}, // by another ID: the video of an ID may change
		{"1001", "MOVED", fault.Mismatch, 0},
		{string(resolverstest.IDOf(catalogue.KindVideo, "sinking")), "COPIED", fault.Mismatch, 0},
	} {
		field, arguments, variables := interaction(step.video, step.kind)
		variables["key"] = "v"
		if code := i.Report(t, resolverstest.Pupils, field, arguments, variables); code != string(step.code) {
			t.Errorf("interaction %d: got %q, want %q", n, code, step.code)
		}
		if got := len(i.Stored(t)); got != step.stored {
			t.Errorf("interaction %d: %d events are stored, want %d", n, got, step.stored)
		}
	}
}

// TestKeysOutlivePseudonyms proves that a request from before pseudonyms were switched on is recognized when it is
// repeated.
func TestKeysOutlivePseudonyms(t *testing.T) {
	plain := resolverstest.NewIntake(t)
	keyed := resolverstest.NewIntake(t, func(c *resolvers.Config) {
		c.Events = struct {
			*intake.Commits
			resolverstest.Recaller
		}{plain.Taking, plain.Log}
		c.PersonKey = []byte("01234567890123456789012345678901")
	})
	for n, i := range []*resolverstest.EventIntake{plain, keyed, plain} {
		variables := resolverstest.EventVariables(segment)
		variables["key"] = "k"
		if code := i.Report(t, resolverstest.Pupils, "recordPlayback", "event: $required, idempotencyKey: $key", variables); code != "" {
			t.Errorf("request %d: got %q", n, code)
		}
	}
	if got := len(plain.Stored(t)); got != 1 {
		t.Errorf("%d events are stored", got)
	}
}

// TestTheKeyComesFirst proves that a stored request is a repetition even if the caller no longer sees the video.
func TestTheKeyComesFirst(t *testing.T) {
	i := resolverstest.NewIntake(t)
	say := func(caller *account.Caller, video, key string) string {
		return i.Report(t, caller, "recordVideoInteraction", `videoId: "`+video+`", type: "COPIED", idempotencyKey: $key`, map[string]any{"key": key})
	}
	shut := *resolverstest.Pupils
	rules, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.IncludedVideoTypes, Values: []string{"NEWS"}}})
	resolverstest.Must(t, err)
	shut.Access = rules
	for n, step := range []struct {
		caller     *account.Caller
		video, key string
		code       fault.Code
	}{
		{resolverstest.Pupils, "1001", "a", ""}, {resolverstest.Pupils, string(resolverstest.Floating), "b", ""},
		{&shut, "1001", "a", ""}, {&shut, string(resolverstest.Floating), "b", ""},
		{&shut, "1001", "b", fault.Mismatch}, {&shut, "1001", "c", fault.NotFound},
	} {
		if code := say(step.caller, step.video, step.key); code != string(step.code) {
			t.Errorf("step %d: got %q, want %q", n, code, step.code)
		}
	}
	if got := len(i.Stored(t)); got != 2 {
		t.Errorf("%d events are stored", got)
	}
}

// TestAnonymousIsPartOfARequest proves that requests that differ in anonymous are different requests.
func TestAnonymousIsPartOfARequest(t *testing.T) {
	i := resolverstest.NewIntake(t)
	say := func(anonymous bool) string {
		return i.Report(t, resolverstest.Pupils, "recordPlatformInteraction", fmt.Sprintf(`subtype: "x", anonymous: %v, idempotencyKey: $key`, anonymous), map[string]any{"key": "k"})
	}
	if first, same, different := say(true), say(true), say(false); first != "" || same != "" || different != string(fault.Mismatch) {
		t.Errorf("got %q, %q, %q", first, same, different)
	}
}

// TestLargeBatches proves that GraphQL accepts the same batches as HAL.
func TestLargeBatches(t *testing.T) {
	i := resolverstest.NewIntake(t)
	one := strings.TrimSuffix(segment, "}") + `,"captureTime":"2026-03-04T05:06:07Z","metadata":{"note":"` + strings.Repeat("x", 4000) + `"}}`
	batch := "[" + strings.Repeat(one+",", 499) + one + "]"
	if len(batch) < event.MaxBatchBody*9/10 || len(batch) > event.MaxBatchBody {
		t.Fatalf("the batch has %d bytes", len(batch))
	}
	if code := i.Report(t, resolverstest.Pupils, "recordPlaybackBatch", "events: $required", resolverstest.EventVariables(batch)); code != "" {
		t.Errorf("got %q", code)
	}
	if got := len(i.Stored(t)); got != 500 {
		t.Errorf("%d events are stored", got)
	}
}

// TestConcurrentRepetitions proves that, of concurrent requests with one key, all succeed and one is stored.
func TestConcurrentRepetitions(t *testing.T) {
	i := resolverstest.NewIntake(t)
	variables := resolverstest.EventVariables(segment)
	variables["key"] = "twin"
	request := resolverstest.RequestBody("mutation($required: PlaybackEventInput!, $key: String) { told: recordPlayback(event: $required, idempotencyKey: $key) }", variables)
	answers := make([]string, 16)
	var twins sync.WaitGroup
	for n := range answers {
		twins.Go(func() {
			answers[n] = resolverstest.Serve(i.Handler, resolverstest.NewRequest(request, resolverstest.Pupils)).Body.String()
		})
	}
	twins.Wait()
	for _, answer := range answers {
		if answer != `{"data":{"told":true}}` {
			t.Errorf("got %s", answer)
		}
	}
	if got := len(i.Stored(t)); got != 1 {
		t.Errorf("%d events are stored", got)
	}
}

// sinkFunc is a sink that may fail.
type sinkFunc func(event.Submission) error

func (f sinkFunc) Append(_ context.Context, submission event.Submission) (event.Verdict, error) {
	return event.Stored, f(submission)
}

func (sinkFunc) Recall(context.Context, event.Submission) (event.Verdict, error) { return 0, nil }

// TestEventsThatCannotBeStored proves that a request succeeds only if its events are stored.
func TestEventsThatCannotBeStored(t *testing.T) {
	for want, problem := range map[fault.Code]error{
		fault.Unavailable: fault.Errorf(fault.Unavailable, "the event log does not answer"),
		fault.Internal:    errors.New("disk on fire"),
		fault.Mismatch:    event.ErrMismatched("k"),
	} {
		var got []event.Submission
		i := resolverstest.NewIntake(t, func(c *resolvers.Config) {
			c.Events = sinkFunc(func(s event.Submission) error { got = append(got, s); return problem })
		})
		if code := i.Report(t, resolverstest.Pupils, "recordPlayback", "event: $required", resolverstest.EventVariables(segment)); code != string(want) {
			t.Errorf("%v: got %q", problem, code)
		}
		if len(got) != 1 || len(got[0].Events) != 1 || got[0].Key != "" || got[0].Fingerprint != [32]byte{} || got[0].Received != event.InstantOf(resolverstest.Now()) {
			t.Errorf("%v: the sink was given %+v", problem, got)
		}
	}
	i := resolverstest.NewIntake(t, func(c *resolvers.Config) { c.Events = nil })
	if code := i.Report(t, resolverstest.Pupils, "recordPlayback", "event: $required", resolverstest.EventVariables(segment)); code != string(fault.Unavailable) {
		t.Errorf("without a sink: got %q", code)
	}
}

// TestAnonymousKeysAreByAddress proves that callers without a token do not share keys with other addresses or with
// clients.
func TestAnonymousKeysAreByAddress(t *testing.T) {
	var owners []string
	i := resolverstest.NewIntake(t, func(c *resolvers.Config) {
		c.Events = sinkFunc(func(s event.Submission) error { owners = append(owners, s.Client); return nil })
	})
	variables := resolverstest.EventVariables(segment)
	variables["key"] = "k"
	request := resolverstest.RequestBody("mutation($required: PlaybackEventInput!, $key: String) { recordPlayback(event: $required, idempotencyKey: $key) }", variables)
	for _, address := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"} {
		r := resolverstest.NewRequest(request, &account.Caller{Permissions: account.PermissionsOf(account.Browse)})
		r.RemoteAddr = address
		resolverstest.Serve(i.Handler, r)
	}
	if len(owners) != 3 || owners[0] != owners[1] || owners[0] == owners[2] || !strings.HasPrefix(owners[0], "@") || strings.Contains(owners[0], "192") {
		t.Errorf("the keys are those of %q", owners)
	}
	if slices.Contains(owners, "") {
		t.Error("strangers share keys")
	}
	// The number of addresses is so small that a reader of the store could try each of them.
	if sum := sha256.Sum256([]byte("192.0.2.1")); owners[0] == "@"+base64.RawURLEncoding.EncodeToString(sum[:16]) {
		t.Errorf("%s reveals the address to a reader who tries all of them", owners[0])
	}
}

// TestExpiryIsStoredOnce proves that a report is stored once for each key, and noted in the audit log.
func TestExpiryIsStoredOnce(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	i := resolverstest.NewIntake(t, func(c *resolvers.Config) { c.Registry = a.Accounts })
	lapsed := *resolverstest.Pupils
	lapsed.Permissions = account.PermissionsOf(account.ReportExpiry)
	for _, key := range []any{nil, nil, "k", "k"} {
		if code := i.Report(t, &lapsed, "reportAccessExpired", "idempotencyKey: $key", map[string]any{"key": key}); code != "" {
			t.Fatal(code)
		}
	}
	want := resolverstest.SchoolEvent(event.AccessExpired)
	want.Referer = ""
	i.WantStored(t, want, want, want)
	if code := i.Report(t, &lapsed, "reportAccessExpired", "idempotencyKey: $key", map[string]any{"key": "é"}); code != string(fault.Invalid) {
		t.Errorf("got %q", code)
	}
	entries, err := a.Accounts.Audit(t.Context(), store.AuditQuery{Owner: "school"}, 0, 100)
	resolverstest.Must(t, err)
	notes := 0
	for _, entry := range entries {
		if strings.Contains(string(entry.After), "accessExpiredReported") {
			notes++
		}
	}
	if notes != 1 {
		t.Errorf("the audit log has it %d times", notes)
	}
}
