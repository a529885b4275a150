package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// EventLog implements store.Events except Append, Recall, Read and Drop. It is safe for concurrent use.
type EventLog struct {
	db EventsDatabase
	// segment is the number of positions that a segment of the index of persons covers.
	segment event.Position
}

// NewEventLog returns the event log of a database. segment is the number of positions that a segment of the index of
// persons covers (storelogic.PersonSegment).
func NewEventLog(db EventsDatabase, segment event.Position) *EventLog { return &EventLog{db, segment} }

// EventsDatabase is the Database of an event log.
type EventsDatabase interface {
	Database
	// HasEvent reports whether the log has an event at a position. The error is of code Internal if the event is damaged.
	HasEvent(ctx context.Context, position event.Position) (bool, error)
	// Erasing is like Write, for a transaction that excludes other transactions of Erasing, also those of other processes.
	Erasing(ctx context.Context, fn func(ctx context.Context, tx EraseTx) error) error
}

var (
	// SelectEventHead returns the position of the last event.
	SelectEventHead = define(`SELECT position FROM event_head WHERE one`)
	// SelectDropped returns the position up to which events may be missing.
	SelectDropped = DefinePer(`SELECT dropped FROM event_head WHERE one`, `SELECT position FROM event_drops WHERE one`)
)

// Head implements store.Events.
func (l *EventLog) Head(ctx context.Context) (event.Position, error) {
	return readOne(ctx, l.db, number, SelectEventHead)
}

// Dropped implements store.Events.
func (l *EventLog) Dropped(ctx context.Context) (event.Position, error) {
	return readOne(ctx, l.db, number, SelectDropped)
}

var (
	selectClock = define(`SELECT body FROM event_clock WHERE one`)
	lockClock   = define(`SELECT body FROM event_clock WHERE one FOR UPDATE`)
	updateClock = define(`UPDATE event_clock SET body = $1 WHERE one`)
)

// ClockRecord implements store.Events.
func (l *EventLog) ClockRecord(ctx context.Context) (store.ClockRecord, error) {
	return readOne(ctx, l.db, scanClock, selectClock)
}

// EditClockRecord implements store.Events.
func (l *EventLog) EditClockRecord(ctx context.Context, edit func(record *store.ClockRecord) error) error {
	return l.db.Write(ctx, func(ctx context.Context, c Conn) error {
		record, err := selectOne(ctx, c, scanClock, lockClock)
		if err != nil {
			return err
		}
		if err := edit(&record); err != nil {
			return err
		}
		body, err := json.Marshal(record)
		if err != nil {
			return fmt.Errorf("store: encode the clock record: %w", err)
		}
		c.Do(ctx, updateClock, body)
		return nil
	})
}

func scanClock(row Row) (record store.ClockRecord, err error) {
	var body sql.RawBytes
	if err := row.Scan(&body); err != nil {
		return record, err
	}
	if err := json.Unmarshal(body, &record); err != nil {
		return record, fmt.Errorf("store: decode the clock record: %w", err)
	}
	return record, nil
}

var (
	updateEventCheck       = define(`UPDATE event_check SET at = $1 WHERE one`)
	selectSkippedPositions = define(`SELECT position FROM skipped_events WHERE position > $1 AND position <= $2 ORDER BY position`)
	selectSkippedEvents    = define(`SELECT position, at, by, reason FROM skipped_events ORDER BY position`)
	insertSkippedEvent     = define(`
		INSERT INTO skipped_events (position, at, by, reason) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING position`)
	retrySegment = define(`
		UPDATE event_segments SET version = version + 1
		WHERE after = (SELECT max(after) FROM event_segments WHERE after < $1) AND last >= $1 AND failed = version`)
)

// CheckWritable implements store.Events. Each call stores a different mark, because SQLite does not write an unchanged
// row.
func (l *EventLog) CheckWritable(ctx context.Context, at event.Instant) error {
	return exec(ctx, l.db, updateEventCheck, int64(at))
}

// SkippedBetween returns the skipped positions p with after < p <= last, in ascending order.
func (l *EventLog) SkippedBetween(ctx context.Context, after, last event.Position) ([]event.Position, error) {
	return readAll(ctx, l.db, number, selectSkippedPositions, after, last)
}

// Skipped implements store.Events.
func (l *EventLog) Skipped(ctx context.Context) ([]store.SkippedEvent, error) {
	return readAll(ctx, l.db, func(row Row) (one store.SkippedEvent, err error) {
		err = row.Scan(&one.Position, (*int64)(&one.At), &one.By, &one.Reason)
		return one, err
	}, selectSkippedEvents)
}

// SkipDamaged implements store.Events. It reads each event before the transaction that records the events: PostgreSQL
// ends a transaction in which a statement fails, and SQLite rejects writes in one that has read a damaged page.
func (l *EventLog) SkipDamaged(ctx context.Context, events []store.SkippedEvent) (added int, err error) {
	head, err := l.Head(ctx)
	if err != nil {
		return 0, err
	}
	known, err := l.SkippedBetween(ctx, 0, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	fresh, err := storelogic.SkipsOf(events, head, known, func(position event.Position) (bool, error) {
		return l.db.HasEvent(ctx, position)
	})
	if err != nil || len(fresh) == 0 {
		return 0, err
	}
	return write(ctx, l.db, func(ctx context.Context, c Conn) (int, error) {
		added := 0
		for _, one := range fresh {
			c.Ask(ctx, insertSkippedEvent, func(Row) error { added++; return nil }, one.Position, int64(one.At), one.By, one.Reason)
		}
		for _, one := range fresh {
			c.Do(ctx, retrySegment, one.Position)
		}
		return added, c.Send(ctx)
	})
}

// forgottenRows is the largest number of rows that one transaction deletes, so that an append waits only briefly.
const forgottenRows = 5_000

// The statements find their rows at the start of an index, so that the last one ends at once.
var (
	deleteAddressesBefore = DefinePer(`
		DELETE FROM addresses WHERE (received, position) IN (
			SELECT received, position FROM addresses WHERE received < $1 ORDER BY received, position LIMIT $2)`, `
		DELETE FROM event_addresses WHERE first = ANY (ARRAY(
			SELECT first FROM event_addresses WHERE received < $1 ORDER BY received, first LIMIT $2))`)
	deleteKeysBefore = DefinePer(`
		DELETE FROM event_keys WHERE (client, key) IN (
			SELECT client, key FROM event_keys WHERE received < $1 ORDER BY received LIMIT $2)`, `
		DELETE FROM event_keys WHERE sum = ANY (ARRAY(
			SELECT sum FROM event_keys WHERE received < $1 ORDER BY received, sum LIMIT $2))`)
	deleteViewingsBefore = DefinePer(`
		DELETE FROM viewings WHERE id IN (SELECT id FROM viewings WHERE opened < $1 ORDER BY opened LIMIT $2)`, `
		DELETE FROM event_viewings WHERE id = ANY (ARRAY(
			SELECT id FROM event_viewings WHERE opened < $1 ORDER BY opened, id LIMIT $2))`)
)

// ForgetAddresses implements store.Events.
func (l *EventLog) ForgetAddresses(ctx context.Context, before event.Instant) error {
	return execAll(ctx, l.db, deleteAddressesBefore, int64(before), forgottenRows)
}

// ForgetKeys implements store.Events.
func (l *EventLog) ForgetKeys(ctx context.Context, before event.Instant) error {
	return execAll(ctx, l.db, deleteKeysBefore, int64(before), forgottenRows)
}

// ForgetViewings implements store.Events.
func (l *EventLog) ForgetViewings(ctx context.Context, before event.Instant) error {
	return execAll(ctx, l.db, deleteViewingsBefore, int64(before), forgottenRows)
}
