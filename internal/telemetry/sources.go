package telemetry

import (
	"context"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The functions in this file export states, which are read whenever the metrics are. The functions passed in are called
// concurrently with everything else; pass each once.

// source is a collector that reads several gauges together, so that they are consistent.
type source struct {
	described []*prometheus.Desc
	collect   func(sender)
}

// sender sends one value of a metric.
type sender func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string)

// register registers the source of some metrics.
func (t *Telemetry) register(collect func(send sender), described ...*prometheus.Desc) {
	t.registry.MustRegister(&source{described, collect})
}

func (s *source) Describe(into chan<- *prometheus.Desc) {
	for _, desc := range s.described {
		into <- desc
	}
}

func (s *source) Collect(into chan<- prometheus.Metric) {
	s.collect(func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		into <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	})
}

func describe(name, help string, fixed prometheus.Labels, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, fixed)
}

// gauge registers a single value.
func (t *Telemetry) gauge(name, help string, fixed prometheus.Labels, read func() float64) {
	t.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help, ConstLabels: fixed}, read))
}

func truth(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (t *Telemetry) buildInfo(options Options) {
	t.gauge("build_info", "1, with the version of the program and the engines that it runs on.", prometheus.Labels{
		"version": options.Version, "go": runtime.Version(), "store": options.Store, "search": options.Search, "cache": options.Cache,
	}, func() float64 { return 1 })
}

// Lease exports whether this process holds a lease. Processes with different names of an index have leases of their own;
// the name is "" for work on no shared index.
func (t *Telemetry) Lease(work, index string, held func() bool) {
	t.gauge("lease_held", "1 if this process holds the lease of a task.",
		prometheus.Labels{"work": work, "index": index}, func() float64 { return truth(held()) })
}

// Breaker exports whether calls of an engine are refused because of earlier failures.
func (t *Telemetry) Breaker(engine string, open func() bool) {
	t.gauge("engine_breaker_open", "1 while calls of an engine are refused at once, because it failed before.",
		prometheus.Labels{"engine": engine}, func() float64 { return truth(open()) })
}

// engineStates are the states of engines, as in /readyz.
var engineStates = []string{"up", "degraded", "down"}

// statesTimeout limits how long a scrape waits for the states of engines.
const statesTimeout = 2 * time.Second

// Engines exports the state of each engine by role: "up", "degraded" or "down".
func (t *Telemetry) Engines(read func(ctx context.Context) map[string]string) {
	desc := describe("engine_state", "1 for the state that an engine is in (up, degraded, down), 0 for the others.", nil, "engine", "state")
	t.register(func(send sender) {
		ctx, cancel := context.WithTimeout(context.Background(), statesTimeout)
		defer cancel()
		for engine, is := range read(ctx) {
			for _, state := range engineStates {
				send(desc, prometheus.GaugeValue, truth(state == is), engine, state)
			}
		}
	}, desc)
}

// Rejections exports how many requests each limit has rejected since the start.
func (t *Telemetry) Rejections(read func() map[string]int64) {
	desc := describe("limit_refusals_total", "Requests refused with 429, by the limit that they exceeded.", nil, "limit")
	t.register(func(send sender) {
		for limit, count := range read() {
			send(desc, prometheus.CounterValue, float64(count), limit)
		}
	}, desc)
}

// Pool is the state of a connection pool.
type Pool struct {
	// InUse and Idle are the numbers of connections, Max is their limit.
	InUse, Idle, Max int
	// Waits is how often callers have waited for a connection since the start, Waited how long in total.
	Waits  int64
	Waited time.Duration
}

// Pool exports the state of an engine's connection pool.
func (t *Telemetry) Pool(engine string, read func() Pool) {
	fixed := prometheus.Labels{"engine": engine}
	connections := describe("pool_connections", "Connections of an engine's pool, by state (used, idle).", fixed, "state")
	limit := describe("pool_connections_max", "The maximum number of connections of an engine's pool; 0 if unknown.", fixed)
	waits := describe("pool_waits_total", "Waits of callers for a connection.", fixed)
	waited := describe("pool_wait_seconds_total", "Total time that callers waited for connections.", fixed)
	t.register(func(send sender) {
		pool := read()
		send(connections, prometheus.GaugeValue, float64(pool.InUse), "used")
		send(connections, prometheus.GaugeValue, float64(pool.Idle), "idle")
		send(limit, prometheus.GaugeValue, float64(pool.Max))
		send(waits, prometheus.CounterValue, float64(pool.Waits))
		send(waited, prometheus.CounterValue, pool.Waited.Seconds())
	}, connections, limit, waits, waited)
}

// Queries exports how many searches and clicks have not been noted, in all since the start.
func (t *Telemetry) Queries(dropped func() int64) {
	t.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Namespace: namespace, Name: "queries_dropped_total",
		Help: "Searches and clicks that were not recorded because too many waited to be written.",
	}, func() float64 { return float64(dropped()) }))
}

// Embeddings are counts of search by meaning since the start.
type Embeddings struct {
	Videos, Passages int64         // embedded
	Tokens           int64         // as the embedding service reports them
	Waited           time.Duration // for the service, while videos were embedded
	Remembered       int64         // queries whose vector was in memory
	Asked            int64         // queries that asked the service
	Missed           int64         // of these, queries that searched by words alone
}

// Embeddings exports the counts of search by meaning.
func (t *Telemetry) Embeddings(read func() Embeddings) {
	videos := describe("embedded_videos_total", "Videos whose vectors were computed.", nil)
	passages := describe("embedded_passages_total", "Passages of videos whose vectors were computed.", nil)
	tokens := describe("embedding_tokens_total", "Tokens of passages and queries, as the embedding service reports them.", nil)
	waited := describe("embedding_wait_seconds_total", "Total time that the background work waited for the embedding service.", nil)
	queries := describe("query_vectors_total", "Queries, by the source of their vector: memory, service, or none for those that used words alone.", nil, "source")
	t.register(func(send sender) {
		e := read()
		send(videos, prometheus.CounterValue, float64(e.Videos))
		send(passages, prometheus.CounterValue, float64(e.Passages))
		send(tokens, prometheus.CounterValue, float64(e.Tokens))
		send(waited, prometheus.CounterValue, e.Waited.Seconds())
		send(queries, prometheus.CounterValue, float64(e.Remembered), "memory")
		send(queries, prometheus.CounterValue, float64(e.Asked-e.Missed), "service")
		send(queries, prometheus.CounterValue, float64(e.Missed), "none")
	}, videos, passages, tokens, waited, queries)
}
