package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"

	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// alive answers /healthz: the process lives.
func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"up"}`))
}

// engineState is what /readyz says of one engine.
type engineState struct {
	Status string `json:"status"` // up or down
	Detail string `json:"detail,omitempty"`
	// Lag is how many changes the engine is behind the log.
	Lag *int64 `json:"lag,omitempty"`
}

// ready answers /readyz: 200 once everything can be answered, else 503, with the state of each
// engine in either.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	engines := s.engineStates(r.Context())
	status := "up"
	for _, engine := range engines {
		if engine.Status != "up" {
			status = "down"
		}
	}
	states := map[string]any{"engines": engines}
	if status != "up" {
		httperror.Write(w, r, http.StatusServiceUnavailable, "", "not every engine can answer yet", nil, states)
		return
	}
	states["status"] = status
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(states)
}

func (s *service) engineStates(ctx context.Context) map[string]engineState {
	states := map[string]engineState{"cache": {Status: "up"}}
	_, err := s.catalogue.Head(ctx)
	states["store"] = stateOf(err)
	_, err = s.accounts.Version(ctx)
	states["accounts"] = stateOf(err)
	search := stateOf(s.follower.Err())
	lag := s.follower.Lag()
	search.Lag = &lag
	if !s.follower.Ready() {
		search.Status, search.Detail = "down", "the index is being built"
	}
	states["search"] = search
	return states
}

// stateOf says no more than that an engine is away: errors are for the log.
func stateOf(err error) engineState {
	if err != nil {
		return engineState{Status: "down", Detail: "it does not answer"}
	}
	return engineState{Status: "up"}
}

// loopbackHosts are the names by which this machine's own programs reach a listener.
func loopbackHosts(addr string) []string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return []string{addr}
	}
	return []string{addr, net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port), net.JoinHostPort("::1", port)}
}

// traced adds the trace's name to each log line of a request.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return t.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }
