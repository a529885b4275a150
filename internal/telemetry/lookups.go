package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// lookups counts lookups of caches; some caches count their own.
type lookups struct {
	counted *prometheus.CounterVec
	desc    *prometheus.Desc

	mu   sync.Mutex
	read map[string]func() (hits, misses int64)
}

func newLookups() *lookups {
	const help = "What caches were asked for, by kind and result (hit, miss)."
	labels := []string{"kind", "result"}
	return &lookups{
		counted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: "cache", Name: "lookups_total", Help: help,
		}, labels),
		desc: describe("cache_lookups_total", help, nil, labels...),
		read: map[string]func() (hits, misses int64){},
	}
}

// Describe implements prometheus.Collector.
func (l *lookups) Describe(into chan<- *prometheus.Desc) { into <- l.desc }

// Collect implements prometheus.Collector.
func (l *lookups) Collect(into chan<- prometheus.Metric) {
	l.counted.Collect(into)
	l.mu.Lock()
	defer l.mu.Unlock()
	for kind, read := range l.read {
		hits, misses := read()
		into <- prometheus.MustNewConstMetric(l.desc, prometheus.CounterValue, float64(hits), kind, "hit")
		into <- prometheus.MustNewConstMetric(l.desc, prometheus.CounterValue, float64(misses), kind, "miss")
	}
}

// LookupsOf exports the lookups of a kind that a cache counts itself, since its start. No other cache may count the
// same kind.
func (t *Telemetry) LookupsOf(kind string, read func() (hits, misses int64)) {
	l := t.engines.lookups
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read[kind] = read
}

// Lookups returns a function that counts lookups of one kind ("states", "answers", …) in a cache that is not a
// cache.Cache.
func (t *Telemetry) Lookups(kind string) func(hits, misses int) {
	hit, miss := t.engines.lookups.counted.WithLabelValues(kind, "hit"), t.engines.lookups.counted.WithLabelValues(kind, "miss")
	return func(hits, misses int) {
		if hits > 0 {
			hit.Add(float64(hits))
		}
		if misses > 0 {
			miss.Add(float64(misses))
		}
	}
}
