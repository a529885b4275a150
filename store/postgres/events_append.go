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

// Append implements store.Events. Each transaction locks its keys first, then its viewings, each in sorted order, and
// the positions last. So a transaction that has locked the positions waits for no other, and transactions that wait for
// keys or viewings cannot deadlock. Append retries if the connection is lost before it has sent the commit.
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

// append makes one attempt. It ignores the cancellation of ctx once it has a connection, because a caller that
// disconnects midway could not know the outcome.
func (e *Events) append(ctx context.Context, b *batch) ([]event.Verdict, error) {
	b.sent = false
	conn, err := e.appends.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	s := newSession(conn)
	defer s.end()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.appends.limit)
	defer cancel()
	if err := e.appends.months.make(ctx, s, b.months(), e.now()); err != nil {
		return nil, err
	}
	verdicts, stored, err := b.decide(ctx, s)
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
		events = b.markContinuations(i, events)
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

// again reports whether a failed attempt certainly stored nothing and another attempt may succeed.
func (b *batch) again(err error) bool {
	return isConflict(err) || isMissingMonth(err) || errors.Is(err, errForgotten) || pgconn.SafeToRetry(err) || (!b.sent && isLost(err))
}

var (
	lockPositions = define(`UPDATE event_head SET position = position + $1 WHERE one RETURNING position - $1`)
	insertRuns    = define(`
		INSERT INTO event_addresses (first, last, received, address)
		SELECT $1::bigint + r.first, $1::bigint + r.last, r.received, r.address
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS r(first, last, received, address)`)
	// insertEvents assigns positions and inserts events and runs in one statement, for few events. The parameters for
	// runs follow those for events.
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

// arrayList returns array parameters of the given types, numbered after the first behind parameters.
func arrayList(behind int, types ...string) string {
	list := make([]string, len(types))
	for i, name := range types {
		list[i] = "$" + strconv.Itoa(behind+i+1) + "::" + name + "[]"
	}
	return strings.Join(list, ", ")
}

// manyEvents is the number of events from which store uses COPY, which takes more round trips and less work.
const manyEvents = 100

// store inserts events, updates the counted milliseconds of their viewings, and commits. If the batch locked keys or
// viewings, the transaction is already open.
func (b *batch) store(ctx context.Context, s *session, events []*event.Event, counted map[string]int64) error {
	open, runs := len(b.keys) > 0 || len(counted) > 0, runsOf(events)
	p := s.pending
	p.putViewings(counted)
	b.dropUnused(p)
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
	return s.commit(ctx)
}

// copyEvents inserts events with COPY and returns the position before the first. If open is false, it begins a
// transaction.
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
