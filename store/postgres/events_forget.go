package postgres

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	eraseExternal = define(`
		UPDATE events SET external_user = $5, user_id = NULL, trace = NULL, referer = NULL, details = NULL, metadata = NULL
		WHERE position = ANY (ARRAY(SELECT e.position FROM unnest($1::bigint[], $2::bigint[]) AS run(after, until), LATERAL (
			SELECT position FROM events WHERE position > run.after AND position <= run.until
				AND account IS NOT DISTINCT FROM $3 AND external_user = $4 OFFSET 0) AS e))
		RETURNING position`)
	eraseUser = define(`
		UPDATE events SET user_id = $5, trace = NULL, referer = NULL, details = NULL, metadata = NULL
		WHERE position = ANY (ARRAY(SELECT e.position FROM unnest($1::bigint[], $2::bigint[]) AS run(after, until), LATERAL (
			SELECT position FROM events WHERE position > run.after AND position <= run.until
				AND account IS NOT DISTINCT FROM $3 AND external_user IS NULL AND user_id = $4 OFFSET 0) AS e))
		RETURNING position`)
	deleteRuns = define(`DELETE FROM event_addresses WHERE first = ANY ($1::bigint[])`)
)

// Erase implements store.Events.
func (e *Events) Erase(ctx context.Context, account, person, alias string, upTo event.Position) (erased int64, err error) {
	external, user := storelogic.PersonColumns(person)
	who := erasing{st: eraseExternal, args: []any{optional(account), []byte(external), []byte(alias)}}
	if external == "" {
		who = erasing{st: eraseUser, args: []any{optional(account), []byte(user), []byte(alias)}}
	}
	if external == "" && user == "" {
		return 0, nil
	}
	head, err := e.Head(ctx)
	if err != nil {
		return 0, err
	}
	who.upTo = min(upTo, head)
	first, err := e.FirstEvent(ctx)
	if err != nil {
		return 0, err
	}
	query := store.EventQuery{Account: account, Names: []string{person}, Dropped: math.MaxInt64}
	for after := first - 1; after < who.upTo; {
		runs, err := e.PersonRuns(ctx, query, after, who.upTo)
		if err != nil {
			return erased, err
		}
		for _, pieces := range grouped(runs.Runs) {
			found, err := e.erasePieces(ctx, who, pieces)
			erased += found
			if err != nil {
				return erased, err
			}
		}
		after = runs.At
	}
	return erased, nil
}

// erasing is what one call of Erase does.
type erasing struct {
	upTo event.Position
	st   *statement
	// args are the arguments of the statement after the bounds of runs.
	args []any
}

// grouped divides runs into groups that one transaction changes: short pieces of segments, or one piece of the rest.
func grouped(runs []storelogic.PersonRun) (groups [][]storelogic.PersonRun) {
	var size event.Position
	for _, r := range runs {
		most := event.Position(scanChunk)
		if r.IsIndexed {
			most = storelogic.PersonPiece
		}
		for piece := range r.Pieces(most) {
			n := len(groups)
			if size += piece.Last - piece.After; n > 0 && size <= storelogic.PersonPiece && r.IsIndexed {
				groups[n-1] = append(groups[n-1], piece)
				continue
			}
			groups, size = append(groups, []storelogic.PersonRun{piece}), piece.Last-piece.After
		}
	}
	return groups
}

// boundsOf returns the bounds of pieces, which end at upTo, as two arguments.
func boundsOf(pieces []storelogic.PersonRun, upTo event.Position) []any {
	afters, untils := make([]int64, len(pieces)), make([]int64, len(pieces))
	for i, piece := range pieces {
		afters[i], untils[i] = piece.After, min(piece.Last, upTo)
	}
	return []any{afters, untils}
}

// erasePieces erases a person's events in pieces, in one transaction, or around skipped events.
func (e *Events) erasePieces(ctx context.Context, who erasing, pieces []storelogic.PersonRun) (int64, error) {
	found, err := e.erase(ctx, who, pieces)
	if fault.CodeOf(err) != fault.Internal { // a skipped row may be readable enough
		return found, err
	}
	found = 0
	for _, piece := range pieces {
		skipped, err := e.SkippedBetween(ctx, piece.After, piece.Last)
		if err != nil {
			return found, err
		}
		err = storelogic.Around(piece.After, min(piece.Last, who.upTo), skipped, func(after, last event.Position, _ bool) (bool, error) {
			n, err := e.erase(ctx, who, []storelogic.PersonRun{{After: after, Last: last}})
			found += n
			return false, err
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// erase erases a person's events in pieces, in one transaction, and returns how many there were. It also changes the
// index of persons, but only in segments that are current: the trigger of the log makes all others be read again.
func (e *Events) erase(ctx context.Context, who erasing, pieces []storelogic.PersonRun) (int64, error) {
	var of []int64
	alone := func(p *pipeline) { p.do(lockErasing, erasingLock) }
	err := e.changing(ctx, alone, func(ctx context.Context, s *session, last *pipeline) error {
		of = nil
		c := &conn{session: s, pending: last, writes: true}
		before, err := sqlstore.NamesIn(ctx, c, pieces)
		if err != nil {
			return err
		}
		err = s.send(ctx, func(p *pipeline) {
			p.ask(planOnce, func(pgx.Rows) error { return nil }) // use an index, which bypasses damaged pages
			p.ask(who.st, func(rows pgx.Rows) error {
				var position int64
				err := rows.Scan(&position)
				of = append(of, position)
				return err
			}, append(boundsOf(pieces, who.upTo), who.args...)...)
		})
		if err != nil || len(of) == 0 {
			return err
		}
		if err := sqlstore.ChangePersons(ctx, c, pieces, before); err != nil {
			return err
		}
		return s.eraseAddresses(ctx, of, last)
	})
	if err != nil {
		return 0, err
	}
	return int64(len(of)), nil
}

// eraseAddresses removes events from the runs that contain them. Each removed event can split a run in two.
func (s *session) eraseAddresses(ctx context.Context, positions []int64, last *pipeline) error {
	gone := map[int64]bool{}
	for _, position := range positions {
		gone[position] = true
	}
	runs, err := s.runs(ctx, selectRunsOf, positions)
	if err != nil {
		return storeError(ctx, err)
	}
	var (
		old  []int64
		left []run
	)
	for _, r := range runs {
		pieces, whole := r.without(gone)
		if !whole {
			old, left = append(old, r.first), append(left, pieces...)
		}
	}
	last.do(deleteRuns, old)
	last.do(insertRuns, append([]any{int64(0)}, runArrays(left)...)...)
	return nil
}

// without returns the pieces of a run that remain after removing some positions. whole reports whether the run contains
// none of these positions.
func (r run) without(gone map[int64]bool) (pieces []run, whole bool) {
	whole = true
	piece := run{first: r.first, received: r.received, address: r.address}
	for position := r.first; position <= r.last+1; position++ {
		if position <= r.last && !gone[position] {
			continue
		}
		whole = whole && position > r.last
		if piece.last = position - 1; piece.first <= piece.last {
			pieces = append(pieces, piece)
		}
		piece.first = position + 1
	}
	return pieces, whole
}
