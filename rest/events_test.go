package rest_test

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// call is one call of a mutation of the domain.
type call struct {
	name, videoID, kind string
	anonymous           bool
	key                 *string
	circumstances       event.Circumstances
}

// domain checks every event, and records its calls and the events that are valid.
type domain struct {
	graph.ResolverRoot
	calls  []call
	events []event.Event
	fault  error
}

func (d *domain) Mutation() graph.MutationResolver { return mutation{domain: d} }

// schema returns the domain behind the permission checks of the schema.
func (d *domain) schema() graphql.ExecutableSchema {
	return graph.NewExecutableSchema(graph.Config{Resolvers: d, Directives: graph.DirectiveRoot{
		Requires: func(ctx context.Context, _ any, next graphql.Resolver, permission account.Permission) (any, error) {
			if err := account.Require(ctx, permission); err != nil {
				return nil, err
			}
			return next(ctx)
		},
	}})
}

type mutation struct {
	graph.MutationResolver
	domain *domain
}

func (m mutation) note(ctx context.Context, c call, e event.Event, err error) (*bool, error) {
	return m.noteAll(ctx, c, []event.Event{e}, err)
}

func (m mutation) noteAll(ctx context.Context, c call, events []event.Event, err error) (*bool, error) {
	c.circumstances = event.CircumstancesOf(ctx)
	m.domain.calls = append(m.domain.calls, c)
	if err = cmp.Or(m.domain.fault, err); err != nil {
		return nil, err
	}
	m.domain.events = append(m.domain.events, events...)
	return new(true), nil
}

func (m mutation) RecordPlayback(ctx context.Context, in event.PlaybackInput, key *string) (*bool, error) {
	e, err := in.Event(received)
	return m.note(ctx, call{name: "playback", key: key}, e, err)
}

func (m mutation) RecordPlaybackBatch(ctx context.Context, list []*event.PlaybackInput, key *string) (*bool, error) {
	events, err := event.PlaybackBatch(list, received)
	return m.noteAll(ctx, call{name: "batch", key: key}, events, err)
}

func (m mutation) RecordPlayerInteraction(ctx context.Context, in event.PlayerInteractionInput, key *string) (*bool, error) {
	e, err := in.Event(received)
	return m.note(ctx, call{name: "player", key: key}, e, err)
}

func (m mutation) RecordPageRender(ctx context.Context, in event.PageRenderInput, key *string) (*bool, error) {
	e, err := in.Event(received)
	return m.note(ctx, call{name: "page", key: key}, e, err)
}

func (m mutation) RecordPlatformInteraction(ctx context.Context, subtype string, anonymous bool, in *event.InteractionInput, key *string) (*bool, error) {
	e, err := in.Event(event.PlatformInteraction, "subtype", subtype, received)
	return m.note(ctx, call{name: "platform", kind: subtype, anonymous: anonymous, key: key}, e, err)
}

func (m mutation) RecordSearchCompletions(ctx context.Context, in event.SearchCompletionsInput, key *string) (*bool, error) {
	e, err := in.Event(received)
	return m.note(ctx, call{name: "completions", key: key}, e, err)
}

func (m mutation) RecordVideoInteraction(ctx context.Context, videoID, kind string, in *event.InteractionInput, key *string) (*bool, error) {
	e := event.Event{}
	var err error
	if in != nil {
		e, err = in.Event(event.VideoInteraction, "type", kind, received)
	}
	return m.note(ctx, call{name: "video", videoID: videoID, kind: kind, key: key}, e, err)
}

func (m mutation) ReportAccessExpired(ctx context.Context, key *string) (*bool, error) {
	return m.note(ctx, call{name: "expired", key: key}, event.Event{}, nil)
}

// eventWorld returns a world whose domain only accepts events, and which allows anonymous callers to report them.
func eventWorld(t testing.TB) (*world, *domain) {
	t.Helper()
	d := &domain{}
	return newWorld(t, options{empty: true, config: func(c *wiring) {
		c.Schema, c.Anonymous = d.schema(), true
		c.AddressOf = limit.New(limit.Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}).AddressOf
	}}), d
}

// eventEndpoint is an endpoint for events, with a valid body and the call that it makes.
type eventEndpoint struct {
	path     string
	as       string // a caller with permission
	body     string
	maxBody  int
	bodyless bool // accepts requests without a body, and ignores bodies
	ignores  bool // ignores a body that is no valid event
	open     bool // accepts callers without a token
	want     call
}

var eventEndpoints = []eventEndpoint{
	{path: "/v1/events/playback", as: customer, body: playbackBody, maxBody: event.MaxBody, open: true, want: call{name: "playback"}},
	{path: "/v1/events/playback/batch", as: customer, body: batchBody, maxBody: event.MaxBatchBody, want: call{name: "batch"}},
	{path: "/v1/events/player-interaction", as: customer, body: playerBody, maxBody: event.MaxBody, open: true, want: call{name: "player"}},
	{path: "/v1/events/page-render", as: customer, body: pageBody, maxBody: event.MaxBody, open: true, want: call{name: "page"}},
	{
		path: "/v1/events/platform-interaction?subtype=A%20%26B&anonymous=TRUE", as: customer, body: "{}", maxBody: event.MaxBody, open: true,
		want: call{name: "platform", kind: "A &B", anonymous: true},
	},
	{path: "/v1/events/platform-interaction?subtype=%C3%89&more=1", as: customer, body: "{}", maxBody: event.MaxBody, open: true, want: call{name: "platform", kind: "É"}},
	{path: "/v1/events/suggested-search-completions", as: customer, body: completionsBody, maxBody: event.MaxBody, open: true, want: call{name: "completions"}},
	{
		path: "/v1/videos/12%33/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", as: customer, body: "{}", maxBody: event.MaxBody, ignores: true,
		want: call{name: "video", videoID: "123", kind: "VIDEO_LINK_COPIED"},
	},
	{path: "/v1/events/expired-user-access", as: lapsed, body: "{}", bodyless: true, want: call{name: "expired"}},
}

// post returns a request with a JSON body and additional headers.
func (e eventEndpoint) post(as, body string, headers ...string) apiRequest {
	header := map[string]string{"Content-Type": "application/json"}
	for i := 0; i < len(headers); i += 2 {
		header[headers[i]] = headers[i+1]
	}
	return apiRequest{as: as, method: http.MethodPost, path: e.path, body: body, header: header}
}

// TestEventsReachTheDomain proves that events reach the domain, compressed or not, with the context of their request.
func TestEventsReachTheDomain(t *testing.T) {
	w, d := eventWorld(t)
	for _, e := range eventEndpoints {
		t.Run(e.path, func(t *testing.T) {
			var first []event.Event
			for _, body := range []string{e.body, " " + e.body + "\n"} {
				for _, coding := range []string{"", "identity", "gzip", "X-Gzip"} {
					d.calls, d.events = nil, nil
					a := e.post(e.as, body, "Idempotency-Key", "k 1, é", "Referer", "https://a.example/x", "X-Forwarded-For", "8.8.8.8, 192.0.2.7", "Content-Encoding", coding)
					if strings.HasSuffix(strings.ToLower(coding), "gzip") {
						a.body = zipped(body)
					}
					a.address = "10.1.2.3:4567"
					got := w.send(t, a)
					if got.StatusCode != http.StatusCreated || len(got.body) > 0 || got.Header.Get("Content-Length") != "0" ||
						got.Header.Get("Location") != "" || got.Header.Get("Etag") != "" || got.Header.Get("Cache-Control") != "private, no-store" {
						t.Fatalf("%.20q: got %d %v %s", body, got.StatusCode, got.Header, got.body)
					}
					if len(d.calls) != 1 || len(d.events) != 1 {
						t.Fatalf("%.20q: the domain is called %d times with %d events", body, len(d.calls), len(d.events))
					}
					call := d.calls[0]
					if call.key == nil || *call.key != "k 1, é" {
						t.Errorf("the key is %v", call.key)
					}
					want := event.Circumstances{Trace: got.Header.Get("X-Service-Trace-Id"), Referer: "https://a.example/x", Address: "192.0.2.7"}
					if call.circumstances != want {
						t.Errorf("the circumstances are %+v, want %+v", call.circumstances, want)
					}
					if call.name != e.want.name || call.videoID != e.want.videoID || call.kind != e.want.kind || call.anonymous != e.want.anonymous {
						t.Errorf("the domain is called with %+v, want %+v", call, e.want)
					}
					if first == nil {
						first = d.events
					}
					if !reflect.DeepEqual(d.events, first) {
						t.Errorf("%s: got %+v, before %+v", coding, d.events, first)
					}
				}
			}
		})
	}
}

// zipped returns a text compressed with gzip.
func zipped(text string) string {
	var zipped strings.Builder
	zip := gzip.NewWriter(&zipped)
	must(io.WriteString(zip, text))
	check(zip.Close())
	return zipped.String()
}

// TestInvalidEventRequests proves that a request that violates the HTTP contract never reaches the domain.
func TestInvalidEventRequests(t *testing.T) {
	w, d := eventWorld(t)
	for _, e := range eventEndpoints {
		if e.bodyless {
			continue
		}
		t.Run(e.path, func(t *testing.T) {
			if !e.ignores {
				for _, contentType := range []string{"", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application", "application/jsonp"} {
					wantRejection(t, w.send(t, e.post(e.as, e.body, "Content-Type", contentType)), http.StatusUnsupportedMediaType, "application/json")
				}
				for _, coding := range []string{"br", "gzip, gzip", "deflate", "gzip, br"} {
					got := w.send(t, e.post(e.as, zipped(e.body), "Content-Encoding", coding))
					wantRejection(t, got, http.StatusUnsupportedMediaType, strconv.Quote(coding))
					if takes := got.Header.Get("Accept-Encoding"); takes != "gzip" {
						t.Errorf("the answer to %s names the encodings %q", coding, takes)
					}
				}
				for name, body := range map[string]string{
					"plain": e.body, "cut off": zipped(e.body)[:20], "with a tail": zipped(e.body) + "{}", "with another checksum": withChecksum(zipped(e.body)),
				} {
					if got := w.send(t, e.post(e.as, body, "Content-Encoding", "gzip")); got.StatusCode != http.StatusBadRequest || !strings.Contains(string(got.body), "not valid gzip") {
						t.Errorf("%s: got %d %s", name, got.StatusCode, got.body)
					}
				}
				wantRejection(t, w.send(t, e.post(e.as, zipped(strings.Repeat(" ", e.maxBody+1)), "Content-Encoding", "gzip")), http.StatusRequestEntityTooLarge)
				nothing := strings.Repeat(zipped(""), 1<<14) // compressed data without content, which could go on forever
				wantRejection(t, w.send(t, e.post(e.as, nothing, "Content-Encoding", "gzip")), http.StatusRequestEntityTooLarge)
				wantRejection(t, w.send(t, e.post(e.as, strings.Repeat(" ", e.maxBody+1))), http.StatusRequestEntityTooLarge)
				wantRejection(t, w.sendBody(t, e, brokenBody{}, -1), http.StatusBadRequest, "ended early")
				wantRejection(t, w.sendBody(t, e, brokenBody{}, int64(e.maxBody)+1), http.StatusRequestEntityTooLarge) // refused without reading the body
				wantRejection(t, w.sendBody(t, e, strings.NewReader(strings.Repeat(" ", e.maxBody+1)), -1), http.StatusRequestEntityTooLarge)
			}
			wantRejection(t, w.send(t, e.post(e.as, e.body, "Idempotency-Key", " ")), http.StatusBadRequest, "Idempotency-Key")
			wantRejection(t, w.sendTwice(t, e.post(e.as, e.body), "Idempotency-Key", "a", "b"), http.StatusBadRequest, "Idempotency-Key", "2 times")
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
				got := w.send(t, apiRequest{as: e.as, method: method, path: e.path})
				if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "OPTIONS, POST" {
					t.Errorf("%s: got %d, Allow %q", method, got.StatusCode, got.Header.Get("Allow"))
				}
			}
			wantRejection(t, w.send(t, e.post(lapsed, e.body)), http.StatusForbidden)
			if got := w.send(t, e.post(nobody, e.body)); (got.StatusCode == http.StatusCreated) != e.open || !e.open && got.StatusCode != http.StatusUnauthorized {
				t.Errorf("without a token: got %d", got.StatusCode)
			}
			wantRejection(t, w.send(t, e.post(nobody, e.body, "Authorization", "Bearer abc")), http.StatusUnauthorized)
		})
	}
	for _, call := range d.calls {
		if call.circumstances.Trace == "" || call.key != nil {
			t.Errorf("the domain is called with %+v", call)
		}
	}
	for path, says := range map[string]string{
		"/v1/events/platform-interaction":                                             "subtype",
		"/v1/events/platform-interaction?subtype=%20":                                 "subtype",
		"/v1/events/platform-interaction?subtype=a&subtype=b":                         "subtype",
		"/v1/events/platform-interaction?subtype=%ff":                                 "subtype",
		"/v1/events/platform-interaction?subtype=a&anonymous=perhaps":                 "anonymous",
		pathOf("floating") + "/events?logVideoInteraction=true":                       "type",
		pathOf("floating") + "/events?logVideoInteraction=true&type=":                 "type",
		pathOf("floating") + "/events?logVideoInteraction=perhaps&type=X":             "logVideoInteraction",
		pathOf("floating") + "/events?logVideoInteraction=true&type=X&type=Y":         "type",
		pathOf("floating") + "/events?logVideoInteraction=true&type=VIDEO%0%20COPIED": "query string",
	} {
		wantRejection(t, w.send(t, apiRequest{as: customer, method: http.MethodPost, path: path}), http.StatusBadRequest, says)
	}
	for _, query := range []string{"", "?type=X", "?logVideoInteraction=&type=X", "?logVideoInteraction=false&type=X"} {
		wantRejection(t, w.send(t, apiRequest{as: customer, method: http.MethodPost, path: pathOf("floating") + "/events" + query}), http.StatusNotFound)
	}
}

// withChecksum returns compressed data with another checksum, which is four of the last eight bytes.
func withChecksum(zipped string) string {
	at := len(zipped) - 8
	return zipped[:at] + "\x00\x00\x00\x00" + zipped[at+4:]
}

// sendTwice sends a request with a repeated header.
func (w *world) sendTwice(t testing.TB, a apiRequest, name string, values ...string) *answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), a.method, a.path, strings.NewReader(a.body))
	r.Header.Set("Authorization", "Bearer "+w.token(t, a.as))
	r.Header.Set("Content-Type", "application/json")
	r.Header[name] = values
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	return &answer{Response: recorder.Result(), path: a.path, body: recorder.Body.Bytes()}
}

// sendBody sends a body with a declared length; -1 declares none.
func (w *world) sendBody(t testing.TB, e eventEndpoint, body io.Reader, length int64) *answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, e.path, body)
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+w.token(t, e.as))
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	w.handler.ServeHTTP(recorder, r)
	return &answer{Response: recorder.Result(), path: e.path, body: recorder.Body.Bytes()}
}

// brokenBody is a body whose connection breaks.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, http.ErrBodyReadAfterClose }

// TestDomainErrorsOfEvents proves that errors of the domain become the statuses and bodies of the common error
// table.
func TestDomainErrorsOfEvents(t *testing.T) {
	w, d := eventWorld(t)
	for status, problem := range map[int]error{
		http.StatusBadRequest:          &fault.Error{Code: fault.Invalid, Label: "Invalid Event", Message: "2 events are bad", Reasons: []string{"[0].videoId: it is missing"}},
		http.StatusUnprocessableEntity: event.ErrMismatched("k"),
		http.StatusServiceUnavailable:  fault.Errorf(fault.Unavailable, "events cannot be stored now"),
		http.StatusNotFound:            fault.Errorf(fault.NotFound, "there is no video"),
	} {
		d.fault = problem
		for _, e := range eventEndpoints {
			body := wantRejection(t, w.send(t, e.post(e.as, e.body)), status, problem.Error())
			if status == http.StatusBadRequest && (body.Error != "Invalid Event" || !slices.Equal(body.Reasons, []string{"[0].videoId: it is missing"})) {
				t.Errorf("%s: %+v", e.path, body)
			}
			if got := w.send(t, e.post(e.as, e.body)); status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %v", e.path, got.Header)
			}
		}
	}
}

// TestReferers proves that the referer of an event is the page that the player names, otherwise the one that the
// browser names, limited in length and valid UTF-8.
func TestReferers(t *testing.T) {
	w, d := eventWorld(t)
	long := "https://a.example/" + strings.Repeat("é", 2000)
	for want, header := range map[string]map[string]string{
		"":                         {},
		"https://browser.example/": {"Referer": "https://browser.example/"},
		"https://player.example/":  {"Referer": "https://browser.example/", "Service-Referer": "https://player.example/"},
		"https://cut.example/":     {"Referer": "https://cut.example/\xff\xc3"},
		long[:2048]:                {"Service-Referer": long},
		"x" + long[:2046]:          {"Service-Referer": "x" + long},
	} {
		d.calls = nil
		header = maps.Clone(header)
		header["Content-Type"] = "application/json"
		w.send(t, apiRequest{as: customer, method: http.MethodPost, path: "/v1/events/playback", body: playbackBody, header: header})
		if len(d.calls) != 1 || d.calls[0].circumstances.Referer != want {
			t.Errorf("%v: got %+v", header, d.calls)
		}
	}
}

// FuzzEventBody proves that no body and no key crash the server, that errors are short and readable, and that events which
// the domain gets have the properties on which stores and exports rely.
func FuzzEventBody(f *testing.F) {
	r := newReporter(f)
	for _, body := range []string{
		playbackBody, batchBody, playerBody, pageBody, completionsBody, "", "null", "[", "[]", "[7]", "\xff", `"\ud800"`,
		`{"videoId":"1","segmentStartSeconds":0.29,"segmentEndSeconds":1e2,"userId":"\ud83d\ude00"}`,
		`{"videoId":"1","segmentStartSeconds":-0,"segmentEndSeconds":1,"captureTime":"2026-11-21T19:53:37.1+0100","a":[{"b":"\\\""}]}`,
		`[` + batchElement + `,{},` + batchElement + `]`, `[{"a":1,"a":2}`, "{\"a\":\"\xc2\x80\xff\"}", `{"\u0061":1,"a":2}`, `{"a":"\u0000"}`, `{"` + strings.Repeat("[", 20) + `":1}`,
	} {
		f.Add(body, "key", "https://a.example/")
	}
	f.Add("{}", "\x80", "\xc3")
	f.Fuzz(func(t *testing.T, body, key, referer string) {
		for _, e := range eventEndpoints {
			r.d.calls, r.d.events = nil, nil
			got := r.w.send(t, e.post(e.as, body, "Idempotency-Key", key, "Service-Referer", referer))
			switch {
			case got.StatusCode == http.StatusCreated && len(r.d.events) > 0 && len(r.d.events) <= event.MaxBatch:
				for i := range r.d.events {
					checkEvent(t, &r.d.events[i])
				}
			case got.StatusCode == http.StatusBadRequest && r.d.events == nil:
				checkReasons(t, got)
			case got.StatusCode == http.StatusRequestEntityTooLarge && len(body) > e.maxBody:
			default:
				t.Errorf("%s: got %d %s, calls %+v", e.path, got.StatusCode, got.body, r.d.calls)
			}
		}
	})
}

func checkReasons(t *testing.T, got *answer) {
	var body errorBody
	check(json.Unmarshal(got.body, &body))
	for _, reported := range append(body.Reasons, body.Message) {
		if !utf8.ValidString(reported) || strings.ContainsFunc(reported, unicode.IsControl) {
			t.Fatalf("the error says %q", reported)
		}
	}
}

// checkEvent verifies the properties of an event on which stores and exports rely.
func checkEvent(t *testing.T, e *event.Event) {
	if e.Kind != 0 && (e.Received != received || e.At <= 0 || e.At > received+event.Ahead) {
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
	checkEventObject(t, e.Details, event.MaxBody)
	checkEventObject(t, e.Metadata, event.MaxMetadata)
}

// checkEventObject accepts nil or one compact object of at most most bytes. Every reader must be able to read it, including
// readers that reject U+0000.
func checkEventObject(t *testing.T, object []byte, most int) {
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

// TestEventsRoundTrip checks that a playback, written as a client would, is read as the same event, in any script.
func TestEventsRoundTrip(t *testing.T) {
	r := newReporter(t)
	rapid.Check(t, func(rt *rapid.T) {
		want := event.Event{
			Kind: event.Playback, Received: received,
			At:           event.Instant(rapid.Int64Range(1, int64(received+event.Ahead)).Draw(rt, "at")),
			Video:        rapid.StringMatching(`[0-9a-f]{24}|[0-9]{1,23}`).Draw(rt, "video"),
			Start:        rapid.Int64Range(0, event.MaxSeconds*1000).Draw(rt, "start"),
			End:          rapid.Int64Range(0, event.MaxSeconds*1000).Draw(rt, "end"),
			ExternalUser: rapid.StringOfN(rapid.Rune().Filter(func(c rune) bool { return !unicode.IsControl(c) }), 0, event.MaxUser, -1).Draw(rt, "user"),
		}
		want.Bound(event.UnknownBound)
		body := fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":%s,"segmentEndSeconds":%s,"userId":%s,"captureTime":%q}`,
			want.Video, event.AppendSeconds(nil, want.Start), event.AppendSeconds(nil, want.End), must(json.Marshal(want.ExternalUser)), want.At)
		if got := r.accept(t, "playback", body); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			rt.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

// TestBodiesThatAreIgnored proves that a video interaction is accepted with any body, which is ignored if it is no valid
// event.
func TestBodiesThatAreIgnored(t *testing.T) {
	w, d := eventWorld(t)
	path := pathOf("floating") + "/events?logVideoInteraction=true&type=X"
	for _, c := range []struct{ contentType, body, want string }{
		{"application/json", `{"a":1}`, `{"a":1}`}, {"text/plain", `{}`, ""}, {"application/x-www-form-urlencoded", "", ""}, {"application/json", "[1]", ""},
		{"application/json", "hello", ""}, {"application/json", `{"userId":7,"a":1}`, ""}, {"application/json", strings.Repeat(" ", event.MaxBody+1), ""},
		{"application/json", `{"userId":"` + strings.Repeat("x", 65) + `","a":1}`, ""}, {"application/json", `{"captureTime":"x","a":1}`, ""},
	} {
		for _, length := range []int64{int64(len(c.body)), -1} {
			d.events = nil
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(c.body))
			r.ContentLength = length
			r.Header.Set("Authorization", "Bearer "+w.token(t, customer))
			r.Header.Set("Content-Type", c.contentType)
			recorder := httptest.NewRecorder()
			w.handler.ServeHTTP(recorder, r)
			if recorder.Code != http.StatusCreated || len(d.events) != 1 || string(d.events[0].Metadata) != c.want {
				t.Errorf("%s %.20s (%d): %d %s; the domain got %+v", c.contentType, c.body, length, recorder.Code, recorder.Body, d.events)
			}
		}
	}
}
