package sqlite

import (
	"context"
	"database/sql"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/writing"
)

// eventWindow is how many positions one statement looks at: a query that keeps few events goes through the log,
// and a context can end it between two windows.
const eventWindow = 50_000

// What a query keeps is compared in the statement, so that only events that are kept are taken apart. The bounds
// of the position alone find rows.
var selectEvents = define(`
	SELECT ev.position, ev.id, ev.kind, ev.sandbox, ev.at, ev.received, ev.account, ev.client, ev.user, ev.external_user, ev.video,
		ev.segment_start, ev.segment_end, ev.subtype, ev.trace, ev.referer, ev.details, ev.metadata, ev.counted, ev.hidden, a.address
	FROM events AS ev LEFT JOIN addresses AS a ON a.received = ev.received AND a.position = ev.position
	WHERE ev.position > ? AND ev.position <= ? AND ev.received >= ? AND ev.received < ? AND (1 << ev.kind) & ?
		AND ev.account IS coalesce(?, ev.account)
		AND (? IS NULL OR ev.external_user = ?) AND (? IS NULL OR (ev.user = ? AND ev.external_user IS NULL))
	ORDER BY ev.position LIMIT ?`)

// Read implements store.Events.
func (e *Events) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) (events []event.Event, err error) {
	limit = min(max(0, limit), writing.MaxRead)
	var head event.Position
	err = e.read(ctx, func(s *session) error {
		if head, err = s.number(ctx, selectEventHead); err != nil {
			return err
		}
		after, err = s.beginBehind(ctx, query, after, head)
		return err
	})
	if err != nil {
		return nil, err
	}
	kept := writing.RangeOf(query, head)
	for ; after < kept.UpTo && len(events) < limit; after += eventWindow {
		err := e.read(ctx, func(s *session) error {
			return s.reading(ctx, func() error {
				dropped, err := s.number(ctx, selectDropped)
				if err == nil {
					err = writing.CheckDropped(query, after, dropped)
				}
				if err != nil {
					return err
				}
				return s.query(ctx, selectEvents, func(rows *sql.Rows) error {
					one, err := scanEvent(rows)
					events = append(events, one)
					return err
				}, windowOf(kept, after, limit-len(events))...)
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return events, nil
}

// beginBehind returns the position behind which reading begins: the given one or, where events behind it were
// dropped and the query accepts that, the one before the oldest event that is left.
func (s *session) beginBehind(ctx context.Context, query store.EventQuery, after, head event.Position) (event.Position, error) {
	dropped, err := s.number(ctx, selectDropped)
	if err != nil || after >= dropped {
		return after, err
	}
	if err := writing.CheckDropped(query, after, dropped); err != nil {
		return 0, err
	}
	before, err := s.beforeFirst(ctx, head)
	return max(after, before), err
}

// beforeFirst returns the position before the oldest event that is left, the head where none is.
func (s *session) beforeFirst(ctx context.Context, head event.Position) (event.Position, error) {
	first, err := s.number(ctx, selectFirstEvent)
	if first == 0 {
		first = head + 1
	}
	return first - 1, err
}

// windowOf are the arguments of selectEvents for the window behind a position.
func windowOf(kept writing.EventRange, after event.Position, limit int) []any {
	external, user := optional(&kept.ExternalUser), optional(&kept.User)
	return []any{
		after, min(kept.UpTo, after+eventWindow), int64(kept.From), int64(kept.To), kept.Kinds,
		optional(&kept.Account), external, external, user, user, limit,
	}
}

func scanEvent(rows *sql.Rows) (e event.Event, err error) {
	var (
		id                                                                       sql.RawBytes
		at, start, end, counted, hidden                                          sql.NullInt64
		account, client, user, external, video, subtype, trace, referer, address sql.NullString
	)
	err = rows.Scan(&e.Position, &id, &e.Kind, &e.Sandbox, &at, &e.Received, &account, &client, &user, &external, &video,
		&start, &end, &subtype, &trace, &referer, &e.Details, &e.Metadata, &counted, &hidden, &address)
	if err != nil {
		return event.Event{}, err
	}
	copy(e.ID[:], id)
	e.At = e.Received
	if at.Valid {
		e.At = event.Instant(at.Int64)
	}
	e.Account, e.Client, e.User, e.ExternalUser = account.String, client.String, user.String, external.String
	e.Video, e.Start, e.End, e.Subtype = video.String, start.Int64, end.Int64, subtype.String
	e.Hidden = hidden.Int64 == 1
	if e.Counted = e.Played(); counted.Valid {
		e.Counted = counted.Int64
	}
	e.Trace, e.Referer, e.Address = trace.String, referer.String, address.String
	return e, nil
}
