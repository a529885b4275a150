package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/url"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/spans"
)

// traces records spans and sends them in the background.
type traces struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	sampler  sdktrace.Sampler // for requests for which no trusted proxy has decided
}

// newTraces returns nil if no address is set.
func newTraces(options Options, registry prometheus.Registerer) (*traces, error) {
	var address []otlptracehttp.Option
	switch {
	case options.Traces != "":
		url, err := collectorAt(options.Traces)
		if err != nil {
			return nil, err
		}
		address = append(address, otlptracehttp.WithEndpointURL(url))
	case os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "":
		return nil, nil
	}
	if math.IsNaN(options.Sample) || options.Sample < 0 || options.Sample > 1 {
		return nil, fmt.Errorf("telemetry: the share of traced requests is %v, but must be from 0 to 1", options.Sample)
	}
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx, address...) // connects only when it sends
	if err != nil {
		return nil, fmt.Errorf("telemetry: traces: %w", err)
	}
	return tracesTo(newLossyExporter(exporter, options.Logger, registry), options)
}

func tracesTo(exporter sdktrace.SpanExporter, options Options) (*traces, error) {
	about, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", "filmstrip"), attribute.String("service.version", options.Version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithFromEnv()) // the last attribute wins
	if err != nil {
		options.Logger.Warn("spans lack some attributes of this process", "error", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter), // a full batcher drops spans instead of waiting
		sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // a span is started only if its request is sampled
		sdktrace.WithIDGenerator(ids{}),
	)
	return &traces{
		provider: provider, tracer: provider.Tracer(spans.Scope),
		sampler: sdktrace.TraceIDRatioBased(options.Sample),
	}, nil
}

// collectorAt returns the address that accepts spans; without a path, it has the standard one.
func collectorAt(text string) (string, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return "", fmt.Errorf("telemetry: traces cannot be sent to %q: it is not an HTTP or HTTPS address", text)
	}
	if address.Path == "" || address.Path == "/" {
		address.Path = "/v1/traces"
	}
	return address.String(), nil
}

// wants decides whether a request is recorded: a trusted proxy's decision applies; otherwise the trace id, which this
// server has drawn, decides.
func (t *traces) wants(span trace.SpanContext) bool {
	switch {
	case t == nil:
		return false
	case span.IsRemote():
		return span.IsSampled()
	}
	return t.sampler.ShouldSample(sdktrace.SamplingParameters{
		ParentContext: context.Background(), TraceID: span.TraceID(),
	}).Decision == sdktrace.RecordAndSample
}

// start starts the span of a request: below a trusted proxy's span, or as the root of the trace that the HTTP server
// has drawn. The span links to the caller's span, if that is valid.
func (t *traces) start(ctx context.Context, span, caller trace.SpanContext) context.Context {
	if span.IsRemote() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, span)
	} else {
		ctx = context.WithValue(ctx, traceKey{}, span)
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	if caller.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: caller}))
	}
	ctx, _ = t.tracer.Start(ctx, "request", options...)
	return ctx
}

// lossyExporter sends spans. If that fails, it drops them and logs a line.
type lossyExporter struct {
	sdktrace.SpanExporter
	logger       *slog.Logger
	sent, failed prometheus.Counter
}

func newLossyExporter(exporter sdktrace.SpanExporter, logger *slog.Logger, registry prometheus.Registerer) *lossyExporter {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: "trace_spans_total",
		Help: "Spans to export, by outcome (sent, lost).",
	}, []string{"outcome"})
	registry.MustRegister(total)
	return &lossyExporter{exporter, logger, total.WithLabelValues("sent"), total.WithLabelValues("lost")}
}

// ExportSpans implements sdktrace.SpanExporter.
func (f *lossyExporter) ExportSpans(ctx context.Context, batch []sdktrace.ReadOnlySpan) error {
	if err := f.SpanExporter.ExportSpans(ctx, batch); err != nil {
		f.failed.Add(float64(len(batch)))
		f.logger.Warn("spans cannot be sent and are lost", "spans", len(batch), "error", err)
		return nil
	}
	f.sent.Add(float64(len(batch)))
	return nil
}
