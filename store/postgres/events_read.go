package postgres

import (
	"context"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectEvents = define(`
		SELECT position, ` + eventList + ` FROM events WHERE position > $1 AND position <= $2 ORDER BY position LIMIT $3`)
	selectSomeEvents = define(`
		SELECT position, ` + eventList + ` FROM events WHERE position > $1 AND position <= $2 AND ` + keepingEvents + ` ORDER BY position LIMIT $3`)
	// selectEventsOf finds the events of several runs, which are short.
	selectEventsOf = define(`
		SELECT e.* FROM unnest($1::bigint[], $2::bigint[]) AS run(after, until), LATERAL (
			SELECT position, ` + eventList + ` FROM events
			WHERE position > run.after AND position <= run.until AND ` + keepingEvents + ` OFFSET 0) AS e
		ORDER BY e.position LIMIT $3`)
	// A run that contains an event begins less than maxRun = 1000 positions before it.
	selectRuns = define(`
		SELECT first, last, received, address FROM event_addresses WHERE first > $1::bigint - 1000 AND first <= $2 ORDER BY first`)
	selectRunsOf = define(`
		SELECT DISTINCT ON (r.first) r.* FROM unnest($1::bigint[]) AS of(position), LATERAL (
			SELECT first, last, received, address FROM event_addresses
			WHERE first > of.position - 1000 AND first <= of.position AND last >= of.position OFFSET 0) AS r
		ORDER BY r.first`)
)

// keepingEvents contains the conditions of a query.
const keepingEvents = `received >= $4 AND received < $5 AND (1::bigint << kind::integer) & $6 <> 0
	AND ($7::bytea IS NULL OR account = $7)
	AND ($8::bytea IS NULL OR external_user = $8)
	AND ($9::bytea IS NULL OR (external_user IS NULL AND user_id = $9))
	AND (NOT $10 OR account IS NOT DISTINCT FROM $7 AND (external_user = ANY ($11::bytea[]) OR user_id = ANY ($12::bytea[])))`

// scanChunk is the number of positions that one statement scans for the events that match a query.
const scanChunk = 50_000

// Read implements store.Events. For conditions that no index supports, it scans the log from the beginning, in pieces
// that are small enough for the statement timeout.
func (e *Events) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) (events []event.Event, err error) {
	limit = min(max(0, limit), storelogic.MaxRead)
	if err := storelogic.CheckNames(query); err != nil {
		return nil, err
	}
	if !isLimited(query) {
		return e.readAround(ctx, selectEvents, query, after, storelogic.RangeOf(query, math.MaxInt64).UpTo, limit)
	}
	var head, dropped, first int64
	err = e.read(ctx, func(p *pipeline) {
		p.number(sqlstore.SelectEventHead, &head)
		p.number(sqlstore.SelectDropped, &dropped)
	})
	if err != nil {
		return nil, err
	}
	if err := storelogic.CheckDropped(query, after, dropped); err != nil {
		return nil, err
	}
	if after < dropped {
		if first, err = e.FirstEvent(ctx); err != nil {
			return nil, err
		}
	}
	kept := storelogic.RangeOf(query, head)
	conditions := []any{
		int64(kept.From), int64(kept.To), kept.Kinds, optional(kept.Account), optional(kept.ExternalUser), optional(kept.User),
		kept.IsNamed, bytesOf(kept.ExternalUsers), bytesOf(kept.Users),
	}
	if after = max(after, first-1); storelogic.IsIndexed(query) {
		return e.readPerson(ctx, query, after, kept.UpTo, limit, conditions)
	}
	for ; after < kept.UpTo && len(events) < limit; after += scanChunk {
		piece, err := e.readAround(ctx, selectSomeEvents, query, after, min(kept.UpTo, after+scanChunk), limit-len(events), conditions...)
		if err != nil {
			return nil, err
		}
		events = append(events, piece...)
	}
	return events, nil
}

// isLimited reports whether a query matches only some of the events between two positions.
func isLimited(q store.EventQuery) bool {
	return q.Account != "" || q.Person != "" || len(q.Names) > 0 || len(q.Kinds) > 0 || q.From != 0 || q.To != 0
}

// readAround reads up to limit events with after < position <= last, without the skipped ones. Skipped events are rare,
// so it first reads as if there were none, and reads again around them if there are any.
func (e *Events) readAround(ctx context.Context, st *sqlstore.Statement, query store.EventQuery, after, last event.Position, limit int, conditions ...any) (events []event.Event, err error) {
	events, isSkipped, err := e.readPiece(ctx, st, query, after, last, limit, conditions...)
	if err == nil && !isSkipped {
		return events, nil
	}
	if err != nil && fault.CodeOf(err) != fault.Internal {
		return nil, err
	}
	skipped, errSkipped := e.SkippedBetween(ctx, after, last)
	if err != nil && (errSkipped != nil || len(skipped) == 0) {
		return nil, err
	}
	if errSkipped != nil {
		return nil, errSkipped
	}
	events = nil
	err = storelogic.Around(after, last, skipped, func(after, last event.Position, _ bool) (bool, error) {
		run, _, err := e.readPiece(ctx, st, query, after, last, limit-len(events), conditions...)
		events = append(events, run...)
		return len(events) == limit, err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

var hasSkipped = define(`SELECT EXISTS (SELECT FROM skipped_events WHERE position > $1 AND position <= $2)`)

// readPiece reads up to limit events with after < position <= last. isSkipped reports whether a position in that range
// is skipped. readPiece fails if a drop has removed events in the range, unless the query accepts that.
func (e *Events) readPiece(ctx context.Context, st *sqlstore.Statement, query store.EventQuery, after, last event.Position, limit int, conditions ...any) (events []event.Event, isSkipped bool, err error) {
	return e.readBounds(ctx, st, query, after, last, append([]any{after, last, limit}, conditions...))
}

// readBounds is readPiece with the arguments of the statement, which may read only a part of the range.
func (e *Events) readBounds(ctx context.Context, st *sqlstore.Statement, query store.EventQuery, after, last event.Position, args []any) (events []event.Event, isSkipped bool, err error) {
	err = e.reading(ctx, func(ctx context.Context, s *session) error {
		events, isSkipped = nil, false
		var dropped int64
		p := &pipeline{}
		p.do(beginRead)
		p.number(sqlstore.SelectDropped, &dropped)
		p.ask(hasSkipped, func(rows pgx.Rows) error { return rows.Scan(&isSkipped) }, after, last)
		p.ask(sqlstore.PlanOnce, func(pgx.Rows) error { return nil })
		var row scannedEvent
		p.ask(st, func(rows pgx.Rows) error {
			one, err := row.scan(rows)
			if len(events) == cap(events) {
				events = slices.Grow(events, max(1, len(events))) // events are large: copy each about once
			}
			events = append(events, *one)
			return err
		}, args...)
		p.do(commit)
		if err := s.run(ctx, p); err != nil {
			return err
		}
		if err := storelogic.CheckDropped(query, after, dropped); err != nil || len(events) == 0 {
			return err
		}
		return s.addAddresses(ctx, events)
	})
	if err != nil {
		return nil, false, err
	}
	return events, isSkipped, nil
}

// addAddresses sets the addresses of events, which must be in ascending order of position. Addresses that are already
// forgotten stay empty.
func (s *session) addAddresses(ctx context.Context, events []event.Event) error {
	first, last := events[0].Position, events[len(events)-1].Position
	st, args := selectRuns, []any{first, last}
	if last-first > 10*int64(len(events)) {
		positions := make([]int64, len(events))
		for i := range events {
			positions[i] = events[i].Position
		}
		st, args = selectRunsOf, []any{positions}
	}
	runs, err := s.runs(ctx, st, args...)
	for _, r := range runs {
		from, _ := slices.BinarySearchFunc(events, r.first, func(e event.Event, position int64) int {
			return int(min(1, max(-1, e.Position-position)))
		})
		address := string(r.address)
		for i := from; i < len(events) && events[i].Position <= r.last; i++ {
			events[i].Address = address
		}
	}
	return err
}

// runs returns the runs that selectRuns or selectRunsOf finds, in order. They may include runs before the positions.
func (s *session) runs(ctx context.Context, st *sqlstore.Statement, args ...any) (runs []run, err error) {
	err = s.rows(ctx, st, func(rows pgx.Rows) error {
		var r run
		err := rows.Scan(&r.first, &r.last, &r.received, &r.address)
		runs = append(runs, r)
		return err
	}, args...)
	return runs, err
}
