package app

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// replication watches whether commits of events wait for a standby. If they do, a failover loses no acknowledged event.
type replication struct {
	ask    func(context.Context) (postgres.Replication, error)
	engine string
	// required is --require-synchronous-standby: the server refuses events while commits wait for no standby.
	required bool
	logger   *slog.Logger
	seen     atomic.Pointer[replicationState]
}

// replicationState is the result of a check.
type replicationState struct {
	safe   bool
	detail string
}

const (
	// replicationInterval is the interval between checks. replicationTimeout is the maximum duration of a check.
	replicationInterval = 2 * time.Second
	replicationTimeout  = 2 * time.Second
)

var errNoAnswer = replicationState{detail: "the database does not report whether commits wait for a standby"}

func (r *replication) run(ctx context.Context) {
	r.poll(ctx)
	every(ctx, replicationInterval, func() { r.poll(ctx) })
}

// poll checks the database, and logs a change since the last check.
func (r *replication) poll(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, replicationTimeout)
	defer cancel()
	state := errNoAnswer
	if found, err := r.ask(limited); err == nil {
		state = judgeReplication(found)
	} else if ctx.Err() != nil {
		return
	}
	if before := r.seen.Swap(&state); before != nil && *before == state {
		return
	}
	level := slog.LevelInfo
	if r.required && !state.safe {
		level = slog.LevelError
	}
	r.logger.Log(ctx, level, "replication of events: "+state.detail, "commits_wait_for_standby", state.safe, "required", r.required)
}

func judgeReplication(found postgres.Replication) replicationState {
	switch {
	case found.Waits && found.Visible && found.Synchronous == 0:
		return replicationState{detail: "commits wait for a synchronous standby, and none is connected: start the standby"}
	case found.Waits:
		return replicationState{safe: true, detail: "commits wait for a standby"}
	case found.Asynchronous > 0:
		return replicationState{detail: "commits do not wait for the standby: a failover loses acknowledged events; set synchronous_standby_names"}
	}
	return replicationState{detail: "commits wait for no standby: acknowledged events are on one disk; set synchronous_standby_names"}
}

// state returns the state for /readyz. Before the first check completes, it reports that commits do not wait.
func (r *replication) state() engineState {
	found := r.found()
	state := engineState{Status: stateUp, Engine: r.engine, Detail: found.detail}
	if r.required && !found.safe {
		state.Status = stateDegraded
		state.Detail += "; events are refused, because --require-synchronous-standby is set"
		state.Remedy = "start a synchronous standby and name it in synchronous_standby_names"
	}
	return state
}

func (r *replication) found() replicationState {
	if found := r.seen.Load(); found != nil {
		return *found
	}
	return errNoAnswer
}

// reject returns the error for rejected events, or nil if events are accepted. A nil replication accepts all events.
func (r *replication) reject() error {
	if r == nil || !r.required {
		return nil
	}
	found := r.found()
	if found.safe {
		return nil
	}
	return &fault.Error{Code: fault.Unavailable, Message: "events are refused: " + found.detail, Cause: retryAfter{"--require-synchronous-standby is set", "10"}}
}

var errStandbyNeedsPostgreSQL = errors.New("--require-synchronous-standby requires PostgreSQL (--store): SQLite has no standby")
