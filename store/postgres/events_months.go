package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// months are the partitions of the log that this process has seen. What it knows may be wrong: another process may
// have dropped one. Then the server says so, nothing is stored, and it is forgotten and made again. There is no
// partition for all the rest: a month's could not be made beside it without looking through it.
type months struct {
	mu    sync.Mutex
	known map[usage.Month]bool
	// looked is when this process last tried to make the month that is about to begin.
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
	// ahead is how long before a month begins there is a place for its events.
	ahead = 7 * 24 * time.Hour
	// aheadPause is how long it takes until a process tries again where it could not make it, and aheadLock how
	// long it waits for those who keep it from that: there is time.
	aheadPause = time.Hour
	aheadLock  = 100 * time.Millisecond
)

// make makes the partitions of months that are not there, and that of the month which is about to begin if it can.
// It keeps nobody from adding or reading events.
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

// look returns months that are to be made early, unless that was tried a little while ago.
func (m *months) look(now time.Time, early []usage.Month) []usage.Month {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(early) == 0 || now.Sub(m.looked).Abs() < aheadPause {
		return nil
	}
	m.looked = now
	return early
}

// partitionPrefix and the month, as 2026_11, are the name of a partition.
const partitionPrefix = "events_"

// The relations are named as they must be written; the month is taken from the name.
var selectPartitions = define(`
	SELECT c.oid::regclass::text, substr(c.relname, length('` + partitionPrefix + `') + 1)
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'events'::regclass`)

// partitions are those of the log, by month, as their names are written in a statement. One that somebody else has
// made, under another name, is not ours.
func (s *session) partitions(ctx context.Context) (names map[usage.Month]string, err error) {
	names = map[usage.Month]string{}
	p := &pipeline{}
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

// partitionLock is the key of the advisory lock of whoever makes a partition.
const partitionLock = 0x66696c6d65766e74 // "filmevnt"

// makePartition makes the partition of a month, unless another process does so at the same time. A table that is
// made apart and attached, other than one that is made in its place, keeps nobody waiting who uses the log.
func (s *session) makePartition(ctx context.Context, month usage.Month) error {
	return s.definePartition(ctx, month, "")
}

// makeEarly is makePartition for a month that nobody needs yet.
func (s *session) makeEarly(ctx context.Context, month usage.Month) error {
	err := s.definePartition(ctx, month, "SET LOCAL lock_timeout = "+milliseconds(aheadLock)+";")
	if err != nil {
		_, _ = s.conn.Exec(ctx, rollback.text) // where that fails, so does the next statement
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
	if errors.As(err, &e) && e.Code == wrongObject { // it has been attached meanwhile
		_, err = s.conn.Exec(ctx, rollback.text)
	}
	return err
}

// isMissingMonth reports whether the log had no partition for an event.
func isMissingMonth(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == checkViolation
}

var (
	selectDropped = define(`SELECT position FROM event_drops WHERE one`)
)

// dropLock is how long dropping a month waits for those who use the log just now, while others wait behind it;
// dropPause is how long these have until it tries again.
const (
	dropLock  = 100 * time.Millisecond
	dropPause = 200 * time.Millisecond
)

// Drop implements store.Events. A month is one partition, and goes in one short transaction. While somebody reads
// the log in a transaction of some length, Drop tries again and again; after as long as a write of the catalogue
// would wait it is Unavailable, and the months before are gone.
func (e *Events) Drop(ctx context.Context, before usage.Month) (event.Position, error) {
	var there map[usage.Month]string
	err := e.reading(ctx, func(ctx context.Context, s *session) (err error) {
		there, err = s.partitions(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	byAge := func(x, y usage.Month) int { return x.Number() - y.Number() }
	for _, month := range slices.SortedFunc(maps.Keys(there), byAge) {
		if !month.Before(before) {
			break
		}
		if err := e.dropPatiently(ctx, there[month]); err != nil {
			return 0, err
		}
	}
	if err := e.ForgetAddresses(ctx, before.Start()); err != nil {
		return 0, err
	}
	return e.Dropped(ctx)
}

// dropPartition remembers the last position of a partition and drops it, unless another process has. The lock on the
// log comes first, so that nothing is added in between.
const dropPartition = `
	LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE;
	DO $do$ BEGIN
		IF to_regclass(%[2]s) IS NOT NULL THEN
			UPDATE event_drops SET position = greatest(position, (SELECT max(position) FROM %[1]s)) WHERE one;
			DROP TABLE %[1]s;
		END IF;
	END $do$`

// quoted is a text as an SQL literal.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

func (e *Events) dropPatiently(ctx context.Context, name string) error {
	for end := time.Now().Add(e.patience); ; {
		err := e.drop(ctx, name)
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

// drop drops a partition. Another process may have done so meanwhile.
func (e *Events) drop(ctx context.Context, name string) error {
	return e.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		p := &pipeline{}
		p.do(limitWrite, milliseconds(dropLock), milliseconds(e.statementTimeout))
		if err := s.run(ctx, p); err != nil {
			return err
		}
		_, err := s.conn.Exec(ctx, fmt.Sprintf(dropPartition, name, quoted(name)), pgx.QueryExecModeSimpleProtocol)
		return storeError(ctx, err)
	})
}

// Dropped implements store.Events.
func (e *Events) Dropped(ctx context.Context) (position event.Position, err error) {
	err = e.read(ctx, func(p *pipeline) { p.number(selectDropped, &position) })
	if err != nil {
		return 0, err
	}
	return position, nil
}
