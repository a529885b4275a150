package telemetry

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// requestBuckets are bounds in seconds. The service-level objectives use 0.1 and 0.3.
var requestBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .3, .5, 1, 2.5, 5, 10}

// requests counts requests; it is the httpserver.Observer.
type requests struct {
	total    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	bytes    *prometheus.CounterVec
	inFlight prometheus.Gauge
	traces   *traces

	// known is replaced, never changed, so that a request finds its series without waiting.
	known  atomic.Pointer[map[requestKind]requestSeries]
	adding sync.Mutex
}

// requestKind identifies the series of a request. Its values are few: route templates, HTTP methods, statuses.
type requestKind struct {
	route, method string
	status        int
}

type requestSeries struct {
	total, bytes prometheus.Counter
	seconds      prometheus.Observer
}

func newRequests(registry prometheus.Registerer, traces *traces) *requests {
	r := &requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: "http", Name: "requests_total",
			Help: "Requests answered, by the template of their route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: "http", Name: "request_duration_seconds",
			Help: "Time from a request's header to the last byte of its answer.", Buckets: requestBuckets,
		}, []string{"route", "method"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: "http", Name: "response_bytes_total",
			Help: "Bytes of response bodies, as sent.",
		}, []string{"route", "method"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Subsystem: "http", Name: "requests_in_flight",
			Help: "Requests that are being answered.",
		}),
		traces: traces,
	}
	r.known.Store(&map[requestKind]requestSeries{})
	registry.MustRegister(r.total, r.seconds, r.bytes, r.inFlight)
	return r
}

// Begin counts the start of a request. It returns a context with the request's span, a child of the given one. The
// request is recorded if the given span is remote and sampled, or if it is not remote and falls into the share that
// Options set. A recorded span links to the caller's span, if that is valid.
func (t *Telemetry) Begin(ctx context.Context, span, caller trace.SpanContext) context.Context {
	t.requests.inFlight.Inc()
	if t.traces.wants(span) {
		return t.traces.start(ctx, span, caller)
	}
	return trace.ContextWithSpanContext(ctx, span)
}

// End counts the end of a request, with the context that Begin returned: its route template ("" if it has none),
// method, status, bytes of the response, and duration.
func (t *Telemetry) End(ctx context.Context, route, method string, status int, bytes int64, took time.Duration) {
	r := t.requests
	r.inFlight.Dec()
	kind := requestKind{cmp.Or(route, other), knownMethod(method), status}
	series := r.series(kind)
	series.total.Inc()
	series.bytes.Add(float64(bytes))
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		series.seconds.Observe(took.Seconds())
		return
	}
	series.seconds.(prometheus.ExemplarObserver).ObserveWithExemplar(took.Seconds(),
		prometheus.Labels{"trace_id": span.SpanContext().TraceID().String()})
	endRequest(span, kind)
}

func endRequest(span trace.Span, kind requestKind) {
	span.SetName(kind.method + " " + kind.route)
	span.SetAttributes(
		attribute.String("http.request.method", kind.method),
		attribute.String("http.route", kind.route),
		attribute.Int("http.response.status_code", kind.status),
	)
	if kind.status >= 500 {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

func (r *requests) series(kind requestKind) requestSeries {
	if found, ok := (*r.known.Load())[kind]; ok {
		return found
	}
	r.adding.Lock()
	defer r.adding.Unlock()
	added := requestSeries{
		total:   r.total.WithLabelValues(kind.route, kind.method, strconv.Itoa(kind.status)),
		bytes:   r.bytes.WithLabelValues(kind.route, kind.method),
		seconds: r.seconds.WithLabelValues(kind.route, kind.method),
	}
	next := maps.Clone(*r.known.Load())
	next[kind] = added
	r.known.Store(&next)
	return added
}

// other stands for all values without a name of their own.
const other = "other"

// knownMethod prevents callers from creating series.
func knownMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return method
	}
	return other
}
