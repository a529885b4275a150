package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// forgetChunk is how many rows one transaction removes or examines, so that an append waits only briefly.
const forgetChunk = 5_000

// inChunks runs step in a sequence of transactions until step reports that nothing is left. Other writers can take the
// write connection between two transactions.
func (d *database) inChunks(ctx context.Context, step func(s *session) (more bool, err error)) error {
	for more := true; more; {
		err := d.write(ctx, func(s *session) (err error) {
			more, err = step(s)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	eraseExternalIn = `
		UPDATE events SET external_user = ?, user = NULL, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS ? AND external_user = ? AND `
	eraseUserIn = `
		UPDATE events SET user = ?, referer = NULL, trace = NULL, details = NULL, metadata = NULL
		WHERE account IS ? AND user = ? AND external_user IS NULL AND `
)

// eraser contains an UPDATE of a range of positions and an UPDATE of one position.
type eraser struct{ between, at *statement }

func defineEraser(text string) eraser {
	const returning = ` RETURNING received, position`
	return eraser{define(text + `position >= ? AND position <= ?` + returning), define(text + `position = ?` + returning)}
}

var (
	eraseExternal = defineEraser(eraseExternalIn)
	eraseUser     = defineEraser(eraseUserIn)
	eraseAddress  = define(`DELETE FROM addresses WHERE received = ? AND position = ?`)
)

// Erase implements store.Events.
func (e *Events) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (erased int64, err error) {
	external, user := storelogic.PersonColumns(person)
	of, name := eraseExternal, external
	if external == "" {
		of, name = eraseUser, user
	}
	if name == "" {
		return 0, nil
	}
	var (
		after   event.Position
		skipped []event.Position
	)
	err = e.read(ctx, func(s *session) error {
		head, err := s.number(ctx, selectEventHead)
		if err != nil {
			return err
		}
		upTo = min(upTo, head)
		if skipped, err = s.skipped(ctx, 0); err != nil {
			return err
		}
		after, err = s.beforeFirst(ctx, head)
		if err != nil && len(skipped) > 0 && ctx.Err() == nil { // as in beginBehind
			after, err = 0, nil
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	who := erasing{upTo: upTo, skipped: skipped, of: of, args: []any{alias, optional(&account), name}}
	query := store.EventQuery{Account: account, Names: []string{person}, Dropped: math.MaxInt64}
	for after < upTo {
		runs, err := e.PersonRuns(ctx, query, after, upTo)
		if err != nil {
			return erased, err
		}
		found, err := e.eraseRuns(ctx, who, runs.Runs)
		erased += found
		if err != nil {
			return erased, err
		}
		after = runs.At
	}
	return erased, nil
}

// erasing is what one call of Erase does.
type erasing struct {
	upTo    event.Position
	skipped []event.Position
	of      eraser
	// args are the first arguments of the statements of of.
	args []any
}

// eraseRuns erases the events of a person in runs, in transactions of a limited size.
func (e *Events) eraseRuns(ctx context.Context, who erasing, runs []storelogic.PersonRun) (erased int64, err error) {
	var (
		pieces []storelogic.PersonRun
		size   event.Position
	)
	flush := func() error {
		found, err := e.erasePieces(ctx, who, pieces)
		erased += found
		pieces, size = nil, 0
		return err
	}
	for _, r := range runs {
		for piece := range r.Pieces(storelogic.PersonPiece) {
			if size += piece.Last - piece.After; size > storelogic.PersonPiece && len(pieces) > 0 {
				if err := flush(); err != nil {
					return erased, err
				}
				size = piece.Last - piece.After
			}
			pieces = append(pieces, piece)
		}
	}
	return erased, flush()
}

// erasePieces erases the events of a person in pieces, in one transaction, or around skipped events.
func (e *Events) erasePieces(ctx context.Context, who erasing, pieces []storelogic.PersonRun) (found int64, err error) {
	if len(pieces) == 0 {
		return 0, nil
	}
	err = e.write(ctx, func(s *session) (err error) {
		found, err = s.erasePieces(ctx, who, pieces)
		return err
	})
	if err == nil {
		return found, nil
	}
	if found = 0; fault.CodeOf(err) != fault.Internal || len(who.skipped) == 0 { // a skipped row may be readable enough
		return 0, err
	}
	for _, piece := range pieces {
		err = storelogic.Around(piece.After, min(piece.Last, who.upTo), who.skipped, func(after, last event.Position, isBeforeSkipped bool) (bool, error) {
			n, err := e.eraseRun(ctx, who.of, run{after, last, isBeforeSkipped}, who.args...)
			found += n
			return false, err
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// erasePieces also changes the index of persons. It changes only segments that are current: the trigger of the log makes
// all others be read again.
func (s *session) erasePieces(ctx context.Context, who erasing, pieces []storelogic.PersonRun) (found int64, err error) {
	c := &conn{session: s}
	before, err := sqlstore.NamesIn(ctx, c, pieces)
	if err != nil {
		return 0, err
	}
	for _, piece := range pieces {
		n, err := s.erase(ctx, who.of.between, append(slices.Clone(who.args), piece.After+1, min(piece.Last, who.upTo))...)
		if found += n; err != nil {
			return 0, err
		}
	}
	if found == 0 {
		return 0, nil
	}
	if err := sqlstore.ChangePersons(ctx, c, pieces, before); err != nil {
		return 0, err
	}
	return found, c.Send(ctx)
}

// eraseRun erases the events of a person in a run, in one transaction. See readRun.
func (e *Events) eraseRun(ctx context.Context, of eraser, r run, args ...any) (found int64, err error) {
	err = e.write(ctx, func(s *session) (err error) {
		end := r.last
		if r.isBeforeSkipped {
			end--
		}
		if found, err = s.erase(ctx, of.between, append(slices.Clone(args), r.after+1, end)...); err != nil || !r.isBeforeSkipped {
			return err
		}
		one, err := s.erase(ctx, of.at, append(slices.Clone(args), r.last)...)
		found += one
		return err
	})
	if err != nil {
		return 0, err
	}
	return found, nil
}

// erase runs an UPDATE, deletes the addresses of the updated events and returns their number.
func (s *session) erase(ctx context.Context, st *statement, args ...any) (int64, error) {
	var found [][2]int64
	err := s.query(ctx, st, func(rows *sql.Rows) error {
		var place [2]int64
		err := rows.Scan(&place[0], &place[1])
		found = append(found, place)
		return err
	}, args...)
	if err != nil {
		return 0, err
	}
	for _, place := range found {
		if _, err := s.exec(ctx, eraseAddress, place[0], place[1]); err != nil {
			return 0, err
		}
	}
	return int64(len(found)), nil
}

var (
	selectOldMonth   = define(`SELECT month, first, last FROM event_months WHERE month < ? ORDER BY month LIMIT 1`)
	selectLastOld    = define(`SELECT coalesce(max(last), 0) FROM event_months WHERE month < ?`)
	deleteEvents     = define(`DELETE FROM events WHERE position >= ? AND position <= ? AND received < ?`)
	shortenMonth     = define(`UPDATE event_months SET first = ? WHERE month = ?`)
	deleteMonth      = define(`DELETE FROM event_months WHERE month = ?`)
	selectFirstEvent = define(`SELECT coalesce(min(position), 0) FROM events`)
	selectDropped    = define(`SELECT dropped FROM event_head WHERE one = 1`)
	moveDropped      = define(`UPDATE event_head SET dropped = max(dropped, ?) WHERE one = 1`)
)

// Drop implements store.Events.
func (e *Events) Drop(ctx context.Context, before usage.Month) (event.Position, error) {
	if err := e.dropChunks(ctx, before, math.MaxInt64); err != nil {
		return 0, err
	}
	return e.Dropped(ctx)
}

// DropMoved implements store.MonthMover.
func (e *Events) DropMoved(ctx context.Context, before usage.Month, upTo event.Position) error {
	return e.dropChunks(ctx, before, upTo)
}

// dropChunks drops the events before a month, and what is stored about them. It stops at an event after a position. Each
// chunk checks for such late events, which may arrive between two chunks.
func (e *Events) dropChunks(ctx context.Context, before usage.Month, upTo event.Position) error {
	isDropped := false
	err := e.inChunks(ctx, func(s *session) (found bool, err error) {
		last, err := s.number(ctx, selectLastOld, before.Number())
		if err != nil {
			return false, err
		}
		if err := storelogic.CheckMoved(before, last, upTo); err != nil {
			return false, err
		}
		found, err = s.dropChunk(ctx, before)
		isDropped = isDropped || found
		return found, err
	})
	if err != nil {
		return err
	}
	if err := e.ForgetAddresses(ctx, before.Start()); err != nil {
		return err
	}
	dropped, err := e.Dropped(ctx)
	if err == nil && isDropped { // segments of events that a release without the index has dropped too
		err = e.write(ctx, func(s *session) error {
			_, err := s.exec(ctx, touchSegmentsBefore, dropped)
			return err
		})
	}
	if err != nil {
		return err
	}
	return e.IndexBefore(ctx, dropped)
}

// dropChunk removes events of the oldest month before a given month, and reports whether there was such a month. The
// same transaction records the dropped position: a Drop may be interrupted, and a process that counts the log meanwhile
// must not mistake the remaining events for all events.
func (s *session) dropChunk(ctx context.Context, before usage.Month) (found bool, err error) {
	var month, first, last int64
	err = s.query(ctx, selectOldMonth, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&month, &first, &last)
	}, before.Number())
	if err != nil || !found {
		return false, err
	}
	end := min(last, first+forgetChunk-1)
	if _, err := s.exec(ctx, deleteEvents, first, end, int64(before.Start())); err != nil {
		return false, err
	}
	if end == last {
		_, err = s.exec(ctx, deleteMonth, month)
	} else {
		_, err = s.exec(ctx, shortenMonth, end+1, month)
	}
	if err != nil {
		return false, err
	}
	if _, err := s.exec(ctx, touchSegments, first, end); err != nil {
		return false, err
	}
	_, err = s.exec(ctx, moveDropped, end)
	return true, err
}
