package postgres

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectPersonSecret = define(`SELECT secret FROM event_person_key WHERE one`)
	// selectSegments also finds the rows of the keys: $3 are the parts of their IDs beside the segment.
	selectSegments = define(`
		SELECT s.after, s.last, s.version = s.built, p.id, p.body
		FROM (SELECT * FROM event_segments
			WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after <= $1), 0) ORDER BY after LIMIT $2) AS s
		LEFT JOIN event_persons AS p ON s.version = s.built
			AND p.id = ANY (ARRAY(SELECT s.after * ` + strconv.Itoa(storelogic.PersonRowCount) + ` + part FROM unnest($3::bigint[]) AS part))
		ORDER BY s.after`)
	selectPersons = define(`SELECT id, body FROM event_persons WHERE id = ANY ($1::bigint[])`)
	putPersons    = define(`
		INSERT INTO event_persons (id, body) SELECT * FROM unnest($1::bigint[], $2::bytea[])
		ON CONFLICT (id) DO UPDATE SET body = excluded.body`)
	deletePersons      = define(`DELETE FROM event_persons WHERE id = ANY ($1::bigint[])`)
	clearPersons       = define(`DELETE FROM event_persons WHERE id >= $1 AND id <= $2`)
	selectLastSegment  = define(`SELECT last FROM event_segments ORDER BY after DESC LIMIT 1`)
	selectStaleSegment = define(`
		SELECT after, last, version FROM event_segments
		WHERE built <> version AND failed <> version AND after < $1 ORDER BY after LIMIT 1`)
	insertSegment = define(`INSERT INTO event_segments (after, last, version, built, failed) VALUES ($1, $2, 1, 0, 0)`)
	lockSegment   = define(`SELECT version FROM event_segments WHERE after = $1 FOR UPDATE`)
	lockBuilt     = define(`SELECT after FROM event_segments WHERE after = ANY ($1::bigint[]) AND built = version ORDER BY after FOR UPDATE`)
	builtSegments = define(`UPDATE event_segments SET built = version WHERE after = ANY ($1::bigint[])`)
	failedSegment = define(`UPDATE event_segments SET failed = $1 WHERE after = $2`)
	deleteSegment = define(`DELETE FROM event_segments WHERE after = $1`)
	selectNames   = define(`
		SELECT run.segment, e.* FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS run(after, until, segment), LATERAL (
			SELECT position, account, user_id, external_user FROM events
			WHERE position > run.after AND position <= run.until ORDER BY position OFFSET 0) AS e
		ORDER BY e.position`)
)

func (p *pipeline) personSecret(secret *[]byte) {
	p.ask(selectPersonSecret, func(rows pgx.Rows) error { return rows.Scan(secret) })
}

// personRuns returns runs of positions after a position that may contain events of a query, as far as one transaction
// looks.
func (e *Events) personRuns(ctx context.Context, query store.EventQuery, after, upTo event.Position) (runs storelogic.PersonRuns, err error) {
	var secret []byte
	if err := e.read(ctx, func(p *pipeline) { p.personSecret(&secret) }); err != nil {
		return runs, err
	}
	keys := storelogic.NewPersonHasher(secret).KeysOf(query)
	var parts []int64
	for _, key := range keys {
		parts = append(parts, key.Row(0))
	}
	var (
		dropped  event.Position
		segments []storelogic.Segment
		bodies   map[int64][]byte
	)
	err = e.readTogether(ctx, func(p *pipeline) {
		segments, bodies = nil, map[int64][]byte{}
		p.number(selectDropped, &dropped)
		p.ask(planOnce, func(pgx.Rows) error { return nil })
		p.ask(selectSegments, func(rows pgx.Rows) error {
			var (
				one  storelogic.Segment
				id   pgtype.Int8
				body []byte
			)
			err := rows.Scan(&one.After, &one.Last, &one.IsCurrent, &id, &body)
			if n := len(segments); n == 0 || segments[n-1] != one {
				segments = append(segments, one)
			}
			bodies[id.Int64] = body
			return err
		}, after, storelogic.PersonsAtOnce, parts)
	})
	if err == nil {
		err = storelogic.CheckDropped(query, after, dropped)
	}
	if err != nil {
		return runs, err
	}
	runs = storelogic.PersonRuns{At: after, UpTo: upTo}
	for _, segment := range segments {
		if err := runs.Add(segment, keys, func(id int64) ([]byte, error) { return bodies[id], nil }); err != nil {
			return runs, err
		}
	}
	if len(segments) < storelogic.PersonsAtOnce {
		runs.End()
	}
	return runs, nil
}

// readPerson reads the events of a query that the index finds.
func (e *Events) readPerson(ctx context.Context, query store.EventQuery, after, upTo event.Position, limit int, conditions []any) (events []event.Event, err error) {
	for after < upTo && len(events) < limit {
		runs, err := e.personRuns(ctx, query, after, upTo)
		if err != nil {
			return nil, err
		}
		for _, pieces := range grouped(runs.Runs) {
			if pieces[0].After = max(after, pieces[0].After); len(events) == limit {
				break
			}
			found, err := e.readPieces(ctx, query, pieces, upTo, limit-len(events), conditions)
			if err != nil {
				return nil, err
			}
			events = append(events, found...)
		}
		after = runs.At
	}
	return events, nil
}

// readPieces reads up to limit events of pieces in one statement or, if it meets damaged or skipped events, piece by
// piece.
func (e *Events) readPieces(ctx context.Context, query store.EventQuery, pieces []storelogic.PersonRun, upTo event.Position, limit int, conditions []any) ([]event.Event, error) {
	if len(pieces) > 1 {
		after, last := pieces[0].After, pieces[len(pieces)-1].Last
		events, isSkipped, err := e.readBounds(ctx, selectEventsOf, query, after, last, append(boundsOf(pieces, upTo), append([]any{limit}, conditions...)...))
		if err == nil && !isSkipped {
			return events, nil
		}
		if err != nil && fault.CodeOf(err) != fault.Internal {
			return nil, err
		}
	}
	var events []event.Event
	for _, piece := range pieces {
		if len(events) == limit {
			break
		}
		found, err := e.readAround(ctx, selectSomeEvents, query, piece.After, min(piece.Last, upTo), limit-len(events), conditions...)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	return events, nil
}

// names adds the names in pieces to the blocks of their segments, and returns how many events there are.
func (s *session) names(ctx context.Context, hasher *storelogic.PersonHasher, pieces []storelogic.PersonRun, blocks map[event.Position]storelogic.PersonBlocks) (events int, err error) {
	var segments []int64
	for _, piece := range pieces {
		segments = append(segments, piece.Segment)
	}
	err = s.send(ctx, func(p *pipeline) {
		p.ask(planOnce, func(pgx.Rows) error { return nil })
		p.ask(selectNames, func(rows pgx.Rows) error {
			var (
				segment, position       event.Position
				account, user, external pgtype.DriverBytes
			)
			events++
			err := rows.Scan(&segment, &position, &account, &user, &external)
			if err == nil {
				blocks[segment].Add(hasher, segment, position, account, user, external)
			}
			return err
		}, append(boundsOf(pieces, math.MaxInt64), segments)...)
	})
	return events, err
}

func (s *session) personHasher(ctx context.Context) (*storelogic.PersonHasher, error) {
	var secret []byte
	err := s.send(ctx, func(p *pipeline) { p.personSecret(&secret) })
	return storelogic.NewPersonHasher(secret), err
}

// namesIn returns the names in the indexed pieces, by segment, and locks the segments. It leaves out segments that have
// ceased to be current since the search.
func (s *session) namesIn(ctx context.Context, pieces []storelogic.PersonRun) (map[event.Position]storelogic.PersonBlocks, error) {
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
	err := s.send(ctx, func(p *pipeline) {
		p.ask(lockBuilt, func(rows pgx.Rows) error {
			var segment event.Position
			err := rows.Scan(&segment)
			names[segment] = storelogic.PersonBlocks{}
			return err
		}, segments)
	})
	if err != nil || len(names) == 0 {
		return names, err
	}
	hasher, err := s.personHasher(ctx)
	if err != nil {
		return nil, err
	}
	_, err = s.names(ctx, hasher, currentOf(pieces, names), names)
	return names, err
}

// currentOf returns the pieces in segments that have names.
func currentOf(pieces []storelogic.PersonRun, names map[event.Position]storelogic.PersonBlocks) (current []storelogic.PersonRun) {
	for _, piece := range pieces {
		if names[piece.Segment] != nil && piece.IsIndexed {
			current = append(current, piece)
		}
	}
	return current
}

// changePersons changes the rows of the segments that namesIn has locked.
func (s *session) changePersons(ctx context.Context, pieces []storelogic.PersonRun, before map[event.Position]storelogic.PersonBlocks, last *pipeline) error {
	if len(before) == 0 {
		return nil
	}
	after := map[event.Position]storelogic.PersonBlocks{}
	for segment := range before {
		after[segment] = storelogic.PersonBlocks{}
	}
	hasher, err := s.personHasher(ctx)
	if err != nil {
		return err
	}
	if _, err := s.names(ctx, hasher, currentOf(pieces, before), after); err != nil {
		return err
	}
	type change struct {
		storelogic.PersonChange
		key storelogic.PersonKey
	}
	changes, bodies := map[int64][]change{}, map[int64][]byte{}
	for segment, blocks := range before {
		for key, one := range storelogic.ChangesOf(blocks, after[segment]) {
			row := key.Row(segment)
			changes[row] = append(changes[row], change{one, key})
		}
	}
	err = s.send(ctx, func(p *pipeline) {
		p.ask(selectPersons, func(rows pgx.Rows) error {
			var (
				id   int64
				body []byte
			)
			err := rows.Scan(&id, &body)
			bodies[id] = body
			return err
		}, slices.Collect(maps.Keys(changes)))
	})
	if err != nil {
		return err
	}
	var (
		ids, empty []int64
		put        [][]byte
	)
	for row, list := range changes {
		body := bodies[row]
		for _, one := range list {
			if body, err = one.Apply(body, one.key); err != nil {
				return err
			}
		}
		if len(body) == 0 {
			empty = append(empty, row)
			continue
		}
		ids, put = append(ids, row), append(put, body)
	}
	last.do(putPersons, ids, put)
	last.do(deletePersons, empty)
	last.do(builtSegments, slices.Collect(maps.Keys(before)))
	return nil
}

// IndexPersons implements store.Events. It adds a segment while no erasure runs, because the trigger of the log in an
// open transaction would not know the segment.
func (e *Events) IndexPersons(ctx context.Context) (more bool, err error) {
	if more, err = e.indexStale(ctx, math.MaxInt64); more || err != nil {
		return more, err
	}
	var next nextSegment
	if err := e.read(ctx, next.ask); err != nil || !next.isWhole(e.segment) {
		return false, err
	}
	alone := func(p *pipeline) { p.do(lockErasing, erasingLock) }
	err = e.changing(ctx, alone, func(ctx context.Context, s *session, last *pipeline) error {
		next = nextSegment{}
		if err := s.send(ctx, next.ask); err != nil || !next.isWhole(e.segment) {
			return err
		}
		last.do(insertSegment, next.after(), next.after()+e.segment)
		return nil
	})
	return true, err
}

// nextSegment is where the next segment begins.
type nextSegment struct{ head, last, first event.Position }

func (n *nextSegment) ask(p *pipeline) {
	p.number(selectEventHead, &n.head)
	p.number(selectLastSegment, &n.last)
	p.ask(planOnce, func(pgx.Rows) error { return nil })
	p.number(selectFirstEvent, &n.first)
}

func (n *nextSegment) after() event.Position { return max(n.last, n.first-1) }

// isWhole reports whether the log contains all of the segment.
func (n *nextSegment) isWhole(size int64) bool { return n.head-n.after() >= size }

// namesWindow is how many positions one statement of indexStale examines.
const namesWindow = 1 << 14

// indexStale reads the events of the first segment whose beginning is before a position and whose rows are not current,
// and replaces these rows. It reports whether there was such a segment.
func (e *Events) indexStale(ctx context.Context, before event.Position) (found bool, err error) {
	var (
		segment storelogic.Segment
		version int64
		secret  []byte
	)
	err = e.read(ctx, func(p *pipeline) {
		found = false
		p.personSecret(&secret)
		p.ask(selectStaleSegment, func(rows pgx.Rows) error {
			found = true
			return rows.Scan(&segment.After, &segment.Last, &version)
		}, before)
	})
	if err != nil || !found {
		return false, err
	}
	hasher, blocks, events := storelogic.NewPersonHasher(secret), storelogic.PersonBlocks{}, 0
	read := func(after, last event.Position) error {
		some, n := map[event.Position]storelogic.PersonBlocks{}, 0
		err := e.reading(ctx, func(ctx context.Context, s *session) (err error) {
			some[segment.After] = storelogic.PersonBlocks{}
			n, err = s.names(ctx, hasher, []storelogic.PersonRun{{After: after, Last: last, Segment: segment.After}}, some)
			return err
		})
		if err == nil {
			blocks.Append(some[segment.After])
			events += n
		}
		return err
	}
	for after := segment.After; after < segment.Last && err == nil; after += namesWindow {
		last := min(segment.Last, after+namesWindow)
		if err = read(after, last); fault.CodeOf(err) == fault.Internal {
			var skipped []event.Position
			if skipped, err = e.SkippedBetween(ctx, after, last); err == nil {
				err = storelogic.Around(after, last, skipped, func(after, last event.Position, _ bool) (bool, error) { return false, read(after, last) })
			}
		}
	}
	isDamaged := fault.CodeOf(err) == fault.Internal
	if err != nil && !isDamaged {
		return false, err
	}
	return true, e.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, last *pipeline) error {
		if isDamaged {
			last.do(failedSegment, version, segment.After)
			return nil
		}
		return s.putSegment(ctx, segment, version, blocks, events, last)
	})
}

// putSegment replaces the rows of a segment, unless its events have changed since they had a version. It deletes a
// segment without events unless it is the last, which says where the next one begins.
func (s *session) putSegment(ctx context.Context, segment storelogic.Segment, version int64, blocks storelogic.PersonBlocks, events int, last *pipeline) error {
	var now, newest int64
	err := s.send(ctx, func(p *pipeline) {
		p.number(lockSegment, &now, segment.After)
		p.number(selectLastSegment, &newest)
	})
	if err != nil || now != version {
		return err
	}
	first, end := storelogic.PersonRows(segment.After)
	last.do(clearPersons, first, end)
	if events == 0 && segment.Last != newest {
		last.do(deleteSegment, segment.After)
		return nil
	}
	var (
		ids    []int64
		bodies [][]byte
	)
	for id, body := range blocks.Rows(segment.After) {
		ids, bodies = append(ids, id), append(bodies, body)
	}
	last.do(putPersons, ids, bodies)
	last.do(builtSegments, []int64{segment.After})
	return nil
}
