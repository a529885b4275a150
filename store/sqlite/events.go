package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Events is a store.Events in one SQLite file.
type Events struct {
	*database
	*sqlstore.EventLog
}

var _ store.Events = (*Events)(nil)

// OpenEvents opens the event log in a file, after creating it or bringing its schema up to date (Migrate). The
// folder must exist.
func OpenEvents(ctx context.Context, path string, options ...Option) (*Events, error) {
	d, err := open(ctx, path, "events", slices.Concat(options, []Option{overwriting("ON")}))
	if err != nil {
		return nil, err
	}
	return &Events{d, sqlstore.NewEventLog(eventsDatabase{shared{d}}, d.segment)}, nil
}

// eventsDatabase implements sqlstore.EventsDatabase.
type eventsDatabase struct{ shared }

// HasEvent implements sqlstore.EventsDatabase.
func (d eventsDatabase) HasEvent(ctx context.Context, position event.Position) (found bool, err error) {
	err = d.read(ctx, func(s *session) error {
		events, err := s.events(ctx, selectEvent, append([]any{position}, conditionsOf(storelogic.RangeOf(store.EventQuery{}, math.MaxInt64))...))
		found = len(events) > 0
		return err
	})
	return found, err
}

// Erasing implements sqlstore.EventsDatabase.
func (d eventsDatabase) Erasing(ctx context.Context, fn func(ctx context.Context, tx sqlstore.EraseTx) error) error {
	return d.Write(ctx, func(ctx context.Context, c sqlstore.Conn) error { return fn(ctx, eraseTx{c.(*session)}) })
}

// eraseTx implements sqlstore.EraseTx.
type eraseTx struct{ *session }

var eraseAddress = define(`DELETE FROM addresses WHERE position = $1 AND received = (SELECT received FROM events WHERE position = $1)`)

// EraseAddresses implements sqlstore.EraseTx.
func (t eraseTx) EraseAddresses(ctx context.Context, positions []event.Position) error {
	for _, position := range positions {
		t.Do(ctx, eraseAddress, position)
	}
	return t.Send(ctx)
}

// There is one writer at a time across all processes, and a failed append frees its positions. Therefore positions have
// no gaps, and their order is the order of commits. The head has a row of its own, because the newest event may have
// been dropped.
var (
	moveEventHead = define(`UPDATE event_head SET position = ? WHERE one = 1`)
	insertEvents  = sqlstore.DefineInsertion(define, 21, `
		INSERT INTO events (position, id, kind, sandbox, at, received, account, client, user, external_user, video,
			segment_start, segment_end, subtype, trace, referer, details, metadata, counted, hidden, continues)`, ``)
	insertAddresses = sqlstore.DefineInsertion(define, 3, `INSERT INTO addresses (received, position, address)`, ``)
	insertEventKey  = define(`
		INSERT INTO event_keys (client, key, fingerprint, received) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`)
	selectEventKey = define(`SELECT fingerprint FROM event_keys WHERE client = ? AND key = ?`)
	selectViewing  = define(`SELECT counted FROM viewings WHERE id = ?`)
	putViewing     = define(`
		INSERT INTO viewings (id, opened, counted) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET counted = excluded.counted`)
	extendMonth = define(`
		INSERT INTO event_months (month, first, last) VALUES (?, ?, ?)
		ON CONFLICT (month) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`)
)

// Append implements store.Events.
func (e *Events) Append(ctx context.Context, submissions []event.Submission) (verdicts []event.Verdict, err error) {
	if err := storelogic.CheckSubmissions(submissions); err != nil {
		return nil, err
	}
	err = e.write(ctx, func(s *session) error {
		head, err := s.number(ctx, sqlstore.SelectEventHead)
		if err != nil {
			return err
		}
		verdicts = make([]event.Verdict, len(submissions))
		added := newAppended(head)
		for i := range submissions {
			if verdicts[i], err = s.decide(ctx, &submissions[i]); err != nil {
				return err
			}
			if verdicts[i] != event.Stored {
				continue
			}
			events, err := s.boundViewing(ctx, &submissions[i])
			if err != nil {
				return err
			}
			if events, err = s.markContinuations(ctx, &submissions[i], events); err != nil {
				return err
			}
			added.add(events)
		}
		return added.write(ctx, s)
	})
	if err != nil {
		return nil, err
	}
	return verdicts, nil
}

// boundViewing returns the events of a submission as Append stores them, and stores the counted time of their viewing.
func (s *session) boundViewing(ctx context.Context, submission *event.Submission) ([]event.Event, error) {
	viewing := submission.Viewing
	if viewing == nil {
		return submission.Events, nil
	}
	counted, err := s.number(ctx, selectViewing, viewing.ID)
	if err != nil {
		return nil, err
	}
	events, now := viewing.Bound(submission.Events, counted)
	if now > counted {
		_, err = s.Exec(ctx, putViewing, viewing.ID, int64(viewing.Opened), now)
	}
	return events, err
}

// markContinuations sets Continues on the events of a submission whose play an earlier event began, and stores the keys of
// new plays.
func (s *session) markContinuations(ctx context.Context, submission *event.Submission, events []event.Event) ([]event.Event, error) {
	return storelogic.MarkContinuations(events, func(i int) (bool, error) {
		key := submission.PlayKey(&events[i])
		if key == "" {
			return false, nil
		}
		added, err := s.Exec(ctx, insertEventKey, submission.Client, key, []byte{}, int64(submission.Received))
		return added == 0, err
	})
}

// decide returns the verdict on a submission and stores its key. Earlier submissions of the list have stored their keys
// in the same transaction.
func (s *session) decide(ctx context.Context, submission *event.Submission) (event.Verdict, error) {
	if submission.Key == "" {
		return event.Stored, nil
	}
	added, err := s.Exec(ctx, insertEventKey, submission.Client, submission.Key, submission.Fingerprint[:], int64(submission.Received))
	if err != nil || added > 0 {
		return event.Stored, err
	}
	return s.recall(ctx, submission)
}

// Recall implements store.Events.
func (e *Events) Recall(ctx context.Context, submission event.Submission) (verdict event.Verdict, err error) {
	if submission.Key == "" {
		return 0, ctx.Err()
	}
	err = e.read(ctx, func(s *session) error {
		verdict, err = s.recall(ctx, &submission)
		return err
	})
	return verdict, err
}

// recall returns the verdict on a submission whose key is stored, and 0 for any other.
func (s *session) recall(ctx context.Context, submission *event.Submission) (verdict event.Verdict, err error) {
	err = s.Query(ctx, selectEventKey, func(row sqlstore.Row) error {
		var before sql.RawBytes
		err := row.Scan(&before)
		verdict = storelogic.Decide(submission, before)
		return err
	}, submission.Client, submission.Key)
	return verdict, err
}

// appended collects the rows of one Append.
type appended struct {
	from, head event.Position
	// events and addresses are the values of their rows, one row after the other.
	events, addresses []any
	// months contains the first and the last position of each month of receipt.
	months map[usage.Month][2]event.Position
}

func newAppended(head event.Position) *appended {
	return &appended{from: head, head: head, months: map[usage.Month][2]event.Position{}}
}

func (a *appended) add(events []event.Event) {
	for i := range events {
		e := &events[i]
		a.head++
		a.events = append(a.events, a.head, e.ID[:], int64(e.Kind), e.Sandbox, unless(int64(e.At), int64(e.Received)), int64(e.Received),
			optional(&e.Account), optional(&e.Client), optional(&e.User), optional(&e.ExternalUser), optional(&e.Video),
			unless(e.Start, 0), unless(e.End, 0), optional(&e.Subtype), optional(&e.Trace), optional(&e.Referer), e.Details, e.Metadata,
			unless(e.Counted, e.Played()), unless(e.Hidden, false), e.Continues)
		if e.Address != "" {
			a.addresses = append(a.addresses, int64(e.Received), a.head, e.Address)
		}
		month := usage.MonthOf(e.Received)
		first, known := a.months[month]
		if !known {
			first[0] = a.head
		}
		a.months[month] = [2]event.Position{first[0], a.head}
	}
}

func (a *appended) write(ctx context.Context, s *session) error {
	if a.head == a.from {
		return nil
	}
	insertEvents.Insert(ctx, s, a.events)
	insertAddresses.Insert(ctx, s, a.addresses)
	for month, positions := range a.months {
		s.Do(ctx, extendMonth, month.Number(), positions[0], positions[1])
	}
	s.Do(ctx, moveEventHead, a.head)
	return s.Send(ctx)
}
