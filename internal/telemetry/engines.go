package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/spans"
	"github.com/filmstrip/filmstrip/store"
)

// engineBuckets are bounds in seconds, from a read of memory to a time limit.
var engineBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}

// engines counts calls of engines.
type engines struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newEngines(registry prometheus.Registerer) *engines {
	e := &engines{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: "engine", Name: "calls_total",
			Help: "Calls of engines, by port, engine, operation and outcome (ok, unavailable, error, cancelled).",
		}, []string{"port", "engine", "operation", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: "engine", Name: "call_duration_seconds",
			Help: "Duration of calls of engines, whether they succeed or fail.", Buckets: engineBuckets,
		}, []string{"port", "engine", "operation"}),
	}
	registry.MustRegister(e.total, e.seconds)
	return e
}

// operation is one method of one engine.
type operation struct {
	span     string
	seconds  prometheus.Observer
	outcomes [outcomes]prometheus.Counter
}

// outcome is the result of a call.
type outcome uint8

const (
	ok          outcome = iota
	unavailable         // the engine could not respond
	failed              // any other fault of the engine
	cancelled           // the caller hung up or ran out of time
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "unavailable", "error", "cancelled"}

func (e *engines) operation(port, engine, name string) *operation {
	o := &operation{span: port + " " + name, seconds: e.seconds.WithLabelValues(port, engine, name)}
	for i, outcome := range outcomeNames {
		o.outcomes[i] = e.total.WithLabelValues(port, engine, name, outcome)
	}
	return o
}

// call is a call in progress.
type call struct {
	operation *operation
	begun     time.Time
	span      spans.Span
}

func (o *operation) begin(ctx context.Context) (context.Context, call) {
	ctx, span := spans.Start(ctx, o.span)
	return ctx, call{operation: o, begun: time.Now(), span: span}
}

func (c call) end(err error) {
	c.operation.seconds.Observe(time.Since(c.begun).Seconds())
	c.operation.outcomes[outcomeOf(err)].Inc()
	c.span.End(err)
}

// run measures a call without a result.
func (o *operation) run(ctx context.Context, work func(context.Context) error) (err error) {
	ctx, call := o.begin(ctx)
	defer func() { call.end(err) }()
	return work(ctx)
}

// measure measures a call with a result.
func measure[T any](ctx context.Context, of *operation, work func(context.Context) (T, error)) (result T, err error) {
	err = of.run(ctx, func(ctx context.Context) error {
		result, err = work(ctx)
		return err
	})
	return result, err
}

// measure1 measures a call of a method with one argument.
func measure1[A, T any](ctx context.Context, of *operation, method func(context.Context, A) (T, error), a A) (result T, err error) {
	ctx, call := of.begin(ctx)
	defer func() { call.end(err) }()
	return method(ctx, a)
}

// measure2 measures a call of a method with two arguments.
func measure2[A, B, T any](ctx context.Context, of *operation, method func(context.Context, A, B) (T, error), a A, b B) (result T, err error) {
	ctx, call := of.begin(ctx)
	defer func() { call.end(err) }()
	return method(ctx, a, b)
}

// outcomeOf counts errors that the domain expects, such as NotFound, as answers.
func outcomeOf(err error) outcome {
	switch {
	case err == nil, errors.Is(err, store.ErrTrimmed):
		return ok
	}
	switch spans.CodeOf(err) {
	case spans.Cancelled:
		return cancelled
	case string(fault.Unavailable):
		return unavailable
	case string(fault.Internal):
		return failed
	}
	return ok
}
