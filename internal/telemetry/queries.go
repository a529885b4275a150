package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Queries tells how many searches and clicks have not been noted, in all since the start.
func (t *Telemetry) Queries(dropped func() int64) {
	lost := describe("queries_dropped_total", "Searches and clicks that were not noted, because too many waited to be written.", nil)
	t.registry.MustRegister(&source{
		[]*prometheus.Desc{lost},
		func(send func(*prometheus.Desc, prometheus.ValueType, float64, ...string)) {
			send(lost, prometheus.CounterValue, float64(dropped()))
		},
	})
}
