package rest_test

import (
	"compress/gzip"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/limit"
)

// call is one call of a mutation of the domain.
type call struct {
	name, videoID, kind string
	anonymous           bool
	body                event.Body
	key                 *string
	circumstances       event.Circumstances
}

// domain accepts every event and records its calls.
type domain struct {
	graph.ResolverRoot
	calls []call
	fault error
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

func (m mutation) note(ctx context.Context, c call) (bool, error) {
	c.circumstances = event.CircumstancesOf(ctx)
	m.domain.calls = append(m.domain.calls, c)
	return m.domain.fault == nil, m.domain.fault
}

func (m mutation) RecordPlayback(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "playback", body: body, key: key})
}

func (m mutation) RecordPlaybackBatch(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "batch", body: body, key: key})
}

func (m mutation) RecordPlayerInteraction(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "player", body: body, key: key})
}

func (m mutation) RecordPageRender(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "page", body: body, key: key})
}

func (m mutation) RecordPlatformInteraction(ctx context.Context, subtype string, anonymous bool, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "platform", kind: subtype, anonymous: anonymous, body: body, key: key})
}

func (m mutation) RecordSearchCompletions(ctx context.Context, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "completions", body: body, key: key})
}

func (m mutation) RecordVideoInteraction(ctx context.Context, videoID, kind string, body event.Body, key *string) (bool, error) {
	return m.note(ctx, call{name: "video", videoID: videoID, kind: kind, body: body, key: key})
}

func (m mutation) ReportAccessExpired(ctx context.Context, key *string) (bool, error) {
	return m.note(ctx, call{name: "expired", key: key})
}

// eventWorld returns a world whose domain only accepts events, and which allows anonymous callers to report them.
func eventWorld(t testing.TB) (*world, *domain) {
	t.Helper()
	d := &domain{}
	return newWorld(t, options{empty: true, config: func(c *wiring) {
		c.Schema, c.Anonymous = d.schema(), unlimited
		c.AddressOf = limit.New(limit.Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}).AddressOf
	}}), d
}

// eventEndpoint is an endpoint for events, with the call that a request with the body {} makes.
type eventEndpoint struct {
	path     string
	as       string // a caller with permission
	maxBody  int
	bodyless bool // accepts requests without a body, and ignores bodies
	ignores  bool // ignores a body that is no valid event
	open     bool // accepts callers without a token
	want     call
}

var eventEndpoints = []eventEndpoint{
	{path: "/v1/events/playback", as: customer, maxBody: event.MaxBody, open: true, want: call{name: "playback"}},
	{path: "/v1/events/playback/batch", as: customer, maxBody: event.MaxBatchBody, want: call{name: "batch"}},
	{path: "/v1/events/player-interaction", as: customer, maxBody: event.MaxBody, open: true, want: call{name: "player"}},
	{path: "/v1/events/page-render", as: customer, maxBody: event.MaxBody, open: true, want: call{name: "page"}},
	{
		path: "/v1/events/platform-interaction?subtype=A%20%26B&anonymous=TRUE", as: customer, maxBody: event.MaxBody, open: true,
		want: call{name: "platform", kind: "A &B", anonymous: true},
	},
	{path: "/v1/events/platform-interaction?subtype=%C3%89&more=1", as: customer, maxBody: event.MaxBody, open: true, want: call{name: "platform", kind: "É"}},
	{path: "/v1/events/suggested-search-completions", as: customer, maxBody: event.MaxBody, open: true, want: call{name: "completions"}},
	{
		path: "/v1/videos/12%33/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", as: customer, maxBody: event.MaxBody, ignores: true,
		want: call{name: "video", videoID: "123", kind: "VIDEO_LINK_COPIED"},
	},
	{path: "/v1/events/expired-user-access", as: lapsed, bodyless: true, want: call{name: "expired"}},
}

// post returns a request with a JSON body and additional headers.
func (e eventEndpoint) post(as, body string, headers ...string) ask {
	header := map[string]string{"Content-Type": "application/json"}
	for i := 0; i < len(headers); i += 2 {
		header[headers[i]] = headers[i+1]
	}
	return ask{as: as, method: http.MethodPost, path: e.path, body: body, header: header}
}

// TestEventsReachTheDomain proves that events reach the domain unchanged, with the context of their request.
func TestEventsReachTheDomain(t *testing.T) {
	w, d := eventWorld(t)
	for _, e := range eventEndpoints {
		t.Run(e.path, func(t *testing.T) {
			dated := `{"userId":"ada","captureTime":"` + begin.Format(time.RFC3339) + `"}`
			for _, body := range []string{`{}`, dated, " {\"a\":\"\\u0000\xff\"\n} ", "no JSON", "", strings.Repeat(" ", e.maxBody)} {
				for _, coding := range []string{"", "identity", "gzip", "X-Gzip"} {
					d.calls = nil
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
					if len(d.calls) != 1 {
						t.Fatalf("%.20q: the domain is called %d times", body, len(d.calls))
					}
					call := d.calls[0]
					body := body
					if e.bodyless || e.ignores && body != "{}" && body != dated {
						body = ""
					}
					if string(call.body) != body || call.key == nil || *call.key != "k 1, é" {
						t.Errorf("the body is %.40q, want %.40q; the key is %v", call.body, body, call.key)
					}
					want := event.Circumstances{Trace: got.Header.Get("X-Service-Trace-Id"), Referer: "https://a.example/x", Address: "192.0.2.7"}
					if call.circumstances != want {
						t.Errorf("the circumstances are %+v, want %+v", call.circumstances, want)
					}
					if call.name != e.want.name || call.videoID != e.want.videoID || call.kind != e.want.kind || call.anonymous != e.want.anonymous {
						t.Errorf("the domain is called with %+v, want %+v", call, e.want)
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

// TestEventsThatAreNotTaken proves that a request that violates the HTTP contract never reaches the domain.
func TestEventsThatAreNotTaken(t *testing.T) {
	w, d := eventWorld(t)
	for _, e := range eventEndpoints {
		if e.bodyless {
			continue
		}
		t.Run(e.path, func(t *testing.T) {
			if !e.ignores {
				for _, contentType := range []string{"", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application", "application/jsonp"} {
					refused(t, w.send(t, e.post(e.as, "{}", "Content-Type", contentType)), http.StatusUnsupportedMediaType, "application/json")
				}
				for _, coding := range []string{"br", "gzip, gzip", "deflate", "gzip, br"} {
					got := w.send(t, e.post(e.as, zipped("{}"), "Content-Encoding", coding))
					refused(t, got, http.StatusUnsupportedMediaType, strconv.Quote(coding))
					if takes := got.Header.Get("Accept-Encoding"); takes != "gzip" {
						t.Errorf("the answer to %s names the encodings %q", coding, takes)
					}
				}
				for name, body := range map[string]string{
					"plain": "{}", "cut off": zipped("{}")[:20], "with a tail": zipped("{}") + "{}", "with another checksum": zipped("{}")[:22] + "\x00\x00\x00\x00" + zipped("{}")[26:],
				} {
					if got := w.send(t, e.post(e.as, body, "Content-Encoding", "gzip")); got.StatusCode != http.StatusBadRequest || !strings.Contains(string(got.body), "not valid gzip") {
						t.Errorf("%s: got %d %s", name, got.StatusCode, got.body)
					}
				}
				refused(t, w.send(t, e.post(e.as, zipped(strings.Repeat(" ", e.maxBody+1)), "Content-Encoding", "gzip")), http.StatusRequestEntityTooLarge)
				nothing := strings.Repeat(zipped(""), 1<<14) // compressed data without content, which could go on forever
				refused(t, w.send(t, e.post(e.as, nothing, "Content-Encoding", "gzip")), http.StatusRequestEntityTooLarge)
				refused(t, w.send(t, e.post(e.as, strings.Repeat(" ", e.maxBody+1))), http.StatusRequestEntityTooLarge)
				refused(t, w.sendBody(t, e, cutOff{}, -1), http.StatusBadRequest, "ended early")
				refused(t, w.sendBody(t, e, cutOff{}, int64(e.maxBody)+1), http.StatusRequestEntityTooLarge) // refused without reading the body
				refused(t, w.sendBody(t, e, strings.NewReader(strings.Repeat(" ", e.maxBody+1)), -1), http.StatusRequestEntityTooLarge)
			}
			refused(t, w.send(t, e.post(e.as, "{}", "Idempotency-Key", " ")), http.StatusBadRequest, "Idempotency-Key")
			refused(t, w.sendTwice(t, e.post(e.as, "{}"), "Idempotency-Key", "a", "b"), http.StatusBadRequest, "Idempotency-Key", "2 times")
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
				got := w.send(t, ask{as: e.as, method: method, path: e.path})
				if got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "OPTIONS, POST" {
					t.Errorf("%s: got %d, Allow %q", method, got.StatusCode, got.Header.Get("Allow"))
				}
			}
			refused(t, w.send(t, e.post(lapsed, "{}")), http.StatusForbidden)
			if got := w.send(t, e.post(nobody, "{}")); (got.StatusCode == http.StatusCreated) != e.open || !e.open && got.StatusCode != http.StatusUnauthorized {
				t.Errorf("without a token: got %d", got.StatusCode)
			}
			refused(t, w.send(t, e.post(nobody, "{}", "Authorization", "Bearer abc")), http.StatusUnauthorized)
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
		refused(t, w.send(t, ask{as: customer, method: http.MethodPost, path: path}), http.StatusBadRequest, says)
	}
	for _, query := range []string{"", "?type=X", "?logVideoInteraction=&type=X", "?logVideoInteraction=false&type=X"} {
		refused(t, w.send(t, ask{as: customer, method: http.MethodPost, path: pathOf("floating") + "/events" + query}), http.StatusNotFound)
	}
}

// sendTwice sends a request with a repeated header.
func (w *world) sendTwice(t testing.TB, a ask, name string, values ...string) *answer {
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

// cutOff is a body whose connection breaks.
type cutOff struct{}

func (cutOff) Read([]byte) (int, error) { return 0, http.ErrBodyReadAfterClose }

// TestWhatTheDomainSaysOfEvents proves that errors of the domain become the statuses and bodies of the common error
// table.
func TestWhatTheDomainSaysOfEvents(t *testing.T) {
	w, d := eventWorld(t)
	for status, problem := range map[int]error{
		http.StatusBadRequest:          &fault.Error{Code: fault.Invalid, Label: "Invalid Event", Message: "2 events are bad", Reasons: []string{"[0].videoId: it is missing"}},
		http.StatusUnprocessableEntity: event.ErrMismatched("k"),
		http.StatusServiceUnavailable:  fault.Errorf(fault.Unavailable, "events cannot be stored now"),
		http.StatusNotFound:            fault.Errorf(fault.NotFound, "there is no video"),
	} {
		d.fault = problem
		for _, e := range eventEndpoints {
			body := refused(t, w.send(t, e.post(e.as, "{}")), status, problem.Error())
			if status == http.StatusBadRequest && (body.Error != "Invalid Event" || !slices.Equal(body.Reasons, []string{"[0].videoId: it is missing"})) {
				t.Errorf("%s: %+v", e.path, body)
			}
			if got := w.send(t, e.post(e.as, "{}")); status == http.StatusServiceUnavailable && got.Header.Get("Retry-After") == "" {
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
		w.send(t, ask{as: customer, method: http.MethodPost, path: "/v1/events/playback", body: "{}", header: header})
		if len(d.calls) != 1 || d.calls[0].circumstances.Referer != want {
			t.Errorf("%v: got %+v", header, d.calls)
		}
	}
}

// FuzzEventBody proves that no body and no key crash the server or reach the domain altered.
func FuzzEventBody(f *testing.F) {
	w, d := eventWorld(f)
	for _, body := range []string{playbackBody, batchBody, playerBody, pageBody, completionsBody, "", "null", "[", "\xff", `"\ud800"`} {
		f.Add(body, "key", "https://a.example/")
	}
	f.Add("{}", "\x80", "\xc3")
	f.Fuzz(func(t *testing.T, body, key, referer string) {
		for _, e := range eventEndpoints {
			d.calls = nil
			got := w.send(t, e.post(e.as, body, "Idempotency-Key", key, "Service-Referer", referer))
			switch {
			case got.StatusCode == http.StatusCreated && len(d.calls) == 1 && (e.bodyless || e.ignores && len(d.calls[0].body) == 0 || string(d.calls[0].body) == body):
			case got.StatusCode == http.StatusBadRequest && key != "" && strings.TrimSpace(key) == "":
			case got.StatusCode == http.StatusRequestEntityTooLarge && len(body) > e.maxBody:
			default:
				t.Errorf("%s: got %d %s, calls %+v", e.path, got.StatusCode, got.body, d.calls)
			}
		}
	})
}

// TestBodiesThatAreIgnored proves that a video interaction is accepted with any body. The domain gets the body only if
// it is a valid event.
func TestBodiesThatAreIgnored(t *testing.T) {
	w, d := eventWorld(t)
	path := pathOf("floating") + "/events?logVideoInteraction=true&type=X"
	for _, c := range []struct{ contentType, body, want string }{
		{"application/json", `{"a":1}`, `{"a":1}`}, {"text/plain", `{}`, ""}, {"application/x-www-form-urlencoded", "", ""}, {"application/json", "[1]", ""},
		{"application/json", "hello", ""}, {"application/json", `{"userId":7}`, ""}, {"application/json", strings.Repeat(" ", event.MaxBody+1), ""},
	} {
		for _, length := range []int64{int64(len(c.body)), -1} {
			d.calls = nil
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(c.body))
			r.ContentLength = length
			r.Header.Set("Authorization", "Bearer "+w.token(t, customer))
			r.Header.Set("Content-Type", c.contentType)
			recorder := httptest.NewRecorder()
			w.handler.ServeHTTP(recorder, r)
			if recorder.Code != http.StatusCreated || len(d.calls) != 1 || string(d.calls[0].body) != c.want {
				t.Errorf("%s %.20s (%d): %d %s; the domain is called with %+v", c.contentType, c.body, length, recorder.Code, recorder.Body, d.calls)
			}
		}
	}
}
