package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/limit"
	"github.com/filmstrip/filmstrip/search"
)

// golden is a request and the name of the file with its answer.
type golden struct {
	name string
	apiRequest
}

// TestGoldenDocuments compares the document of every endpoint, headers included, with testdata/golden.
func TestGoldenDocuments(t *testing.T) {
	const sharedBody = `{"userId":"pupil-7","captureTime":"2026-03-04T05:06:07.890Z"}`
	jsonBody := map[string]string{"Content-Type": "application/json"}
	ids := fmt.Sprintf(`{"ids":[%q,"1001",%q,"ffffffffffffffffffffffff",%q],"more":1}`, idOf("boats"), idOf("secretVideo"), idOf("minimal"))
	checkGolden(t, shared(), []golden{
		{"index-customer", apiRequest{as: customer, path: "/v1/"}},
		{"index-operator", apiRequest{as: operator, path: "/v1/admin"}},
		{"index-viewer", apiRequest{as: viewer, path: "/v1"}},
		{"index-stranger", apiRequest{as: stranger, path: "/v1/"}},
		{"index-expired", apiRequest{as: lapsed, path: "/v1/"}},
		{"admin-customer", apiRequest{as: customer, path: "/v1/admin"}},
		{"reported-expiry", apiRequest{as: lapsed, method: "POST", path: "/v1/events/expired-user-access", body: "{", header: jsonBody}},
		{"event-playback", apiRequest{as: customer, method: "POST", path: "/v1/events/playback", body: playbackBody, header: jsonBody}},
		{"event-batch", apiRequest{as: customer, method: "POST", path: "/v1/events/playback/batch", body: batchBody, header: jsonBody}},
		{"event-platform", apiRequest{as: customer, method: "POST", path: "/v1/events/platform-interaction?subtype=SEARCH_BAR_CLICKED&anonymous=true"}},
		{"event-video", apiRequest{as: customer, method: "POST", path: pathOf("floating") + "/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", body: "{}", header: jsonBody}},

		{"event-player", apiRequest{as: customer, method: "POST", path: "/v1/events/player-interaction", body: playerBody, header: jsonBody}},
		{"event-page", apiRequest{as: customer, method: "POST", path: "/v1/events/page-render", body: pageBody, header: jsonBody}},
		{"event-completions", apiRequest{as: customer, method: "POST", path: "/v1/events/suggested-search-completions", body: completionsBody, header: jsonBody}},
		{"event-platform-user", apiRequest{as: customer, method: "POST", path: "/v1/events/platform-interaction?subtype=SEARCH_BAR_CLICKED", body: sharedBody, header: jsonBody}},
		{"event-video-share", apiRequest{as: customer, method: "POST", path: pathOf("floating") + "/track-share-link", body: sharedBody, header: jsonBody}},
		{"event-video-user", apiRequest{as: customer, method: "POST", path: pathOf("floating") + "/events?logVideoInteraction=true&type=VIDEO_LINK_COPIED", body: sharedBody, header: jsonBody}},

		{"embed", apiRequest{as: seaside, method: "POST", path: pathOf("boats") + "/embeds", body: `{"expiresIn":3600,"start":1.5,"end":60}`, header: jsonBody}},

		{"video-full", apiRequest{as: customer, path: pathOf("floating")}},
		{"video-full-operator", apiRequest{as: operator, path: pathOf("floating")}},
		{"video-full-stranger", apiRequest{as: stranger, path: pathOf("floating")}},
		{"video-alias", apiRequest{as: customer, path: "/v1/videos/1001?referer=someone"}},
		{"video-elsewhere", apiRequest{as: customer, path: pathOf("boats")}},
		{"video-youtube", apiRequest{as: customer, path: pathOf("onYouTube")}},
		{"video-minimal", apiRequest{as: customer, path: pathOf("minimal")}},
		{"video-hostile", apiRequest{as: customer, path: pathOf("hostile")}},
		{"video-private", apiRequest{as: operator, path: pathOf("secretVideo")}},

		{"search", apiRequest{as: customer, path: "/v1/videos?query=water&size=2&sort_by=RELEASE_DATE" +
			"&include_channel_facets=true&include_education_level_facets=true&include_topic_facets=true&include_cefr_level_facets=true"}},
		{"search-last-page", apiRequest{as: customer, path: "/v1/videos?size=4&page=1"}},
		{"search-own-buckets", apiRequest{as: customer, path: "/v1/videos?size=1&duration_facets=PT60S-PT90S,PT20M&age_range_facets=5-7,0-150"}},
		{"search-package", apiRequest{as: operator, path: "/v1/videos?content_package=seaside&include_channel_facets=true&channel=" + string(idOf("lab"))}},
		{"search-unknown-package", apiRequest{as: operator, path: "/v1/videos?content_package=nothing"}},
		{"search-empty", apiRequest{as: customer, path: "/v1/videos?query=zzzzzzzz"}},

		{"feed", apiRequest{as: customer, path: "/v1/feed/videos?size=3&updated_as_of=2026-02-20"}},
		{"feed-last-page", apiRequest{as: customer, path: "/v1/feed/videos"}},
		{"removed-videos", apiRequest{as: customer, path: "/v1/feed/removed-videos?size=1&updated_as_of=2026-02-20"}},
		{"removed-videos-last-page", apiRequest{as: customer, path: "/v1/feed/removed-videos"}},
		{"feed-empty", apiRequest{as: customer, path: "/v1/feed/videos?updated_as_of=2027-01-01"}},

		{"video-types", apiRequest{as: customer, path: "/v1/video-types"}},
		{"metadata-types", apiRequest{as: customer, path: "/v1/videos/metadata"}},
		{"metadata", apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: ids, header: jsonBody}},
		{"metadata-two", apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: fmt.Sprintf(`{"ids":[%q,%q]}`, idOf("boats"), idOf("minimal")), header: jsonBody}},
		{"metadata-none", apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: `{"ids":[]}`, header: jsonBody}},
		{"similar", apiRequest{as: customer, path: pathOf("floating") + "/similar?size=2"}},
		{"error-404-similar", apiRequest{as: customer, path: "/v1/videos/5f2c3a1b9d4e6f7081920a3c/similar"}},
		{"error-400-similar", apiRequest{as: customer, path: pathOf("boats") + "/similar?size=101"}},
		{"transcript", apiRequest{as: customer, path: pathOf("floating") + "/transcript"}},
		{"transcript-paragraphs", apiRequest{as: customer, path: pathOf("boats") + "/transcript"}},
		{"transcript-hostile", apiRequest{as: customer, path: pathOf("hostile") + "/transcript"}},

		{"subjects", apiRequest{as: customer, path: "/v1/subjects"}},
		{"subjects-operator", apiRequest{as: operator, path: "/v1/subjects"}},
		{"subjects-all", apiRequest{as: customer, path: "/v1/subjects?visibility=all"}},
		{"subjects-segment", apiRequest{as: customer, path: "/v1/subjects?marketSegment=HIGHER_EDUCATION"}},
		{"subject", apiRequest{as: customer, path: "/v1/subjects/" + string(idOf("physics"))}},
		{"disciplines", apiRequest{as: customer, path: "/v1/disciplines"}},
		{"disciplines-all", apiRequest{as: customer, path: "/v1/disciplines?visibility=all"}},
		{"discipline", apiRequest{as: customer, path: "/v1/disciplines/" + string(idOf("sciences"))}},
		{"channels", apiRequest{as: customer, path: "/v1/channels"}},
		{"channels-operator", apiRequest{as: operator, path: "/v1/channels?projection=details&sort_by=NAME_DESC&size=2"}},
		{"channels-names", apiRequest{as: customer, path: "/v1/channels?projection=list"}},
		{"channels-filtered", apiRequest{as: customer, path: "/v1/channels?categories=P&education_levels=4CL&education_levels=4CA&name=open+lab&ingestType=manual"}},
		{"channel-operator", apiRequest{as: operator, path: "/v1/channels/" + string(idOf("lab"))}},
		{"channel", apiRequest{as: customer, path: "/v1/channels/" + string(idOf("lab"))}},
		{"content-categories", apiRequest{as: customer, path: "/v1/content-categories"}},
		{"contract-legal-restrictions", apiRequest{as: operator, path: "/v1/contract-legal-restrictions"}},
		{"education-levels", apiRequest{as: customer, path: "/v1/education-levels"}},
		{"tags", apiRequest{as: customer, path: "/v1/tags"}},
		{"tag", apiRequest{as: customer, path: "/v1/tags/" + string(idOf("hook"))}},
		{"content-warnings", apiRequest{as: customer, path: "/v1/content-warnings"}},
		{"content-warning", apiRequest{as: customer, path: "/v1/content-warnings/" + string(idOf("flashes"))}},
		{"suggestions", apiRequest{as: customer, path: "/v1/suggestions?query=bo"}},
		{"suggestions-none", apiRequest{as: customer, path: "/v1/suggestions?query=zzz%22%3C"}},
	})
}

// TestGoldenErrors compares every kind of client error with testdata/golden.
func TestGoldenErrors(t *testing.T) {
	metadata := func(name, body string, header map[string]string) golden {
		return golden{"error-" + name, apiRequest{as: customer, method: "POST", path: "/v1/videos/metadata", body: body, header: header}}
	}
	reporting := func(name, path, body string, header map[string]string) golden {
		return golden{"error-" + name, apiRequest{as: customer, method: "POST", path: path, body: body, header: header}}
	}
	get := func(name, as, path string) golden { return golden{"error-" + name, apiRequest{as: as, path: path}} }
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": token} }
	jsonBody := map[string]string{"Content-Type": "application/json"}
	checkGolden(t, shared(), []golden{
		get("400-duration", customer, "/v1/videos?duration=P1M"),
		get("400-date", customer, "/v1/videos?released_date_from=2026-02-30"),
		get("400-age-range", customer, "/v1/videos?age_range=11-5"),
		get("400-phrases", customer, "/v1/videos?query="+strings.Repeat("%22a%22+", 275)),
		get("400-window", customer, "/v1/videos?size=500&page=20"),
		get("400-number", customer, "/v1/feed/videos?size=1001"),
		get("400-cursor", customer, "/v1/feed/videos?cursor_id=AAAA"),
		get("400-removed-cursor", customer, "/v1/feed/removed-videos?cursor_id=AAAA"),
		get("400-suggestions", customer, "/v1/suggestions"),
		get("400-subjects", customer, "/v1/subjects?visibility=none"),
		metadata("400-body", `{"ids":"x"}`, jsonBody),
		{"error-401-none", apiRequest{path: "/v1/videos"}},
		{"error-401-malformed", apiRequest{path: "/v1/", header: bearer("Bearer abc")}},
		{"error-401-unknown-path", apiRequest{path: "/v1/nothing"}},
		{"error-403-permission", apiRequest{as: viewer, path: "/v1/channels"}},
		get("403-package", customer, "/v1/videos?content_package=seaside"),
		get("403-expired", lapsed, pathOf("floating")),
		{"error-403-in-force", apiRequest{as: customer, method: "POST", path: "/v1/events/expired-user-access"}},
		get("404-outside-package", seaside, pathOf("floating")),
		get("404-channel-outside-package", seaside, "/v1/channels/"+string(idOf("lab"))),
		{"error-400-user-id", apiRequest{as: customer, path: "/v1/", header: map[string]string{"Service-User-Id": strings.Repeat("é", 65)}}},
		{"error-403-transcript", apiRequest{as: viewer, path: pathOf("floating") + "/transcript"}},
		get("404-video", customer, "/v1/videos/ffffffffffffffffffffffff"),
		get("404-no-id", customer, "/v1/videos/nothing%20%22here%22"),
		get("404-private", customer, pathOf("secretVideo")),
		get("404-expired", customer, pathOf("expired")),
		get("404-retired", customer, pathOf("retired")),
		get("404-transcript", customer, pathOf("minimal")+"/transcript"),
		get("404-subject", customer, "/v1/subjects/x"),
		get("404-discipline", customer, "/v1/disciplines/ffffffffffffffffffffffff"),
		get("404-tag", customer, "/v1/tags/ffffffffffffffffffffffff"),
		get("404-content-warning", customer, "/v1/content-warnings/ffffffffffffffffffffffff"),
		get("404-channel", customer, "/v1/channels/ffffffffffffffffffffffff"),
		get("404-private-channel", customer, "/v1/channels/"+string(idOf("private"))),
		get("404-path", customer, "/v1/nothing"),
		{"error-405", apiRequest{as: customer, method: "DELETE", path: pathOf("floating")}},
		{"error-405-metadata", apiRequest{as: customer, method: "PUT", path: "/v1/videos/metadata"}},
		{"error-405-token", apiRequest{method: "GET", path: "/v1/token"}},
		metadata("413", `{"ids":["`+strings.Repeat("x", 64<<10)+`"]}`, jsonBody),
		{"error-414", apiRequest{as: customer, path: "/v1/videos?query=" + strings.Repeat("x", 32<<10)}},
		metadata("415", `{"ids":[]}`, map[string]string{"Content-Type": "text/plain"}),
		reporting("event-415", "/v1/events/playback", playbackBody, map[string]string{"Content-Type": "text/plain;charset=UTF-8"}),
		reporting("event-415-brotli", "/v1/events/playback", playbackBody, map[string]string{"Content-Type": "application/json", "Content-Encoding": "br"}),
		reporting("event-413", "/v1/events/playback", `{"videoId":"`+strings.Repeat("x", 64<<10)+`"}`, jsonBody),
		reporting("event-400", "/v1/events/playback", `{"videoId":"","segmentEndSeconds":-1}`, jsonBody),
		reporting("event-400-batch", "/v1/events/playback/batch", `[{},`+playbackBody+`]`, jsonBody),
		reporting("event-400-key", "/v1/events/playback", playbackBody, map[string]string{"Content-Type": "application/json", "Idempotency-Key": " "}),
		reporting("event-400-subtype", "/v1/events/platform-interaction", "", nil),
		reporting("event-400-type", pathOf("floating")+"/events?logVideoInteraction=true", "", nil),
		reporting("event-404-video", pathOf("secretVideo")+"/events?logVideoInteraction=true&type=X", "", nil),
		reporting("event-404", pathOf("floating")+"/events?type=X", "", nil),
		{"error-event-403", apiRequest{as: stranger, method: "POST", path: "/v1/events/playback/batch", body: batchBody, header: jsonBody}},
		{"error-event-405", apiRequest{as: customer, path: "/v1/events/playback"}},
		{"moved", apiRequest{as: customer, path: pathOf("duplicate")}},
		{"error-431", apiRequest{as: customer, path: "/v1/", header: map[string]string{"X-Long": strings.Repeat("x", 48<<10)}}},
	})
	repeating := newWorld(t, options{})
	repeating.reported.fault = event.ErrMismatched("a-golden-key")
	checkGolden(t, repeating, []golden{
		reporting("event-422", "/v1/events/playback", playbackBody, map[string]string{"Content-Type": "application/json", "Idempotency-Key": "a-golden-key"}),
	})
}

// TestGoldenLimit compares the answer to a request beyond a limit with testdata/golden.
func TestGoldenLimit(t *testing.T) {
	clock := &clock{}
	clock.set(begin)
	limits := limit.New(limit.Config{Clock: clock.now, Rates: limit.Rates{Client: 1}})
	t.Cleanup(func() { check(limits.Close()) })
	w := newWorld(t, options{empty: true, config: func(config *wiring) { config.Limit = limits.Client }})
	index := apiRequest{as: customer, path: "/v1/"}
	w.sendUnchecked(t, index)
	checkGolden(t, w, []golden{{"error-429", index}})
}

// TestGoldenFaults compares every kind of server error with testdata/golden.
func TestGoldenFaults(t *testing.T) {
	broken := newWorld(t, options{
		index: func(index search.Index) search.Index { return brokenIndex{index} },
		config: func(config *wiring) {
			config.Timeout = 20 * time.Second
			panics := func(w http.ResponseWriter, r *http.Request) { panic("a mistake with a secret") }
			config.Mounts = append(config.Mounts, httpserver.Mount{Path: "/v1/panic", Methods: []string{"GET"}, Handler: http.HandlerFunc(panics)})
		},
	})
	checkGolden(t, broken, []golden{
		{"fault-503-engine", apiRequest{as: customer, path: "/v1/videos?query=away"}},
		{"fault-500-engine", apiRequest{as: customer, path: "/v1/videos?query=strange"}},
		{"fault-500-resolver", apiRequest{as: customer, path: "/v1/videos?query=panic"}},
		{"fault-500-mount", apiRequest{as: customer, path: "/v1/panic"}},
	})
	hurried := newWorld(t, options{
		index:  func(index search.Index) search.Index { return brokenIndex{index} },
		config: func(config *wiring) { config.Timeout = 50 * time.Millisecond },
	})
	checkGolden(t, hurried, []golden{{"fault-503-timeout", apiRequest{as: customer, path: "/v1/videos?query=slow"}}})
}

// brokenIndex fails as the query text demands.
type brokenIndex struct{ search.Index }

func (b brokenIndex) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	switch query.Text.Words {
	case "away":
		return nil, &fault.Error{Code: fault.Unavailable, Message: "the search engine does not answer", Cause: os.ErrDeadlineExceeded}
	case "strange":
		return nil, fmt.Errorf("a fault with a secret in it")
	case "panic":
		panic("a mistake with a secret in it")
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return b.Index.Search(ctx, query)
}

func checkGolden(t *testing.T, w *world, list []golden) {
	t.Helper()
	for _, one := range list {
		t.Run(one.name, func(t *testing.T) {
			got := w.sendUnchecked(t, one.apiRequest)
			if got.StatusCode >= http.StatusBadRequest {
				checkErrorBody(t, one.path, got)
				if bytes.Contains(got.body, []byte("secret")) {
					t.Errorf("the answer reports what is no caller's business: %s", got.body)
				}
			}
			compareGolden(t, one.name, render(one.apiRequest, got))
		})
	}
}

// volatile lists the parts of an answer that differ from run to run, and long fillers, with their replacements.
var volatile = []struct {
	form *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`("timestamp": )"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"`), `$1"-"`},
	{regexp.MustCompile(`(/v1/streams/)[\w-]{28}(/)`), `$1-$2`},
	{regexp.MustCompile(`(Etag: W/)"[0-9a-z]+"`), `$1"-"`},
	{regexp.MustCompile(`(X-Service-Trace-Id: )[0-9a-f]{32}`), `$1-`},
	{regexp.MustCompile(`x{1000,}`), `x…`},
}

// render formats request, status, headers and body as a golden document.
func render(a apiRequest, got *answer) []byte {
	var b bytes.Buffer
	if a.method == "" {
		a.method = http.MethodGet
	}
	fmt.Fprintf(&b, "%s %s\nas %q\n", a.method, a.path, a.as)
	if json.Valid([]byte(a.body)) {
		b.WriteString("with ")
		check(json.Compact(&b, []byte(a.body)))
		b.WriteByte('\n')
	} else if a.body != "" {
		fmt.Fprintf(&b, "with %q\n", a.body)
	}
	fmt.Fprintf(&b, "\n%d %s\n", got.StatusCode, http.StatusText(got.StatusCode))
	for _, name := range slices.Sorted(maps.Keys(got.Header)) {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(got.Header[name], ", "))
	}
	b.WriteByte('\n')
	if json.Valid(got.body) {
		check(json.Indent(&b, got.body, "", "  "))
	} else {
		b.Write(got.body)
	}
	b.WriteByte('\n')
	rendered := b.Bytes()
	for _, part := range volatile {
		rendered = part.form.ReplaceAll(rendered, []byte(part.by))
	}
	return rendered
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".golden")
	if *update {
		check(os.MkdirAll(filepath.Dir(file), 0o750))
		check(os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: make it with -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}
