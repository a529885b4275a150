package postgres

import (
	"cmp"
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/internal/guard"
)

// standby is the replica that serves reads that may lag.
type standby struct {
	pool  *pgxpool.Pool
	guard *guard.Guard
	// salt, system and timeline are the primary's (see Lineage). A database in which one of them differs is no replica.
	salt, system, timeline atomic.Pointer[string]
	// isLeft reports that reads leave the replica alone until a check succeeds. doubt asks for a check at once.
	isLeft atomic.Bool
	doubt  chan struct{}
	state  atomic.Pointer[ReplicaState]
	// awaited is a position of the primary that the replica lacked at the last check; it lacks it since lacking.
	awaited int64
	lacking time.Time
}

// ReplicaState describes the replica at its last check.
type ReplicaState struct {
	// Problem is the reason why reads do not use the replica, or "" if they do. Remedy says what to do about it.
	Problem, Remedy string
	// Behind is the number of changes of the catalogue that the replica lacks; -1: unknown.
	Behind int64
}

const (
	// replicaWait is how long a read waits for the replica before it uses the primary.
	replicaWait = 400 * time.Millisecond
	// replicaInterval is the time between checks of the replica, and the time limit of a check.
	replicaInterval = time.Second
	// replicaLate is how long the replica may lack a change before reads leave it alone.
	replicaLate = 10 * time.Second
)

// openStandby opens the pool. The pool connects only when needed, because the replica may be unreachable.
func (s settings) openStandby(ctx context.Context) (*standby, error) {
	config, err := s.configOf(s.replica)
	if err != nil {
		return nil, err
	}
	config.MinConns = 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, startFault(ctx, err)
	}
	opened := &standby{pool: pool, doubt: make(chan struct{}, 1), guard: guard.New(guard.Options{
		// One connection remains for checks, which decide instead of the breaker.
		Engine: "the database's replica", Concurrent: s.maxConnections - 1, Timeout: replicaWait, Failures: math.MaxInt,
	})}
	opened.state.Store(&ReplicaState{Behind: -1})
	return opened, nil
}

// Replica returns the state of the replica. ok is false if there is no replica.
func (d *Database) Replica() (state ReplicaState, ok bool) {
	if d.standby == nil {
		return state, false
	}
	return *d.standby.state.Load(), true
}

// watchReplica checks the replica until ctx ends.
func (d *Database) watchReplica(ctx context.Context) {
	ticks := time.NewTicker(replicaInterval)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-d.standby.doubt:
		}
		d.checkReplica(ctx)
	}
}

// checkReplica decides whether reads use the replica, and logs a change.
func (d *Database) checkReplica(ctx context.Context) {
	s := d.standby
	state, err := s.check(ctx, d.known.Load(), d.now())
	if ctx.Err() != nil {
		return
	}
	before := s.state.Swap(&state)
	s.isLeft.Store(state.Problem != "")
	switch {
	case state.Problem == "" && before.Problem != "":
		d.logger.InfoContext(ctx, "the replica is used again")
	case state.Problem != before.Problem:
		d.logger.WarnContext(ctx, "the replica is not used", "reason", state.Problem, "error", err)
	}
	if state.Problem != "" {
		s.pool.Reset() // connections from before an outage would fail the first reads after it
	}
}

var (
	selectReached  = define(`SELECT position FROM head WHERE salt = $1`)
	selectRecovery = define(`SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END`)
	// A standby does not tell its timeline before it has written it to its control file.
	selectControl = define(`
		SELECT system_identifier::text, lpad(upper(to_hex(GREATEST(c.timeline_id, min_recovery_end_timeline))), 8, '0')
		FROM pg_control_system(), pg_control_checkpoint() c, pg_control_recovery()`)
)

// check asks the replica what it is, and how far it has come. known is the position that it should have reached now.
func (s *standby) check(ctx context.Context, known int64, now time.Time) (state ReplicaState, err error) {
	ctx, cancel := context.WithTimeout(ctx, replicaInterval)
	defer cancel()
	state.Behind = -1
	var (
		reached, isStandby int64
		isCopy, isAnother  bool
	)
	err = with(ctx, s.pool, func(ctx context.Context, session *session) error {
		p := &pipeline{}
		p.ask(selectReached, func(rows pgx.Rows) error { isCopy = true; return rows.Scan(&reached) }, *s.salt.Load())
		p.number(selectRecovery, &isStandby)
		if err := session.run(ctx, p); err != nil || !isCopy || isStandby == 0 {
			return err
		}
		p = &pipeline{}
		p.ask(selectControl, func(rows pgx.Rows) error {
			var system, timeline string
			err := rows.Scan(&system, &timeline)
			isAnother = differs(s.system.Load(), system) || differs(s.timeline.Load(), timeline)
			return err
		})
		err := session.run(ctx, p)
		if isCode(err, insufficientPrivilege) {
			return nil // by default, every role may read these values
		}
		return err
	})
	const address = "check the address in --store-replica"
	switch {
	case isCode(err, undefinedTable), err == nil && !isCopy:
		state.Problem, state.Remedy = "it holds no copy of this database", address
	case err != nil:
		state.Problem, state.Remedy = "it "+cmp.Or(Refusal(err), "does not answer"), "check that the replica runs and can be reached; reads use it again once it answers"
	case isStandby == 0:
		state.Problem, state.Remedy = "it is no standby", address+"; make a server that was promoted a standby of the primary again"
	case isAnother:
		state.Problem = "it follows another primary, or does not confirm yet that it follows the new one"
		state.Remedy = address + "; after a failover, wait for its next restartpoint (checkpoint_timeout), and build it again if it does not follow the new primary"
	default:
		if state.Behind = max(0, known-reached); reached >= s.awaited {
			s.awaited, s.lacking = known, now
		} else if now.Sub(s.lacking) >= replicaLate {
			state.Problem, state.Remedy = "it is behind the primary", "check the replication: the network, and long queries on the replica; reads use it again once it has caught up"
		}
	}
	return state, err
}

// differs reports whether a known value differs.
func differs(known *string, value string) bool {
	return known != nil && *known != "" && *known != value
}

// read reads from the replica. It reports whether the result is valid: the replica had reached the position before it
// answered. After a failure, reads leave the replica alone until a check succeeds.
func (s *standby) read(ctx context.Context, position int64, gather func(p *pipeline)) (counts bool) {
	salt := s.salt.Load()
	if salt == nil || s.isLeft.Load() {
		return false
	}
	err := s.guard.Do(ctx, func(ctx context.Context) error {
		return with(ctx, s.pool, func(ctx context.Context, session *session) error {
			p := &pipeline{}
			p.ask(selectReached, func(rows pgx.Rows) error {
				var reached int64
				err := rows.Scan(&reached)
				counts = reached >= position
				return err
			}, *salt)
			gather(p)
			return session.run(ctx, p)
		})
	})
	if err != nil && ctx.Err() == nil {
		s.isLeft.Store(true)
		select {
		case s.doubt <- struct{}{}:
		default:
		}
	}
	return counts && err == nil
}

// read runs the statements that gather adds. A single statement sees one snapshot of the database; several may not.
func (d *Database) read(ctx context.Context, gather func(p *pipeline)) error {
	return d.reading(ctx, func(ctx context.Context, s *session) error {
		p := &pipeline{}
		gather(p)
		return s.run(ctx, p)
	})
}

// readTogether is like read, for several statements that must see the same snapshot.
func (d *Database) readTogether(ctx context.Context, gather func(p *pipeline)) error {
	return d.read(ctx, func(p *pipeline) {
		p.do(beginRead)
		gather(p)
		p.do(commit)
	})
}

// readLagging is like read, for reads that the replica may serve.
func (d *Database) readLagging(ctx context.Context, gather func(p *pipeline)) error {
	if d.standby != nil && d.standby.read(ctx, d.known.Load(), gather) {
		return nil
	}
	return d.read(ctx, gather)
}

// learn records a position that the catalogue has reached. Later reads of this process see at least this position.
func (d *Database) learn(position int64) {
	for {
		known := d.known.Load()
		if position <= known || d.known.CompareAndSwap(known, position) {
			return
		}
	}
}
