// Package telemetry measures the service: what it counts is read by Prometheus, what it traces goes to
// a collector of OpenTelemetry. docs/observability.md lists the metrics and what they are good for.
//
// Requests, engines and caches are watched from outside: the facade hands over each request
// (requests.go), decorators stand around the ports (catalogue.go, index.go, cache.go), and what only
// has a state is asked for it when somebody reads (sources.go). Every label has few values, known to the
// program; nothing that a caller chooses becomes one.
package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what to measure. Zero settings stand for the defaults.
type Options struct {
	// Version is that of the program; "": unknown.
	Version string
	// Store, Search and Cache name the engines: "sqlite", "postgres", …
	Store, Search, Cache string
	// Traces is the address that spans are sent to, by OTLP over HTTP: http://collector:4318, or with a
	// path of its own in place of /v1/traces. "": what the standard variables say
	// (OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT); without them nothing is
	// recorded. The other standard variables of the exporter, such as OTEL_EXPORTER_OTLP_HEADERS, hold
	// with either.
	Traces string
	// Sample is the share of requests that are recorded, from 0 to 1, of those for which no trusted proxy
	// has decided by its traceparent.
	Sample float64
	// Logger takes a line where spans cannot be sent; nil: none.
	Logger *slog.Logger
}

// Telemetry holds the metrics of one service, and where its spans go.
type Telemetry struct {
	logger   *slog.Logger
	registry *prometheus.Registry
	requests *requests
	engines  *engines
	traces   *traces // nil: nothing is recorded

	closing    chan struct{}
	background sync.WaitGroup
}

// namespace is what the name of every metric starts with.
const namespace = "filmstrip"

// New makes a Telemetry. It fails where the address for traces is none.
func New(options Options) (*Telemetry, error) {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Telemetry{logger: options.Logger, registry: prometheus.NewRegistry(), closing: make(chan struct{})}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		buildInfo(options),
	)
	t.engines = newEngines(t.registry)
	var err error
	if t.traces, err = newTraces(options, t.registry); err != nil {
		return nil, err
	}
	t.requests = newRequests(t.registry, t.traces)
	return t, nil
}

// Handler answers with all metrics, in the format that the caller prefers.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		// What cannot be read now leaves the rest readable.
		ErrorHandling: promhttp.ContinueOnError,
		// It alone carries the trace ids of slow requests (exemplars).
		EnableOpenMetrics: true,
		Timeout:           scrapeTimeout,
	})
}

// scrapeTimeout is below what Prometheus waits by default.
const scrapeTimeout = 8 * time.Second

// Server is a server for Handler at /metrics and for nothing else: it knows no callers, so it belongs
// on an address that only the operator reaches.
func (t *Telemetry) Server() *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Handler())
	return &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       5 * time.Second,
		WriteTimeout:      scrapeTimeout + 5*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// Close sends the spans that wait to be sent, for up to flushTimeout, and asks the functions that were
// handed in no more, but for whoever reads the metrics still. It is called once.
func (t *Telemetry) Close() error {
	close(t.closing)
	t.background.Wait()
	if t.traces == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	err := t.traces.provider.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		t.logger.Warn("the collector does not answer, spans that were to be sent are lost")
		return nil
	}
	return err
}

// flushTimeout bounds how long the end of the program waits for the collector.
const flushTimeout = 3 * time.Second
