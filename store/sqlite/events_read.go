package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// eventWindow is how many positions one statement examines. A query that matches few events scans the log, and its
// context can end it between two windows.
const eventWindow = 50_000

// The statement compares all conditions of a query, so that only matching events are decoded. Only the bounds of the
// position find rows through an index.
const (
	selectingEvents = `
	SELECT ev.position, ev.id, ev.kind, ev.sandbox, ev.at, ev.received, ev.account, ev.client, ev.user, ev.external_user, ev.video,
		ev.segment_start, ev.segment_end, ev.subtype, ev.trace, ev.referer, ev.details, ev.metadata, ev.counted, ev.hidden, ev.continues, a.address
	FROM events AS ev LEFT JOIN addresses AS a ON a.received = ev.received AND a.position = ev.position`
	keepingEvents = `ev.received >= ? AND ev.received < ? AND (1 << ev.kind) & ?
		AND ev.account IS coalesce(?, ev.account)
		AND (? IS NULL OR ev.external_user = ?) AND (? IS NULL OR (ev.user = ? AND ev.external_user IS NULL))
		AND (? = 0 OR ev.account IS ? AND (ev.external_user IN (?, ?, ?, ?) OR ev.user IN (?, ?, ?, ?)))` // as many as store.MaxNames
)

// The statement compares the first position by >=, not by > with the position before it, because the row before may be
// on a damaged page.
var (
	selectEvents = define(selectingEvents + ` WHERE ev.position >= ? AND ev.position <= ? AND ` + keepingEvents + ` ORDER BY ev.position LIMIT ?`)
	selectEvent  = define(selectingEvents + ` WHERE ev.position = ? AND ` + keepingEvents)
)

// Read implements store.Events.
func (e *Events) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) (events []event.Event, err error) {
	limit = min(max(0, limit), storelogic.MaxRead)
	if err := storelogic.CheckNames(query); err != nil {
		return nil, err
	}
	head, err := e.Head(ctx)
	if err != nil {
		return nil, err
	}
	skipped, err := e.SkippedBetween(ctx, after, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if after, err = e.beginBehind(ctx, query, after, skipped); err != nil {
		return nil, err
	}
	kept := storelogic.RangeOf(query, head)
	read := func(after, last event.Position) error {
		return storelogic.Around(after, last, skipped, func(after, last event.Position, isBeforeSkipped bool) (bool, error) {
			events, err = e.readRun(ctx, query, kept, events, sqlstore.EventRun{After: after, Last: last, IsBeforeSkipped: isBeforeSkipped}, limit)
			return len(events) == limit, err
		})
	}
	if !storelogic.IsIndexed(query) {
		err = read(after, kept.UpTo)
	}
	for storelogic.IsIndexed(query) && err == nil && after < kept.UpTo && len(events) < limit {
		var runs storelogic.PersonRuns
		if runs, err = e.PersonRuns(ctx, query, after, kept.UpTo); err != nil {
			break
		}
		for _, r := range runs.Runs {
			if err = read(max(after, r.After), min(kept.UpTo, r.Last)); err != nil || len(events) == limit {
				break
			}
		}
		after = runs.At
	}
	if err != nil {
		return nil, err
	}
	return events, nil
}

// readRun appends events of a run until there are limit events. A range scan reads one row beyond its end to find the
// end, so readRun reads the last event before a skipped one by its position alone.
func (e *Events) readRun(ctx context.Context, query store.EventQuery, kept storelogic.EventRange, events []event.Event, r sqlstore.EventRun, limit int) ([]event.Event, error) {
	end := r.Last
	if r.IsBeforeSkipped {
		end--
	}
	for after := r.After; after < end && len(events) < limit; after += eventWindow {
		last := min(end, after+eventWindow)
		found, err := e.readWindow(ctx, query, after, selectEvents, append(append([]any{after + 1, last}, conditionsOf(kept)...), limit-len(events)))
		if err != nil {
			return nil, err
		}
		if events == nil {
			events = found
		} else {
			events = append(events, found...)
		}
	}
	if r.IsBeforeSkipped && len(events) < limit {
		found, err := e.readWindow(ctx, query, end, selectEvent, append([]any{r.Last}, conditionsOf(kept)...))
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	return events, nil
}

// readWindow runs one statement on the events after a position.
func (e *Events) readWindow(ctx context.Context, query store.EventQuery, after event.Position, st *sqlstore.Statement, args []any) (events []event.Event, err error) {
	err = e.readSnapshot(ctx, func(s *session) error {
		dropped, err := s.number(ctx, sqlstore.SelectDropped)
		if err != nil {
			return err
		}
		if err := storelogic.CheckDropped(query, after, dropped); err != nil {
			return err
		}
		events, err = s.events(ctx, st, args)
		return err
	})
	return events, err
}

func (s *session) events(ctx context.Context, st *sqlstore.Statement, args []any) (events []event.Event, err error) {
	var scanned scannedEvent
	err = s.Query(ctx, st, func(row sqlstore.Row) error {
		one, err := scanned.scan(row)
		if len(events) == cap(events) {
			events = slices.Grow(events, max(1, len(events))) // events are large: copy each about once
		}
		events = append(events, *one)
		return err
	}, args...)
	return events, err
}

// beginBehind returns the position after which reading starts: the given one or, if events after it were dropped and
// the query accepts that, the position before the oldest remaining event. skipped are the skipped positions after the
// given one.
func (e *Events) beginBehind(ctx context.Context, query store.EventQuery, after event.Position, skipped []event.Position) (event.Position, error) {
	dropped, err := e.Dropped(ctx)
	if err != nil || after >= dropped {
		return after, err
	}
	if err := storelogic.CheckDropped(query, after, dropped); err != nil {
		return 0, err
	}
	first, err := e.FirstEvent(ctx)
	if first == 0 && len(skipped) > 0 { // the oldest event is on a damaged page and is skipped
		first = skipped[0]
	}
	return max(after, first-1), err
}

// conditionsOf returns the arguments of keepingEvents.
func conditionsOf(kept storelogic.EventRange) []any {
	external, user := optional(&kept.ExternalUser), optional(&kept.User)
	args := []any{
		int64(kept.From), int64(kept.To), kept.Kinds, optional(&kept.Account), external, external, user, user,
		kept.IsNamed, optional(&kept.Account),
	}
	for _, names := range [][]string{kept.ExternalUsers, kept.Users} {
		for i := range store.MaxNames {
			if i < len(names) {
				args = append(args, names[i])
			} else {
				args = append(args, nil)
			}
		}
	}
	return args
}

// scannedEvent scans the columns of selectingEvents, row after row, into the same memory.
type scannedEvent struct {
	event                                                                    event.Event
	id                                                                       sql.RawBytes
	at, start, end, counted, hidden                                          sql.NullInt64
	account, client, user, external, video, subtype, trace, referer, address sql.NullString
	targets                                                                  []any
}

// scan returns an event that is valid until the next call.
func (r *scannedEvent) scan(row sqlstore.Row) (*event.Event, error) {
	e := &r.event
	if r.targets == nil {
		r.targets = []any{
			&e.Position, &r.id, &e.Kind, &e.Sandbox, &r.at, &e.Received, &r.account, &r.client, &r.user, &r.external, &r.video,
			&r.start, &r.end, &r.subtype, &r.trace, &r.referer, &e.Details, &e.Metadata, &r.counted, &r.hidden, &e.Continues, &r.address,
		}
	}
	*e = event.Event{}
	if err := row.Scan(r.targets...); err != nil {
		return e, err
	}
	if copy(e.ID[:], r.id) != len(e.ID) || len(r.id) != len(e.ID) {
		return e, fmt.Errorf("the event at position %d is damaged: its ID has %d bytes", e.Position, len(r.id))
	}
	e.At = e.Received
	if r.at.Valid {
		e.At = event.Instant(r.at.Int64)
	}
	e.Account, e.Client, e.User, e.ExternalUser = r.account.String, r.client.String, r.user.String, r.external.String
	e.Video, e.Start, e.End, e.Subtype = r.video.String, r.start.Int64, r.end.Int64, r.subtype.String
	e.Hidden = r.hidden.Int64 == 1
	if e.Counted = e.Played(); r.counted.Valid {
		e.Counted = r.counted.Int64
	}
	e.Trace, e.Referer, e.Address = r.trace.String, r.referer.String, r.address.String
	return e, storelogic.CheckStored(e)
}
