package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Lookups exports the lookups of a kind ("states", "answers", …) that a cache has counted since its start. No other cache may
// count the same kind.
func (t *Telemetry) Lookups(kind string, read func() (hits, misses int64)) {
	desc := describe("cache_lookups_total", "Lookups in caches, by kind and result (hit, miss).", prometheus.Labels{"kind": kind}, "result")
	t.register(func(send sender) {
		hits, misses := read()
		send(desc, prometheus.CounterValue, float64(hits), "hit")
		send(desc, prometheus.CounterValue, float64(misses), "miss")
	}, desc)
}
