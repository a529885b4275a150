package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/resolvers/system"

	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search/typesense"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// alive answers /healthz with 200 as long as the process serves.
func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"up"}`))
}

// engineState is the state of one engine in /readyz.
type engineState struct {
	Status string `json:"status"` // up, degraded or down
	Engine string `json:"engine,omitempty"`
	// Detail is the reason for a status other than up. Remedy is what an operator can do about it.
	Detail string `json:"detail,omitempty"`
	Remedy string `json:"remedy,omitempty"`
	// Lag is the number of changes in the log that the engine lacks.
	Lag *int64 `json:"lag,omitempty"`
}

// The states of an engine, and of the service.
const (
	stateUp       = "up"
	stateDegraded = "degraded" // the server works without the engine, more slowly or not for every request
	stateDown     = "down"
)

// ready answers /readyz with the state of each engine: 200 if the catalogue can be read, even if an engine is missing
// that some requests need (degraded), else 503. A demo also answers 503 until its content is complete.
func (s *App) ready(w http.ResponseWriter, r *http.Request) {
	engines := s.engineStates(r.Context())
	status := stateUp
	for _, engine := range engines {
		switch {
		case engine.Status == stateDown:
			status = stateDown
		case engine.Status == stateDegraded && status == stateUp:
			status = stateDegraded
		}
	}
	states := map[string]any{"engines": engines}
	if status == stateDown {
		message := "the catalogue cannot be read"
		if s.filling.Load() {
			message = "the content of the demo is not complete yet"
		}
		httperror.Write(w, r, http.StatusServiceUnavailable, "", message, nil, states)
		return
	}
	states["status"] = status
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(states)
}

// checkTimeout bounds the check of an engine.
const checkTimeout = 2 * time.Second

// engineStates checks every engine. Concurrent callers share one check, because anybody may call /readyz at any rate.
func (s *App) engineStates(ctx context.Context) map[string]engineState {
	states, _, _ := s.readiness.Do("", func() (any, error) { return s.askEngines(context.WithoutCancel(ctx)), nil })
	return states.(map[string]engineState)
}

// parts returns the states of engineStates in the order of their names.
func (s *App) parts(ctx context.Context) []system.Part {
	states := s.engineStates(ctx)
	parts := make([]system.Part, 0, len(states))
	for _, name := range slices.Sorted(maps.Keys(states)) {
		state := states[name]
		parts = append(parts, system.Part{
			Name: name, Engine: state.Engine, Status: state.Status, Detail: state.Detail, Remedy: state.Remedy, Lag: state.Lag,
		})
	}
	return parts
}

// askEngines checks all engines at the same time.
func (s *App) askEngines(ctx context.Context) map[string]engineState {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var store, accounts, events, collections, search, collectionSearch, cache engineState
	usage, retention, subscriptions := s.usageState(), s.retentionState(), s.subscriptionsState()
	var asking sync.WaitGroup
	asking.Go(func() { store = s.storeState(ctx) })
	asking.Go(func() {
		_, err := s.stores.Accounts.RosterVersion(ctx)
		accounts = stateOf(s.stores.engine, stateDegraded, err)
	})
	asking.Go(func() { events = s.eventsState(ctx) })
	asking.Go(func() {
		_, err := s.stores.Collections.Head(ctx)
		collections = stateOf(s.stores.engine, stateDegraded, err)
	})
	asking.Go(func() { search = s.searchState(ctx) })
	asking.Go(func() { collectionSearch = s.collectionSearchState(ctx) })
	asking.Go(func() { cache = s.cacheState(ctx) })
	var archived engineState
	if s.stores.archive != nil {
		asking.Go(func() { archived = s.archiveState(ctx) })
	}
	asking.Wait()
	states := map[string]engineState{
		"store": store, "accounts": accounts, "events": events, "usage": usage, "search": search, "cache": cache,
		"collections": collections, "collectionSearch": collectionSearch, "retention": retention, "subscriptions": subscriptions,
	}
	if s.usage.replication != nil {
		states["replication"] = s.usage.replication.state()
	}
	if database := s.stores.database; database != nil {
		if replica, ok := database.Replica(); ok {
			states["replica"] = replicaState(replica)
		}
	}
	if s.stores.archive != nil {
		states["archive"] = archived
	}
	if s.indexes.embeddings != nil {
		states["embeddings"] = s.indexes.embeddings.state()
	}
	if s.filling.Load() {
		states["demo"] = engineState{Status: stateDown, Detail: "its content is not yet complete, searchable and counted", Remedy: "wait some seconds"}
	}
	return states
}

// replicaState reports whether reads use the replica. Without it, they use the primary.
func replicaState(replica postgres.ReplicaState) engineState {
	state := engineState{Status: stateUp, Engine: enginePostgreSQL}
	if replica.Behind >= 0 {
		state.Lag = &replica.Behind
	}
	if replica.Problem != "" {
		state.Status, state.Detail, state.Remedy = stateDegraded, replica.Problem+": reads use the primary", replica.Remedy
	}
	return state
}

// storeState reports whether the store answers, and whether it still has the history that it had when this process
// started. Caches and indexes belong to one history. A restore or the promotion of a standby starts another.
func (s *App) storeState(ctx context.Context) engineState {
	_, err := s.stores.Catalogue.Head(ctx)
	state := stateOf(s.stores.engine, stateDown, err)
	if err != nil {
		return state
	}
	if namespace, err := s.stores.namespace(ctx); err == nil && namespace != s.indexes.namespace {
		state.Status, state.Detail, state.Remedy = stateDown, "it holds another history", "restart this process"
	}
	return state
}

// eventsState reports whether events can be stored, also on a server that receives none.
func (s *App) eventsState(ctx context.Context) engineState {
	_, err := s.stores.Events.Head(ctx)
	state := stateOf(s.stores.engine, stateDegraded, err)
	if err != nil {
		return state
	}
	if free, isScarce := s.usage.disk.scarce(); isScarce {
		state.Status = stateDegraded
		state.Detail = fmt.Sprintf("only %d MiB are free on the disk of the event log", free>>20)
		if s.usage.disk.low() {
			state.Detail += fmt.Sprintf(", less than --min-free-disk (%d MiB): events are refused", s.usage.keeps.MinFreeDisk)
		}
		state.Remedy = "free disk space where the data directory is; clients that got 503 repeat their events"
		return state
	}
	if err := s.usage.health.fault(); err != nil {
		state.Status, state.Detail = stateDegraded, "events cannot be stored: "+publicReason(err)
		state.Remedy = "check disk space, permissions and the hardware of the store; the server recovers on its own once a write succeeds"
		if fault.CodeOf(err) == fault.Internal {
			state.Remedy = "look at the error in the server's log; restore the event log from a backup where it is damaged"
		}
	}
	return state
}

// usageState reports whether stored events are counted. If they are not, the server still stores events, but no
// bill is right before the cause is repaired.
func (s *App) usageState() engineState {
	state := engineState{Status: stateUp, Engine: s.stores.engine}
	stats := s.usage.counter.Stats()
	var damaged *counting.DamagedError
	switch {
	case errors.As(stats.Err, &damaged):
		state.Status, state.Detail, state.Remedy = stateDegraded, damaged.Where()+": events behind it are not counted", damaged.Remedy()
	case fault.CodeOf(stats.Err) == fault.Conflict:
		state.Status, state.Detail = stateDegraded, publicReason(stats.Err)
		state.Remedy = "restore usage and events from one backup, or run filmstrip usage recount; the server's log says what differs"
	case stats.Stalled >= s.usage.stallAfter:
		state.Status = stateDegraded
		state.Detail = fmt.Sprintf("counting has been stalled at event %d for %s; %d events are not counted", stats.Position, stats.Stalled.Round(time.Second), stats.Behind)
		if stats.Err != nil {
			state.Detail += ": " + publicReason(stats.Err)
		}
		state.Remedy = "check disk space and the store of usage; the server's log has the error, and the server recovers on its own"
	}
	return state
}

// subscriptionsState reports whether new events reach subscriptions.
func (s *App) subscriptionsState() engineState {
	state := engineState{Status: stateUp, Engine: s.stores.engine}
	if err := s.usage.live.Err(); err != nil {
		state.Status, state.Detail = stateDegraded, "new events do not reach subscriptions: "+publicReason(err)
		state.Remedy = "the state of usage names events that cannot be read; otherwise the server recovers on its own once the event log answers"
	}
	return state
}

// retentionState reports whether the server deletes old data as configured. It hides the reason for a stop, which names
// a host.
func (s *App) retentionState() engineState {
	state := engineState{Status: stateUp}
	if s.clock.Hold() != nil {
		state.Status = stateDegraded
		state.Detail = "a wall clock is not trusted, so retention, key expiry and sealing are stopped"
		state.Remedy = "correct the clock and run filmstrip clock confirm"
	} else if err := s.usage.retention.Load(); err != nil && fault.CodeOf(*err) == fault.Internal {
		state.Status, state.Detail = stateDegraded, "old data cannot be deleted: "+publicReason(*err)
		state.Remedy = "look at the error in the server's log; restore the event log from a backup where it is damaged"
	}
	return state
}

// searchState reports how searches are answered. Videos by ID and the feed need no index.
func (s *App) searchState(ctx context.Context) engineState {
	d := s.indexes
	missing, _ := d.guarded.isMissing(ctx) // count returns the error
	index := indexState{
		engine: d.engine, follower: d.follower, fallback: d.fallback, missing: missing,
		name: "the index", source: "the catalogue",
	}
	if d.shared != nil {
		index.count = d.shared.Count
	}
	return index.state(ctx)
}

// collectionSearchState is searchState for collections. Collections by ID and users' own lists need no index.
func (s *App) collectionSearchState(ctx context.Context) engineState {
	c := s.indexes.collections
	index := indexState{
		engine: c.engine, follower: c.follower, fallback: c.fallback,
		name: "the index of collections", source: "their store",
	}
	if c.shared != nil {
		index.count = c.shared.Count
		index.missing, _ = c.isMissing(ctx) // count returns the error
	}
	return index.state(ctx)
}

// indexState contains the values that determine the state of an index.
type indexState struct {
	engine       string
	name, source string // for details
	follower     *projection.Follower
	fallback     *projection.Follower // nil without a fallback
	// count queries a shared index; it is nil for an index in memory. missing reports that the index is empty, but its
	// source is not.
	count   func(context.Context) (int, error)
	missing bool
}

// state is down until the first build. An index in memory is also down until it has caught up after the start, so that
// a rollout waits for it.
func (i *indexState) state(ctx context.Context) engineState {
	lag := i.follower.Lag()
	state := engineState{Status: stateUp, Engine: i.engine, Lag: &lag}
	if i.count != nil {
		_, err := i.count(ctx)
		state = stateOf(i.engine, stateDegraded, err)
		state.Lag = &lag
	}
	switch ready := i.follower.Ready(); {
	case state.Status != stateUp:
	case !ready && (i.count == nil || i.missing):
		state.Status, state.Detail = stateDown, i.name+" is being built"
	case i.missing:
		state.Status, state.Detail = stateDegraded, i.name+" is being rebuilt"
	case !ready:
		state.Status, state.Detail = stateDegraded, i.name+" is behind "+i.source
	case i.follower.Err() != nil:
		state.Status, state.Detail = stateDegraded, i.name+" does not follow "+i.source
	}
	if state.Status != stateUp && i.fallback != nil && i.fallback.Ready() {
		state.Status, state.Detail = stateDegraded, "an index in memory answers"
	}
	return state
}

func (s *App) cacheState(ctx context.Context) engineState {
	if s.indexes.far == nil {
		return engineState{Status: stateUp, Engine: engineMemory}
	}
	return stateOf(engineRedis, stateDegraded, s.indexes.far.Check(ctx))
}

// stateOf returns the state of an engine after a check. It does not show the error, which belongs into the log.
func stateOf(engine, without string, err error) engineState {
	var open *guard.OpenError
	if errors.As(err, &open) {
		err = open.Last
	}
	var unknown x509.UnknownAuthorityError
	var untrusted *tls.CertificateVerificationError
	switch refusal := postgres.Refusal(err); {
	case err == nil:
		return engineState{Status: stateUp, Engine: engine}
	case errors.As(err, &unknown):
		return engineState{Status: without, Engine: engine, Detail: "its certificate is signed by an unknown authority", Remedy: "trust the authority (" +
			map[string]string{engineRedis: "--cache-ca", engineTypesense: "--search-ca", enginePostgreSQL: "sslrootcert in --store"}[engine] + "), and restart this process"}
	case errors.As(err, &untrusted):
		return engineState{Status: without, Engine: engine, Detail: "its certificate is not valid for its address and for this time", Remedy: "replace the certificate, or correct the address"}
	case refusal != "":
		return engineState{Status: without, Engine: engine, Detail: "the database " + refusal, Remedy: "check --store, and the users and max_connections of " + engine +
			" (docs/operations.md says how many connections each process needs); restart this process after you change the setting"}
	case engine == engineRedis && redis.IsRefusal(err):
		return refused(engine, without, "--cache")
	case engine == engineTypesense && typesense.IsRefusal(err):
		return refused(engine, without, "--search-key")
	}
	return engineState{
		Status: without, Engine: engine, Detail: "it does not answer",
		Remedy: "check that " + engine + " runs and can be reached; the server recovers on its own once it answers",
	}
}

// refused returns the state of an engine that refuses the credentials of a setting.
func refused(engine, without, setting string) engineState {
	return engineState{
		Status: without, Engine: engine, Detail: "it refuses the credentials, or they lack permissions",
		Remedy: "check the credentials in " + setting + " and their permissions in " + engine + "; restart this process after you change the setting",
	}
}
