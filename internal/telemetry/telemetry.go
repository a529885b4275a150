// Package telemetry measures the service: Prometheus scrapes its metrics, and an OpenTelemetry collector receives its
// traces. docs/observability.md lists the metrics.
//
// Requests, engines and caches are measured from outside: the HTTP server reports each request (requests.go),
// decorators wrap the ports (catalogue.go, index.go, cache.go), and states are read at each scrape (sources.go). Every
// label has few values, which the program knows; no value that a caller chooses becomes a label.
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

// Options configure Telemetry. Zero values select the defaults.
type Options struct {
	// Version is the program's version; "" if unknown.
	Version string
	// Store, Search and Cache name the engines: "sqlite", "postgres", …
	Store, Search, Cache string
	// Traces is the address that receives spans by OTLP over HTTP: http://collector:4318, optionally with a path in
	// place of /v1/traces. "" selects the standard variables (OTEL_EXPORTER_OTLP_ENDPOINT or
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT); without them, nothing is recorded. The exporter's other standard variables,
	// such as OTEL_EXPORTER_OTLP_HEADERS, apply in either case.
	Traces string
	// Sample is the share of requests, from 0 to 1, that are recorded if no trusted proxy has decided by its
	// traceparent.
	Sample float64
	// Logger logs when spans cannot be sent; nil means no log.
	Logger *slog.Logger
}

// Telemetry holds the metrics of one service and the destination of its spans.
type Telemetry struct {
	logger   *slog.Logger
	registry *prometheus.Registry
	requests *requests
	engines  *engines
	traces   *traces // nil: nothing is recorded

	closing    chan struct{}
	background sync.WaitGroup
}

// namespace is the prefix of all metric names.
const namespace = "filmstrip"

// New returns a Telemetry. It fails if the address for traces is invalid.
func New(options Options) (*Telemetry, error) {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Telemetry{logger: options.Logger, registry: prometheus.NewRegistry(), closing: make(chan struct{})}
	t.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	t.buildInfo(options)
	t.engines = newEngines(t.registry)
	var err error
	if t.traces, err = newTraces(options, t.registry); err != nil {
		return nil, err
	}
	t.requests = newRequests(t.registry, t.traces)
	return t, nil
}

// Handler responds with all metrics, in the format that the caller prefers.
func (t *Telemetry) Handler() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
		// A metric that cannot be read does not hide the others.
		ErrorHandling: promhttp.ContinueOnError,
		// Only OpenMetrics carries the trace ids of slow requests (exemplars).
		EnableOpenMetrics: true,
		Timeout:           scrapeTimeout,
	})
}

// scrapeTimeout is shorter than Prometheus's default timeout.
const scrapeTimeout = 8 * time.Second

// Server returns a server for Handler at /metrics. It does not authenticate callers, so it belongs on an address that
// only the operator reaches.
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
		ErrorLog:          slog.NewLogLogger(t.logger.Handler(), slog.LevelDebug),
	}
}

// Close sends the pending spans, for up to flushTimeout, and stops polling the functions passed to Outbox. The
// functions that scrapes call remain in use. Call Close once.
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

// flushTimeout limits how long shutdown waits for the collector.
const flushTimeout = 3 * time.Second
