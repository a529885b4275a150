package postgres

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// Append implements store.Events. A transaction takes its keys first, in one order, then its viewings, in one order,
// and the positions last: so
// whoever holds the lock on positions waits for nobody, and of those who wait for keys none waits for another in
// a circle. Where the connection is lost before the commit was sent, it is done again.
func (e *Events) Append(ctx context.Context, submissions []event.Submission) (verdicts []event.Verdict, err error) {
	if err := storelogic.CheckSubmissions(submissions); err != nil {
		return nil, err
	}
	b := batchOf(submissions)
	err = e.calling(ctx, e.appends.guard, func(ctx context.Context) error {
		for range attempts {
			if verdicts, err = e.append(ctx, b); err == nil || !b.again(err) {
				return err
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// append makes one attempt. Whoever hangs up in the midst of it would not know what became of it, so it is ended
// all the same.
func (e *Events) append(ctx context.Context, b *batch) ([]event.Verdict, error) {
	b.sent = false
	conn, err := e.appends.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{conn: conn}
	defer s.end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.appends.limit)
	defer cancel()
	if err := e.appends.months.make(ctx, s, b.months(), e.now()); err != nil {
		return nil, err
	}
	verdicts, stored, err := b.judge(ctx, s)
	if err != nil {
		return nil, err
	}
	bounded, counted, err := b.boundViewings(ctx, s, stored)
	if err != nil {
		return nil, err
	}
	var fresh []*event.Event
	for _, i := range stored {
		events := b.submissions[i].Events
		if of, isViewing := bounded[i]; isViewing {
			events = of
		}
		for j := range events {
			fresh = append(fresh, &events[j])
		}
	}
	err = b.store(ctx, s, fresh, counted)
	if isMissingMonth(err) {
		e.appends.months.forget()
	}
	if err == nil {
		err = s.checkReplicated()
	}
	return verdicts, err
}

// again reports whether an attempt that failed has surely stored nothing, and the next may fare better.
func (b *batch) again(err error) bool {
	return isConflict(err) || isMissingMonth(err) || errors.Is(err, errForgotten) || pgconn.SafeToRetry(err) || (!b.sent && isLost(err))
}

var (
	lockPositions = define(`UPDATE event_head SET position = position + $1 WHERE one RETURNING position - $1`)
	insertRuns    = define(`
		INSERT INTO event_addresses (first, last, received, address)
		SELECT $1::bigint + r.first, $1::bigint + r.last, r.received, r.address
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS r(first, last, received, address)`)
	// The same in one statement, for few events: the arrays of runs follow those of events.
	insertEvents = define(`
		WITH taken AS (
			UPDATE event_head SET position = position + cardinality($1::bigint[]) WHERE one
			RETURNING position - cardinality($1::bigint[]) AS before
		), addressed AS (
			INSERT INTO event_addresses (first, last, received, address)
			SELECT taken.before + r.first, taken.before + r.last, r.received, r.address
			FROM taken, unnest(` + arrayList(len(eventTypes), "bigint", "bigint", "bigint", "bytea") + `) AS r(first, last, received, address)
		)
		INSERT INTO events (position, ` + eventList + `)
		SELECT taken.before + e.number, e.` + strings.Join(eventColumns, ", e.") + `
		FROM taken, unnest(` + arrayList(0, eventTypes...) + `) WITH ORDINALITY AS e(` + eventList + `, number)`)
)

// arrayList are parameters behind the first so many, each an array of a type.
func arrayList(behind int, types ...string) string {
	list := make([]string, len(types))
	for i, name := range types {
		list[i] = "$" + strconv.Itoa(behind+i+1) + "::" + name + "[]"
	}
	return strings.Join(list, ", ")
}

// manyEvents is from how many events on they are copied, which takes more round trips and less work.
const manyEvents = 100

// store adds events, remembers what counts in their viewings, and commits. Where keys or viewings were taken, the
// transaction is open.
func (b *batch) store(ctx context.Context, s *session, events []*event.Event, counted map[string]int64) error {
	open, runs := len(b.keys) > 0 || len(counted) > 0, runsOf(events)
	p := &pipeline{}
	p.putViewings(counted)
	switch {
	case len(events) >= manyEvents:
		before, err := s.copyEvents(ctx, events, open)
		if err != nil {
			return err
		}
		open = true
		if len(runs) > 0 {
			p.do(insertRuns, append([]any{before}, runArrays(runs)...)...)
		}
	case len(events) > 0:
		p.do(insertEvents, append(eventArrays(events), runArrays(runs)...)...)
	}
	b.sent = true
	if !open {
		return s.run(ctx, p)
	}
	return s.commit(ctx, p)
}

// copyEvents adds events in the server's quickest way, in a transaction that it begins where there is none, and
// returns the position before the first.
func (s *session) copyEvents(ctx context.Context, events []*event.Event, open bool) (before int64, err error) {
	p := &pipeline{}
	if !open {
		p.do(beginWrite)
	}
	p.number(lockPositions, &before, int64(len(events)))
	if err := s.run(ctx, p); err != nil {
		return 0, err
	}
	_, err = s.conn.CopyFrom(ctx, pgx.Identifier{"events"}, append([]string{"position"}, eventColumns...),
		pgx.CopyFromSlice(len(events), func(i int) ([]any, error) { return eventRow(before+int64(i)+1, events[i]), nil }))
	return before, err
}
