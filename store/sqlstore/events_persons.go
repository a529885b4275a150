package sqlstore

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectPersonSecret = define(`SELECT secret FROM event_person_key WHERE one`)
	selectSegments     = define(`
		SELECT after, last, version = built FROM event_segments
		WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after <= $1), 0) ORDER BY after LIMIT $2`)
	selectLastSegment  = define(`SELECT last FROM event_segments WHERE after = (SELECT max(after) FROM event_segments)`)
	selectStaleSegment = define(`
		SELECT after, last, version FROM event_segments
		WHERE built <> version AND failed <> version AND after < $1 ORDER BY after LIMIT 1`)
	insertSegment = define(`INSERT INTO event_segments (after, last, version, built, failed) VALUES ($1, $2, 1, 0, 0)`)
	lockSegment   = define(`SELECT version FROM event_segments WHERE after = $1 FOR UPDATE`)
	lockBuilt     = DefinePer(
		`SELECT after FROM event_segments WHERE after IN (SELECT value FROM json_each($1)) AND built = version`,
		`SELECT after FROM event_segments WHERE after = ANY ($1::bigint[]) AND built = version ORDER BY after FOR UPDATE`)
	builtSegments = DefinePer(
		`UPDATE event_segments SET built = version WHERE after IN (SELECT value FROM json_each($1))`,
		`UPDATE event_segments SET built = version WHERE after = ANY ($1::bigint[])`)
	failedSegment = define(`UPDATE event_segments SET failed = $1 WHERE after = $2`)
	deleteSegment = define(`DELETE FROM event_segments WHERE after = $1`)
	selectPersons = DefinePer(
		`SELECT id, body FROM event_persons WHERE id IN (SELECT value FROM json_each($1))`,
		`SELECT id, body FROM event_persons WHERE id = ANY ($1::bigint[])`)
	putPersons = defineInsertion(2,
		`INSERT INTO event_persons (id, body)`, `ON CONFLICT (id) DO UPDATE SET body = excluded.body`)
	deletePersons = DefinePer(
		`DELETE FROM event_persons WHERE id IN (SELECT value FROM json_each($1))`,
		`DELETE FROM event_persons WHERE id = ANY ($1::bigint[])`)
	clearPersons     = define(`DELETE FROM event_persons WHERE id >= $1 AND id <= $2`)
	selectFirstEvent = define(`
		SELECT coalesce((SELECT min(position) FROM events), (SELECT position + 1 FROM event_head WHERE one))`)
	selectEventNames = DefinePer(
		`SELECT position, account, user, external_user FROM events WHERE position >= $1 AND position <= $2 ORDER BY position`,
		`SELECT position, account, user_id, external_user FROM events WHERE position >= $1 AND position <= $2 ORDER BY position`)
	selectEventName = DefinePer(
		`SELECT position, account, user, external_user FROM events WHERE position = $1`,
		`SELECT position, account, user_id, external_user FROM events WHERE position = $1`)
	// PlanOnce makes PostgreSQL keep the generic plans of the statements that follow in the transaction. The log is read
	// through all partitions, and planning takes longer than reading. The server keeps a plan while a month grows, so it
	// must not be a plan for an empty table; hence no sequential scans.
	PlanOnce = DefinePer(``,
		`SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`)
)

// EventRun is the range of positions from After+1 to Last.
type EventRun struct {
	After, Last event.Position
	// IsBeforeSkipped reports whether the next position is skipped. SQLite reads one row beyond the end of a range to find
	// the end, so statements find the last event before a skipped one by its position alone.
	IsBeforeSkipped bool
}

func personHasher(ctx context.Context, c Conn) (*storelogic.PersonHasher, error) {
	secret, err := selectOne(ctx, c, func(row Row) (secret []byte, err error) {
		err = row.Scan(&secret)
		return secret, err
	}, selectPersonSecret)
	if err != nil {
		return nil, err
	}
	if secret == nil {
		return nil, fault.Errorf(fault.Internal, "the log has no key for the index of persons")
	}
	return storelogic.NewPersonHasher(secret), nil
}

// PersonRuns returns runs of positions after a position that may contain events of a query, as far as one transaction
// looks.
func (l *EventLog) PersonRuns(ctx context.Context, query store.EventQuery, after, upTo event.Position) (runs storelogic.PersonRuns, err error) {
	err = l.db.ReadSnapshot(ctx, func(ctx context.Context, c Conn) error {
		var (
			dropped  event.Position
			segments []storelogic.Segment
		)
		c.Do(ctx, PlanOnce)
		askNumber(ctx, c, &dropped, SelectDropped)
		askAll(ctx, c, &segments, func(row Row) (one storelogic.Segment, err error) {
			err = row.Scan(&one.After, &one.Last, &one.IsCurrent)
			return one, err
		}, selectSegments, after, storelogic.PersonsAtOnce)
		hasher, err := personHasher(ctx, c)
		if err != nil {
			return err
		}
		if err := storelogic.CheckDropped(query, after, dropped); err != nil {
			return err
		}
		keys := hasher.KeysOf(query)
		var ids []int64
		for _, segment := range segments {
			for _, key := range keys {
				if segment.IsCurrent {
					ids = append(ids, key.Row(segment.After))
				}
			}
		}
		bodies, err := personRows(ctx, c, ids)
		if err != nil {
			return err
		}
		runs = storelogic.PersonRuns{At: after, UpTo: upTo}
		for _, segment := range segments {
			if err := runs.Add(segment, keys, bodies); err != nil {
				return err
			}
		}
		if len(segments) < storelogic.PersonsAtOnce {
			runs.End()
		}
		return nil
	})
	return runs, err
}

// personRows returns the bodies of rows, by ID.
func personRows(ctx context.Context, c Conn, ids []int64) (map[int64][]byte, error) {
	bodies := map[int64][]byte{}
	if len(ids) == 0 {
		return bodies, nil
	}
	err := c.Query(ctx, selectPersons, func(row Row) error {
		var (
			id   int64
			body []byte
		)
		err := row.Scan(&id, &body)
		bodies[id] = body
		return err
	}, ids)
	return bodies, err
}

// askNames asks for the names of the events in a run, and adds them to the blocks of a segment and the number of the
// events to events.
func askNames(
	ctx context.Context, c Conn, hasher *storelogic.PersonHasher, segment event.Position, run EventRun, blocks storelogic.PersonBlocks, events *int,
) {
	add := func(row Row) error {
		var (
			position                event.Position
			account, user, external sql.RawBytes
		)
		*events++
		if err := row.Scan(&position, &account, &user, &external); err != nil {
			return err
		}
		blocks.Add(hasher, segment, position, account, user, external)
		return nil
	}
	end := run.Last
	if run.IsBeforeSkipped {
		end--
	}
	c.Ask(ctx, selectEventNames, add, run.After+1, end)
	if run.IsBeforeSkipped {
		c.Ask(ctx, selectEventName, add, run.Last)
	}
}

// namesIn returns the names in the indexed pieces, by segment, and locks the segments. It leaves out segments that have
// ceased to be current since the search.
func namesIn(ctx context.Context, c Conn, pieces []storelogic.PersonRun) (map[event.Position]storelogic.PersonBlocks, error) {
	var segments []int64
	for _, piece := range pieces {
		if piece.IsIndexed {
			segments = append(segments, piece.Segment)
		}
	}
	names := map[event.Position]storelogic.PersonBlocks{}
	if len(segments) == 0 {
		return names, nil
	}
	err := c.Query(ctx, lockBuilt, func(row Row) error {
		segment, err := number(row)
		names[segment] = storelogic.PersonBlocks{}
		return err
	}, segments)
	if err != nil || len(names) == 0 {
		return names, err
	}
	return names, addNames(ctx, c, pieces, names)
}

// addNames adds the names in the indexed pieces to the blocks of their segments. It ignores other segments.
func addNames(ctx context.Context, c Conn, pieces []storelogic.PersonRun, names map[event.Position]storelogic.PersonBlocks) error {
	hasher, err := personHasher(ctx, c)
	if err != nil {
		return err
	}
	events := 0
	c.Do(ctx, PlanOnce)
	for _, piece := range pieces {
		if blocks := names[piece.Segment]; blocks != nil && piece.IsIndexed {
			askNames(ctx, c, hasher, piece.Segment, EventRun{After: piece.After, Last: piece.Last}, blocks, &events)
		}
	}
	return c.Send(ctx)
}

// changePersons changes the rows of the segments that namesIn has locked. before is the result of namesIn.
func changePersons(ctx context.Context, c Conn, pieces []storelogic.PersonRun, before map[event.Position]storelogic.PersonBlocks) error {
	if len(before) == 0 {
		return nil
	}
	after := map[event.Position]storelogic.PersonBlocks{}
	for segment := range before {
		after[segment] = storelogic.PersonBlocks{}
	}
	if err := addNames(ctx, c, pieces, after); err != nil {
		return err
	}
	changes := map[int64]map[storelogic.PersonKey]storelogic.PersonChange{}
	for segment, blocks := range before {
		for key, change := range storelogic.ChangesOf(blocks, after[segment]) {
			row := key.Row(segment)
			if changes[row] == nil {
				changes[row] = map[storelogic.PersonKey]storelogic.PersonChange{}
			}
			changes[row][key] = change
		}
	}
	bodies, err := personRows(ctx, c, slices.Collect(maps.Keys(changes)))
	if err != nil {
		return err
	}
	var (
		put   []any
		empty []int64
	)
	for row, of := range changes {
		body := bodies[row]
		for key, change := range of {
			if body, err = change.Apply(body, key); err != nil {
				return err
			}
		}
		if len(body) == 0 {
			empty = append(empty, row)
			continue
		}
		put = append(put, row, body)
	}
	putPersons.Insert(ctx, c, put)
	if len(empty) > 0 {
		c.Do(ctx, deletePersons, empty)
	}
	c.Do(ctx, builtSegments, slices.Collect(maps.Keys(before)))
	return nil
}

// IndexPersons implements store.Events. It adds a segment while no erasure runs, because the trigger of the log in an
// open transaction of PostgreSQL would not know the segment.
func (l *EventLog) IndexPersons(ctx context.Context) (more bool, err error) {
	if more, err = l.indexStale(ctx, math.MaxInt64); more || err != nil {
		return more, err
	}
	first, err := l.FirstEvent(ctx)
	if err != nil {
		return false, err
	}
	isWhole := false
	err = l.db.Read(ctx, func(ctx context.Context, c Conn) (err error) {
		_, isWhole, err = l.nextSegment(ctx, c, first)
		return err
	})
	if err != nil || !isWhole {
		return false, err
	}
	return true, l.db.Erasing(ctx, func(ctx context.Context, tx EraseTx) error {
		after, isWhole, err := l.nextSegment(ctx, tx, first)
		if err == nil && isWhole {
			tx.Do(ctx, insertSegment, after, after+l.segment)
		}
		return err
	})
}

// FirstEvent returns the position of the oldest event that remains, or the position after the head if there is none. It
// returns 0 if that event is damaged.
func (l *EventLog) FirstEvent(ctx context.Context) (event.Position, error) {
	first, err := read(ctx, l.db, func(ctx context.Context, c Conn) (event.Position, error) {
		c.Do(ctx, PlanOnce)
		return selectOne(ctx, c, number, selectFirstEvent)
	})
	if fault.CodeOf(err) == fault.Internal {
		err = ctx.Err()
	}
	return first, err
}

// nextSegment returns the position after which the next segment begins, and whether the log contains all of it. first is
// the result of FirstEvent. If a drop has removed this event since, the segment contains fewer events.
func (l *EventLog) nextSegment(ctx context.Context, c Conn, first event.Position) (after event.Position, isWhole bool, err error) {
	var head, last int64
	askNumber(ctx, c, &head, SelectEventHead)
	askNumber(ctx, c, &last, selectLastSegment)
	err = c.Send(ctx)
	after = max(last, first-1)
	return after, head-after >= l.segment, err
}

// IndexBefore brings the rows of all segments up to date that begin before a position.
func (l *EventLog) IndexBefore(ctx context.Context, position event.Position) error {
	for {
		more, err := l.indexStale(ctx, position)
		if err != nil || !more {
			return err
		}
	}
}

// namesWindow is how many positions one statement of indexStale examines.
const namesWindow = 1 << 14

// indexStale reads the events of the first segment whose beginning is before a position and whose rows are not current,
// and replaces these rows. It reports whether there was such a segment.
func (l *EventLog) indexStale(ctx context.Context, before event.Position) (found bool, err error) {
	var (
		segment storelogic.Segment
		version int64
		hasher  *storelogic.PersonHasher
	)
	err = l.db.Read(ctx, func(ctx context.Context, c Conn) (err error) {
		found = false
		err = c.Query(ctx, selectStaleSegment, func(row Row) error {
			found = true
			return row.Scan(&segment.After, &segment.Last, &version)
		}, before)
		if err == nil && found {
			hasher, err = personHasher(ctx, c)
		}
		return err
	})
	if err != nil || !found {
		return false, err
	}
	blocks, events := storelogic.PersonBlocks{}, 0
	read := func(run EventRun) error {
		var (
			some storelogic.PersonBlocks
			n    int
		)
		err := l.db.Read(ctx, func(ctx context.Context, c Conn) error {
			some, n = storelogic.PersonBlocks{}, 0
			c.Do(ctx, PlanOnce)
			askNames(ctx, c, hasher, segment.After, run, some, &n)
			return c.Send(ctx)
		})
		if err == nil {
			blocks.Append(some)
			events += n
		}
		return err
	}
	for after := segment.After; after < segment.Last && err == nil; after += namesWindow {
		last := min(segment.Last, after+namesWindow)
		if err = read(EventRun{After: after, Last: last}); fault.CodeOf(err) == fault.Internal {
			err = l.around(ctx, after, last, read)
		}
	}
	isDamaged := fault.CodeOf(err) == fault.Internal
	if err != nil && !isDamaged {
		return false, err
	}
	return true, l.db.Write(ctx, func(ctx context.Context, c Conn) error {
		if isDamaged {
			c.Do(ctx, failedSegment, version, segment.After)
			return nil
		}
		return putSegment(ctx, c, segment, version, blocks, events)
	})
}

// around calls read for each run of positions from after+1 to last that contains no skipped position.
func (l *EventLog) around(ctx context.Context, after, last event.Position, read func(EventRun) error) error {
	skipped, err := l.SkippedBetween(ctx, after, last)
	if err != nil {
		return err
	}
	return storelogic.Around(after, last, skipped, func(after, last event.Position, isBeforeSkipped bool) (bool, error) {
		return false, read(EventRun{after, last, isBeforeSkipped})
	})
}

// putSegment replaces the rows of a segment, unless its events have changed since they had a version. It deletes a
// segment without events unless it is the last, which says where the next one begins.
func putSegment(ctx context.Context, c Conn, segment storelogic.Segment, version int64, blocks storelogic.PersonBlocks, events int) error {
	var now, newest int64
	askNumber(ctx, c, &now, lockSegment, segment.After)
	askNumber(ctx, c, &newest, selectLastSegment)
	if err := c.Send(ctx); err != nil || now != version {
		return err
	}
	first, end := storelogic.PersonRows(segment.After)
	c.Do(ctx, clearPersons, first, end)
	if events == 0 && segment.Last != newest {
		c.Do(ctx, deleteSegment, segment.After)
		return nil
	}
	var rows []any
	for id, body := range blocks.Rows(segment.After) {
		rows = append(rows, id, body)
	}
	putPersons.Insert(ctx, c, rows)
	c.Do(ctx, builtSegments, []int64{segment.After})
	return nil
}
