package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// openTelemetry opens metrics and traces.
func (s *App) openTelemetry(_ context.Context, settings *Settings) (err error) {
	if s.telemetry, err = settings.telemetry(s.logger); err != nil {
		return err
	}
	s.closers = append(s.closers, s.telemetry.Close)
	return nil
}

func (c *Settings) telemetry(logger *slog.Logger) (*telemetry.Telemetry, error) {
	options := telemetry.Options{
		Version: Version(), Store: engineSQLite, Search: engineEmbedded, Cache: engineMemory,
		Traces: c.Traces, Sample: c.TraceSample, Logger: logger,
	}
	if !c.InFiles() {
		options.Store = enginePostgreSQL
	}
	if !c.inMemory() {
		options.Search = engineTypesense
	}
	if c.Cache != "" {
		options.Cache = engineRedis
	}
	return telemetry.New(options)
}

// serveMetrics serves the metrics at a separate address until the application closes. It accepts requests only for the
// given hosts, or for all hosts if hosts is nil.
func (s *App) serveMetrics(addr string, hosts *httpserver.LocalHosts) error {
	if addr == "" {
		return nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("--metrics-addr: cannot listen on %s: %w", addr, err)
	}
	server := s.telemetry.Server()
	if hosts != nil {
		server.Handler = hosts.Guard(server.Handler)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Error("the server of the metrics ended", "error", err)
		}
	}()
	s.logger.Info("metrics", "address", "http://"+listener.Addr().String()+"/metrics")
	s.closers = append(s.closers, func() error { err := server.Close(); <-ended; return err })
	return nil
}

func poolOf(stats postgres.Stats) telemetry.Pool {
	return telemetry.Pool{InUse: stats.InUse, Idle: stats.Idle, Max: stats.Max, Waits: stats.Waits, Waited: stats.Waited}
}

// measure registers the metrics that are read from the state of the application.
func (s *App) measure() {
	d := s.indexes
	s.telemetry.Outbox(d.follower.Lag, func() int64 {
		position, _ := d.index.Position(context.Background()) // 0 before it was first seen
		return position
	})
	s.telemetry.CollectionOutbox(d.collections.follower.Lag, func() int64 {
		position, _ := d.collections.Position(context.Background()) // 0 before it was first seen
		return position
	})
	s.telemetry.Lookups("answers", func() (hits, misses int64) {
		stats := d.answers.Stats()
		return stats.NearHits + stats.FarHits, stats.Searches
	})
	for kind, of := range map[string]func(cache.CatalogueStats) cache.Lookups{
		"states":    func(s cache.CatalogueStats) cache.Lookups { return s.States },
		"aliases":   func(s cache.CatalogueStats) cache.Lookups { return s.Aliases },
		"directory": func(s cache.CatalogueStats) cache.Lookups { return s.Directory },
		"feed":      func(s cache.CatalogueStats) cache.Lookups { return s.Feed },
	} {
		s.telemetry.Lookups(kind, func() (hits, misses int64) {
			lookups := of(s.catalogue.Stats())
			return lookups.Hits, lookups.Misses
		})
	}
	s.telemetry.Engines(func(ctx context.Context) map[string]string {
		states := map[string]string{}
		for role, engine := range s.engineStates(ctx) {
			states[role] = engine.Status
		}
		return states
	})
	s.telemetry.Rejections(func() map[string]int64 { return s.identity.limits.Stats().Refused })
	s.telemetry.Lease("usage", "", func() bool { return s.usage.counter.Stats().Counts })
	s.telemetry.Intake(s.usage.intake)
	s.telemetry.Counting(s.usage.counting)
	s.telemetry.Retention(func() bool { return s.clock.Hold() != nil })
	if s.stores.archive != nil {
		s.telemetry.Archive(s.archived)
	}
	s.telemetry.Queries(s.droppedSearches)
	if e := d.embeddings; e != nil {
		s.telemetry.Embeddings(e.counts)
		s.telemetry.Breaker("embeddings", e.service.Unavailable)
		s.telemetry.Lease("embeddings", "", e.follower.Writes)
	}
	if d.shared != nil {
		s.telemetry.Lease("search", d.shared.Name(), d.follower.Writes)
		s.telemetry.Breaker(engineTypesense, d.shared.LeftAlone)
		s.telemetry.Lease("collections", d.collections.shared.Name(), d.collections.follower.Writes)
		s.telemetry.Breaker(engineTypesense+" collections", d.collections.shared.LeftAlone)
	}
	if d.far != nil {
		s.telemetry.Breaker(engineRedis, func() bool { return d.far.Stats().LeftAlone })
		s.telemetry.Pool(engineRedis, func() telemetry.Pool {
			stats := d.far.Stats()
			return telemetry.Pool{InUse: stats.Connections - stats.Idle, Idle: stats.Idle}
		})
	}
	if database := s.stores.database; database != nil {
		s.telemetry.Breaker(enginePostgreSQL, database.LeftAlone)
		s.telemetry.Standby(func() bool { return s.usage.replication.found().safe })
		s.telemetry.Pool(enginePostgreSQL, func() telemetry.Pool { primary, _ := database.Stats(); return poolOf(primary) })
		if _, ok := database.Replica(); ok {
			s.telemetry.Replica(func() bool { replica, _ := database.Replica(); return replica.Problem == "" })
			s.telemetry.Pool("postgresql replica", func() telemetry.Pool { _, replica := database.Stats(); return poolOf(replica) })
		}
	}
}
