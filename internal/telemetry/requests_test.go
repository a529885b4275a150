package telemetry_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/telemetry"
)

func TestRequestsAreCountedByRouteAndStatus(t *testing.T) {
	w := newWorld(t, telemetry.Options{})
	video := "/v1/videos/" + string(w.video)
	body := w.send("GET", video, "").Body.Len()
	w.send("GET", video+"?unknown=1", "", "Authorization", "")
	w.send("GET", "/v1/videos/none", "")
	w.send("HEAD", video, "")
	w.send("BREW", video, "")
	w.send("GET", "/v1/videos?query=water&size=3", "")
	w.send("GET", "/v1/nothing/here/"+string(w.video), "")
	w.send("GET", "/broken/panic", "")
	w.send("GET", "/broken/abort", "")
	w.send("GET", "/broken/early", "")
	w.send("GET", "/broken/silent", "")
	for _, want := range []struct{ series, value string }{
		{`filmstrip_http_requests_total{method="GET",route="/v1/videos/{id}",status="200"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="/v1/videos/{id}",status="401"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="/v1/videos/{id}",status="404"}`, "1"},
		{`filmstrip_http_requests_total{method="HEAD",route="/v1/videos/{id}",status="200"}`, "1"},
		{`filmstrip_http_requests_total{method="other",route="/v1/videos/{id}",status="405"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="/v1/videos",status="200"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="other",status="404"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="/broken/*",status="500"}`, "1"},
		{`filmstrip_http_requests_total{method="GET",route="/broken/*",status="200"}`, "2"},
		{`filmstrip_http_requests_total{method="GET",route="/broken/*",status="418"}`, "1"},
		{`filmstrip_http_request_duration_seconds_count{method="GET",route="/v1/videos/{id}"}`, "3"},
		{`filmstrip_http_response_bytes_total{method="HEAD",route="/v1/videos/{id}"}`, "0"},
		{`filmstrip_http_requests_in_flight`, "0"},
	} {
		w.expect(want.series, want.value)
	}
	if body < 100 || w.value(`filmstrip_http_response_bytes_total{method="GET",route="/v1/videos/{id}"}`) < float64(body) {
		t.Errorf("the bytes of answers were not counted: %s", w.scraped())
	}
	if strings.Contains(w.scraped(), string(w.video)) {
		t.Error("input of a caller has become a label")
	}
}

// TestACallerThatHangsUpIsNoFailure checks that a request that its caller cancels has status 499, and a request that
// exceeds the service's own time limit has status 503.
func TestACallerThatHangsUpIsNoFailure(t *testing.T) {
	w := newWorld(t, telemetry.Options{})
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	r := httptest.NewRequestWithContext(gone, "GET", "/v1/videos?size=1", nil)
	r.Header.Set("Authorization", "any")
	w.handler.ServeHTTP(httptest.NewRecorder(), r)
	w.expect(`filmstrip_http_requests_total{method="GET",route="/v1/videos",status="499"}`, "1")
	w.timeout = time.Nanosecond
	w.wire()
	w.send("GET", "/v1/videos?size=1", "")
	w.expect(`filmstrip_http_requests_total{method="GET",route="/v1/videos",status="503"}`, "1")
}

func TestRequestsUnderWayAreCounted(t *testing.T) {
	w := newWorld(t, telemetry.Options{})
	ctx := w.Begin(t.Context(), trace.SpanContext{}, trace.SpanContext{})
	w.expect("filmstrip_http_requests_in_flight", "1")
	w.End(ctx, "/v1", "GET", 200, 1, time.Second)
	w.expect("filmstrip_http_requests_in_flight", "0")
	w.expect(`filmstrip_http_request_duration_seconds_sum{method="GET",route="/v1"}`, "1")
}

// TestCountingTakesNoMemory checks that counting a request allocates nothing beyond its trace context.
func TestCountingTakesNoMemory(t *testing.T) {
	watch := newTelemetry(t, telemetry.Options{Traces: "http://127.0.0.1:9", Sample: 0})
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{1}, SpanID: [8]byte{1}})
	ctx := context.Background()
	bare := testing.AllocsPerRun(100, func() { trace.ContextWithSpanContext(ctx, span) })
	counted := testing.AllocsPerRun(100, func() {
		watch.End(watch.Begin(ctx, span, trace.SpanContext{}), "/v1/videos/{id}", "GET", 200, 1000, time.Millisecond)
	})
	if counted > bare {
		t.Errorf("%v allocations, %v of them for the trace", counted, bare)
	}
}

func TestTheServerKnowsOneAddress(t *testing.T) {
	server := newTelemetry(t, telemetry.Options{}).Server()
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/metrics", 200}, {"HEAD", "/metrics", 200}, {"POST", "/metrics", 405}, {"GET", "/", 404}, {"GET", "/debug/pprof/", 404},
	} {
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, httptest.NewRequest(test.method, test.path, nil))
		if recorder.Code != test.status {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, recorder.Code, test.status)
		}
	}
	if server.ReadHeaderTimeout == 0 || server.ReadTimeout == 0 || server.WriteTimeout == 0 || server.IdleTimeout == 0 {
		t.Error("the server waits forever")
	}
}

func BenchmarkRequest(b *testing.B) {
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: [16]byte{8: 0xff}, SpanID: [8]byte{1}})
	for name, options := range map[string]telemetry.Options{
		"metrics": {}, "unsampled": {Traces: "http://127.0.0.1:9", Sample: .01}, "recorded": {Traces: "http://127.0.0.1:9", Sample: 1},
	} {
		b.Run(name, func(b *testing.B) {
			watch := newTelemetry(b, options)
			ctx := context.Background()
			b.ReportAllocs()
			for b.Loop() {
				watch.End(watch.Begin(ctx, span, trace.SpanContext{}), "/v1/videos/{id}", http.MethodGet, 200, 1000, time.Millisecond)
			}
		})
	}
}
