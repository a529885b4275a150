package sqlite

import (
	"context"
	"database/sql"
	"math"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectPersonSecret = define(`SELECT secret FROM event_person_key WHERE one = 1`)
	selectSegments     = define(`
		SELECT after, last, version = built FROM event_segments
		WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after <= ?), 0) ORDER BY after LIMIT ?`)
	selectPersons      = define(`SELECT body FROM event_persons WHERE id = ?`)
	putPersons         = define(`INSERT INTO event_persons (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`)
	deletePersons      = define(`DELETE FROM event_persons WHERE id >= ? AND id <= ?`)
	selectLastSegment  = define(`SELECT coalesce(max(last), 0) FROM event_segments WHERE after = (SELECT max(after) FROM event_segments)`)
	selectStaleSegment = define(`
		SELECT after, last, version FROM event_segments
		WHERE built <> version AND failed <> version AND after < ? ORDER BY after LIMIT 1`)
	insertSegment  = define(`INSERT INTO event_segments (after, last, version, built, failed) VALUES (?, ?, 1, 0, 0)`)
	selectVersion  = define(`SELECT version FROM event_segments WHERE after = ?`)
	builtSegment   = define(`UPDATE event_segments SET built = version WHERE after = ?`)
	failedSegment  = define(`UPDATE event_segments SET failed = ? WHERE after = ?`)
	deleteSegment  = define(`DELETE FROM event_segments WHERE after = ?`)
	isSegmentBuilt = define(`SELECT version = built FROM event_segments WHERE after = ?`)
	touchSegments  = define(`
		UPDATE event_segments SET version = version + 1
		WHERE after >= coalesce((SELECT max(after) FROM event_segments WHERE after < ?), 0) AND after < ?`)
	touchSegmentsBefore = define(`UPDATE event_segments SET version = version + 1 WHERE after < ?`)
	selectNames         = define(`SELECT position, account, user, external_user FROM events WHERE position >= ? AND position <= ? ORDER BY position`)
	selectName          = define(`SELECT position, account, user, external_user FROM events WHERE position = ?`)
)

func (s *session) personHasher(ctx context.Context) (hasher *storelogic.PersonHasher, err error) {
	err = s.query(ctx, selectPersonSecret, func(rows *sql.Rows) error {
		var secret []byte
		err := rows.Scan(&secret)
		hasher = storelogic.NewPersonHasher(secret)
		return err
	})
	if hasher == nil && err == nil {
		err = fault.Errorf(fault.Internal, "the log has no key for the index of persons")
	}
	return hasher, err
}

// personRuns returns runs of positions after a position that may contain events of a query, as far as one transaction
// looks.
func (e *Events) personRuns(ctx context.Context, query store.EventQuery, after, upTo event.Position) (runs storelogic.PersonRuns, err error) {
	err = e.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error {
			if err := s.checkDropped(ctx, query, after); err != nil {
				return err
			}
			hasher, err := s.personHasher(ctx)
			if err != nil {
				return err
			}
			var segments []storelogic.Segment
			err = s.query(ctx, selectSegments, func(rows *sql.Rows) error {
				var one storelogic.Segment
				err := rows.Scan(&one.After, &one.Last, &one.IsCurrent)
				segments = append(segments, one)
				return err
			}, after, storelogic.PersonsAtOnce)
			if err != nil {
				return err
			}
			runs = storelogic.PersonRuns{At: after, UpTo: upTo}
			keys := hasher.KeysOf(query)
			for _, segment := range segments {
				err := runs.Add(segment, keys, func(id int64) ([]byte, error) { return s.personsAt(ctx, id) })
				if err != nil {
					return err
				}
			}
			if len(segments) < storelogic.PersonsAtOnce {
				runs.End()
			}
			return nil
		})
	})
	return runs, err
}

func (s *session) personsAt(ctx context.Context, id int64) (body []byte, err error) {
	err = s.query(ctx, selectPersons, func(rows *sql.Rows) error { return rows.Scan(&body) }, id)
	return body, err
}

// namesOf adds the names of a run to blocks of a segment.
func (s *session) namesOf(ctx context.Context, hasher *storelogic.PersonHasher, blocks storelogic.PersonBlocks, segment event.Position, r run) (found int, err error) {
	add := func(rows *sql.Rows) error {
		var (
			position                event.Position
			account, user, external sql.RawBytes
		)
		found++
		err := rows.Scan(&position, &account, &user, &external)
		if err == nil {
			blocks.Add(hasher, segment, position, account, user, external)
		}
		return err
	}
	end := r.last
	if r.isBeforeSkipped { // as in readRun
		end--
	}
	if err := s.query(ctx, selectNames, add, r.after+1, end); err != nil || !r.isBeforeSkipped {
		return found, err
	}
	return found, s.query(ctx, selectName, add, r.last)
}

// currentOf returns the pieces of segments that are current.
func (s *session) currentOf(ctx context.Context, pieces []storelogic.PersonRun) (current []storelogic.PersonRun, err error) {
	for _, piece := range pieces {
		if !piece.IsIndexed {
			continue
		}
		isBuilt, err := s.number(ctx, isSegmentBuilt, piece.Segment)
		if err != nil {
			return nil, err
		}
		if isBuilt == 1 { // still, after the search
			current = append(current, piece)
		}
	}
	return current, nil
}

// namesIn returns the names in pieces of segments, by segment.
func (s *session) namesIn(ctx context.Context, hasher *storelogic.PersonHasher, pieces []storelogic.PersonRun) (map[event.Position]storelogic.PersonBlocks, error) {
	names := map[event.Position]storelogic.PersonBlocks{}
	for _, piece := range pieces {
		if names[piece.Segment] == nil {
			names[piece.Segment] = storelogic.PersonBlocks{}
		}
		if _, err := s.namesOf(ctx, hasher, names[piece.Segment], piece.Segment, run{after: piece.After, last: piece.Last}); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// changePersons changes the rows of a segment that was current when the transaction began.
func (s *session) changePersons(ctx context.Context, segment event.Position, changes map[storelogic.PersonKey]storelogic.PersonChange) error {
	for key, change := range changes {
		row := key.Row(segment)
		body, err := s.personsAt(ctx, row)
		if err != nil {
			return err
		}
		if body, err = change.Apply(body, key); err != nil {
			return err
		}
		if len(body) == 0 {
			_, err = s.exec(ctx, deletePersons, row, row)
		} else {
			_, err = s.exec(ctx, putPersons, row, body)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.exec(ctx, builtSegment, segment)
	return err
}

// IndexPersons implements store.Events.
func (e *Events) IndexPersons(ctx context.Context) (more bool, err error) {
	if more, err = e.indexStale(ctx, math.MaxInt64); more || err != nil {
		return more, err
	}
	isWhole := false
	err = e.read(ctx, func(s *session) (err error) {
		isWhole, _, err = s.nextSegment(ctx, e.segment)
		return err
	})
	if err != nil || !isWhole {
		return false, err
	}
	err = e.write(ctx, func(s *session) error {
		isWhole, after, err := s.nextSegment(ctx, e.segment)
		if err != nil || !isWhole {
			return err
		}
		_, err = s.exec(ctx, insertSegment, after, after+e.segment)
		return err
	})
	return true, err
}

// nextSegment returns the position after which the next segment begins, and whether the log contains all of it.
func (s *session) nextSegment(ctx context.Context, size int64) (isWhole bool, after event.Position, err error) {
	head, err := s.number(ctx, selectEventHead)
	if err != nil {
		return false, 0, err
	}
	if after, err = s.number(ctx, selectLastSegment); err != nil {
		return false, 0, err
	}
	if dropped, err := s.number(ctx, selectDropped); err != nil {
		return false, 0, err
	} else if after < dropped {
		before, err := s.beforeFirst(ctx, head)
		if err != nil { // the first event is damaged
			before = after
		}
		after = max(after, before)
	}
	return head-after >= size, after, ctx.Err()
}

// namesWindow is how many positions one statement of indexStale examines.
const namesWindow = 1 << 14

// indexStale reads the events of the first segment after whose beginning is before a position and whose rows are not
// current, and replaces these rows. It reports whether there was such a segment.
func (e *Events) indexStale(ctx context.Context, before event.Position) (found bool, err error) {
	var (
		segment storelogic.Segment
		version int64
		hasher  *storelogic.PersonHasher
		skipped []event.Position
	)
	err = e.read(ctx, func(s *session) error {
		err := s.query(ctx, selectStaleSegment, func(rows *sql.Rows) error {
			found = true
			return rows.Scan(&segment.After, &segment.Last, &version)
		}, before)
		if err != nil || !found {
			return err
		}
		if skipped, err = s.skipped(ctx, segment.After); err != nil {
			return err
		}
		hasher, err = s.personHasher(ctx)
		return err
	})
	if err != nil || !found {
		return false, err
	}
	blocks, events := storelogic.PersonBlocks{}, 0
	read := func(r run) error {
		some, n := storelogic.PersonBlocks{}, 0
		err := e.read(ctx, func(s *session) (err error) {
			n, err = s.namesOf(ctx, hasher, some, segment.After, r)
			return err
		})
		if err == nil {
			blocks.Append(some)
			events += n
		}
		return err
	}
	for after := segment.After; after < segment.Last && err == nil; after += namesWindow {
		last := min(segment.Last, after+namesWindow)
		if err = read(run{after: after, last: last}); fault.CodeOf(err) == fault.Internal {
			err = storelogic.Around(after, last, skipped, func(after, last event.Position, isBeforeSkipped bool) (bool, error) {
				return false, read(run{after, last, isBeforeSkipped})
			})
		}
	}
	isDamaged := fault.CodeOf(err) == fault.Internal
	if err != nil && !isDamaged {
		return false, err
	}
	return true, e.write(ctx, func(s *session) error {
		if isDamaged {
			_, err := s.exec(ctx, failedSegment, version, segment.After)
			return err
		}
		return s.putSegment(ctx, segment, version, blocks, events)
	})
}

// putSegment replaces the rows of a segment, unless its events have changed since they had a version. It deletes a
// segment without events unless it is the last, which says where the next one begins.
func (s *session) putSegment(ctx context.Context, segment storelogic.Segment, version int64, blocks storelogic.PersonBlocks, events int) error {
	last, err := s.number(ctx, selectLastSegment)
	if err != nil {
		return err
	}
	now, err := s.number(ctx, selectVersion, segment.After)
	if err != nil || now != version {
		return err
	}
	first, end := storelogic.PersonRows(segment.After)
	if _, err := s.exec(ctx, deletePersons, first, end); err != nil {
		return err
	}
	if events == 0 && segment.Last != last {
		_, err := s.exec(ctx, deleteSegment, segment.After)
		return err
	}
	for id, body := range blocks.Rows(segment.After) {
		if _, err := s.exec(ctx, putPersons, id, body); err != nil {
			return err
		}
	}
	_, err = s.exec(ctx, builtSegment, segment.After)
	return err
}
