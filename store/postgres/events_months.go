package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// months contains the partitions of the log that this process has seen. The list may be out of date, because another
// process may have dropped a partition. Then the server rejects the insert and stores nothing, and the process clears
// the list and creates the partition again. There is no default partition: PostgreSQL would have to scan it whenever a
// month's partition is added.
type months struct {
	mu    sync.Mutex
	known map[usage.Month]bool
	// looked is when this process last tried to create the next month's partition.
	looked time.Time
}

func (m *months) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = nil
}

func (m *months) missing(wanted map[usage.Month]bool) (missing []usage.Month) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for month := range wanted {
		if !m.known[month] {
			missing = append(missing, month)
		}
	}
	return missing
}

func (m *months) learn(there ...usage.Month) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[usage.Month]bool{}
	}
	for _, month := range there {
		m.known[month] = true
	}
}

const (
	// ahead is how long before a month begins its partition is created.
	ahead = 7 * 24 * time.Hour
	// aheadPause is how long a process waits before it tries again to create the next month's partition. aheadLock is
	// how long an attempt waits for a lock. It is short, because there is time to try again.
	aheadPause = time.Hour
	aheadLock  = 100 * time.Millisecond
)

// make creates the partitions of the wanted months, and tries to create that of the next month if it begins soon. It
// does not block callers that append or read events.
func (m *months) make(ctx context.Context, s *session, wanted map[usage.Month]bool, now time.Time) error {
	next := map[usage.Month]bool{usage.MonthOf(event.InstantOf(now.Add(ahead))): true}
	missing, early := m.missing(wanted), m.missing(next)
	if early = m.look(now, early); len(missing)+len(early) == 0 {
		return nil
	}
	there, err := s.partitions(ctx)
	if err != nil {
		return err
	}
	m.learn(slices.Collect(maps.Keys(there))...)
	for _, month := range m.missing(wanted) {
		if err := s.makePartition(ctx, month); err != nil {
			return err
		}
		m.learn(month)
	}
	for _, month := range early {
		if _, made := there[month]; made || s.makeEarly(ctx, month) == nil {
			m.learn(month)
		}
	}
	return nil
}

// look returns the months to create early. It returns nil if the last attempt was less than aheadPause ago.
func (m *months) look(now time.Time, early []usage.Month) []usage.Month {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(early) == 0 || now.Sub(m.looked).Abs() < aheadPause {
		return nil
	}
	m.looked = now
	return early
}

// The name of a partition is partitionPrefix and the month, such as 2026_11.
const partitionPrefix = "events_"

// awaitMakers waits for processes that are creating a partition. A partition appears in the catalogue of PostgreSQL a moment
// before other sessions learn of it, and until then their inserts fail. Makers hold the lock beyond that moment.
var awaitMakers = define(`SELECT pg_advisory_xact_lock_shared(` + strconv.Itoa(partitionLock) + `)`)

// regclass quotes and qualifies the name of the relation as a statement needs it. The month comes from the unqualified
// name.
var selectPartitions = define(`
	SELECT c.oid::regclass::text, substr(c.relname, length('` + partitionPrefix + `') + 1)
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass`)

// partitions returns the partitions of the log by month. The names are quoted for use in a statement. It leaves out
// partitions whose names do not follow the pattern, which somebody else has created.
func (s *session) partitions(ctx context.Context) (names map[usage.Month]string, err error) {
	names = map[usage.Month]string{}
	p := &pipeline{}
	p.do(awaitMakers)
	p.ask(selectPartitions, func(rows pgx.Rows) error {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		if month, err := usage.ParseMonth(strings.Replace(text, "_", "-", 1)); err == nil {
			names[month] = name
		}
		return nil
	})
	return names, s.run(ctx, p)
}

// partitionLock is the key of the advisory lock for creating a partition.
const partitionLock = 0x66696c6d65766e74 // "filmevnt"

// makePartition creates the partition of a month, unless another process does so at the same time. It creates a table
// and then attaches it, because this blocks no user of the log, unlike CREATE TABLE … PARTITION OF.
func (s *session) makePartition(ctx context.Context, month usage.Month) error {
	return s.definePartition(ctx, month, "")
}

// makeEarly is like makePartition, for a month that is not needed yet: it gives up after waiting aheadLock for a lock.
func (s *session) makeEarly(ctx context.Context, month usage.Month) error {
	err := s.definePartition(ctx, month, "SET LOCAL lock_timeout = "+milliseconds(aheadLock)+";")
	if err != nil {
		_, _ = s.conn.Exec(ctx, rollback.PostgreSQL) // if the rollback fails, so does the next statement
	}
	return err
}

func (s *session) definePartition(ctx context.Context, month usage.Month, first string) error {
	name := fmt.Sprintf("%s%04d_%02d", partitionPrefix, month.Year, month.Month)
	_, err := s.conn.Exec(ctx, fmt.Sprintf(`
		BEGIN;
		%s
		SELECT pg_advisory_xact_lock(%d);
		CREATE TABLE IF NOT EXISTS %[3]s (LIKE events INCLUDING ALL);
		ALTER TABLE events ATTACH PARTITION %[3]s FOR VALUES FROM (%[4]d) TO (%[5]d);
		COMMIT`, first, partitionLock, name, month.Start(), month.End()), pgx.QueryExecModeSimpleProtocol)
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == wrongObject { // another process has attached it in the meantime
		_, err = s.conn.Exec(ctx, rollback.PostgreSQL)
	}
	return err
}

// isMissingMonth reports whether err means that the log has no partition for an event.
func isMissingMonth(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == checkViolation
}

// dropLock is how long an attempt to drop a month waits for the users of the log, while other calls wait behind it.
// dropPause is how long the other calls can run before the next attempt.
const (
	dropLock  = 100 * time.Millisecond
	dropPause = 200 * time.Millisecond
)

// Drop implements store.Events. Each month is one partition, which Drop removes in one short transaction. While a long
// transaction reads the log, Drop retries for as long as a write of the catalogue would wait (see WithPatience). Then
// it returns fault.Unavailable, and the earlier months are already dropped.
func (e *Events) Drop(ctx context.Context, before usage.Month) (event.Position, error) {
	if err := e.dropThrough(ctx, before, math.MaxInt64); err != nil {
		return 0, err
	}
	return e.Dropped(ctx)
}

// DropMoved implements store.MonthMover. It keeps the whole partition of a month with a late event.
func (e *Events) DropMoved(ctx context.Context, before usage.Month, upTo event.Position) error {
	return e.dropThrough(ctx, before, upTo)
}

// dropThrough drops the partitions before a month, up to the first one with an event after a position.
func (e *Events) dropThrough(ctx context.Context, before usage.Month, upTo event.Position) error {
	var there map[usage.Month]string
	err := e.reading(ctx, func(ctx context.Context, s *session) (err error) {
		there, err = s.partitions(ctx)
		return err
	})
	if err != nil {
		return err
	}
	byAge := func(x, y usage.Month) int { return x.Number() - y.Number() }
	for _, month := range slices.SortedFunc(maps.Keys(there), byAge) {
		if !month.Before(before) {
			break
		}
		if err := e.dropPatiently(ctx, there[month], upTo); err != nil {
			var late *pgconn.PgError
			if errors.As(err, &late) && late.Code == lateEvent {
				return fault.Errorf(fault.Conflict, "an event after position %d was received in %s and is not among those that were moved", upTo, month)
			}
			return err
		}
	}
	if err := e.ForgetAddresses(ctx, before.Start()); err != nil {
		return err
	}
	dropped, err := e.Dropped(ctx)
	if err != nil {
		return err
	}
	return e.IndexBefore(ctx, dropped)
}

// lateEvent is the error code with which dropPartition refuses a partition.
const lateEvent = "FS001"

// dropPartition records the last position of a partition and drops it, unless another process already has. It locks the
// log first, so that nothing is appended in between. It refuses a partition with an event after a position.
const dropPartition = `
	LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE;
	DO $do$ BEGIN
		IF to_regclass(%[2]s) IS NOT NULL THEN
			IF (SELECT max(position) FROM %[1]s) > %[3]d THEN
				RAISE EXCEPTION 'late event' USING ERRCODE = '` + lateEvent + `';
			END IF;
			UPDATE event_drops SET position = greatest(position, (SELECT max(position) FROM %[1]s)) WHERE one;
			DROP TABLE %[1]s;
			UPDATE event_segments SET version = version + 1 WHERE after < (SELECT position FROM event_drops WHERE one);
		END IF;
	END $do$`

// quoted returns text as an SQL literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (e *Events) dropPatiently(ctx context.Context, name string, upTo event.Position) error {
	for end := time.Now().Add(e.patience); ; {
		err := e.drop(ctx, name, upTo)
		if err == nil || !isLocked(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(dropPause):
		}
	}
}

// drop drops a partition. It does nothing if another process already has.
func (e *Events) drop(ctx context.Context, name string, upTo event.Position) error {
	return e.changing(ctx, func(ctx context.Context, s *session) error {
		p := &pipeline{}
		p.do(limitWrite, milliseconds(dropLock), milliseconds(e.statementTimeout))
		if err := s.run(ctx, p); err != nil {
			return err
		}
		_, err := s.conn.Exec(ctx, fmt.Sprintf(dropPartition, name, quoted(name), upTo), pgx.QueryExecModeSimpleProtocol)
		return storeError(ctx, err)
	})
}
