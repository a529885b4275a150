package telemetry_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	recorded "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/filmstrip/filmstrip/internal/telemetry"
)

// collected is an OTLP/HTTP collector. It records the spans that it receives.
type collected struct {
	*httptest.Server
	testing.TB
	mu      sync.Mutex
	spans   []*recorded.Span
	about   map[string]string
	headers http.Header
	paths   map[string]bool
}

func collect(tb testing.TB) *collected {
	c := &collected{TB: tb, about: map[string]string{}, paths: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	tb.Cleanup(c.Close)
	return c
}

func (c *collected) take(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(r.Body)
	}
	text, err := io.ReadAll(body)
	var request collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(text, &request) != nil {
		c.Error("the request contains no OTLP")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header
	c.paths[r.URL.Path] = true
	for _, resource := range request.ResourceSpans {
		for _, attribute := range resource.Resource.Attributes {
			c.about[attribute.Key] = attribute.Value.GetStringValue()
		}
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// lines returns the path from the root to each span, as "root > … > name".
func (c *collected) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	byID := map[string]*recorded.Span{}
	for _, span := range c.spans {
		byID[string(span.SpanId)] = span
	}
	var lines []string
	for _, span := range c.spans {
		line := span.Name
		for parent := byID[string(span.ParentSpanId)]; parent != nil; parent = byID[string(parent.ParentSpanId)] {
			line = parent.Name + " > " + line
		}
		lines = append(lines, line)
	}
	return lines
}

func (c *collected) span(name string) *recorded.Span {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.spans {
		if span.Name == name {
			return span
		}
	}
	c.Fatalf("no span %q was sent", name)
	return nil
}

func attributeOf(span *recorded.Span, key string) string {
	for _, attribute := range span.Attributes {
		if attribute.Key == key {
			return attribute.Value.GetStringValue()
		}
	}
	return ""
}

func TestTracesReachFromMountToEngine(t *testing.T) {
	c := collect(t)
	w := newWorld(t, telemetry.Options{Version: "1.2.3", Traces: c.URL, Sample: 1})
	answer := w.send("GET", "/v1/videos?query=water&size=3", "")
	w.send("GET", "/v1/videos/"+string(w.video), "")
	w.send("GET", "/v1/videos/none", "")
	w.send("GET", "/broken/panic", "")
	w.send("POST", "/graphql", `{"query":"query Mine($id: String!) { video(id: $id) { id } }","variables":{"id":"`+string(w.video)+`"}}`,
		"Content-Type", "application/json")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	lines := c.lines()
	for _, line := range []string{
		"GET /v1/videos > operation SearchVideos > resolve searchVideos > search search",
		"GET /v1/videos > cache get",
		"GET /v1/videos/{id} > operation VideoReference > resolve videoReference > store states",
		"GET /v1/videos/{id} > operation VideoDocuments > resolve videosById > store videos",
		"POST /graphql > operation > resolve video > store videos",
	} {
		if !slices.Contains(lines, line) {
			t.Errorf("there is no %s in %q", line, lines)
		}
	}
	root := c.span("GET /v1/videos")
	if got := hex.EncodeToString(root.TraceId); got != answer.Header().Get("X-Service-Trace-Id") {
		t.Errorf("the trace %s is not the one that the caller was reported, %s", got, answer.Header().Get("X-Service-Trace-Id"))
	}
	if root.Kind != recorded.Span_SPAN_KIND_SERVER || len(root.ParentSpanId) != 0 || attributeOf(root, "http.route") != "/v1/videos" {
		t.Errorf("the root is %v", root)
	}
	if status := c.span("GET /broken/*").Status; status.GetCode() != recorded.Status_STATUS_CODE_ERROR {
		t.Errorf("the status of a panic is %v", status)
	}
	if mine := c.span("operation"); attributeOf(mine, "graphql.operation.name") != "Mine" || attributeOf(mine, "graphql.operation.type") != "query" {
		t.Errorf("the span of a caller's operation is %v", mine)
	}
	if c.about["service.name"] != "filmstrip" || c.about["service.version"] != "1.2.3" {
		t.Errorf("the service is reported as %v", c.about)
	}
	for _, span := range c.spans {
		if text := span.String(); strings.Contains(text, "water") {
			t.Errorf("a span reports what was searched for: %s", text)
		}
	}
	if !c.paths["/v1/traces"] {
		t.Errorf("spans went to %v", c.paths)
	}
	w.expect(`filmstrip_trace_spans_total{outcome="lost"}`, "0")
	if n := w.value(`filmstrip_trace_spans_total{outcome="sent"}`); n != float64(len(c.spans)) {
		t.Errorf("%v spans were counted, %d were sent", n, len(c.spans))
	}
}

// TestSampling checks that a trusted proxy's decision applies, and that the configured share of all other requests is
// recorded. An untrusted caller cannot decide, neither with the flag nor with a trace ID below the threshold.
func TestSampling(t *testing.T) {
	const parent = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
	const low = "00000000000000000000000000000001-00f067aa0ba902b7"
	for _, test := range []struct {
		name        string
		share       float64
		from        string
		traceparent string
		recorded    bool
	}{
		{"no share, the proxy records", 0, "10.1.2.3:80", parent + "-01", true},
		{"all, the proxy does not record", 1, "10.1.2.3:80", parent + "-00", false},
		{"no share, a caller records", 0, "192.0.2.1:80", parent + "-01", false},
		{"all, a caller does not record", 1, "192.0.2.1:80", parent + "-00", true},
		{"almost none, a caller with a low trace ID", 1e-9, "192.0.2.1:80", low + "-00", false},
		{"no share, undecided", 0, "192.0.2.1:80", "", false},
		{"all, undecided", 1, "192.0.2.1:80", "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := collect(t)
			w := newWorld(t, telemetry.Options{Traces: c.URL, Sample: test.share})
			header := []string{remoteAddress, test.from, "Tracestate", "vendor=value", "Baggage", "secret=1"}
			if test.traceparent != "" {
				header = append(header, "Traceparent", "00-"+test.traceparent)
			}
			answer := w.send("GET", "/v1/videos?size=1", "", header...)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := len(c.spans) > 0; got != test.recorded {
				t.Fatalf("spans: %q", c.lines())
			}
			trusted := strings.HasPrefix(test.from, "10.")
			if continued := answer.Header().Get("X-Service-Trace-Id") == parent[:32]; continued != trusted {
				t.Errorf("the trace is called %s", answer.Header().Get("X-Service-Trace-Id"))
			}
			if !test.recorded || test.traceparent == "" {
				return
			}
			root := c.span("GET /v1/videos")
			switch {
			case trusted && (hex.EncodeToString(root.ParentSpanId) != parent[33:] || root.TraceState != "vendor=value" || len(root.Links) > 0):
				t.Errorf("the root is not below the proxy's span alone: %v", root)
			case !trusted && (len(root.ParentSpanId) > 0 || root.TraceState != "" || len(root.Links) != 1 ||
				hex.EncodeToString(root.Links[0].SpanId) != parent[33:] || root.Links[0].TraceState != ""):
				t.Errorf("the root does not just link to the caller's span: %v", root)
			}
		})
	}
	t.Run("a share", func(t *testing.T) {
		c := collect(t)
		w := newWorld(t, telemetry.Options{Traces: c.URL, Sample: .25})
		for range 400 {
			w.send("GET", "/v1/nothing", "")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(c.spans); n < 50 || n > 160 { // six standard deviations around 100
			t.Errorf("%d of 400 requests were recorded", n)
		}
	})
}

func TestTheStandardVariablesAreKnown(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL+"/from/variable")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")
	t.Setenv("OTEL_SERVICE_NAME", "catalogue-eu")
	w := newWorld(t, telemetry.Options{Sample: 1})
	w.send("GET", "/v1", "")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !c.paths["/from/variable/v1/traces"] || c.headers.Get("Api-Key") != "secret" || c.about["service.name"] != "catalogue-eu" {
		t.Errorf("sent to %v with %v as %v", c.paths, c.headers, c.about)
	}
}

// TestSettingOverridesVariable checks that a setting overrides the environment variable.
func TestSettingOverridesVariable(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
	w := newWorld(t, telemetry.Options{Traces: c.URL + "/own/path", Sample: 1})
	w.send("GET", "/v1", "")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if !c.paths["/own/path"] {
		t.Errorf("sent to %v", c.paths)
	}
}

// TestACollectorThatIsAway checks that an unavailable collector loses spans but fails no requests, and that it does not
// delay shutdown for long.
func TestACollectorThatIsAway(t *testing.T) {
	for _, test := range []struct {
		name, line string
		counted    bool
		answer     http.HandlerFunc
	}{
		{"it rejects", "spans cannot be sent and are lost", true, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
		}},
		{"it hangs", "the collector does not answer", false, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.answer)
			defer server.Close()
			defer server.CloseClientConnections()
			var lines safeBuffer
			w := newWorld(t, telemetry.Options{Traces: server.URL, Sample: 1, Logger: slog.New(slog.NewTextHandler(&lines, nil))})
			for range 50 {
				if got := w.send("GET", "/v1", "").Code; got != http.StatusOK {
					t.Fatalf("status %d", got)
				}
			}
			begun := time.Now()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("the end took %v", took)
			}
			if !strings.Contains(lines.String(), test.line) {
				t.Errorf("the loss is not reported: %s", lines.String())
			}
			if got := w.value(`filmstrip_trace_spans_total{outcome="lost"}`) > 0; got != test.counted {
				t.Errorf("the loss is counted: %v", got)
			}
		})
	}
}

type safeBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func TestInvalidOptions(t *testing.T) {
	for _, options := range []telemetry.Options{
		{Traces: "collector:4318"}, {Traces: "ftp://collector"}, {Traces: "http://"}, {Traces: "%"},
		{Traces: "http://collector", Sample: -0.1}, {Traces: "http://collector", Sample: 1.1},
	} {
		if _, err := telemetry.New(options); err == nil {
			t.Errorf("%+v was accepted", options)
		}
	}
}

// TestSlowRequestsNameTheirTrace checks that the metric of slow requests names their traces.
func TestSlowRequestsNameTheirTrace(t *testing.T) {
	c := collect(t)
	w := newWorld(t, telemetry.Options{Traces: c.URL, Sample: 1})
	id := w.send("GET", "/v1", "").Header().Get("X-Service-Trace-Id")
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest("GET", "/metrics", nil)
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	w.Handler().ServeHTTP(recorder, request)
	if !strings.Contains(recorder.Body.String(), `# {trace_id="`+id+`"}`) {
		t.Error("no time of a request names its trace")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
